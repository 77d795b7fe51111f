--- The disk cache of compiled kernels.
local core = require "neso.shell"

local M = {}

--- Folder, files and bytes in it, its limit, and hits and misses of this process. `path` is nil
--- without a disk cache.
---@return table { path, files, bytes, limit, hits, misses }
function M.stats() return core.cache_stats() end

--- Removes the least recently used files until `bytes` are left (default: the limit).
---@param bytes number|nil
---@return table { files, bytes } what was removed
function M.prune(bytes)
  local before = M.stats()
  core.cache_prune(bytes or before.limit)
  local after = M.stats()
  return { files = before.files - after.files, bytes = before.bytes - after.bytes }
end

--- Removes all.
---@return table { files, bytes }
function M.clear()
  local before = M.stats()
  core.cache_clear()
  local after = M.stats()
  return { files = before.files - after.files, bytes = before.bytes - after.bytes }
end

return M
