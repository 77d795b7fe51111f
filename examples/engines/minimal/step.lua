-- The particle step of the host beside it: falls, bounces off the floor.
-- Edit and save while the host runs: the next frame uses the new step.
local neso = require "neso"
local tl = neso.language

local GRAVITY = -9.81
local BOUNCE = 0.5

local step = neso.jit({ dt = tl.f32, n = tl.i32 }, function(y, vy, dt, n, BLOCK)
  local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mask = i < n
  local v = tl.load(vy + i, mask) + GRAVITY * dt
  local p = tl.load(y + i, mask) + v * dt
  local below = p < 0
  tl.store(y + i, tl.where(below, 0 - p, p), mask)
  tl.store(vy + i, tl.where(below, BOUNCE * (0 - v), v), mask)
end)

neso.export("step", step)
