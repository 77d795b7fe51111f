-- luajit spec/gen/annotations.lua OPS_LANGUAGE_LUA OUT
-- Writes the LuaLS definitions of neso.language: what editors show and complete in kernels.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local signature = dofile(here .. "../../lua/neso/language/signature.lua")

local types = {
  axis = "integer", first = "integer", last = "integer", step = "integer", n = "integer",
  shape = "integer[]|integer", order = "integer[]", values = "integer|integer[]",
  dtype = "neso.dtype|string", out_dtype = "neso.dtype|string", mask = "neso.value|boolean",
  condition = "neso.value|boolean", pointer = "neso.pointer", keep_dims = "boolean",
  propagate_nan = "boolean", return_indices = "boolean", volatile = "boolean", cache = "string",
  evict = "string", precision = "string", message = "string", num_stages = "integer",
  unroll = "integer",
}

local no_result = { store = true, static_assert = true, static_print = true, assume = true }
local results = { range = "fun(): neso.value", static_range = "fun(): integer",
  next_power_of_2 = "integer" }

local function describe(out, row, params, from)
  out[#out + 1] = "--- " .. row.doc
  local names = {}
  for i = from, #params do
    local name, optional = params[i].name, params[i].optional and "?" or ""
    out[#out + 1] = ("---@param %s%s %s"):format(name, optional, types[name] or "neso.value|number")
    names[#names + 1] = name
  end
  if params.variadic then
    out[#out + 1] = "---@param ... any"
    names[#names + 1] = "..."
  end
  if not no_result[row[1]] then
    out[#out + 1] = "---@return " .. (results[row[1]] or "neso.value")
  end
  return table.concat(names, ", ")
end

local rows = dofile(arg[1])
local out = {
  "---@meta neso.language",
  "-- Generated from spec/ops_language.lua.",
  "",
  "--- A scalar or a block of a kernel.",
  "---@class neso.value: number",
  "---@field shape integer[]",
  "---@field dtype neso.dtype",
  "---@field ndim integer",
  "---@field numel integer",
  "local value = {}",
  "",
  "--- A tensor argument in a kernel, and what + and - give of it.",
  "---@class neso.pointer: neso.value",
  "local pointer = {}",
  "",
  "---@class neso.language",
  "local tl = {}",
}
for _, row in ipairs(rows) do
  local params = signature.params(row)
  out[#out + 1] = ""
  local names = describe(out, row, params, 1)
  out[#out + 1] = ("function tl.%s(%s) end"):format(row[1], names)
  if signature.is_method(row, params) then
    local class = params[1].name == "pointer" and "pointer" or "value"
    out[#out + 1] = ""
    names = describe(out, row, params, 2)
    out[#out + 1] = ("function %s:%s(%s) end"):format(class, row[1], names)
  end
end
out[#out + 1] = "\nreturn tl\n"

local file = assert(io.open(arg[2], "wb"))
file:write(table.concat(out, "\n"))
file:close()
