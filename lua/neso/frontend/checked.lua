--- Checked mode: conditions put beside what a kernel computes and accesses. They end the launch on
--- signed overflow, shift counts outside of the type, division by zero, conversions to integers
--- that do not hold the value, and accesses outside of the buffers.

local arith = require "neso.frontend.arith"
local asserts = require "neso.frontend.asserts"
local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local promote = require "neso.frontend.promote"
local prune = require "neso.frontend.prune"
local values = require "neso.frontend.values"

local M = {}

local EQ, NE, SGE, ULT = 0, 1, 5, 6 -- MLIR's numbers of integer comparisons
local OGE, OLT = 3, 4 -- and of floats

--- Is the kernel to be compiled in checked mode?
---@param options table launch options
function M.wanted(options)
  local checked = options.checked
  if checked == nil then
    local text = os.getenv "NESO_CHECKED"
    checked = text ~= nil and text ~= "" and text ~= "0"
  end
  return checked
end

local function active(cx)
  return cx.checked and not cx.builder.no_effects
end

local function compare(cx, predicate, a, b)
  return convert.compare(cx, "arith.cmpi", predicate, a, b)
end

local function against(cx, predicate, x, number)
  return compare(cx, predicate, x, arith.constant_like(cx, x, number))
end

local function both(cx, a, b) return arith.emit(cx, "arith.andi", a, b) end
local function either(cx, a, b) return arith.emit(cx, "arith.ori", a, b) end

-- Overflow ------------------------------------------------------------------------------------

local ring = { ["+"] = "arith.addi", ["-"] = "arith.subi", ["*"] = "arith.muli" }

-- The same in twice the bits gives the same.
local function same_when_wide(cx, op, a, b, result)
  local wide = dtypes["i" .. 2 * result.dtype.bits]
  local exact = arith.emit(cx, ring[op], convert.cast(cx, a, wide), convert.cast(cx, b, wide))
  return compare(cx, EQ, exact, convert.cast(cx, result, wide))
end

-- A sum overflows where both operands have the other sign than it.
local function fits_64(cx, op, a, b, result)
  local xor = function(x, y) return arith.emit(cx, "arith.xori", x, y) end
  if op == "+" then
    return against(cx, SGE, arith.emit(cx, "arith.andi", xor(a, result), xor(b, result)), 0)
  elseif op == "-" then
    return against(cx, SGE, arith.emit(cx, "arith.andi", xor(a, b), xor(a, result)), 0)
  end
  local quotient = arith.emit(cx, "arith.divsi", result, a)
  local least = both(cx, against(cx, EQ, a, -1), against(cx, EQ, b, -2 ^ 63))
  local exact = both(cx, compare(cx, EQ, quotient, b), arith.logical_not(cx, least))
  return either(cx, against(cx, EQ, a, 0), exact)
end

local function check_ring(cx, op, a, b, result)
  if result.dtype.kind ~= "int" or result.ssa.constant then return end
  a, b = convert.unify(cx, a, b, "compute with", result.dtype)
  prune.guard(cx, result.ssa, function()
    local fits = result.dtype.bits == 64 and fits_64 or same_when_wide
    asserts.emit(cx, fits(cx, op, a, b, result),
      ("%s overflow: the result of '%s' does not fit"):format(result.dtype.name, op))
  end)
end

-- Shifts and divisions ------------------------------------------------------------------------

local function check_shift(cx, op, _, b, result)
  if result.dtype.kind == "bool" or type(b) == "number" and b >= 0 and b < result.dtype.bits then
    return
  end
  local count = convert.cast(cx, convert.to_value(cx, b), result.dtype)
  asserts.emit(cx, against(cx, ULT, count, result.dtype.bits),
    ("the count of '%s' is not within 0 to %d"):format(op, result.dtype.bits - 1))
end

--- Integers a and b may be divided: b is not 0, and not -1 under the least of a signed type.
function M.division(cx, name, a, b)
  if not active(cx) or promote.common(a, b).kind == "float" then return end
  a, b = convert.unify(cx, a, b, "divide")
  if a.dtype.kind == "bool" or (b.ssa.constant or 0) > 0 then return end
  asserts.emit(cx, against(cx, NE, b, 0), ("division by zero: '%s'"):format(name))
  if a.dtype.kind ~= "int" or (b.ssa.constant or -1) ~= -1 then return end
  asserts.emit(cx,
    either(cx, against(cx, NE, b, -1), against(cx, NE, a, -2 ^ (a.dtype.bits - 1))),
    ("%s overflow: '%s' of the least value by -1"):format(a.dtype.name, name))
end

local after = { ["+"] = check_ring, ["-"] = check_ring, ["*"] = check_ring,
  ["<<"] = check_shift, [">>"] = check_shift, [">>>"] = check_shift }

--- a op b as arith.binary gives it.
function M.binary(cx, op, a, b)
  local plain = not active(cx) or values.is_pointer(a) or values.is_pointer(b)
  if not plain and (op == "//" or op == "%") then M.division(cx, op, a, b) end
  local result = arith.binary(cx, op, a, b)
  if not plain and after[op] then after[op](cx, op, a, b, result) end
  return result
end

function M.unary(cx, op, x)
  local result = arith.unary(cx, op, x)
  if active(cx) and op == "-" and x.dtype.kind == "int" and not x.ssa.constant then
    asserts.emit(cx, against(cx, NE, x, -2 ^ (x.dtype.bits - 1)),
      ("%s overflow: the result of '-' does not fit"):format(x.dtype.name))
  end
  return result
end

-- Conversions, promises -----------------------------------------------------------------------

--- The float x, cut toward zero, is a value of the integer type `to`.
function M.conversion(cx, x, to)
  if not active(cx) or x.dtype.kind ~= "float" or to.kind ~= "int" and to.kind ~= "uint" then
    return
  end
  if x.dtype.bits < 32 then x = convert.cast(cx, x, dtypes.f32) end
  local cut = cx.builder:value("math.trunc", { x.ssa }, x.dtype, x.shape)
  local bits = to.kind == "int" and to.bits - 1 or to.bits
  local least = to.kind == "int" and -2 ^ bits or 0
  local function bound(predicate, number)
    return convert.compare(cx, "arith.cmpf", predicate, cut, arith.constant_like(cx, cut, number))
  end
  asserts.emit(cx, both(cx, bound(OGE, least), bound(OLT, 2 ^ bits)),
    ("the value does not fit %s"):format(to.name))
end

--- A promise to the compiler; `holds` gives the condition.
function M.promise(cx, name, holds)
  if active(cx) then
    asserts.emit(cx, holds(), ("what tl.%s promises does not hold"):format(name))
  end
end

-- Accesses ------------------------------------------------------------------------------------

-- Kind of access, and the operand that is the mask.
local accesses = {
  ["neso.load"] = { "load" }, ["neso.masked_load"] = { "load", 3 },
  ["neso.store"] = { "store" }, ["neso.masked_store"] = { "store", 4 },
  ["neso.atomic_rmw"] = { "atomic", 4 }, ["neso.atomic_cas"] = { "atomic", 5 },
}

local function check_access(builder, name, operands)
  local access = accesses[name]
  if not access or builder.no_effects then return end
  local base = operands[1]
  local checked = { base, operands[2], access[2] and operands[access[2]] }
  builder:op("neso.check_access", checked, {}, {
    { "dtype", "s", base.element or base.type:match "^p:(.*)$" },
    { "name", "s", base.parameter or "" },
    { "access", "s", access[1] } })
end

--- Turns checked mode on for a compilation.
function M.enable(cx)
  cx.checked = true
  cx.builder.before = check_access
end

return M
