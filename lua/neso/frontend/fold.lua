--- Operators on compile-time values: Lua's own, with 5.3's // & | ~ << >> on every host.

local M = {}

local floor = math.floor

local native = {
  ["+"] = function(a, b) return a + b end,
  ["-"] = function(a, b) return a - b end,
  ["*"] = function(a, b) return a * b end,
  ["/"] = function(a, b) return a / b end,
  ["%"] = function(a, b) return a % b end,
  ["^"] = function(a, b) return a ^ b end,
  [".."] = function(a, b) return a .. b end,
  ["=="] = function(a, b) return a == b end,
  ["~="] = function(a, b) return a ~= b end,
  ["<"] = function(a, b) return a < b end,
  ["<="] = function(a, b) return a <= b end,
  [">"] = function(a, b) return a > b end,
  [">="] = function(a, b) return a >= b end,
  ["//"] = function(a, b) return floor(a / b) end,
  ["<<"] = function(a, b) return floor(a * 2 ^ b) end,
  [">>"] = function(a, b) return floor(a % 2 ^ 64 / 2 ^ b) end,
}

-- Bits of two integers, digit by digit; exact below 2^52.
local function bitwise(rule)
  return function(a, b)
    if a ~= floor(a) or b ~= floor(b) then
      error("number has no integer representation", 0)
    end
    local negative = rule(a < 0 and 1 or 0, b < 0 and 1 or 0) == 1
    a, b = a % 2 ^ 52, b % 2 ^ 52
    local out, weight = 0, 1
    while a > 0 or b > 0 do
      if rule(a % 2, b % 2) == 1 then out = out + weight end
      a, b, weight = floor(a / 2), floor(b / 2), weight * 2
    end
    return negative and out - 2 ^ 52 or out
  end
end

native["&"] = bitwise(function(a, b) return a * b end)
native["|"] = bitwise(function(a, b) return a + b > 0 and 1 or 0 end)
native["~"] = bitwise(function(a, b) return a ~= b and 1 or 0 end)

local unary = {
  ["-"] = function(a) return -a end,
  ["not"] = function(a) return not a end,
  ["#"] = function(a) return #a end,
  ["~"] = function(a) return -a - 1 end,
}

--- a op b; nil and a message when Lua has no such operation.
function M.binary(op, a, b)
  local ok, result = pcall(native[op], a, b)
  if ok then return true, result end
  return false, tostring(result)
end

function M.unary(op, a)
  local ok, result = pcall(unary[op], a)
  if ok then return true, result end
  return false, tostring(result)
end

return M
