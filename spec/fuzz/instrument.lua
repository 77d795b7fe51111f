-- Counters in the blocks of Lua modules, so that a fuzzer sees where an input went: each block of
-- the modules whose names begin with one of `prefixes` begins with an increment of its own byte.

local M = {}

-- Byte offsets at which the blocks of a tree begin.
local function block_starts(node, out)
  if type(node) ~= "table" or out.seen[node] then return end
  out.seen[node] = true
  if node.kind == "Block" and node[1] then out[#out + 1] = node[1].pos end
  for key, child in pairs(node) do
    if type(child) == "table" and key ~= "decl" and key ~= "ctx" then block_starts(child, out) end
  end
end

local function instrumented(parser, text, name, next_counter)
  local starts = { seen = {} }
  block_starts(parser.parse_chunk(text, { name = name, version = 5.1, host = true }), starts)
  starts.seen = nil
  table.sort(starts)
  local parts, at, last = {}, 1, nil
  for _, pos in ipairs(starts) do
    if pos ~= last then
      local n = next_counter()
      parts[#parts + 1] = text:sub(at, pos - 1)
      parts[#parts + 1] = ("__counters[%d]=__counters[%d]+1;"):format(n, n)
      at, last = pos, pos
    end
  end
  parts[#parts + 1] = text:sub(at)
  return table.concat(parts)
end

--- Loads modules of the prefixes with counters from now on.
---@param counters ffi.cdata* uint8_t *
---@param count integer how many there are; more blocks share
---@param prefixes string[]
function M.install(counters, count, prefixes)
  local parser = require "neso.frontend.parser"
  for name in pairs(package.loaded) do
    if name:find "^neso%." then package.loaded[name] = nil end
  end
  rawset(_G, "__counters", counters)
  local used = -1
  local function next_counter()
    used = used + 1
    return used % count
  end
  table.insert(package.loaders, 2, function(name)
    local ours = false
    for _, prefix in ipairs(prefixes) do
      ours = ours or name:sub(1, #prefix) == prefix
    end
    local path = ours and package.searchpath(name, package.path)
    local file = path and io.open(path)
    if not file then return nil end
    local text = file:read "*a"
    file:close()
    return assert(loadstring(instrumented(parser, text, name, next_counter), "@" .. path))
  end)
end

return M
