--- Branches on run-time conditions, and leaving blocks early.
--
-- A statement gives nil (goes on), "stop" (every path has left the block) or "maybe" (some path has
-- left; the flags of the frame say which). Leaving is structured: what follows a "maybe" runs under
-- an `if` on the flags; where exactly one side of an `if` leaves, the rest of the block simply
-- belongs to the other side.

local values = require "neso.frontend.values"
local arith = require "neso.frontend.arith"
local merge = require "neso.frontend.merge"

local M = {}

local is_value = values.is_value
local dtypes = require "neso.dtype".names

local function run_branch(cx, body)
  local mark, exit_before = #cx.trail, cx.exit_serial
  local serial = cx.serial
  cx.exit_serial = 0
  local region, state = cx.builder:in_region({}, body)
  local branch = { region = region, state = state, exit = cx.exit_serial, slots = {},
    order = merge.collect(cx, mark, serial) }
  cx.exit_serial = math.max(exit_before, branch.exit)
  merge.rollback(cx, mark, serial)
  for _, slot in ipairs(branch.order) do
    local keys = branch.slots[slot.container] or {}
    branch.slots[slot.container] = keys
    keys[slot.key] = slot
  end
  return branch
end

local function find(branch, slot)
  local keys = branch.slots[slot.container]
  return keys and keys[slot.key]
end

-- True when the branch has left the scope in which the slot can be read.
local function dead(cx, branch, slot)
  return branch.state == "stop" and merge.serial_of(cx, slot.container) > branch.exit
end

local function value_in(cx, branch, slot)
  if dead(cx, branch, slot) then return values.UNSET end
  local own = find(branch, slot)
  if own then return own.new end
  return slot.container[slot.key]
end

-- A table of the kernel as it is at the end of the branch.
local function table_in(cx, branch, t, seen)
  if type(t) ~= "table" or not cx.owned[t] then return t end
  if seen[t] then return seen[t] end
  local copy, changed = cx:new_table(), branch.slots[t]
  seen[t] = copy
  for key, value in pairs(t) do
    copy[key] = key == values.CLASS and value or table_in(cx, branch, value, seen)
  end
  for key, slot in pairs(changed or {}) do copy[key] = table_in(cx, branch, slot.new, seen) end
  return copy
end

-- What the slot is at the end of either branch.
local function both_values(cx, a, b, slot)
  local x, y = value_in(cx, a, slot), value_in(cx, b, slot)
  if rawequal(x, y) then return x, y end
  return table_in(cx, a, x, {}), table_in(cx, b, y, {})
end

local function where(branch, slot, node)
  local own = find(branch, slot)
  local line = own and own.node and own.node.line
  return line and ("in line " .. line) or ("before line " .. node.line)
end

local function poison(slot, node)
  return values.poison(("'%s' may have no value here: it is set on one path only")
    :format(merge.slot_name(slot)),
    ("give it a value before the branch in line %d"):format(node.line))
end

local function merge_slots(cx, a, b, serial, node)
  local slots, seen = {}, {}
  for _, branch in ipairs { a, b } do
    for _, slot in ipairs(branch.order) do
      local keys = seen[slot.container] or {}
      seen[slot.container] = keys
      if not keys[slot.key] then
        keys[slot.key] = true
        slots[#slots + 1] = slot
      end
    end
  end
  local merged = {}
  for _, slot in ipairs(slots) do
    local x, y = both_values(cx, a, b, slot)
    local spec, what_a, what_b = merge.unify(cx, x, y, serial)
    if not spec and slot.container.promotes then spec = merge.common(cx, x, y) end
    if not spec then
      merge.refuse(cx, slot, what_a, where(a, slot, node), what_b, where(b, slot, node), node)
    end
    if spec.kind == "poison" and not spec.value then
      spec.value = poison(slot, node)
    end
    merged[#merged + 1] = { slot = slot, spec = spec, a = x, b = y }
  end
  return merged
end

local function yield(cx, region, operands)
  local before = cx.builder.region
  cx.builder.region = region
  cx.builder:op("scf.yield", operands, {})
  cx.builder.region = before
end

-- What the value needs of operations belongs to its branch.
local function flatten_in(cx, region, spec, x, out)
  local before = cx.builder.region
  cx.builder.region = region
  merge.flatten(cx, spec, x, out)
  cx.builder.region = before
end

local function finish_if(cx, cond, a, b, serial, node)
  local merged = merge_slots(cx, a, b, serial, node)
  local types, from_a, from_b = {}, {}, {}
  for _, m in ipairs(merged) do
    merge.types(m.spec, types)
    flatten_in(cx, a.region, m.spec, m.a, from_a)
    flatten_in(cx, b.region, m.spec, m.b, from_b)
  end
  local results = {}
  if #types > 0 or #a.region.ops > 0 or #b.region.ops > 0 then
    yield(cx, a.region, from_a)
    yield(cx, b.region, from_b)
    cx.builder.line = cx:line_of(node)
    results = cx.builder:op("scf.if", { cond.ssa }, types, nil, { a.region, b.region }).results
  end
  local at = 1
  for _, m in ipairs(merged) do
    local value
    value, at = merge.rebuild(cx, m.spec, results, at)
    merge.write(cx, m.slot.container, m.slot.key, value)
  end
end

local function joint_state(a, b)
  if a == "stop" and b == "stop" then return "stop" end
  if a or b then return "maybe" end
  return nil
end

--- Two branches under a run-time condition. `rest`, if given, runs what follows in the block; the
--- second result tells that it was used.
---@param cond neso.Value scalar i1
---@param on_true function gives a state
---@param on_false function gives a state
---@param rest function|nil
function M.fork(cx, cond, node, on_true, on_false, rest)
  local mark, serial = cx.builder:checkpoint(), cx.serial
  local used_rest = false
  local function with_rest(body)
    return function()
      local state = body()
      if state == "stop" or not rest then return state end
      used_rest = true
      return M.continue(cx, state, node, rest)
    end
  end
  local a = run_branch(cx, on_true)
  local b = run_branch(cx, a.state == "stop" and with_rest(on_false) or on_false)
  if rest and b.state == "stop" and a.state ~= "stop" and not used_rest then
    cx.builder:restore(mark)
    a = run_branch(cx, with_rest(on_true))
    b = run_branch(cx, on_false)
  end
  finish_if(cx, cond, a, b, serial, node)
  return joint_state(a.state, b.state), used_rest
end

--- OR of the flags that tell that a path has left: false, true or a Value; and the serial of the
--- innermost scope that may have been left.
function M.leaving(cx)
  local out, serial = false, 0
  for _, flag in ipairs(cx.frame.flags) do
    local value = flag.cell.value
    if value == true then return true, flag.serial end
    if is_value(value) then
      out = out and arith.emit(cx, "arith.ori", out, value) or value
      serial = math.max(serial, flag.serial)
    end
  end
  return out, serial
end

-- Under the guard no flag is up.
local function clear_flags(cx)
  for _, flag in ipairs(cx.frame.flags) do
    if is_value(flag.cell.value) then
      merge.write(cx, flag.cell, "value", false)
    end
  end
end

--- Runs `rest` after a statement that gave `state`.
function M.continue(cx, state, node, rest)
  if state ~= "maybe" then return rest() end
  local left, serial = M.leaving(cx)
  if left == false then return rest() end
  if left == true then return "stop" end
  local after = M.fork(cx, arith.logical_not(cx, left), node, function()
    clear_flags(cx)
    return rest()
  end, function()
    cx.exit_serial = math.max(cx.exit_serial, serial)
    return "stop"
  end)
  return after == "stop" and "stop" or "maybe"
end

local function cheap(region)
  for _, op in ipairs(region.ops) do
    if #op.regions > 0 or op.name:find("load", 1, true) or op.name:find("store", 1, true) then
      return false
    end
  end
  return #region.ops <= 8
end

local function move_ops(cx, region)
  local into = cx.builder.region
  for _, op in ipairs(region.ops) do
    op.region = into
    into.ops[#into.ops + 1] = op
  end
end

-- `compute()` in front of the branch, where that costs little and has no effect: true, the value.
local function computed_always(cx, compute)
  local mark, trail = cx.builder:checkpoint(), #cx.trail
  local region, value = cx.builder:in_region({}, compute)
  local blocks = is_value(value) and #value.shape > 0
  if #cx.trail == trail and (blocks or cheap(region)) then
    move_ops(cx, region)
    return true, value
  end
  merge.rollback(cx, trail)
  cx.builder:restore(mark)
  return false
end

--- A boolean computed only where the scalar condition holds; `otherwise` elsewhere. (A block is
--- computed in any case: there is no choosing by element whether to compute.)
---@param otherwise boolean
function M.lazily(cx, cond, node, compute, otherwise)
  local done, value = computed_always(cx, compute)
  if done then
    if type(value) == "boolean" then
      if value == otherwise then return value end
      return otherwise and arith.logical_not(cx, cond) or cond
    end
    if is_value(value) and value.dtype == dtypes.i1 then
      if not otherwise then return arith.binary(cx, "&", cond, value) end
      return arith.binary(cx, "|", arith.logical_not(cx, cond), value)
    end
    compute = function() return value end
  end
  local cell = cx:new_cell(otherwise, "and/or", node)
  M.fork(cx, cond, node, function()
    merge.write(cx, cell, "value", compute())
  end, function() end)
  return cell.value
end

--- Leaves towards a flag of the frame.
---@param flag table {cell=, serial= of the scope that is left}
function M.leave(cx, flag)
  merge.write(cx, flag.cell, "value", true)
  cx.exit_serial = math.max(cx.exit_serial, flag.serial)
  return "stop"
end

--- A new flag, false, for a scope that begins now.
function M.flag(cx, name, node)
  local cell = cx:new_cell(false, name, node)
  cell.restart = true
  return { cell = cell, serial = cx.serial }
end

return M
