--- What the last try of a loop found out about the loops inside of it. The body of a run-time loop
--- is compiled several times; without a memory each level of nesting would multiply the work.

local names = require "neso.frontend.names"
local promote = require "neso.frontend.promote"
local values = require "neso.frontend.values"

local M = {}

---@class neso.Try
---@field node table loop statement
---@field before neso.Try[] loops inside, of the last try, in the order they were met
---@field now neso.Try[] the same of this try
---@field carried table[]|nil what the loop carried in the end
---@field leaves boolean|nil a path leaves it: a counted loop became a tested one
---@field unrolled boolean|nil false: it could not be done while compiling

--- A loop statement begins; gives its record and that of the last time, or nil.
function M.enter(cx, node)
  local parent = cx.try
  local past = parent and parent.before[#parent.now + 1]
  if past and past.node ~= node then past = nil end
  local own = { node = node, parent = parent, past = past, before = {},
    now = past and past.now or {} }
  if parent then parent.now[#parent.now + 1] = own end
  cx.try = own
  return own, past
end

function M.leave(cx, own)
  cx.try = own.parent
end

--- The body is about to be compiled once more.
function M.again(own)
  own.before, own.now = own.now, {}
end

-- Places ------------------------------------------------------------------------------------------

local function place_in_frame(frame, container)
  for i, flag in ipairs(frame.flags) do
    if flag.cell == container then return { flag = i } end
  end
  if container == frame.count then return { count = true } end
  for i, cell in pairs(frame.results) do
    if cell == container then return { result = i } end
  end
end

-- How the container can be found again in the next try, where its variable is a new cell.
local function place_of(cx, container)
  local place = place_in_frame(cx.frame, container)
  if place then return place end
  local node = values.is_cell(container) and container.node
  if node and node.decl and names.find_cell(cx.frame.scope, node.decl) == container then
    return { decl = node.decl }
  end
  return { container = container }
end

local function container_at(cx, place)
  local frame = cx.frame
  if place.flag then return frame.flags[place.flag] and frame.flags[place.flag].cell end
  if place.count then return frame.count end
  if place.result then return frame.results[place.result] end
  if place.decl then return names.find_cell(frame.scope, place.decl) end
  return place.container
end

--- Keeps what the loop carried.
function M.keep(cx, own, carried)
  own.carried = {}
  for i, entry in ipairs(carried) do
    own.carried[i] = { place = place_of(cx, entry.container), key = entry.key, spec = entry.spec,
      late = entry.late }
  end
end

-- Guesses -----------------------------------------------------------------------------------------

local fits

local function value_fits(spec, x)
  if values.is_value(x) then
    return x.dtype == spec.dtype and values.same_shape(x.shape, spec.shape)
  end
  if type(x) == "boolean" then return spec.dtype.kind == "bool" end
  return type(x) == "number" and spec.dtype.kind ~= "bool"
    and not promote.literal_problem(x, spec.dtype)
end

local function pointer_fits(spec, x)
  if not values.is_pointer(x) or x.dtype ~= spec.dtype then return false end
  if spec.base and not (spec.base.param and spec.base == x.base) then return false end
  if not spec.offset then return x.offset == nil end
  return spec.offset.kind == "value" and value_fits(spec.offset, x.offset or 0)
end

local function table_fits(spec, x)
  if type(x) ~= "table" or values.is_runtime(x) then return false end
  for _, key in ipairs(spec.keys) do
    if not fits(spec.fields[key], x[key]) then return false end
  end
  return true
end

-- True when a slot that holds x where the loop begins may be as the spec says.
function fits(spec, x)
  if rawequal(x, values.UNSET) then return true end
  if spec.kind == "value" then return value_fits(spec, x) end
  if spec.kind == "pointer" then return pointer_fits(spec, x) end
  if spec.kind == "table" then return table_fits(spec, x) end
  if spec.kind == "poison" then return x == nil or values.is_poison(x) end
  return rawequal(spec.value, x)
end

--- What the loop will probably carry: entries as in loops.lua, marked `guessed`; empty when the
--- last time tells nothing.
function M.guess(cx, own)
  local past = own.past
  local out = {}
  for i, entry in ipairs(past and past.carried or {}) do
    local container = container_at(cx, entry.place)
    if not container then return {} end
    local init = container[entry.key]
    local empty = init == nil or values.is_poison(init)
    if entry.late and not empty or not entry.late and not fits(entry.spec, init) then return {} end
    out[i] = { container = container, key = entry.key, init = init, spec = entry.spec,
      late = entry.late, guessed = true }
  end
  return out
end

--- True when the body did not touch something that was guessed to change.
function M.wrong(carried)
  for _, entry in ipairs(carried) do
    if entry.guessed and rawequal(entry.container[entry.key], entry.entered) then return true end
  end
  return false
end

return M
