--- Messages of the shell on standard error, when NESO_LOG asks for them (error, warn, info).
local M = {}

local levels = { error = 1, warn = 2, info = 3 }
local wanted = levels[os.getenv "NESO_LOG" or ""] or (os.getenv "NESO_LOG" and 3) or 0

local function writer(level)
  local rank = levels[level]
  return function(format, ...)
    if rank <= wanted then io.stderr:write("neso: ", level, ": ", format:format(...), "\n") end
  end
end

M.error, M.warn, M.info = writer "error", writer "warn", writer "info"

return M
