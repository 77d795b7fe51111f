--- Functions on scalars as regions of an operation: what tl.reduce, tl.associative_scan and
--- tl.map_elementwise have in common.

local call = require "neso.frontend.call"
local convert = require "neso.frontend.convert"
local merge = require "neso.frontend.merge"
local values = require "neso.frontend.values"

local M = {}

local describe = values.describe
local no_shape = {}

-- Most blocks that a function of an operation takes or gives.
local MOST = 16

local function check_count(cx, count, name)
  if count > MOST then
    cx:fail(("tl.%s of %d blocks: %d are the most"):format(name, count, MOST))
  end
end

--- x, or the list x, as blocks of one shape.
---@param name string of the function, for messages
function M.blocks(cx, x, name)
  local list = { x }
  if type(x) == "table" and getmetatable(x) == nil then list = x end
  local shape = no_shape
  for i = 1, #list do
    convert.check_operand(cx, list[i], name)
    shape = convert.common_shape(cx, shape, values.shape_of(list[i]), name)
  end
  check_count(cx, #list, name)
  if #list == 0 or #shape == 0 then
    cx:fail(("tl.%s takes a block or a list of blocks, got %s"):format(name, describe(x)))
  end
  local out = {}
  for i = 1, #list do out[i] = convert.broadcast(cx, convert.to_value(cx, list[i]), shape) end
  return out
end

-- The shape of a block that `op` takes or gives, or nil.
local function block_in(op)
  for _, list in ipairs { op.operands, op.results } do
    for _, ssa in ipairs(list) do
      local extents = ssa.type:match "^t:[^:]+:(.+)$"
      if extents then return "{" .. extents:gsub("x", ", ") .. "}" end
    end
  end
end

local touches_memory

local function check_effects(cx, region, name)
  touches_memory = touches_memory or {
    ["neso.load"] = true, ["neso.masked_load"] = true, ["neso.store"] = true,
    ["neso.masked_store"] = true, ["neso.atomic_rmw"] = true, ["neso.atomic_cas"] = true,
    ["neso.barrier"] = true, ["neso.print"] = true, ["neso.assert"] = true,
    ["neso.check_access"] = true, ["neso.breakpoint"] = true, ["neso.asm"] = true,
    ["neso.extern"] = true,
  }
  for _, op in ipairs(region.ops) do
    local block = block_in(op)
    if block or touches_memory[op.name] and not op.is_statement then
      cx:fail(("the function given to tl.%s uses %s"):format(name,
        block and "a block " .. block or op.name:gsub("^neso.", "")),
        "it works on scalars only and touches no memory")
    end
    for _, inner in ipairs(op.regions) do check_effects(cx, inner, name) end
  end
end

local function check_writes(cx, mark, serial, name)
  local slot = merge.collect(cx, mark, serial)[1]
  if slot then
    cx:fail(("the function given to tl.%s sets '%s', a variable outside of it"):format(name,
      merge.slot_name(slot)), "return what it computes")
  end
end

local function scalar_result(cx, x, dtype, name, i)
  if x == nil or not values.is_value(x) and type(x) ~= "number" and type(x) ~= "boolean" then
    cx:fail(("the function given to tl.%s returns %s as result %d"):format(name, describe(x), i),
      "it returns a scalar for each block")
  end
  local v = convert.to_value(cx, x, dtype)
  if #v.shape > 0 or dtype and v.dtype ~= dtype then
    cx:fail(("the function given to tl.%s returns %s as result %d, not a scalar of %s"):format(name,
      describe(x), i, dtype and dtype.name or "any dtype"),
      "an accumulator keeps its type: convert the block or the result with :to(...)")
  end
  return v
end

--- A region with scalars of `dtypes` as arguments, that ends by yielding the results of
--- fn(scalars...). `wanted`: dtypes of the results, or nil for whatever comes.
---@return table region, neso.dtype[] dtypes of the results
function M.build(cx, dtypes, wanted, name, fn)
  local keys = {}
  for i, dtype in ipairs(dtypes) do keys[i] = values.type_key(dtype, no_shape) end
  local mark, serial, outside = #cx.trail, cx.serial, cx.builder.no_effects
  cx.builder.no_effects = true
  local region, types = cx.builder:in_region(keys, function(region)
    local args = { n = #dtypes }
    for i, dtype in ipairs(dtypes) do args[i] = values.value(region.args[i], dtype, no_shape) end
    local results = fn(args)
    local count = wanted and #wanted or results.n
    if results.n ~= count or count == 0 then
      cx:fail(("the function given to tl.%s returns %d values instead of %d"):format(name,
        results.n, math.max(count, 1)))
    end
    check_count(cx, count, name)
    local operands, found = {}, {}
    for i = 1, count do
      local v = scalar_result(cx, results[i], wanted and wanted[i], name, i)
      operands[i], found[i] = v.ssa, v.dtype
    end
    cx.builder:op("neso.yield", operands, {})
    return found
  end)
  cx.builder.no_effects = outside
  check_writes(cx, mark, serial, name)
  check_effects(cx, region, name)
  return region, types
end

--- fn as a function on evaluated arguments {n =, ...}.
function M.caller(cx, fn, name, node)
  local callable = type(fn) == "function" or type(fn) == "table" and not values.is_runtime(fn)
  if not callable then
    cx:fail(("tl.%s takes a function, got %s"):format(name, describe(fn)))
  end
  return function(args) return call.apply(cx, fn, args, node) end
end

local function dtypes_of(blocks, rounds)
  local out = {}
  for _ = 1, rounds do
    for _, x in ipairs(blocks) do out[#out + 1] = x.dtype end
  end
  return out
end

--- neso.fold or neso.scan of blocks, combined by fn(accumulators and elements).
---@return neso.Value[] of `shape`
function M.combine(cx, op_name, blocks, shape, attrs, name, fn)
  local wanted = dtypes_of(blocks, 1)
  local region = M.build(cx, dtypes_of(blocks, 2), wanted, name, fn)
  local operands, types, out = {}, {}, {}
  for i, x in ipairs(blocks) do
    operands[i], types[i] = x.ssa, values.type_key(x.dtype, shape)
  end
  local op = cx.builder:op(op_name, operands, types, attrs, { region })
  for i, x in ipairs(blocks) do out[i] = values.value(op.results[i], x.dtype, shape) end
  return out
end

return M
