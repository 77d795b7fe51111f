--- Takes out checks of values that nothing uses in the end: 32-bit offsets, say, that were computed
--- again in 64 bits on their way to a pointer and cannot overflow there.

local M = {}

--- Runs `fill`, whose operations check the value `ssa` and are worth nothing without a use of it.
function M.guard(cx, ssa, fill)
  local ops = cx.builder.region.ops
  local first = #ops + 1
  fill()
  local guard = { ssa = ssa, ops = {} }
  for i = first, #ops do guard.ops[#guard.ops + 1] = ops[i] end
  local guards = cx.builder.guards or {}
  cx.builder.guards = guards
  guards[#guards + 1] = guard
end

local moves = {
  ["neso.broadcast"] = true, ["neso.expand_dims"] = true, ["neso.reshape"] = true,
  ["neso.trans"] = true, ["neso.arange"] = true, ["neso.arg_reduce"] = true,
}

local function is_pure(op)
  local dialect = op.name:match "^%a+"
  return moves[op.name] or dialect == "arith" or dialect == "math" or dialect == "tensor"
end

local function count_uses(region, uses, pure)
  for _, op in ipairs(region.ops) do
    for _, operand in ipairs(op.operands) do uses[operand] = (uses[operand] or 0) + 1 end
    if is_pure(op) then pure[#pure + 1] = op end
    for _, inner in ipairs(op.regions) do count_uses(inner, uses, pure) end
  end
end

local function is_unused(op, uses)
  for _, result in ipairs(op.results) do
    if (uses[result] or 0) > 0 then return false end
  end
  return true
end

local remove

local function release(ssa, uses)
  uses[ssa] = uses[ssa] - 1
  local def = ssa.def
  if def and uses[ssa] == 0 and not def.removed and is_pure(def) and is_unused(def, uses) then
    remove(def, uses)
  end
end

function remove(op, uses)
  op.removed = true
  for _, operand in ipairs(op.operands) do release(operand, uses) end
end

local function own_uses(guard)
  local count = 0
  for _, op in ipairs(guard.ops) do
    for _, operand in ipairs(op.operands) do
      if operand == guard.ssa then count = count + 1 end
    end
  end
  return count
end

local function sweep(region)
  local kept = {}
  for _, op in ipairs(region.ops) do
    if not op.removed then kept[#kept + 1] = op end
    for _, inner in ipairs(op.regions) do sweep(inner) end
  end
  region.ops = kept
end

--- Takes them out of the finished body.
function M.run(builder)
  local guards = builder.guards
  if not guards then return end
  local uses, pure = {}, {}
  count_uses(builder.body, uses, pure)
  for i = #pure, 1, -1 do
    if not pure[i].removed and is_unused(pure[i], uses) then remove(pure[i], uses) end
  end
  for i = #guards, 1, -1 do
    local guard = guards[i]
    local last = guard.ops[#guard.ops]
    if last and not last.dead and (uses[guard.ssa] or 0) == own_uses(guard) then
      for k = #guard.ops, 1, -1 do
        if not guard.ops[k].removed then remove(guard.ops[k], uses) end
      end
    end
  end
  sweep(builder.body)
end

return M
