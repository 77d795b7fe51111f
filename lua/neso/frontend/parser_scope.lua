-- Scopes while parsing: which declaration a name means, and where `goto` and `break` may go.
-- The rules are LuaJIT's (those of Lua 5.2 for goto).
local diagnostics = require "neso.frontend.diagnostics"

local ipairs, min = ipairs, math.min

local scope = {}

function scope.open_function(ps, is_vararg)
  ps.func = { parent = ps.func, is_vararg = is_vararg, active = 0 }
end

function scope.close_function(ps)
  ps.func = ps.func.parent
end

function scope.open_block(ps, is_loop)
  ps.block = { parent = ps.block, func = ps.func, is_loop = is_loop, names = {}, labels = {},
    gotos = {}, base = ps.func.active, declared = {} }
end

local function check_jump(ps, block, jump, label)
  if label.active <= jump.active then return end
  local skipped = block.declared[jump.active - block.base + 1]
  diagnostics.throw(ps.ctx, jump.node, ("goto %s jumps into the scope of local `%s`")
    :format(jump.node.label, skipped.name),
    "move the local above the goto, or wrap it in do ... end")
end

-- Jumps to a label of this block are done; the others wait for a label of the block around it.
local function settle_jumps(ps, block)
  local outer = block.parent
  if outer and outer.func ~= block.func then outer = nil end
  for _, jump in ipairs(block.gotos) do
    local label = block.labels[jump.node.label]
    if label then
      check_jump(ps, block, jump, label)
    elseif outer then
      outer.gotos[#outer.gotos + 1] = { node = jump.node, active = min(jump.active, block.base) }
    else
      diagnostics.throw(ps.ctx, jump.node, ("no visible label `%s` for goto")
        :format(jump.node.label), "a label is written ::" .. jump.node.label .. "::")
    end
  end
end

function scope.close_block(ps)
  local block = ps.block
  settle_jumps(ps, block)
  ps.func.active = block.base
  ps.block = block.parent
end

--- Makes the Name node a declaration, visible from here to the end of the block.
function scope.declare(ps, name)
  local block = ps.block
  local decl = { name = name.name, node = name }
  name.decl = decl
  block.names[name.name] = decl
  ps.func.active = ps.func.active + 1
  block.declared[ps.func.active - block.base] = decl
  return decl
end

--- The declaration that a name means here; nil for an upvalue of the whole text or a global.
function scope.find(ps, name)
  local block = ps.block
  while block do
    local decl = block.names[name]
    if decl then return decl end
    block = block.parent
  end
end

--- `at_end`: only the end of the block follows, so the label is outside of the block's locals.
function scope.add_label(ps, node, at_end)
  local block = ps.block
  if block.labels[node.name] then
    diagnostics.throw(ps.ctx, node, ("label `%s` is already in this block"):format(node.name))
  end
  block.labels[node.name] = { active = at_end and block.base or ps.func.active }
end

function scope.add_goto(ps, node)
  local gotos = ps.block.gotos
  gotos[#gotos + 1] = { node = node, active = ps.func.active }
end

function scope.check_break(ps, node)
  local block = ps.block
  while block and block.func == ps.func do
    if block.is_loop then return end
    block = block.parent
  end
  diagnostics.throw(ps.ctx, node, "break outside of a loop")
end

return scope
