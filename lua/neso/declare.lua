--- Declared types and defaults of a kernel's parameters.
local dtype = require "neso.dtype"
local suggest = require "neso.suggest"

local format = string.format

local M = {}

-- Values of neso_param_kind.
local AUTO, CONST, SCALAR, POINTER = 0, 1, 2, 3
M.AUTO, M.CONST = AUTO, CONST

local function is_constexpr(value)
  return value == "constexpr" or (type(value) == "table" and value.kind == "constexpr")
end

-- "*f32", "*const f32" as a pointer type.
local function pointer_of_text(text)
  local const, name = text:match "^%*%s*(c?o?n?s?t?)%s*(%w+)$"
  if const ~= "" and const ~= "const" then return nil end
  local element = dtype.find(name)
  return element and dtype.pointer(element, const == "const")
end

-- A declared type: param kind, dtype and whether it is a pointer to const; nil when it is none.
local function declared_type(value)
  if is_constexpr(value) then return CONST end
  local plain = dtype.find(value)
  if plain then return SCALAR, plain end
  local pointer = dtype.is_pointer_type(value) and value
    or type(value) == "string" and pointer_of_text(value)
  if pointer then return POINTER, pointer.dtype, pointer.const end
  return nil
end

local function kind_by_name(name)
  return name:find "%a" and name == name:upper() and CONST or AUTO
end

-- kind, dtype, default of parameter `name` and whether it is const; nil when `value` declares
-- nothing.
local function declaration(name, value)
  if value == nil then return kind_by_name(name) end
  if type(value) == "number" or type(value) == "boolean" then
    return kind_by_name(name), nil, value
  end
  local kind, element, const = declared_type(value)
  if kind then return kind, element, nil, const end
  if type(value) == "table" and getmetatable(value) == nil then
    local default = value.default
    if value[1] == nil then return kind_by_name(name), nil, default end
    kind, element, const = declared_type(value[1])
    if kind then return kind, element, default, const end
  end
  return nil
end

-- Launch options among the names, which every launch then has unless it says otherwise; nil and a
-- message when a name is neither that nor a parameter.
local function declared_options(decl, names)
  local known, options = {}, {}
  for _, name in ipairs(names) do known[name] = true end
  for name, value in pairs(decl) do
    if not known[name] then
      if not require "neso.devices".options()[name] then
        return nil, format("the declaration names '%s', which is no parameter of the kernel%s",
          tostring(name), suggest.hint(tostring(name), names))
      end
      options[name] = value
    end
  end
  return options
end

--- What a declaration says of the parameters; nil and the reason when it cannot be one.
---@param names string[] parameters in their order
---@param decl table parameter -> type, default, or { type, default = }
---@return table|nil { kinds, codes, defaults (nil: none), positions, const (by name), options }
---@return string|nil reason
function M.read(names, decl)
  local options, why = declared_options(decl, names)
  if not options then return nil, why end
  local out = { kinds = {}, codes = {}, positions = {}, const = {}, options = options }
  for i, name in ipairs(names) do
    local kind, element, default, const = declaration(name, decl[name])
    if not kind then
      return nil, format("parameter '%s' is declared as %s: expected a dtype (tl.f32, \"f32\"), a "
        .. "pointer (\"*f32\", \"*const f32\"), tl.constexpr or a default value", name,
        tostring(decl[name]))
    end
    out.kinds[i], out.codes[i], out.positions[name] = kind, element and element.code or 0, i
    out.const[name] = const or nil
    if default ~= nil then
      out.defaults = out.defaults or {}
      out.defaults[i] = default
    end
  end
  return out
end

return M
