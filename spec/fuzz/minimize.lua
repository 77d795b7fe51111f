-- Makes a kernel of generator.lua smaller as long as `still` holds of it: statements are taken out,
-- branches and loops give way to their bodies, calls and operators to their operands.

local function copy(x)
  if type(x) ~= "table" then return x end
  local out = {}
  for key, value in pairs(x) do out[key] = copy(value) end
  return out
end

-- Calls f(list, index) for every statement of the tree, the last first.
local function walk(body, f)
  for i = #body, 1, -1 do
    local statement = body[i]
    if statement and statement.body then
      walk(statement.body, f)
      if statement.other then walk(statement.other, f) end
    end
    if body[i] then f(body, i) end
  end
end

-- Every way to take statement i of the list away.
local function removals(list, i)
  local statement = list[i]
  local ways = { {} }
  if statement.body then
    ways[#ways + 1] = statement.body
    if statement.other then ways[#ways + 1] = statement.other end
  end
  return ways
end

local function replaced(list, i, with)
  local out = {}
  for k, statement in ipairs(list) do
    if k == i then
      for _, other in ipairs(with) do out[#out + 1] = other end
    else
      out[#out + 1] = statement
    end
  end
  return out
end

local function assign(list, content)
  for k = #list, 1, -1 do list[k] = nil end
  for k, statement in ipairs(content) do list[k] = statement end
end

local function drop_statements(kernel, still)
  local changed = false
  walk(kernel.body, function(list, i)
    local before = { unpack(list) }
    for _, with in ipairs(removals(list, i)) do
      assign(list, replaced(before, i, with))
      if still(kernel) then
        changed = true
        return
      end
      assign(list, before)
    end
  end)
  return changed
end

-- Bracketed parts of a text, the outermost first: positions of "(" and ")".
local function brackets(text)
  local out, open = {}, {}
  for at, c in text:gmatch "()([()])" do
    if c == "(" then
      open[#open + 1] = at
    elseif #open > 0 then
      out[#out + 1] = { table.remove(open), at }
    end
  end
  table.sort(out, function(a, b) return a[2] - a[1] > b[2] - b[1] end)
  return out
end

-- Parts of the inside of a bracket that may stand in its place: arguments and operands.
local function parts_of(inside)
  local out, depth, from = {}, 0, 1
  for at, c in inside:gmatch "()([(){},+%*/%%&|<>=-])" do
    if c == "(" or c == "{" then depth = depth + 1 end
    if c == ")" or c == "}" then depth = depth - 1 end
    if depth == 0 and c ~= ")" and c ~= "}" then
      out[#out + 1] = inside:sub(from, at - 1)
      from = at + 1
    end
  end
  out[#out + 1] = inside:sub(from)
  return out
end

local function simplify_text(kernel, statement, key, still)
  local text = statement[key]
  for _, pair in ipairs(brackets(text)) do
    local from, to = pair[1], pair[2]
    local name = text:sub(1, from - 1):match "[%w_%.:]*$"
    for _, part in ipairs(parts_of(text:sub(from + 1, to - 1))) do
      local head = text:sub(1, from - 1 - #name)
      statement[key] = ("%s(%s)%s"):format(head, part:match "^%s*(.-)%s*$", text:sub(to + 1))
      if #statement[key] < #text and still(kernel) then return true end
    end
  end
  statement[key] = text
  return false
end

local function simplify(kernel, still)
  local changed = false
  walk(kernel.body, function(list, i)
    local statement = list[i]
    local key = statement[1] and 1 or "head"
    while simplify_text(kernel, statement, key, still) do changed = true end
  end)
  return changed
end

local function drop_outputs(kernel, still)
  for i = #kernel.outputs, 1, -1 do
    local output = table.remove(kernel.outputs, i)
    if not still(kernel) then table.insert(kernel.outputs, i, output) end
  end
  for name, dtype in pairs(copy(kernel.inputs)) do
    kernel.inputs[name] = nil
    if not still(kernel) then kernel.inputs[name] = dtype end
  end
end

--- A smaller kernel on which `still` holds.
---@param kernel table
---@param still fun(kernel: table): boolean
---@return table
return function(kernel, still)
  local small = copy(kernel)
  local budget = 600
  local function test(candidate)
    budget = budget - 1
    return budget > 0 and still(candidate)
  end
  for _ = 1, 4 do
    local fewer = drop_statements(small, test)
    drop_outputs(small, test)
    local simpler = simplify(small, test)
    if not fewer and not simpler then break end
  end
  return small
end
