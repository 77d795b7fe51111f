-- Types of results: every pair of dtypes under every operator, and literals, against the rules of
-- spec/language.md ("Types") written down once more as a table of words.
local support = dofile((debug.getinfo(1, "S").source:match "^@(.*/)" or "./") ..
  "codegen_support.lua")

local names = { "i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f8e5m2", "f8e4m3fn",
  "f8e4b15", "f8e4m3fnuz", "f8e5m2fnuz", "f16", "bf16", "f32", "f64" }

local function is_float(t) return t:find "^[fb]" ~= nil end
local function is_eight(t) return t:find "^f8" ~= nil end
local function is_signed(t) return t ~= "i1" and t:find "^i" ~= nil end
local function width(t) return t == "i1" and 1 or tonumber(t:match "%d+$") end

local function one_is(t, a, b) return a == t or b == t end

local function integers(a, b)
  if is_signed(a) == is_signed(b) then return width(a) >= width(b) and a or b end
  local signed, unsigned = a, b
  if is_signed(b) then signed, unsigned = b, a end
  return width(unsigned) >= width(signed) and unsigned or signed
end

local function join(a, b, divides)
  if one_is("f64", a, b) then return "f64" end
  if divides and (is_float(a) or is_float(b)) then return "f32" end
  if one_is("f32", a, b) then return "f32" end
  if one_is("f16", a, b) then return "f16" end
  if one_is("bf16", a, b) then return a == b and a or "f32" end
  if is_eight(a) and is_eight(b) then return a == b and a or "f16" end
  if is_float(a) or is_float(b) then return "f32" end
  return integers(a, b)
end

local function is_integer(t) return not is_float(t) end

-- The type of `a op b`, or nil where that is an error.
local rules = {}
for _, op in ipairs { "+", "-", "*" } do
  rules[op] = function(a, b)
    local t = join(a, b)
    return t == "i1" and "i32" or t
  end
end
rules["/"] = function(a, b)
  local t = join(a, b, true)
  return is_integer(t) and "f32" or t
end
for _, op in ipairs { "==", "~=", "<", "<=", ">", ">=" } do
  rules[op] = function() return "i1" end
end
for _, op in ipairs { "&", "|", "~" } do
  rules[op] = function(a, b)
    if is_integer(a) and is_integer(b) then return integers(a, b) end
  end
end

local function statement(expression, dtype)
  return ("tl.static_assert((%s).dtype == tl.%s, '%s is ' .. tostring((%s).dtype))"):format(
    expression, dtype, expression:gsub("'", ""), expression)
end

-- Values of every dtype as scalars and blocks: s_f32, b_f32.
local function values()
  local params, text = {}, {}
  for _, name in ipairs(names) do
    params[#params + 1] = ("p_%s:*%s"):format(name, name)
    text[#text + 1] = ("local s_%s = tl.load(p_%s)"):format(name, name)
    text[#text + 1] = ("local b_%s = tl.load(p_%s + tl.arange(0, 4))"):format(name, name)
  end
  return table.concat(params, " "), table.concat(text, "\n")
end

local params, declarations = values()

local function compiles(lines)
  support.body(declarations .. "\n" .. table.concat(lines, "\n"), params)
end

describe("promotion", function()
  for op, rule in pairs(rules) do
    it("of every pair under " .. op, function()
      for _, a in ipairs(names) do
        local lines = {}
        for _, b in ipairs(names) do
          local want = rule(a, b)
          if want then
            lines[#lines + 1] = statement(("b_%s %s b_%s"):format(a, op, b), want)
            lines[#lines + 1] = statement(("s_%s %s b_%s"):format(a, op, b), want)
            lines[#lines + 1] = statement(("s_%s %s s_%s"):format(a, op, b), want)
          end
        end
        compiles(lines)
      end
    end)
  end

  it("of where, minimum and maximum", function()
    for _, a in ipairs(names) do
      local lines = {}
      for _, b in ipairs(names) do
        local want = join(a, b)
        lines[#lines + 1] = statement(("tl.where(b_i1, b_%s, b_%s)"):format(a, b), want)
        if want ~= "i1" then
          lines[#lines + 1] = statement(("tl.minimum(b_%s, b_%s)"):format(a, b), want)
          lines[#lines + 1] = statement(("tl.maximum(s_%s, b_%s)"):format(a, b), want)
        end
      end
      compiles(lines)
    end
  end)

  it("of // and %: integers of one signedness, floats at least f32 under %", function()
    for _, a in ipairs(names) do
      local lines = {}
      for _, b in ipairs(names) do
        local both = a ~= "i1" and b ~= "i1" and is_integer(a) and is_integer(b)
        if both and is_signed(a) == is_signed(b) then
          lines[#lines + 1] = statement(("b_%s // b_%s"):format(a, b), integers(a, b))
          lines[#lines + 1] = statement(("b_%s %% b_%s"):format(a, b), integers(a, b))
        elseif both then
          assert.has_error(function() compiles { ("local _ = b_%s // b_%s"):format(a, b) } end)
          assert.has_error(function() compiles { ("local _ = b_%s %% b_%s"):format(a, b) } end)
        elseif is_float(a) and is_float(b) then
          lines[#lines + 1] = statement(("b_%s %% b_%s"):format(a, b), join(a, b, true))
        end
      end
      compiles(lines)
    end
  end)

  it("refuses bits of floats", function()
    for _, op in ipairs { "&", "|", "~", "<<", ">>" } do
      for _, t in ipairs { "f32", "f8e5m2", "bf16" } do
        local message = support.error(("%s\nlocal _ = b_%s %s b_i32"):format(declarations, t, op),
          params)
        assert.truthy(message:find(t, 1, true), message)
      end
    end
  end)
end)

-- ------------------------------------------------------------------------ literals --

local alone = { { "1", "i32" }, { "2.0", "i32" }, { "-1", "i32" }, { "2147483647", "i32" },
  { "2147483648", "i64" }, { "-2147483648", "i32" }, { "-2147483649", "i64" }, { "0.5", "f32" },
  { "1e300", "f64" }, { "1e-40", "f64" }, { "-1e39", "f64" }, { "1/0", "f32" }, { "0/0", "f32" },
  { "true", "i1" }, { "2^53", "i64" }, { "1e19", "f32" }, { "3.4e38", "f32" } }

-- The type of a literal beside a value: kinds are booleans < integers < floats.
local function kind(t) return t == "i1" and 0 or is_integer(t) and 1 or 2 end

describe("a literal", function()
  it("alone is typed by its value", function()
    local lines = {}
    for _, row in ipairs(alone) do
      lines[#lines + 1] = statement(("tl.full({2}, %s)"):format(row[1]), row[2])
    end
    compiles(lines)
  end)

  it("does not widen what is of its kind or above", function()
    local literals = { { "3", "i32" }, { "0.5", "f32" }, { "1e-300", "f64" } }
    for _, t in ipairs(names) do
      local lines = {}
      for _, row in ipairs(literals) do
        local text, own = row[1], row[2]
        local stays = kind(own) <= kind(t)
        local want = stays and t or join(t, own)
        for _, form in ipairs { "b_%s + %s", "s_%s * %s", "tl.where(b_i1, b_%s, %s)" } do
          lines[#lines + 1] = statement(form:format(t, text), want)
        end
        lines[#lines + 1] = statement(("%s - b_%s"):format(text, t), want)
      end
      lines[#lines + 1] = statement(("tl.where(b_i1, b_%s, true)"):format(t), t)
      compiles(lines)
    end
  end)

  it("outside of the integers of the other side is an error", function()
    local rows = { { "i8", "128" }, { "i8", "-129" }, { "u8", "256" }, { "u8", "-1" },
      { "i16", "40000" }, { "u16", "-5" }, { "i32", "2147483648" }, { "u32", "4294967296" },
      { "u32", "-1" }, { "u64", "-1" }, { "i64", "2^63" }, { "u64", "2^64" } }
    for _, row in ipairs(rows) do
      for _, form in ipairs { "b_%s + %s", "s_%s * %s", "b_%s & %s", "b_%s < %s" } do
        local message = support.error(declarations .. "\nlocal _ = " .. form:format(row[1], row[2]),
          params)
        assert.truthy(message:find(row[1], 1, true), message)
      end
    end
  end)

  it("at the ends of the integers of the other side fits", function()
    local lines = {}
    for _, row in ipairs { { "i8", "127" }, { "i8", "-128" }, { "u8", "255" }, { "u8", "0" },
      { "i16", "-32768" }, { "u16", "65535" }, { "i32", "-2147483648" }, { "u32", "4294967295" },
      { "i64", "-2^63" }, { "u64", "2^63" } } do
      lines[#lines + 1] = statement(("b_%s + (%s)"):format(row[1], row[2]), row[1])
    end
    compiles(lines)
  end)
end)
