--- Library functions of the language, written in the language itself.

local tl = require "neso.language"

local M = {}

function M.sigmoid(x)
  return 1 / (1 + tl.exp(-x))
end

function M.softmax(x, axis)
  local along = -1
  if axis ~= nil then along = axis end
  local shifted = tl.exp(x - tl.max(x, along, true))
  return shifted / tl.sum(shifted, along, true)
end

return M
