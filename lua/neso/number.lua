--- Arithmetic that launches need on the host.
local M = {}

local floor = math.floor

--- The smallest integer not below a / b: how many blocks of `b` cover `a`.
---@param a number
---@param b number
---@return number
function M.cdiv(a, b) return -floor(-a / b) end

return M
