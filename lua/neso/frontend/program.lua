--- Encoder of the tile program (spec/program.md): a tree of operations becomes one byte string.
--
-- A value is any table with a `type` string: "p:f32" (pointer), "t:f32" (scalar), "t:f32:16x32"
-- (block). An operation is {name=, operands={value...}, results={value...}, attrs={...},
-- regions={region...}, line=}; a region is {args={value...}, ops={operation...}}.
-- An attribute is {name, kind, a, b}: {"value", "i", type, "7"}, {"axis", "a", {0, 1}}, ...

local M = {}

local char, concat, floor = string.char, table.concat, math.floor

local function uleb(n)
  if n < 128 then
    return char(n)
  end
  local out = {}
  repeat
    local byte = n % 128
    n = floor(n / 128)
    out[#out + 1] = char(n > 0 and byte + 128 or byte)
  until n == 0
  return concat(out)
end

local function sleb(n)
  return uleb(n >= 0 and 2 * n or -2 * n - 1)
end

local Encoder = {}
Encoder.__index = Encoder

local function new_encoder()
  return setmetatable({
    strings = {}, string_index = {}, types = {}, type_index = {},
    out = {}, lines = {}, numbers = {}, next_number = 0,
  }, Encoder)
end

function Encoder:put(bytes)
  self.out[#self.out + 1] = bytes
end

function Encoder:string(text)
  local index = self.string_index[text]
  if not index then
    index = #self.strings
    self.string_index[text] = index
    self.strings[index + 1] = uleb(#text) .. text
  end
  return uleb(index)
end

function Encoder:type(key)
  local index = self.type_index[key]
  if not index then
    index = #self.types
    self.type_index[key] = index
    local kind, dtype, shape = key:match("^([pt]):([^:]+):?(.*)$")
    local record = { kind, self:string(dtype) }
    if kind == "t" then
      local dims = {}
      for dim in shape:gmatch("%d+") do
        dims[#dims + 1] = uleb(tonumber(dim))
      end
      record[3] = uleb(#dims)
      record[4] = concat(dims)
    end
    self.types[index + 1] = concat(record)
  end
  return uleb(index)
end

function Encoder:define(value)
  self.numbers[value] = self.next_number
  self.next_number = self.next_number + 1
end

local payload = {
  i = function(self, attr) return self:type(attr[3]) .. self:string(attr[4]) end,
  f = function(self, attr) return self:type(attr[3]) .. self:string(attr[4]) end,
  s = function(self, attr) return self:string(attr[3]) end,
  b = function(_, attr) return char(attr[3] and 1 or 0) end,
  u = function() return "" end,
  a = function(_, attr)
    local parts = { uleb(#attr[3]) }
    for i, n in ipairs(attr[3]) do
      parts[i + 1] = sleb(n)
    end
    return concat(parts)
  end,
}

function Encoder:operation(op)
  self.lines[#self.lines + 1] = op.line or 0
  self:put(self:string(op.name))
  self:put(uleb(#op.operands))
  for _, operand in ipairs(op.operands) do
    self:put(uleb(assert(self.numbers[operand], "operand used before it is defined")))
  end
  self:put(uleb(#op.results))
  for _, result in ipairs(op.results) do
    self:put(self:type(result.type))
  end
  local attrs = op.attrs or {}
  self:put(uleb(#attrs))
  for _, attr in ipairs(attrs) do
    self:put(self:string(attr[1]) .. attr[2] .. payload[attr[2]](self, attr))
  end
  local regions = op.regions or {}
  self:put(uleb(#regions))
  for _, region in ipairs(regions) do
    self:region(region)
  end
  for _, result in ipairs(op.results) do
    self:define(result)
  end
end

function Encoder:region(region)
  self:put(uleb(#region.args))
  for _, value in ipairs(region.args) do
    self:put(self:type(value.type))
    self:define(value)
  end
  self:put(uleb(#region.ops))
  for _, op in ipairs(region.ops) do
    self:operation(op)
  end
end

local function pack_lines(lines)
  local out = {}
  for i, line in ipairs(lines) do
    out[i] = char(line % 256, floor(line / 256) % 256, floor(line / 65536) % 256,
      floor(line / 16777216) % 256)
  end
  return concat(out)
end

--- Encodes a kernel.
---@param name string
---@param params table[] array of {value=, name=, facts=}
---@param body table region without arguments that ends with func.return
---@return string program, string lines
function M.encode(name, params, body)
  local self = new_encoder()
  self:put(self:string(name))
  self:put(uleb(#params))
  for _, param in ipairs(params) do
    self:put(self:type(param.value.type) .. self:string(param.name) .. uleb(param.facts or 0))
    self:define(param.value)
  end
  self:region(body)
  local program = concat {
    "NTP1", uleb(#self.strings), concat(self.strings), uleb(#self.types), concat(self.types),
    concat(self.out),
  }
  return program, pack_lines(self.lines)
end

return M
