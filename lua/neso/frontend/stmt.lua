--- Statements of a kernel. Each gives a state (see control.lua) and whether it has already run what
--- follows it in its block.

local arith = require "neso.frontend.arith"
local control = require "neso.frontend.control"
local expr = require "neso.frontend.expr"
local fields = require "neso.frontend.fields"
local forloops = require "neso.frontend.forloops"
local loops = require "neso.frontend.loops"
local merge = require "neso.frontend.merge"
local names = require "neso.frontend.names"
local tries = require "neso.frontend.tries"
local values = require "neso.frontend.values"

local M = {}

local is_value = values.is_value
local handlers = {}

-- Depth of branches from which the rest of a block no longer goes into the branch that stays.
local deep = 24

local function is_deep(cx)
  return cx.builder.depth >= deep
end

local branching = { If = true, While = true, Repeat = true, NumericFor = true, GenericFor = true,
  Do = true }

-- Iterations that a loop with a compile-time condition runs while compiling.
local max_unrolled = 32

local run_from

-- Index of the statement that ends a piece of the block: one that a path may leave.
local function piece_end(stats, from)
  for i = from, #stats do
    if branching[stats[i].kind] then return i end
  end
  return #stats
end

-- Declares the locals of a piece in front of its guard: later pieces see them.
local function declare_ahead(cx, stats, from, to)
  for i = from, to do
    local node = stats[i]
    local list = node.kind == "Local" and node.names or {}
    if node.kind == "LocalFunction" then list = { node.name } end
    for _, name in ipairs(list) do
      M.declare(cx, name, values.UNSET).ahead = true
    end
  end
end

-- The rest of a block behind many places where a path may leave: one piece after another, each
-- under a guard of its own, so that the guards do not nest.
local function run_pieces(cx, stats, from, last, node)
  local state = "maybe"
  while from <= last and state ~= "stop" do
    local to = math.min(piece_end(stats, from), last)
    local first = from
    declare_ahead(cx, stats, first, to)
    state = control.continue(cx, "maybe", node, function()
      return run_from(cx, stats, first, to)
    end) or state
    from = to + 1
  end
  return state
end

function run_from(cx, stats, from, last)
  local state
  last = last or #stats
  for i = from, last do
    local node = stats[i]
    local handler = handlers[node.kind]
    if not handler then
      cx:fail(("'%s' cannot be used in a kernel"):format(node.kind:lower()), nil, node)
    end
    cx.node = node
    cx:step()
    cx.builder.line = cx:line_of(node)
    if cx.watch then cx:watch(node) end
    local used_rest
    state, used_rest = handler(cx, node, stats, i, last)
    if state == "stop" or used_rest then return state end
    if state == "maybe" and i < last then
      if is_deep(cx) then return run_pieces(cx, stats, i + 1, last, node) end
      return control.continue(cx, state, node, function()
        return run_from(cx, stats, i + 1, last)
      end)
    end
  end
  return state
end

local function with_scope(cx, run)
  local frame = cx.frame
  local before = frame.scope
  frame.scope = { parent = before }
  local state = run()
  frame.scope = before
  return state
end

--- Runs a block in a scope of its own.
function M.block(cx, block)
  return with_scope(cx, function() return run_from(cx, block, 1) end)
end

--- Declares a local in the current scope.
function M.declare(cx, name_node, value)
  local cell = cx:new_cell(value, name_node.name, name_node)
  cx.frame.scope[name_node.decl] = cell
  return cell
end

-- A local statement: its variable may have been declared ahead.
local function define(cx, name, value)
  local cell = cx.frame.scope[name.decl]
  if not (cell and cell.ahead) then return M.declare(cx, name, value) end
  merge.write(cx, cell, "value", value)
  return cell
end

handlers.Local = function(cx, node)
  local list = expr.eval_list(cx, node.values or {})
  for i, name in ipairs(node.names) do
    define(cx, name, list[i])
  end
end

handlers.LocalFunction = function(cx, node)
  local cell = define(cx, node.name, nil)
  cell.value = values.closure(node.func, cx.frame.scope, cx.frame.code)
end

-- The place that a target names, as a function that writes to it.
local function place_of(cx, target)
  if target.kind == "Name" then
    local cell = target.decl and names.find_cell(cx.frame.scope, target.decl)
    if not cell then
      cx:fail(("a kernel cannot assign to '%s', which lives outside of it"):format(target.name),
        "declare it with 'local', or write results to a tensor with tl.store", target)
    end
    return function(value) merge.write(cx, cell, "value", value) end
  end
  local object = expr.eval(cx, target.object)
  local key = expr.eval(cx, target.key)
  return function(value)
    cx.node = target
    fields.write(cx, object, key, value)
  end
end

handlers.Assign = function(cx, node)
  local places = {}
  for i, target in ipairs(node.targets) do
    places[i] = place_of(cx, target)
  end
  local list = expr.eval_list(cx, node.values)
  cx.node = node
  for i, put in ipairs(places) do
    put(list[i])
  end
end

handlers.FunctionStat = function(cx, node)
  place_of(cx, node.target)(expr.eval(cx, node.func))
end

handlers.CallStat = function(cx, node)
  expr.eval_several(cx, node.call)
end

handlers.Do = function(cx, node)
  return M.block(cx, node.body)
end

handlers.Label = function() end

-- If ----------------------------------------------------------------------------------------------

local function run_clauses(cx, node, index, rest)
  local clause = node.clauses[index]
  if not clause then
    return node.orelse and M.block(cx, node.orelse)
  end
  local cond = expr.condition(cx, clause.cond, "'if'")
  if cond == true then return M.block(cx, clause.body) end
  if cond == false then return run_clauses(cx, node, index + 1, rest) end
  return control.fork(cx, cond, clause.cond, function()
    return M.block(cx, clause.body)
  end, function()
    return (run_clauses(cx, node, index + 1))
  end, rest)
end

handlers.If = function(cx, node, stats, i, last)
  local rest
  if i < last and not is_deep(cx) then
    rest = function() return run_from(cx, stats, i + 1, last) end
  end
  return run_clauses(cx, node, 1, rest)
end

-- Leaving -----------------------------------------------------------------------------------------

local function result_cell(frame, i, node)
  local cell = frame.results[i]
  if not cell then
    cell = values.cell(values.UNSET, "result " .. i, frame.returned.serial, node)
    cell.restart = true
    frame.results[i] = cell
  end
  return cell
end

handlers.Return = function(cx, node)
  local list = expr.eval_list(cx, node.values)
  local frame = cx.frame
  cx.node = node
  if frame.is_kernel and list.n > 0 then
    cx:fail("a kernel returns nothing", "write results to a tensor with tl.store", node)
  end
  for i = 1, list.n do
    merge.write(cx, result_cell(frame, i, node), "value", list[i])
  end
  merge.write(cx, frame.count, "value", list.n)
  return control.leave(cx, frame.returned)
end

handlers.Break = function(cx)
  local all = cx.frame.loops
  return control.leave(cx, all[#all].broke)
end

handlers.Goto = function(cx, node)
  local all = cx.frame.loops
  for i = #all, 1, -1 do
    if all[i].labels[node.label] then
      return control.leave(cx, all[i].continued)
    end
  end
  cx:fail(("'goto %s' cannot be used here"):format(node.label),
    "in a kernel, goto may only jump to a label at the end of an enclosing loop (continue)", node)
end

-- Loops -------------------------------------------------------------------------------------------

local function end_labels(block)
  local labels = {}
  for i = #block, 1, -1 do
    if block[i].kind ~= "Label" then break end
    labels[block[i].name] = true
  end
  return labels
end

-- Runs `run` with the flags of a new loop.
local function in_loop(cx, node, run)
  local frame = cx.frame
  local record = { labels = end_labels(node.body), node = node,
    broke = control.flag(cx, "break", node), continued = control.flag(cx, "continue", node) }
  table.insert(frame.loops, record)
  table.insert(frame.flags, record.broke)
  table.insert(frame.flags, record.continued)
  local exit_before = cx.exit_serial
  local own, past = tries.enter(cx, node)
  own.unrolled = past and past.unrolled
  local ended = run(record)
  tries.leave(cx, own)
  table.remove(frame.loops)
  table.remove(frame.flags)
  table.remove(frame.flags)
  local left, serial = control.leaving(cx)
  cx.exit_serial = math.max(exit_before, serial)
  if ended == "stop" then return "stop" end
  if left == true then return "stop" end
  return left and "maybe" or nil
end

-- The body of one iteration; what `goto continue` skipped is over afterwards.
local function iteration(cx, record, run)
  local state = run()
  merge.write(cx, record.continued.cell, "value", false)
  return state
end

local function plain_body(cx, record)
  return function()
    return iteration(cx, record, function() return M.block(cx, record.node.body) end)
  end
end

-- A while loop whose condition is known when compiling, as long as that lasts. Gives true when the
-- loop is over, false when the rest has to become a loop at run time.
local function unroll_while(cx, node, record)
  local checkpoint, mark = cx.builder:checkpoint(), #cx.trail
  for _ = 1, max_unrolled do
    local inner, inner_mark = cx.builder:checkpoint(), #cx.trail
    local cond = expr.condition(cx, node.cond, "'while'")
    if cond == false then return true end
    if cond ~= true then
      merge.rollback(cx, inner_mark)
      cx.builder:restore(inner)
      return false
    end
    plain_body(cx, record)()
    local left = control.leaving(cx)
    if left == true then return true end
    if left then
      merge.rollback(cx, inner_mark)
      cx.builder:restore(inner)
      return false
    end
  end
  merge.rollback(cx, mark)
  cx.builder:restore(checkpoint)
  return false
end

-- Runs the loop while compiling, unless the last try has shown that this does not go.
local function unrolled(cx, unroll, node, record)
  local own = cx.try
  if own.unrolled == false then return false end
  tries.again(own)
  own.unrolled = unroll(cx, node, record)
  return own.unrolled
end

handlers.While = function(cx, node)
  return in_loop(cx, node, function(record)
    if unrolled(cx, unroll_while, node, record) then return nil end
    local endless = true
    local loop = { node = node }
    loops.tested_first(cx, loop, nil, function()
      local cond = expr.condition(cx, node.cond, "'while'")
      endless = cond == true
      return cond
    end, plain_body(cx, record))
    local broke = record.broke.cell.value
    if endless and broke == false then
      if control.leaving(cx) == false then
        cx:fail("this loop never ends", "leave it with 'break' or 'return'", node)
      end
      return "stop"
    end
  end)
end

local function until_condition(cx, node, record)
  local cell = cx:new_cell(true, "until", node)
  with_scope(cx, function()
    local state = iteration(cx, record, function() return run_from(cx, node.body, 1) end)
    if control.leaving(cx) == true then return end
    control.continue(cx, state and "maybe", node, function()
      merge.write(cx, cell, "value", expr.condition(cx, node.cond, "'until'"))
    end)
  end)
  local stop = cell.value
  local left = control.leaving(cx)
  if left == true or stop == true then return false end
  local go = arith.negation(cx, stop)
  return left and expr.both(cx, arith.negation(cx, left), go) or go
end

local function unroll_repeat(cx, node, record)
  for _ = 1, max_unrolled do
    local inner, inner_mark = cx.builder:checkpoint(), #cx.trail
    local go = until_condition(cx, node, record)
    if go == false and not is_value(control.leaving(cx)) then return true end
    if go ~= true then
      merge.rollback(cx, inner_mark)
      cx.builder:restore(inner)
      return false
    end
  end
  return false
end

handlers.Repeat = function(cx, node)
  return in_loop(cx, node, function(record)
    if unrolled(cx, unroll_repeat, node, record) then return nil end
    loops.tested_last(cx, { node = node }, function()
      return until_condition(cx, node, record)
    end)
  end)
end

handlers.NumericFor = function(cx, node)
  return in_loop(cx, node, function(record)
    return forloops.numeric(cx, node, record, M, iteration)
  end)
end

handlers.GenericFor = function(cx, node)
  return in_loop(cx, node, function(record)
    return forloops.generic(cx, node, record, M, iteration)
  end)
end

M.run_from, M.with_scope = run_from, with_scope

return M
