--- "did you mean ...?" for unknown names.
local M = {}

local min = math.min

local function distance(a, b)
  local row = {}
  for j = 0, #b do row[j] = j end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      local above = row[j]
      row[j] = min(above + 1, row[j - 1] + 1, diagonal + cost)
      diagonal = above
    end
  end
  return row[#b]
end

--- The name of `names` closest to `name`, nil when none is near.
---@param name string
---@param names string[]
---@return string|nil
function M.closest(name, names)
  local best, best_distance
  for _, candidate in ipairs(names) do
    local d = distance(name:lower(), candidate:lower())
    if not best or d < best_distance then best, best_distance = candidate, d end
  end
  local limit = min(3, 1 + math.floor((#name - 1) / 3), #name - 1)
  if best and best_distance <= limit then return best end
  return nil
end

--- "; did you mean 'x'? (a, b, x)" for the end of a message.
---@param name string
---@param names string[]
---@return string
function M.hint(name, names)
  local best = M.closest(name, names)
  local list = #names > 0 and " (known: " .. table.concat(names, ", ") .. ")" or ""
  return best and ("; did you mean '%s'?%s"):format(best, list) or list
end

--- Sorted string keys of a table.
---@param map table
---@return string[]
function M.keys(map)
  local keys = {}
  for key in pairs(map) do
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  table.sort(keys)
  return keys
end

--- A title and a list of names in lines of at most 80 columns.
---@param title string
---@param names string[]
---@return string
function M.listing(title, names)
  local lines, line = { title }, " "
  for i, name in ipairs(names) do
    local item = " " .. name .. (i < #names and "," or "")
    if #line + #item > 80 then
      lines[#lines + 1] = line
      line = " "
    end
    line = line .. item
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

return M
