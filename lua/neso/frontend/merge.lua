--- Variables over branches and loops. Every write to a variable (a cell) or to a field of a table
-- made in the kernel goes through `write`, which keeps a trail; a branch is undone by rolling the
-- trail back, and what it wrote is merged with what the other branch wrote.
--
-- A spec says what a slot is on every path:
--   {kind="const", value}            the same value
--   {kind="value", dtype, shape}     one ssa value
--   {kind="pointer", dtype, base, offset}  base: ssa that all paths share, or nil; offset: spec
--   {kind="table", keys, fields}     a table built anew from its fields
--   {kind="poison", value}           no value on some path

local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"
local promote = require "neso.frontend.promote"
local convert = require "neso.frontend.convert"
local names = require "neso.frontend.names"

local M = {}

local UNSET, CLASS = values.UNSET, values.CLASS
local is_value, is_pointer, is_cell = values.is_value, values.is_pointer, values.is_cell

function M.write(cx, container, key, value)
  local trail = cx.trail
  trail[#trail + 1] = { container, key, container[key], cx.node }
  container[key] = value
end

--- Undoes what was written since the mark. Tables made after `serial`, if given, stay as they are:
--- they may be the value that a path gives to a variable.
function M.rollback(cx, mark, serial)
  local trail = cx.trail
  for i = #trail, mark + 1, -1 do
    local entry = trail[i]
    local made = cx.owned[entry[1]]
    if not (serial and made and made > serial) then entry[1][entry[2]] = entry[3] end
    trail[i] = nil
  end
end

function M.serial_of(cx, container)
  if is_cell(container) then return container.serial end
  return cx.owned[container] or 0
end

--- Slots written since the mark that existed before `serial`, in order of the first write.
---@return table[] array of {container, key, old, new, node}
function M.collect(cx, mark, serial)
  local slots, seen = {}, {}
  for i = mark + 1, #cx.trail do
    local entry = cx.trail[i]
    local container, key, old, node = entry[1], entry[2], entry[3], entry[4]
    local keys = seen[container]
    if not keys then
      keys = {}
      seen[container] = keys
    end
    local slot = keys[key]
    if not slot then
      slot = { container = container, key = key, old = old }
      keys[key] = slot
      if M.serial_of(cx, container) <= serial then
        slots[#slots + 1] = slot
      end
    end
    slot.node = node
    slot.new = container[key]
  end
  return slots
end

function M.slot_name(slot)
  if is_cell(slot.container) then return slot.container.name end
  return ("field '%s'"):format(tostring(slot.key))
end

local function is_literal(x)
  return type(x) == "number" or type(x) == "boolean"
end

local spec_of

-- The fields of a table of the kernel or of the host, with its metatable under CLASS.
local function fields_of(cx, t)
  if cx.owned[t] then return t end
  local out = {}
  for key in pairs(t) do out[key] = names.read_field(cx, t, key) end
  out[CLASS] = values.host_class(t)
  return out
end

-- A table of the kernel, or one of the host that it can meet.
local function is_table(x)
  if type(x) ~= "table" then return false end
  local class = getmetatable(x)
  return class == nil or values.host_class(x) ~= nil
end

local function table_spec(a, fields)
  local keys = {}
  for key in pairs(a) do
    keys[#keys + 1] = key
  end
  table.sort(keys, function(x, y) return tostring(x) < tostring(y) end)
  return { kind = "table", keys = keys, fields = fields }
end

--- Spec of a value that the other path does not care about.
function spec_of(cx, x, serial)
  if is_value(x) then return { kind = "value", dtype = x.dtype, shape = x.shape } end
  if is_pointer(x) then
    return { kind = "pointer", dtype = x.dtype, base = x.base.param and x.base,
      offset = x.offset and spec_of(cx, x.offset, serial), const = x.base.const }
  end
  if type(x) == "table" and cx.owned[x] and cx.owned[x] > serial then
    local fields = {}
    for key, value in pairs(x) do
      fields[key] = key == CLASS and { kind = "const", value = value }
        or spec_of(cx, value, serial)
    end
    return table_spec(x, fields)
  end
  return { kind = "const", value = x }
end

local function two_literals(a, b)
  if type(a) ~= type(b) then
    return nil, values.describe(a), values.describe(b)
  end
  return { kind = "value", dtype = promote.join(promote.literal_dtype(a), promote.literal_dtype(b)),
    shape = {} }
end

local function two_scalars(a, b)
  if is_literal(a) and is_literal(b) then return two_literals(a, b) end
  if is_value(a) and is_value(b) then
    if a.dtype ~= b.dtype or not values.same_shape(a.shape, b.shape) then
      return nil, values.describe(a), values.describe(b)
    end
    return { kind = "value", dtype = a.dtype, shape = a.shape }
  end
  local v, literal = a, b
  if is_literal(a) then
    v, literal = b, a
  end
  local fits = type(literal) == "boolean" and v.dtype.kind == "bool"
    or type(literal) == "number" and v.dtype.kind ~= "bool"
    and promote.common(v, literal) == v.dtype and not promote.literal_problem(literal, v.dtype)
  if not fits then
    return nil, values.describe(a), values.describe(b)
  end
  return { kind = "value", dtype = v.dtype, shape = v.shape }
end

local function two_pointers(a, b)
  if a.dtype ~= b.dtype then
    return nil, values.describe(a), values.describe(b)
  end
  local offset
  if a.offset ~= b.offset then
    local x, y = a.offset or 0, b.offset or 0
    local why_a, why_b
    offset, why_a, why_b = two_scalars(x, y)
    if not offset then
      return nil, why_a, why_b
    end
  elseif a.offset then
    offset = { kind = "const", value = a.offset }
  end
  return { kind = "pointer", dtype = a.dtype, base = a.base == b.base and a.base or nil,
    offset = offset, const = a.base.const or b.base.const }
end

local function field_words(key, what)
  return ("a table whose field '%s' is %s"):format(tostring(key), what)
end

local function two_tables(cx, a, b, serial)
  local what_a, what_b = values.describe(a), values.describe(b)
  a, b = fields_of(cx, a), fields_of(cx, b)
  if not rawequal(a[CLASS], b[CLASS]) then
    if what_a == what_b then what_b = "one of another class" end
    return nil, what_a, what_b
  end
  local fields = {}
  for key, value in pairs(a) do
    if b[key] == nil then
      return nil, ("a table with a field '%s'"):format(tostring(key)), "a table without"
    end
    local spec, why_a, why_b
    if key == CLASS then
      spec = { kind = "const", value = value }
    else
      spec, why_a, why_b = M.unify(cx, value, b[key], serial)
    end
    if not spec then return nil, field_words(key, why_a), field_words(key, why_b) end
    fields[key] = spec
  end
  for key in pairs(b) do
    if a[key] == nil then
      return nil, ("a table without a field '%s'"):format(tostring(key)), "a table with it"
    end
  end
  return table_spec(a, fields)
end

--- Spec of a slot that is `a` on one path and `b` on the other; nil and both in words if none.
---@return table|nil spec, string|nil what_a, string|nil what_b
function M.unify(cx, a, b, serial)
  if rawequal(a, b) or a ~= a and b ~= b then return { kind = "const", value = a } end
  if rawequal(a, UNSET) then return spec_of(cx, b, serial) end
  if rawequal(b, UNSET) then return spec_of(cx, a, serial) end
  if values.is_poison(a) then return { kind = "poison", value = a } end
  if values.is_poison(b) then return { kind = "poison", value = b } end
  if a == nil or b == nil then return { kind = "poison" } end
  if (is_literal(a) or is_value(a)) and (is_literal(b) or is_value(b)) then
    if is_literal(a) and a == b then return { kind = "const", value = a } end
    return two_scalars(a, b)
  end
  if is_pointer(a) and is_pointer(b) then return two_pointers(a, b) end
  if is_table(a) and is_table(b) and (cx.owned[a] or cx.owned[b]) then
    return two_tables(cx, a, b, serial)
  end
  return nil, values.describe(a), values.describe(b)
end

local function is_number(x)
  return type(x) == "number" or is_value(x) and x.dtype.kind ~= "bool"
end

--- Spec in which two numbers of different types or shapes meet, as the sides of an operator do; nil
--- when they are none.
function M.common(cx, a, b)
  if not (is_number(a) and is_number(b)) then return nil end
  if type(a) == "number" and type(b) == "number" then return nil end
  local shape = convert.common_shape(cx, values.shape_of(a), values.shape_of(b), "choose between")
  return { kind = "value", dtype = promote.common(a, b), shape = shape, converts = true }
end

function M.same_spec(a, b)
  if a.kind ~= b.kind then return false end
  if a.kind == "const" then return rawequal(a.value, b.value) or a.value == b.value end
  if a.kind == "value" then
    return a.dtype == b.dtype and values.same_shape(a.shape, b.shape)
  end
  if a.kind == "pointer" then
    if a.base ~= b.base or not a.offset ~= not b.offset then return false end
    return not a.offset or M.same_spec(a.offset, b.offset)
  end
  if a.kind == "table" then
    if #a.keys ~= #b.keys then return false end
    for key, spec in pairs(a.fields) do
      if not b.fields[key] or not M.same_spec(spec, b.fields[key]) then return false end
    end
  end
  return true
end

--- Appends the type keys of the ssa values that a spec stands for.
function M.types(spec, out)
  if spec.kind == "value" then
    out[#out + 1] = values.type_key(spec.dtype, spec.shape)
  elseif spec.kind == "pointer" then
    if not spec.base then
      out[#out + 1] = values.pointer_key(spec.dtype)
    end
    if spec.offset then M.types(spec.offset, out) end
  elseif spec.kind == "table" then
    for _, key in ipairs(spec.keys) do
      M.types(spec.fields[key], out)
    end
  end
  return out
end

local function flatten_value(cx, spec, x)
  local same = is_value(x) and x.dtype == spec.dtype and values.same_shape(x.shape, spec.shape)
  if same then return x.ssa end
  if spec.converts then
    x = convert.cast(cx, convert.to_value(cx, x, spec.dtype), spec.dtype)
    return convert.broadcast(cx, x, spec.shape).ssa
  end
  if not is_literal(x) or promote.literal_problem(x, spec.dtype) then x = 0 end
  return convert.to_value(cx, x, spec.dtype, spec.shape).ssa
end

local function flatten_base(cx, spec, x)
  if is_pointer(x) then return x.base end
  for _, param in ipairs(cx.params) do
    if param.value.type == values.pointer_key(spec.dtype) then return param.value end
  end
  local null = cx.builder:constant(0, dtypes.i64, {})
  return cx.builder:op("neso.pointer", { null.ssa }, { values.pointer_key(spec.dtype) }).results[1]
end

--- Appends the ssa values of x as the spec asks; zeros where x is of another kind (never read).
function M.flatten(cx, spec, x, out)
  if spec.kind == "value" then
    out[#out + 1] = flatten_value(cx, spec, x)
  elseif spec.kind == "pointer" then
    if not spec.base then
      out[#out + 1] = flatten_base(cx, spec, x)
    end
    if spec.offset then
      M.flatten(cx, spec.offset, is_pointer(x) and x.offset or 0, out)
    end
  elseif spec.kind == "table" then
    for _, key in ipairs(spec.keys) do
      M.flatten(cx, spec.fields[key], type(x) == "table" and x[key] or UNSET, out)
    end
  end
  return out
end

--- The value of a spec, its ssa values taken from `ssas` at `at`; gives the next index too.
function M.rebuild(cx, spec, ssas, at)
  if spec.kind == "value" then
    return values.value(ssas[at], spec.dtype, spec.shape), at + 1
  end
  if spec.kind == "pointer" then
    local base, offset = spec.base, nil
    if not base then
      base = ssas[at]
      base.const = spec.const
      at = at + 1
    end
    if spec.offset then
      offset, at = M.rebuild(cx, spec.offset, ssas, at)
    end
    return values.pointer(base, offset, spec.dtype), at
  end
  if spec.kind == "table" then
    local fields = cx:new_table()
    for _, key in ipairs(spec.keys) do
      fields[key], at = M.rebuild(cx, spec.fields[key], ssas, at)
    end
    return fields, at
  end
  return spec.value, at
end

--- Error: a slot cannot be merged.
function M.refuse(cx, slot, what_a, where_a, what_b, where_b, node)
  cx:fail(("variable '%s' is %s %s and %s %s"):format(M.slot_name(slot), what_a, where_a, what_b,
    where_b), "a variable keeps one type and shape over run-time branches and loops", node)
end

M.spec_of = spec_of

return M
