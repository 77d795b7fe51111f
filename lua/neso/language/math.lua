--- Elementwise functions with rules of their own.

local dtypes = require("neso.dtype").names
local addresses = require "neso.frontend.addresses"
local arith = require "neso.frontend.arith"
local check = require "neso.language.check"
local checked = require "neso.frontend.checked"
local convert = require "neso.frontend.convert"
local expr = require "neso.frontend.expr"
local language = require "neso.language"
local values = require "neso.frontend.values"

local M = {}

local is_value, is_runtime = values.is_value, values.is_runtime

function M.abs(cx, a)
  local x = check.value(cx, a.x, "take the absolute value of")
  local kind = x.dtype.kind
  if kind == "uint" or kind == "bool" then return x end
  if kind == "float" then
    return arith.through_f32(cx, x, function(y)
      return cx.builder:value("math.absf", { y.ssa }, y.dtype, y.shape)
    end)
  end
  local zero = arith.constant_like(cx, x, 0)
  return arith.select(cx, arith.binary(cx, "<", x, zero), arith.negate(cx, x), x)
end

function M.pow(cx, a)
  return expr.binary(cx, "^", a.x, a.y)
end

local names = {
  maximum = { float = "arith.maximumf", skip_nan = "arith.maxnumf", int = "arith.maxsi",
    uint = "arith.maxui", bool = "arith.ori", host = math.max },
  minimum = { float = "arith.minimumf", skip_nan = "arith.minnumf", int = "arith.minsi",
    uint = "arith.minui", bool = "arith.andi", host = math.min },
}

local function extreme(cx, which, x, y, propagate_nan)
  local ops = names[which]
  if type(x) == "number" and type(y) == "number" then return ops.host(x, y) end
  x, y = convert.unify(cx, x, y, "take the " .. which .. " of")
  local name = ops[x.dtype.kind]
  if x.dtype.kind == "float" and not propagate_nan then name = ops.skip_nan end
  return arith.through_f32(cx, x, function(wide)
    return arith.emit(cx, name, wide, convert.cast(cx, y, wide.dtype))
  end)
end

function M.maximum(cx, a)
  return extreme(cx, "maximum", a.x, a.y, check.flag(cx, a.propagate_nan, "propagate_nan", true))
end

function M.minimum(cx, a)
  return extreme(cx, "minimum", a.x, a.y, check.flag(cx, a.propagate_nan, "propagate_nan", true))
end

function M.clamp(cx, a)
  local propagate = check.flag(cx, a.propagate_nan, "propagate_nan", true)
  return extreme(cx, "minimum", extreme(cx, "maximum", a.x, a.low, propagate), a.high, propagate)
end

function M.where(cx, a)
  local c = a.condition
  if not is_runtime(c) then
    if type(c) ~= "boolean" then
      cx:fail("tl.where takes a boolean condition, got " .. values.describe(c))
    end
    return c and a.x or a.y
  end
  if not is_value(c) or c.dtype ~= dtypes.i1 then
    cx:fail("tl.where takes a boolean condition, got " .. values.describe(c),
      "compare: x ~= 0")
  end
  if values.is_pointer(a.x) and values.is_pointer(a.y) and a.x.dtype == a.y.dtype then
    return addresses.select(cx, a.x, a.y, function(x, y) return expr.where(cx, c, x, y) end)
  end
  return expr.where(cx, c, a.x, a.y)
end

function M.cdiv(cx, a)
  if type(a.x) == "number" and type(a.d) == "number" then return language.cdiv(a.x, a.d) end
  local raised = expr.binary(cx, "+", a.x, expr.binary(cx, "-", a.d, 1))
  return expr.binary(cx, "//", raised, a.d)
end

function M.div_floor(cx, a)
  if type(a.x) == "number" and type(a.y) == "number" then return language.div_floor(a.x, a.y) end
  return expr.binary(cx, "//", a.x, a.y)
end

local function truncated(remainder)
  return function(cx, a)
    if type(a.x) == "number" and type(a.y) == "number" and a.y ~= 0 then
      local r = math.fmod(a.x, a.y)
      return remainder and r or (a.x - r) / a.y
    end
    checked.division(cx, remainder and "tl.rem" or "tl.div_trunc", a.x, a.y)
    return arith.truncated(cx, a.x, a.y, remainder)
  end
end

M.div_trunc = truncated(false)
M.rem = truncated(true)

-- High half of a 64-bit product, from products of halves.
local function high_half(cx, x, y)
  local function word(v) return values.value(v.ssa, dtypes.u64, v.shape) end
  local function low(v) return arith.binary(cx, "&", v, 4294967295) end
  local function high(v) return arith.binary(cx, ">>", v, 32) end
  local function add(a, b) return arith.binary(cx, "+", a, b) end
  local function mul(a, b) return arith.binary(cx, "*", a, b) end
  local a, b = word(x), word(y)
  local cross = add(mul(high(a), low(b)), high(mul(low(a), low(b))))
  local other = add(mul(low(a), high(b)), low(cross))
  local out = add(add(mul(high(a), high(b)), high(cross)), high(other))
  return values.value(out.ssa, x.dtype, x.shape)
end

function M.umulhi(cx, a)
  local x, y = convert.unify(cx, a.x, a.y, "multiply")
  local dtype = x.dtype
  if dtype.bits < 32 or dtype.kind == "float" then
    cx:fail("tl.umulhi takes 32- or 64-bit integers, got " .. values.describe(x))
  end
  if dtype.bits == 64 then return high_half(cx, x, y) end
  local function wide(v)
    return cx.builder:value("arith.extui", { v.ssa }, dtypes.u64, v.shape)
  end
  local product = arith.emit(cx, "arith.muli", wide(x), wide(y))
  local high = arith.emit(cx, "arith.shrui", product, arith.constant_like(cx, product, 32))
  return cx.builder:value("arith.trunci", { high.ssa }, dtype, x.shape)
end

function M.fdiv(cx, a) return expr.binary(cx, "/", a.x, a.y) end

M.div_rn = M.fdiv

function M.next_power_of_2(cx, a)
  return language.next_power_of_2(check.integer(cx, a.n, "the argument of tl.next_power_of_2"))
end

return M
