-- Gravity of n bodies on each other: a block of bodies meets all bodies, a tile at a time.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

-- Leapfrog with softening: accelerations at the positions, then half of a step each.
local accelerate = neso.jit(function(acc, pos, mass, n, soft, BLOCK, TILE)
  local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local mine = i < n
  local x = tl.load(pos + i * 3, mine):col()
  local y = tl.load(pos + i * 3 + 1, mine):col()
  local z = tl.load(pos + i * 3 + 2, mine):col()
  local ax, ay, az = tl.zeros({ BLOCK }), tl.zeros({ BLOCK }), tl.zeros({ BLOCK })
  for start = 0, n - 1, TILE do
    local j = start + tl.arange(0, TILE)
    local theirs = j < n
    local dx = tl.load(pos + j * 3, theirs):row() - x
    local dy = tl.load(pos + j * 3 + 1, theirs):row() - y
    local dz = tl.load(pos + j * 3 + 2, theirs):row() - z
    local r2 = dx * dx + dy * dy + dz * dz + soft
    local pull = tl.load(mass + j, theirs):row() / (r2 * tl.sqrt(r2))
    ax = ax + tl.sum(pull * dx, 1)
    ay = ay + tl.sum(pull * dy, 1)
    az = az + tl.sum(pull * dz, 1)
  end
  tl.store(acc + i * 3, ax, mine)
  tl.store(acc + i * 3 + 1, ay, mine)
  tl.store(acc + i * 3 + 2, az, mine)
end)

local axpy = neso.jit(function(y, x, a, n, BLOCK)
  local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  tl.store(y + i, tl.load(y + i, i < n) + a * tl.load(x + i, i < n), i < n)
end)

local n, steps, dt, soft = 300, 20, 0.01, 0.01
local pos, vel = neso.randn { n, 3 }, neso.randn { n, 3 }
local mass, acc = neso.rand { n }, neso.zeros { n, 3 }
local start_pos, start_vel = pos:clone(), vel:clone()

local function kick(h) axpy[tl.cdiv(3 * n, 256)](vel, acc, h, 3 * n, 256) end
local function drift(h) axpy[tl.cdiv(3 * n, 256)](pos, vel, h, 3 * n, 256) end
for _ = 1, steps do
  accelerate[tl.cdiv(n, 32)](acc, pos, mass, n, soft, 32, 64)
  kick(dt / 2)
  drift(dt)
  accelerate[tl.cdiv(n, 32)](acc, pos, mass, n, soft, 32, 64)
  kick(dt / 2)
end

local function reference(p, v, m)
  local x, u, a = support.doubles(3 * n), support.doubles(3 * n), support.doubles(3 * n)
  for i = 0, 3 * n - 1 do x[i], u[i] = p[i], v[i] end
  local function half_kick()
    for i = 0, n - 1 do
      local sx, sy, sz = 0, 0, 0
      for j = 0, n - 1 do
        local dx, dy = x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1]
        local dz = x[3 * j + 2] - x[3 * i + 2]
        local pull = m[j] * (dx * dx + dy * dy + dz * dz + soft) ^ -1.5
        sx, sy, sz = sx + pull * dx, sy + pull * dy, sz + pull * dz
      end
      a[3 * i], a[3 * i + 1], a[3 * i + 2] = sx, sy, sz
    end
    for i = 0, 3 * n - 1 do u[i] = u[i] + dt / 2 * a[i] end
  end
  for _ = 1, steps do
    half_kick()
    for i = 0, 3 * n - 1 do x[i] = x[i] + dt * u[i] end
    half_kick()
  end
  return x
end

local want = reference(support.array(start_pos), support.array(start_vel), support.array(mass))
support.verdict("n-body", ("%d bodies, %d steps"):format(n, steps),
  support.error(support.array(pos), want, 3 * n), 1e-3)
