--- Reads an encoded tile program (spec/program.md) and prints it, for tests.

local M = {}

local floor = math.floor

local Reader = {}
Reader.__index = Reader

function Reader:byte()
  local b = self.bytes:byte(self.at)
  self.at = self.at + 1
  assert(b, "program ends early")
  return b
end

function Reader:uleb()
  local value, weight = 0, 1
  while true do
    local b = self:byte()
    value = value + b % 128 * weight
    if b < 128 then return value end
    weight = weight * 128
  end
end

function Reader:sleb()
  local n = self:uleb()
  return n % 2 == 0 and n / 2 or -(n + 1) / 2
end

function Reader:string()
  return assert(self.strings[self:uleb() + 1])
end

function Reader:type()
  return assert(self.types[self:uleb() + 1])
end

function Reader:tables()
  self.strings, self.types = {}, {}
  for i = 1, self:uleb() do
    local size = self:uleb()
    self.strings[i] = self.bytes:sub(self.at, self.at + size - 1)
    self.at = self.at + size
  end
  for i = 1, self:uleb() do
    local kind = string.char(self:byte())
    local dtype = self:string()
    if kind == "p" then
      self.types[i] = "ptr<" .. dtype .. ">"
    else
      local dims = {}
      for k = 1, self:uleb() do
        dims[k] = self:uleb() .. "x"
      end
      self.types[i] = #dims == 0 and dtype or "<" .. table.concat(dims) .. dtype .. ">"
    end
  end
end

-- Numbers a value; `text`, if given, stands for it where it is used.
function Reader:define(text)
  if not text then
    text = "%" .. self.next_name
    self.next_name = self.next_name + 1
  end
  self.names[self.next_value] = text
  self.next_value = self.next_value + 1
  return text
end

function Reader:use()
  return assert(self.names[self:uleb()], "value used before it is defined")
end

function Reader:attribute()
  local name, kind = self:string(), string.char(self:byte())
  if kind == "u" then return name end
  local text
  if kind == "i" or kind == "f" then
    local key = self:type()
    text = self:string() .. " : " .. key
  elseif kind == "s" then
    text = '"' .. self:string() .. '"'
  elseif kind == "b" then
    text = self:byte() == 1 and "true" or "false"
  else
    local items = {}
    for i = 1, self:uleb() do
      items[i] = ("%d"):format(self:sleb())
    end
    text = "[" .. table.concat(items, ", ") .. "]"
  end
  return name .. " = " .. text
end

local predicates = {
  ["arith.cmpi"] = { [0] = "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge" },
  ["arith.cmpf"] = { "oeq", "ogt", "oge", "olt", "ole", [13] = "une" },
}

-- Shorter attributes: named predicates, no defaults of loads and stores.
local function short(name, attrs)
  local out = {}
  for _, text in ipairs(attrs) do
    local predicate = text:match("^predicate = (%d+)")
    if predicate then
      out[#out + 1] = predicates[name][tonumber(predicate)]
    elseif not (text == 'cache = ""' or text == 'evict = ""' or text == "volatile = false") then
      out[#out + 1] = text
    end
  end
  return out
end

local function list(n, read)
  local out = {}
  for i = 1, n do
    out[i] = read()
  end
  return out
end

function Reader:operation(indent, out)
  local line = self.lines and self.lines[self.next_op]
  self.next_op = self.next_op + 1
  local name = self:string()
  local operands = list(self:uleb(), function() return self:use() end)
  local types = list(self:uleb(), function() return self:type() end)
  local attrs = list(self:uleb(), function() return self:attribute() end)
  local inner = {}
  for _ = 1, self:uleb() do
    self:region(indent .. "  ", inner, true)
  end
  if self.compact and name == "arith.constant" then
    local value = attrs[1]:match("^value = (.-) : ")
    self:define(value)
    return
  end
  if self.compact then attrs = short(name, attrs) end
  local results = list(#types, function() return self:define() end)
  local text = indent
  if #results > 0 then text = text .. table.concat(results, ", ") .. " = " end
  text = text .. name
  if #operands > 0 then text = text .. " " .. table.concat(operands, ", ") end
  if #attrs > 0 then text = text .. " {" .. table.concat(attrs, ", ") .. "}" end
  if #types > 0 then text = text .. " : " .. table.concat(types, ", ") end
  out[#out + 1] = text
  if line then out[#out] = out[#out] .. "  // " .. line end
  for _, row in ipairs(inner) do
    out[#out + 1] = row
  end
end

function Reader:region(indent, out, braces)
  local args = list(self:uleb(), function() return self:type() end)
  for i, key in ipairs(args) do
    args[i] = self:define() .. ": " .. key
  end
  if braces then out[#out + 1] = indent:sub(3) .. "{" .. table.concat(args, ", ") end
  for _ = 1, self:uleb() do
    self:operation(indent, out)
  end
  if braces then out[#out + 1] = indent:sub(3) .. "}" end
end

local function unpack_lines(bytes)
  local lines = {}
  for i = 1, #bytes, 4 do
    local a, b, c, d = bytes:byte(i, i + 3)
    lines[floor(i / 4) + 1] = a + b * 256 + c * 65536 + d * 16777216
  end
  return lines
end

--- Text of a program: "kernel name(params)", then one operation a line.
---@param program string
---@param lines string|nil packed lines: shown behind each operation
---@param compact boolean|nil constants shown where they are used, defaults left out
---@return string
function M.print(program, lines, compact)
  assert(program:sub(1, 4) == "NTP1", "not a tile program")
  local self = setmetatable({ bytes = program, at = 5, next_value = 0, next_name = 0,
    next_op = 1, names = {}, compact = compact,
    lines = lines and unpack_lines(lines) }, Reader)
  self:tables()
  local name = self:string()
  local params = list(self:uleb(), function()
    local key, param, facts = self:type(), self:string(), self:uleb()
    return ("%s %s: %s%s"):format(self:define(), param, key, facts > 0 and " facts " .. facts or "")
  end)
  local out = { ("kernel %s(%s)"):format(name, table.concat(params, ", ")) }
  self:region("  ", out)
  assert(self.at == #program + 1, "bytes left over")
  return table.concat(out, "\n") .. "\n"
end

return M
