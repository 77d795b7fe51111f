--- Files and child processes for specs.
local M = {}

--- The whole file, nil when it cannot be opened.
function M.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

function M.write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

--- Output of a shell command, both streams, and its exit status.
---@return string, integer
function M.run(command)
  local pipe = assert(io.popen("{ " .. command .. "\n echo \"rc=$?\"; } 2>&1"))
  local text, status = pipe:read "*a":match "^(.*)rc=(%d+)\n$"
  pipe:close()
  return text, tonumber(status)
end

--- What Lua text prints in a process of its own.
---@param code string
---@param environment string|nil "NAME=value NAME=value"
---@param program string|nil default: luajit
function M.lua(code, environment, program)
  local path = os.tmpname()
  M.write(path, code)
  local output = M.run(("%s %s '%s'"):format(environment or "", program or "luajit", path))
  os.remove(path)
  return output
end

return M
