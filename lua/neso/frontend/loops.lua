--- Run-time loops: scf.for where nothing leaves early, scf.while elsewhere.
--
-- The body is compiled again and again until it is known which slots it changes and of what type
-- they are: a slot that starts as a literal takes the type that the body gives it.

local dtypes = require("neso.dtype").names
local values = require "neso.frontend.values"
local arith = require "neso.frontend.arith"
local control = require "neso.frontend.control"
local convert = require "neso.frontend.convert"
local merge = require "neso.frontend.merge"
local tries = require "neso.frontend.tries"

local M = {}

local unpack = table.unpack or unpack

local max_attempts = 24

local function poison_of(entry, node)
  return values.poison(("'%s' may have no value here: it is set in a loop only")
    :format(merge.slot_name(entry)),
    ("give it a value before the loop in line %d"):format(node.line))
end

-- What a slot is where an iteration begins: the carried value, except that flags are known to be
-- false there and values that only a finished iteration sets are not to be read.
local function start_value(cx, loop, entry, ssas, at)
  local value
  value, at = merge.rebuild(cx, entry.spec, ssas, at)
  if entry.container.restart then
    value = entry.init
  elseif entry.late then
    value = poison_of(entry, loop.node)
  end
  return value, at
end

local function enter(cx, loop, ssas, at, keep_flags)
  for _, entry in ipairs(loop.carried) do
    local value
    if keep_flags then
      value, at = merge.rebuild(cx, entry.spec, ssas, at)
    else
      value, at = start_value(cx, loop, entry, ssas, at)
    end
    entry.entered = value
    merge.write(cx, entry.container, entry.key, value)
  end
end

local function current(cx, loop, out)
  for _, entry in ipairs(loop.carried) do
    merge.flatten(cx, entry.spec, entry.container[entry.key], out)
  end
  return out
end

local function carried_types(loop, out)
  for _, entry in ipairs(loop.carried) do
    merge.types(entry.spec, out)
  end
  return out
end

local function find(loop, slot)
  for _, entry in ipairs(loop.carried) do
    if entry.container == slot.container and entry.key == slot.key then return entry end
  end
end

local function spec_for(cx, loop, slot)
  local init, final = slot.old, slot.new
  if (init == nil or values.is_poison(init)) and not values.is_poison(final) and final ~= nil then
    return merge.spec_of(cx, final, loop.serial), true
  end
  local spec, what_a, what_b = merge.unify(cx, init, final, loop.serial)
  if not spec then
    merge.refuse(cx, slot, what_a, "before the loop", what_b, "at the end of its body",
      slot.node or loop.node)
  end
  if spec.kind == "poison" and not spec.value then
    spec.value = poison_of(slot, loop.node)
  end
  return spec, false
end

-- Compares what the body did with what was assumed; true when nothing has to change.
local function settle(cx, loop, slots)
  local stable = true
  for _, slot in ipairs(slots) do
    local entry = find(loop, slot)
    if entry or not rawequal(slot.old, slot.new) then
      slot.old = entry and entry.init or slot.old
      local spec, late = spec_for(cx, loop, slot)
      if not entry then
        entry = { container = slot.container, key = slot.key, init = slot.old }
        loop.carried[#loop.carried + 1] = entry
        stable = false
      elseif not merge.same_spec(entry.spec, spec) then
        stable = false
      end
      entry.spec, entry.late = spec, late
    end
  end
  return stable
end

local function in_region(cx, types, fill)
  return cx.builder:in_region(types, function(region)
    return fill(region.args)
  end)
end

-- Runs `attempt` until it is stable; it gives the operation's ssa results after the carried ones
-- start at `first`.
local function solve(cx, loop, attempt)
  local own = cx.try
  loop.carried, loop.serial = tries.guess(cx, own), cx.serial
  local exit_before = cx.exit_serial
  for _ = 1, max_attempts do
    local checkpoint, mark = cx.builder:checkpoint(), #cx.trail
    tries.again(own)
    local wrong = false
    local finish = attempt(function()
      wrong = tries.wrong(loop.carried)
      return not wrong and settle(cx, loop, merge.collect(cx, mark, loop.serial))
    end)
    merge.rollback(cx, mark)
    if finish then
      tries.keep(cx, own, loop.carried)
      return finish()
    end
    if wrong then loop.carried = {} end
    cx.builder:restore(checkpoint)
    cx.exit_serial = exit_before
  end
  cx:fail("the types of the variables of this loop do not settle",
    "give them their type before the loop; a table cannot grow in a loop at run time", loop.node)
end

local function leave_loop(cx, loop, ssas, at)
  for _, entry in ipairs(loop.carried) do
    local value
    value, at = merge.rebuild(cx, entry.spec, ssas, at)
    if entry.late and not loop.runs then
      value = poison_of(entry, loop.node)
    end
    merge.write(cx, entry.container, entry.key, value)
  end
end

--- A counted loop, scf.for. `body(iv)` gives its state; gives false when a path leaves the loop.
---@param range table {first, past, step: ssa; dtype}
function M.counted(cx, loop, range, body)
  local past = cx.try.past
  if past and past.leaves then
    cx.try.leaves = true
    return false
  end
  return solve(cx, loop, function(settled)
    local types = carried_types(loop, { values.type_key(range.dtype, {}) })
    local init = { range.first, range.past, range.step }
    current(cx, loop, init)
    local stable
    local region, leaves = in_region(cx, types, function(args)
      enter(cx, loop, args, 2)
      args[1].nonnegative = range.nonnegative
      body(values.value(args[1], range.dtype, {}))
      if control.leaving(cx) ~= false then return true end
      stable = settled()
      if stable then
        cx.builder:op("scf.yield", current(cx, loop, {}), {})
      end
      return false
    end)
    if leaves then
      cx.try.leaves = true
      return function() return false end
    end
    return stable and function()
      cx.builder.line = cx:line_of(loop.node)
      local results = cx.builder:op("scf.for", init, carried_types(loop, {}), loop.attrs,
        { region }).results
      leave_loop(cx, loop, results, 1)
      return true
    end
  end)
end

-- `header()` unless a path has left the loop.
local function guarded_header(cx, loop, header)
  local left = control.leaving(cx)
  if left == true then return false end
  if left == false then return header() end
  return control.lazily(cx, arith.negation(cx, left), loop.node, header, false)
end

local function as_condition(cx, cond)
  if type(cond) == "boolean" then
    return cx.builder:constant(cond, dtypes.i1, {})
  end
  return cond
end

local function while_op(cx, loop, operands, types, before, after)
  cx.builder.line = cx:line_of(loop.node)
  local results = cx.builder:op("scf.while", operands, types, loop.attrs, { before, after }).results
  leave_loop(cx, loop, results, loop.extra + 1)
  return true
end

--- while header() do body() end, as scf.while. `counter`, if given, is a first value of the loop:
--- {init=ssa, dtype=, next=function(value) gives value}; header and body get it.
function M.tested_first(cx, loop, counter, header, body)
  loop.extra = counter and 1 or 0
  local function types_of()
    return carried_types(loop, counter and { values.type_key(counter.dtype, {}) } or {})
  end
  local function count(args)
    return counter and values.value(args[1], counter.dtype, {})
  end
  return solve(cx, loop, function(settled)
    local types = types_of()
    local init = current(cx, loop, counter and { counter.init } or {})
    local before = in_region(cx, types, function(args)
      enter(cx, loop, args, loop.extra + 1, true)
      local cond = guarded_header(cx, loop, function() return header(count(args)) end)
      local operands = { as_condition(cx, cond).ssa, counter and args[1] }
      cx.builder:op("scf.condition", current(cx, loop, operands), {})
    end)
    local stable
    local after = in_region(cx, types, function(args)
      enter(cx, loop, args, loop.extra + 1)
      body(count(args))
      stable = settled()
      if stable then
        local operands = counter and { counter.next(count(args)).ssa } or {}
        cx.builder:op("scf.yield", current(cx, loop, operands), {})
      end
    end)
    return stable and function()
      return while_op(cx, loop, init, types, before, after)
    end
  end)
end

--- repeat body() until condition, as scf.while; `body()` gives the condition to go on.
function M.tested_last(cx, loop, body)
  loop.extra, loop.runs = 0, true
  return solve(cx, loop, function(settled)
    local types = carried_types(loop, {})
    local init = current(cx, loop, {})
    local stable
    local before = in_region(cx, types, function(args)
      enter(cx, loop, args, 1)
      local cond = body()
      stable = settled()
      if stable then
        cx.builder:op("scf.condition", current(cx, loop, { as_condition(cx, cond).ssa }), {})
      end
    end)
    local after = in_region(cx, types, function(args)
      cx.builder:op("scf.yield", { unpack(args) }, {})
    end)
    return stable and function()
      return while_op(cx, loop, init, types, before, after)
    end
  end)
end

--- For a counted loop over [first, past) that a path may leave: the tested form of it.
function M.counted_with_exits(cx, loop, range, body)
  local function value(ssa)
    return values.value(ssa, range.dtype, {})
  end
  local counter = {
    init = range.first, dtype = range.dtype,
    next = function(v) return arith.emit(cx, "arith.addi", v, value(range.step)) end,
  }
  return M.tested_first(cx, loop, counter, function(v)
    return convert.compare(cx, "arith.cmpi", 2, v, value(range.past))
  end, body)
end

return M
