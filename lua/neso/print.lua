--- Tensors as people read them: aligned columns, an ellipsis where they are large, and a last line
--- with dtype, shape and device.
local core = require "neso.shell"

local M = {}

local EDGE = 3 -- elements shown at each end of a shortened dimension
local LIMIT = 1000 -- elements shown in full
local PRECISION = 4
local LINE = 80 -- columns, beyond which a row goes on in the next line

local format, rep = string.format, string.rep
local abs, huge = math.abs, math.huge

-- 0-based positions to show of a dimension; false stands for the ellipsis.
local function positions(extent, shorten)
  local list = {}
  if not shorten or extent <= 2 * EDGE then
    for i = 0, extent - 1 do list[#list + 1] = i end
    return list
  end
  for i = 0, EDGE - 1 do list[#list + 1] = i end
  list[#list + 1] = false
  for i = extent - EDGE, extent - 1 do list[#list + 1] = i end
  return list
end

-- Calls visit(value) for each shown element, in order.
local function each_shown(x, shown, visit)
  local unpack = rawget(table, "unpack") or unpack
  local index = {}
  local function walk(d)
    if d > #shown then
      visit(core.get(x, unpack(index)))
      return
    end
    for _, i in ipairs(shown[d]) do
      if i then
        index[d] = i
        walk(d + 1)
      end
    end
  end
  walk(1)
end

local function is_finite(v) return v == v and v ~= huge and v ~= -huge end

local function special(v)
  if v ~= v then return "nan" end
  return v == huge and "inf" or v == -huge and "-inf" or nil
end

-- Significant bits: a decimal within half a unit of the last is the element, so 0.1 shows as 0.1.
local BITS = { bf16 = 8, f16 = 11, f32 = 24 }

local function half_unit(v, bits)
  return v == 0 and 0 or 2 ^ (math.floor(math.log(abs(v)) / math.log(2)) - bits)
end

-- How many decimal places, at most `digits`, show every value.
local function places_for(values, digits, bits)
  for places = 1, digits do
    local all = true
    for _, v in ipairs(values) do
      local shown = is_finite(v) and tonumber(format("%." .. places .. "f", v))
      if shown and abs(shown - v) > half_unit(v, bits) then
        all = false
        break
      end
    end
    if all then return places end
  end
  return digits
end

-- A function from an element to its text, the same form for all of `values`.
local function float_form(values, bits)
  local largest, smallest, whole = 0, huge, true
  for _, v in ipairs(values) do
    if is_finite(v) then
      local a = abs(v)
      if a > largest then largest = a end
      if a ~= 0 and a < smallest then smallest = a end
      if v % 1 ~= 0 then whole = false end
    end
  end
  local pattern
  local wide_range = smallest < 1e-4 or largest / smallest > 1e5
  if largest >= 1e8 or (wide_range and not whole) then
    pattern = "%." .. PRECISION .. "e"
  elseif whole then
    pattern = "%.0f."
  else
    pattern = "%." .. places_for(values, PRECISION, bits) .. "f"
  end
  return function(v) return special(v) or format(pattern, v) end
end

local function plain(v)
  local text = tostring(v):gsub("U?LL$", "")
  if type(v) == "number" then text = format("%.0f", v) end
  return text
end

local function form_of(x, shown)
  local values = {}
  each_shown(x, shown, function(v) values[#values + 1] = v end)
  local form = x.dtype.kind == "float" and float_form(values, BITS[x.dtype.name] or 53) or plain
  local width = 0
  for _, v in ipairs(values) do width = math.max(width, #form(v)) end
  return function(v)
    local text = form(v)
    return rep(" ", width - #text) .. text
  end
end

-- Elements of one row, folded at LINE and aligned below the first.
local function row(parts, indent)
  local lines, line, columns = {}, {}, indent + 1
  for _, text in ipairs(parts) do
    if #line > 0 and columns + #text + 1 > LINE then
      lines[#lines + 1] = table.concat(line, ", ")
      line, columns = {}, indent + 1
    end
    line[#line + 1] = text
    columns = columns + #text + 2
  end
  lines[#lines + 1] = table.concat(line, ", ")
  return "{" .. table.concat(lines, ",\n" .. rep(" ", indent + 1)) .. "}"
end

local function render(x, shown, form)
  local unpack = rawget(table, "unpack") or unpack
  local index = {}
  local function walk(d, indent)
    if d > #shown then return form(core.get(x, unpack(index))) end
    local parts = {}
    for n, i in ipairs(shown[d]) do
      index[d] = i
      parts[n] = i and walk(d + 1, indent + 1) or "..."
    end
    if d == #shown then return row(parts, indent) end
    local separator = "," .. rep("\n", #shown - d) .. rep(" ", indent + 1)
    return "{" .. table.concat(parts, separator) .. "}"
  end
  return walk(1, 0)
end

-- "f32 {3, 4} on cpu:0"
local function summary(x)
  return format("%s {%s} on %s", x.dtype.name, table.concat(x.shape, ", "), tostring(x.device))
end

--- What `tostring` and `print` show.
---@param x neso.tensor
---@return string
function M.text(x)
  if core.is_freed(x) then return "tensor (freed)" end
  local shape, shown = x.shape, {}
  for d, extent in ipairs(shape) do shown[d] = positions(extent, x.numel > LIMIT) end
  local body = render(x, shown, form_of(x, shown))
  return body .. (#shape > 0 and "\n" or "  ") .. summary(x)
end

return M
