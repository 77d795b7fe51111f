--- `for` loops: numeric ones and tl.range run when the kernel runs; loops over compile-time
--- sequences (tl.static_range, ipairs, pairs, iterators) are unrolled.

local dtypes = require("neso.dtype").names
local arith = require "neso.frontend.arith"
local control = require "neso.frontend.control"
local convert = require "neso.frontend.convert"
local expr = require "neso.frontend.expr"
local loops = require "neso.frontend.loops"
local promote = require "neso.frontend.promote"
local sequences = require "neso.frontend.sequences"
local values = require "neso.frontend.values"

local M = {}

local unpack = table.unpack or unpack

local is_value = values.is_value
local max_iterations = 4096

local function check_bound(cx, x, what, node)
  if type(x) == "number" then return end
  local ok = is_value(x) and #x.shape == 0 and x.dtype.kind ~= "float" and x.dtype.kind ~= "bool"
  if not ok then
    cx:fail(("the %s of a loop must be an integer, got %s"):format(what, values.describe(x)), nil,
      node)
  end
end

-- Induction type: i32, or i64 where a bound has more bits or does not fit.
local function induction_dtype(bounds)
  for _, x in ipairs(bounds) do
    if is_value(x) and (x.dtype.bits == 64 or x.dtype == dtypes.u32) then return dtypes.i64 end
    if type(x) == "number" and math.abs(x) >= 2 ^ 31 - 1 then return dtypes.i64 end
  end
  return dtypes.i32
end

local function bound(cx, x, dtype)
  return convert.cast(cx, convert.to_value(cx, x, dtype), dtype)
end

local function constant(cx, x, dtype)
  return cx.builder:constant(x, dtype, {})
end

-- first, first + step, ... before past (past itself included where `inclusive`), step a positive
-- constant.
local function ascending(cx, first, last, step, dtype, inclusive)
  local past = last
  if inclusive then
    past = expr.binary(cx, "+", last, 1)
  end
  return {
    first = bound(cx, first, dtype).ssa, past = bound(cx, past, dtype).ssa,
    step = constant(cx, step, dtype).ssa, dtype = dtype,
    nonnegative = type(first) == "number" and first >= 0,
  }, function(iv) return iv end
end

local function descending(cx, first, last, step, dtype, inclusive)
  local range = ascending(cx, expr.binary(cx, "-", 0, first), expr.binary(cx, "-", 0, last), -step,
    dtype, inclusive)
  range.nonnegative = false
  return range, function(iv) return arith.negate(cx, iv) end
end

-- Step known only at run time: a loop over the number of the iteration.
local function any_step(cx, first, last, step, dtype, inclusive)
  first, last, step = bound(cx, first, dtype), bound(cx, last, dtype), bound(cx, step, dtype)
  local zero, one = constant(cx, 0, dtype), constant(cx, 1, dtype)
  local binary = arith.binary
  local up = binary(cx, ">", step, zero)
  local distance = arith.select(cx, up, binary(cx, "-", last, first), binary(cx, "-", first, last))
  local size = arith.select(cx, up, step, binary(cx, "-", zero, step))
  if not inclusive then
    distance = binary(cx, "-", distance, one)
  end
  local count = binary(cx, "+", binary(cx, "//", distance, size), one)
  count = arith.select(cx, binary(cx, "==", step, zero), zero, count)
  return { first = zero.ssa, past = count.ssa, step = one.ssa, dtype = dtype, nonnegative = true },
    function(iv) return arith.add(cx, first, arith.mul(cx, iv, step)) end
end

local function known_count(first, last, step, inclusive)
  if type(first) ~= "number" or type(last) ~= "number" or type(step) ~= "number" then return nil end
  local n = (last - first) / step
  n = inclusive and math.floor(n) + 1 or math.ceil(n)
  return math.max(n, 0)
end

local function body_of(cx, node, record, stmt, iteration, names)
  return function(...)
    local items = { ... }
    return iteration(cx, record, function()
      return stmt.with_scope(cx, function()
        for i, name in ipairs(names) do
          stmt.declare(cx, name, items[i])
        end
        return stmt.run_from(cx, node.body, 1)
      end)
    end)
  end
end

local function run_counted(cx, node, bounds, attrs, body)
  local first, last, step = bounds.first, bounds.last, bounds.step
  local count = known_count(first, last, step, bounds.inclusive)
  if count == 0 then return end
  local dtype = induction_dtype { first, last, step }
  local make = any_step
  if type(step) == "number" then
    make = step > 0 and ascending or descending
  end
  local range, map = make(cx, first, last, step, dtype, bounds.inclusive)
  local function run(iv) return body(map(iv)) end
  local function loop()
    return { node = node, attrs = attrs, runs = count ~= nil }
  end
  if not loops.counted(cx, loop(), range, run) then
    loops.counted_with_exits(cx, loop(), range, run)
  end
end

-- One iteration after another; `item(i)` gives the values of the i-th, or nil at the end.
local function unroll(cx, node, item, body)
  local function from(i)
    while true do
      local values_of = item(i)
      if not values_of then return nil end
      if i > max_iterations then
        cx:fail(("this loop is unrolled and has more than %d iterations"):format(max_iterations),
          "a loop at run time is 'for i = a, b' or tl.range", node)
      end
      body(unpack(values_of, 1, 2))
      i = i + 1
      local left = control.leaving(cx)
      if left == true then return nil end
      if left then
        return control.continue(cx, "maybe", node, function() return from(i) end)
      end
    end
  end
  from(1)
end

local function unroll_numbers(cx, node, bounds, body)
  local count = known_count(bounds.first, bounds.last, bounds.step, bounds.inclusive)
  if not count then
    cx:fail("the bounds of an unrolled loop must be known when compiling",
      "a loop at run time is 'for i = a, b' or tl.range", node)
  end
  unroll(cx, node, function(i)
    return i <= count and { bounds.first + (i - 1) * bounds.step } or nil
  end, body)
end

local function has_fraction(bounds)
  for _, name in ipairs { "first", "last", "step" } do
    local x = bounds[name]
    if type(x) == "number" and not promote.is_integral(x) then return true end
  end
  return false
end

local function run_range(cx, node, bounds, attrs, body)
  check_bound(cx, bounds.first, "start", node)
  check_bound(cx, bounds.last, "limit", node)
  check_bound(cx, bounds.step, "step", node)
  if bounds.step == 0 then
    cx:fail("the step of a loop must not be 0", nil, node)
  end
  if bounds.static or has_fraction(bounds) then
    return unroll_numbers(cx, node, bounds, body)
  end
  return run_counted(cx, node, bounds, attrs, body)
end

--- for v = first, last, step do
function M.numeric(cx, node, record, stmt, iteration)
  local bounds = { inclusive = true, first = expr.eval(cx, node.start),
    last = expr.eval(cx, node.limit), step = node.step and expr.eval(cx, node.step) or 1 }
  cx.node = node
  run_range(cx, node, bounds, nil, body_of(cx, node, record, stmt, iteration, { node.var }))
end

local function iterator_items(cx, node, list)
  local step, state, control_value = list[1], list[2], list[3]
  return function()
    local results = expr.call.apply(cx, step, { n = 2, state, control_value }, node)
    control_value = results[1]
    if values.is_runtime(control_value) then
      cx:fail("an iterator's first value must be known when compiling", nil, node)
    end
    return control_value ~= nil and { results[1], results[2] } or nil
  end
end

--- for a, b in ... do
function M.generic(cx, node, record, stmt, iteration)
  local list = expr.eval_list(cx, node.exprs)
  cx.node = node
  local body = body_of(cx, node, record, stmt, iteration, node.names)
  local source = list[1]
  if sequences.is_range(source) then
    return run_range(cx, node, source, source.attrs, body)
  end
  if source == next and type(list[2]) == "table" then
    source = sequences.pairs(cx, list[2])
  end
  if sequences.is_sequence(source) then
    unroll(cx, node, function(i) return source.items[i] end, body)
    return
  end
  if source == nil or type(source) ~= "function" and not values.is_closure(source) then
    cx:fail("cannot loop over " .. values.describe(source),
      "use 'for i = a, b', tl.range, ipairs or pairs", node.exprs[1])
  end
  unroll(cx, node, iterator_items(cx, node, list), body)
end

return M
