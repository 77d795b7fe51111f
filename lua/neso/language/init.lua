--- neso.language: what kernels are written in. `tl.f32`, ... are dtypes; `tl.load`, ... are
--- functions that have a meaning in kernels only. The list of them is data (spec/ops_language.lua).

local dtype = require "neso.dtype"
local signature = require "neso.language.signature"

---@class neso.language
---@field dtypes table<string, neso.dtype>
---@field constexpr table marks a compile-time parameter in a declaration
local M = {}

local ops, methods, op_names, method_names

for name, kind in pairs(dtype.names) do
  M[name] = kind
end
for _, spelling in ipairs { "int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
  "uint64", "float16", "bfloat16", "float32", "float64" } do
  M[spelling] = dtype.find(spelling)
end
M.dtypes = dtype.names
M.constexpr = { kind = "constexpr" }

local function host_error(op)
  error(("tl.%s has a meaning in kernels only; call it in a function given to neso.jit")
    :format(op.name), 3)
end

local Op = {
  __name = "neso.op",
  __tostring = function(op) return "tl." .. op.name end,
  __call = function(op, ...)
    if not op.row.host then host_error(op) end
    return op.row.reference(...)
  end,
}

local function load_rows()
  ops, methods, op_names, method_names = {}, {}, {}, {}
  for _, row in ipairs(require "neso.language.rows") do
    local params = signature.params(row)
    local op = setmetatable({ name = row[1], row = row, params = params }, Op)
    ops[op.name] = op
    op_names[#op_names + 1] = op.name
    if signature.is_method(row, params) then
      methods[op.name] = op
      method_names[#method_names + 1] = op.name
    end
  end
  getmetatable(M).__index = ops
end

local function listing()
  local names = {}
  for _, name in ipairs(M.names()) do names[#names + 1] = name end
  for name in pairs(dtype.names) do names[#names + 1] = name end
  table.sort(names)
  return require "neso.suggest".listing("neso.language", names)
end

setmetatable(M, {
  __tostring = listing,
  __index = function(_, key)
    load_rows()
    return ops[key]
  end,
})

--- True for a function of the language.
function M.is_op(x)
  return type(x) == "table" and getmetatable(x) == Op
end

--- The function that `x:name(...)` means for a block or pointer, or nil.
function M.method(name)
  if not ops then load_rows() end
  return methods[name]
end

--- Names of all functions, and of the methods.
function M.names()
  if not ops then load_rows() end
  return op_names
end

function M.method_names()
  if not ops then load_rows() end
  return method_names
end

--- Compiles a call of `op` (frontend only).
function M.apply(cx, op, args, node)
  return require("neso.language.apply")(cx, op, args, node)
end

return M
