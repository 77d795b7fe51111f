-- Control flow made at random, the same on every machine: the kernel and plain Lua run one text.
local state = 12345

local function random(low, high)
  state = (state * 69069 + 1) % 2147483648
  return low + math.floor(state / 4096) % (high - low + 1)
end

local function pick(list)
  return list[random(1, #list)]
end

-- One function body: names in scope, nesting left, whether a loop is open.
local Writer = {}
Writer.__index = Writer

function Writer:fresh(prefix)
  self.count = self.count + 1
  return prefix .. self.count
end

function Writer:expression(depth)
  local kind = random(1, 10)
  if depth <= 0 or kind <= 3 then
    return kind == 1 and tostring(random(-3, 6)) or pick(self.names)
  end
  local a, b = self:expression(depth - 1), self:expression(depth - 1)
  if kind <= 6 then return ("(%s %s %s)"):format(a, pick { "+", "-" }, b) end
  if kind == 7 then return ("(%s * %d)"):format(a, random(-3, 5)) end
  if kind == 8 then return ("(%s %% %d)"):format(a, random(2, 7)) end
  if kind == 9 then return ("(%s and %s or %s)"):format(self:condition(1), a, b) end
  return ("%s(%s)"):format(pick { "shrink", "root" }, a)
end

function Writer:condition(depth)
  local kind = random(1, 7)
  if depth > 0 and kind <= 2 then
    return ("(%s %s %s)"):format(self:condition(depth - 1), pick { "and", "or" },
      self:condition(depth - 1))
  end
  if depth > 0 and kind == 3 then return ("not (%s)"):format(self:condition(depth - 1)) end
  return ("%s %s %s"):format(self:expression(1), pick { "<", ">", "==", "~=", "<=", ">=" },
    self:expression(1))
end

function Writer:nested(limit)
  local names, loops = #self.names, self.loops
  self.depth = self.depth - 1
  local text = self:block(limit)
  self.depth, self.loops = self.depth + 1, loops
  while #self.names > names do
    table.remove(self.names)
  end
  return text
end

function Writer:loop_body(variable)
  local names = #self.names
  self.loops = self.loops + 1
  if variable then table.insert(self.names, variable) end
  local text = self:nested(3)
  while #self.names > names do
    table.remove(self.names)
  end
  self.loops = self.loops - 1
  return text
end

local statements = {
  assign = function(self)
    local name
    repeat name = pick(self.names) until not name:find("^i")
    return ("%s = %s %% 1000"):format(name, self:expression(2))
  end,
  declare = function(self)
    local text, name = self:expression(2), self:fresh("v")
    table.insert(self.names, name)
    return ("local %s = %s %% 1000"):format(name, text)
  end,
  field = function(self)
    return ("t.x = (t.x + %s) %% 1000"):format(self:expression(1))
  end,
  branch = function(self)
    local text = ("if %s then\n%s"):format(self:condition(1), self:nested(3))
    if random(1, 2) == 1 then
      text = text .. ("\nelseif %s then\n%s"):format(self:condition(1), self:nested(2))
    end
    if random(1, 2) == 1 then text = text .. "\nelse\n" .. self:nested(2) end
    return text .. "\nend"
  end,
  count = function(self)
    local limit, name = pick(self.names) .. " % 6", self:fresh("i")
    if random(1, 3) == 1 then
      return ("for %s = %s, 1, -%d do\n%s\nend"):format(name, limit, random(1, 2),
        self:loop_body(name))
    end
    return ("for %s = %d, %s do\n%s\nend"):format(name, random(0, 2), limit, self:loop_body(name))
  end,
  test = function(self)
    local name, cond = self:fresh("w"), self:condition(0)
    local body = ("%s = %s + 1\n%s"):format(name, name, self:loop_body())
    if random(1, 2) == 1 then
      return ("local %s = 0\nwhile %s < 5 and %s do\n%s\nend"):format(name, name, cond, body)
    end
    return ("local %s = 0\nrepeat\n%s\nuntil %s > 4 or %s"):format(name, body, name, cond)
  end,
  leave = function(self)
    if self.loops > 0 and random(1, 2) == 1 then
      return ("if %s then break end"):format(self:condition(1))
    end
    return ("if %s then return %s end"):format(self:condition(1), self:expression(1))
  end,
}

local simple = { "assign", "assign", "declare", "field", "leave" }
local all = { "assign", "assign", "declare", "field", "leave", "branch", "branch", "count", "count",
  "test" }

function Writer:block(limit)
  local out = {}
  for i = 1, random(1, limit) do
    out[i] = statements[pick(self.depth > 0 and all or simple)](self)
  end
  return table.concat(out, "\n")
end

local function body()
  local writer = setmetatable({ names = { "a", "b", "n" }, depth = 3, loops = 0, count = 0 },
    Writer)
  return table.concat({
    "local a, b = 1, n * 2",
    "local t = { x = 0 }",
    "local function shrink(p) if p > 3 then return p - 3 end return 5 end",
    "local function root(p) for q = 1, 3 do if q * q > p then return q end end return 9 end",
    writer:block(5),
    "return a + b * 3 + t.x * 7",
  }, "\n")
end

local inputs = { -4, 0, 1, 2, 5, 9, 13 }
local cases = {}
for i = 1, 40 do
  local text = body()
  local reference = assert((loadstring or load)("return function(n)\n" .. text .. "\nend"))()
  local want = {}
  for k, n in ipairs(inputs) do
    want[k] = reference(n)
  end
  cases[i] = {
    name = "random control flow " .. i,
    kernel = ([[local function body(n)
%s
end
function k(out, x)
  local i = tl.program_id(0)
  tl.store(out + i, body(tl.load(x + i)))
end]]):format(text),
    args = { out = { "i32", count = #inputs }, x = { "i32", inputs } },
    grid = #inputs,
    want = { out = want },
  }
end
return cases
