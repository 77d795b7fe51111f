--- What a running program reports: prints, failed assertions, breakpoints. Lines are those of
--- compiled code (runtime/src/report.c).

local bit = require "bit"
local blocks = require "neso.interpreter.blocks"
local core = require "neso.shell"
local ffi = require "ffi"

local M = {}

-- The shortest decimals that are the element.
local function float_text(element, x)
  if x ~= x then return "nan" end
  if math.abs(x) == math.huge then return x > 0 and "inf" or "-inf" end
  local text
  for digits = 1, 17 do
    text = ("%." .. digits .. "g"):format(x)
    if element.round(tonumber(text)) == x then break end
  end
  return text:find "[.e]" and text or text .. ".0"
end

local function unsigned_text(element, x)
  return (tostring(ffi.cast("uint64_t", element.unsigned(x))):gsub("ULL$", ""))
end

--- One element as text.
---@param element neso.Element
---@param dtype string in the language, "u8"
---@param x any
---@param hex boolean|nil
function M.element_text(element, dtype, x, hex)
  if element.name == "i1" then return x ~= 0 and "true" or "false" end
  if hex then
    return "0x" .. bit.tohex(element.to_bits(x), 16):sub(-2 * element.size)
  end
  if element.is_float then return float_text(element, x) end
  if dtype:find "^u" then return unsigned_text(element, x) end
  if dtype:find "^f8" then
    local format = require("neso.interpreter.formats").formats[dtype]
    return float_text(format, format.value(tonumber(element.unsigned(x))))
  end
  return (tostring(x):gsub("LL$", ""))
end

local function value_text(type_of, dtype, x, i, hex)
  if type_of.pointer then return ("0x%x"):format(x.address) end
  if dtype == "pointer" then return "0x" .. bit.tohex(x[i], 16):gsub("^0+(.)", "%1") end
  return M.element_text(type_of.element, dtype, type_of.count == 1 and x[0] or x[i], hex)
end

local function shape_of_values(op)
  for _, type_of in ipairs(op.operands) do
    if #type_of.shape > 0 then return type_of.shape, type_of.count end
  end
  return nil, 1
end

local function print_values(machine, op, ...)
  local values, dtypes = { ... }, {}
  for name in op.attributes.dtypes:gmatch "%S+" do dtypes[#dtypes + 1] = name end
  local shape, count = shape_of_values(op)
  local program = machine.program
  local start = ("(%d, %d, %d) "):format(program[1], program[2], program[3])
  for i = 0, count - 1 do
    local which = 0
    local text = op.attributes.text:gsub("\1", function()
      which = which + 1
      return value_text(op.operands[which], dtypes[which], values[which], i, op.attributes.hex)
    end)
    core.print(start .. (shape and blocks.position_text(shape, i) .. " " or "") .. text .. "\n")
  end
end

--- Gives a machine its `print`, `check` and `breakpoint`.
function M.install(machine)
  function machine.print(op, ...) print_values(machine, op, ...) end

  function machine.check(op, condition, index)
    if condition[0] ~= 0 then return end
    local shape, where = op.attributes.shape or {}, nil
    if index and #shape > 0 then
      where = ", element " .. blocks.position_text(shape, tonumber(index[0]))
    end
    local message = op.attributes.message
    machine.fail(op, message ~= "" and message or "assertion failed", where)
  end

  require("neso.interpreter.prompt").install(machine)
end

--- A launch has ended.
function M.finish()
  io.stdout:flush()
end

return M
