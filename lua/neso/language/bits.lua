--- Operations on the bits of integers. `tl.band` and the like are what operators of Lua 5.3 and
--- LuaJIT's `bit` mean in kernels, for every Lua.

local arith = require "neso.frontend.arith"
local check = require "neso.language.check"
local convert = require "neso.frontend.convert"
local dtypes = require("neso.dtype").names
local expr = require "neso.frontend.expr"
local values = require "neso.frontend.values"

local M = {}

local function operator(op)
  return function(cx, a) return expr.binary(cx, op, a.x, a.y) end
end

M.band, M.bor, M.bxor = operator "&", operator "|", operator "~"
M.lshift, M.arshift = operator "<<", operator ">>"

-- Shifts zeros in, whatever the type of x.
function M.rshift(cx, a)
  if type(a.x) == "number" and type(a.y) == "number" then
    return math.floor(a.x % 2 ^ 32 / 2 ^ a.y)
  end
  return arith.binary(cx, ">>>", a.x, a.y)
end

function M.bnot(cx, a)
  if type(a.x) == "number" then return -a.x - 1 end
  return arith.unary(cx, "~", check.value(cx, a.x, "invert"))
end

local function integer(cx, x, name)
  x = check.value(cx, x, "count the bits of")
  if x.dtype.kind ~= "int" and x.dtype.kind ~= "uint" then
    cx:fail(("tl.%s takes integers, got %s"):format(name, values.describe(x)))
  end
  return x
end

local function count(name, op)
  return function(cx, a)
    local x = integer(cx, a.x, name)
    local out = cx.builder:value(op, { x.ssa }, x.dtype, x.shape)
    return convert.cast(cx, values.value(out.ssa, dtypes["u" .. x.dtype.bits], x.shape), dtypes.i32)
  end
end

M.popcount, M.clz = count("popcount", "math.ctpop"), count("clz", "math.ctlz")

local trailing = count("ffs", "math.cttz")

function M.ffs(cx, a)
  local x = integer(cx, a.x, "ffs")
  local place = arith.binary(cx, "+", trailing(cx, a), 1)
  local none = arith.binary(cx, "==", x, arith.constant_like(cx, x, 0))
  return arith.select(cx, none, arith.constant_like(cx, place, 0), place)
end

return M
