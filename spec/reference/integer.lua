-- Integers: arith.* on i1 to i64. Everything wraps; nothing traps.
local bit = require "bit"

local arshift, band, bor, bxor = bit.arshift, bit.band, bit.bor, bit.bxor
local lshift, rshift = bit.lshift, bit.rshift

local LEAST = -0x8000000000000000LL

local function element_of(op) return op.results[1].element end

local function wrapping(rule)
  return { scalar = function(op)
    local wrap = element_of(op).wrap
    return function(a, b) return wrap(rule(a, b)) end
  end }
end

-- Unsigned comparison of values that keep their sign.
local function below(a, b) return bxor(a, LEAST) < bxor(b, LEAST) end

-- Of 64 bits; the operands of fewer bits are not negative.
local function unsigned_quotient(a, b)
  if b < 0 then return below(a, b) and 0LL or 1LL end
  if a >= 0 then return a / b end
  local quotient = lshift(rshift(a, 1) / b, 1)
  return below(a - quotient * b, b) and quotient or quotient + 1
end

-- x / 0 is 0, x % 0 is x; the least integer by -1 is itself, remainder 0.
local function signed_division(remainder)
  return { scalar = function(op)
    local element = element_of(op)
    local signed, wrap = element.signed, element.wrap
    return function(a, b)
      a, b = signed(a), signed(b)
      local quotient
      if b == 0 then quotient = 0LL elseif b == -1 then quotient = -a else quotient = a / b end
      return wrap(remainder and a - quotient * b or quotient)
    end
  end }
end

local function unsigned_division(remainder)
  return { scalar = function(op)
    local element = element_of(op)
    local unsigned, wrap = element.unsigned, element.wrap
    return function(a, b)
      a, b = unsigned(a), unsigned(b)
      local quotient = b == 0 and 0LL or unsigned_quotient(a, b)
      return wrap(remainder and a - quotient * b or quotient)
    end
  end }
end

-- By the width or more: nothing is left but zeros, or the sign.
local function shift(rule, signed)
  return { scalar = function(op)
    local element = element_of(op)
    local bits, wrap, unsigned = element.bits, element.wrap, element.unsigned
    local view = signed and element.signed or unsigned
    return function(a, b)
      b = unsigned(b)
      if b < 0 or b >= bits then return signed and wrap(arshift(view(a), 63)) or 0LL end
      return wrap(rule(view(a), tonumber(b)))
    end
  end }
end

local function chosen(view, rule)
  return { scalar = function(op)
    local look = element_of(op)[view]
    return function(a, b) return rule(look(a), look(b)) and a or b end
  end }
end

local predicates = {
  [0] = { "signed", function(a, b) return a == b end },
  { "signed", function(a, b) return a ~= b end },
  { "signed", function(a, b) return a < b end },
  { "signed", function(a, b) return a <= b end },
  { "signed", function(a, b) return a > b end },
  { "signed", function(a, b) return a >= b end },
  { "unsigned", function(a, b) return below(a, b) end },
  { "unsigned", function(a, b) return not below(b, a) end },
  { "unsigned", function(a, b) return below(b, a) end },
  { "unsigned", function(a, b) return not below(a, b) end },
}

local function compare(op)
  local predicate = predicates[op.attributes.predicate]
  local look, holds = op.operands[1].element[predicate[1]], predicate[2]
  return function(a, b) return holds(look(a), look(b)) and 1LL or 0LL end
end

local function counting(rule)
  return { scalar = function(op)
    local element = element_of(op)
    local unsigned, bits = element.unsigned, element.bits
    return function(a) return rule(unsigned(a), bits) end
  end }
end

local function ones(a)
  local n = 0LL
  while a ~= 0 do a, n = band(a, a - 1), n + 1 end
  return n
end

local function trailing_zeros(a, bits)
  if a == 0 then return bits + 0LL end
  return ones(bxor(a, a - 1)) - 1
end

local function leading_zeros(a, bits)
  local n = bits + 0LL
  while a ~= 0 do a, n = rshift(a, 1), n - 1 end
  return n
end

return {
  ["math.ctpop"] = counting(ones),
  ["math.cttz"] = counting(trailing_zeros),
  ["math.ctlz"] = counting(leading_zeros),
  ["arith.addi"] = wrapping(function(a, b) return a + b end),
  ["arith.subi"] = wrapping(function(a, b) return a - b end),
  ["arith.muli"] = wrapping(function(a, b) return a * b end),
  ["arith.andi"] = { scalar = function() return band end },
  ["arith.ori"] = { scalar = function() return bor end },
  ["arith.xori"] = { scalar = function() return bxor end },
  ["arith.divsi"] = signed_division(false),
  ["arith.remsi"] = signed_division(true),
  ["arith.divui"] = unsigned_division(false),
  ["arith.remui"] = unsigned_division(true),
  ["arith.shli"] = shift(lshift),
  ["arith.shrui"] = shift(rshift),
  ["arith.shrsi"] = shift(arshift, true),
  ["arith.maxsi"] = chosen("signed", function(a, b) return a >= b end),
  ["arith.minsi"] = chosen("signed", function(a, b) return a <= b end),
  ["arith.maxui"] = chosen("unsigned", function(a, b) return not below(a, b) end),
  ["arith.minui"] = chosen("unsigned", function(a, b) return not below(b, a) end),
  ["arith.cmpi"] = { scalar = compare },
  ["math.absi"] = { scalar = function(op)
    local element = element_of(op)
    local signed, wrap = element.signed, element.wrap
    return function(a)
      a = signed(a)
      return wrap(a < 0 and -a or a)
    end
  end },
}
