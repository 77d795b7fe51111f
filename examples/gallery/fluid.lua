-- A step of an incompressible fluid on a periodic grid (stable fluids): advection backwards along
-- the velocity, then the pressure that makes it free of divergence, by Jacobi iterations.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. here .. "../?/init.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

-- Plain Lua helpers, compiled in place.
local function wrap(i, n) return tl.where(i < 0, i + n, tl.where(i >= n, i - n, i)) end

local function cell(field, x, y, N) return tl.load(field + wrap(y, N) * N + wrap(x, N)) end

local function sample(field, x, y, N)
  local x0, y0 = tl.floor(x), tl.floor(y)
  local fx, fy = x - x0, y - y0
  local i, j = x0:to(tl.i32) % N, y0:to(tl.i32) % N
  local top = cell(field, i, j, N) * (1 - fx) + cell(field, i + 1, j, N) * fx
  local bottom = cell(field, i, j + 1, N) * (1 - fx) + cell(field, i + 1, j + 1, N) * fx
  return top * (1 - fy) + bottom * fy
end

local advect = neso.jit(function(out, field, u, v, dt, N)
  local x, y = tl.arange(0, N), tl.program_id(0)
  local at = y * N + x
  local from_x = x:to(tl.f32) - dt * tl.load(u + at)
  local from_y = y:to(tl.f32) - dt * tl.load(v + at)
  tl.store(out + at, sample(field, from_x, from_y, N))
end)

local divergence = neso.jit(function(out, u, v, N)
  local x, y = tl.arange(0, N), tl.program_id(0)
  local du = cell(u, x + 1, y, N) - cell(u, x - 1, y, N)
  local dv = cell(v, x, y + 1, N) - cell(v, x, y - 1, N)
  tl.store(out + y * N + x, 0.5 * (du + dv))
end)

local relax = neso.jit(function(out, p, div, N)
  local x, y = tl.arange(0, N), tl.program_id(0)
  local around = cell(p, x + 1, y, N) + cell(p, x - 1, y, N) + cell(p, x, y + 1, N)
    + cell(p, x, y - 1, N)
  tl.store(out + y * N + x, (around - tl.load(div + y * N + x)) * 0.25)
end)

local project = neso.jit(function(u, v, p, N)
  local x, y = tl.arange(0, N), tl.program_id(0)
  local at = y * N + x
  tl.store(u + at, tl.load(u + at) - 0.5 * (cell(p, x + 1, y, N) - cell(p, x - 1, y, N)))
  tl.store(v + at, tl.load(v + at) - 0.5 * (cell(p, x, y + 1, N) - cell(p, x, y - 1, N)))
end)

local N, steps, iterations, dt = 96, 8, 20, 0.8
local function wave(f)
  local values = {}
  for y = 0, N - 1 do
    for x = 0, N - 1 do values[#values + 1] = f(2 * math.pi * x / N, 2 * math.pi * y / N) end
  end
  return values
end
local start = {
  u = wave(function(x, y) return 2 * math.sin(y) + math.cos(2 * x + y) end),
  v = wave(function(x, y) return math.sin(2 * x) - math.cos(x - 3 * y) end),
  ink = wave(function(x, y) return math.sin(3 * x) * math.sin(2 * y) > 0 and 1 or 0 end),
}

local function field(values) return neso.tensor(values, tl.f32):reshape(N, N) end
local u, v, ink = field(start.u), field(start.v), field(start.ink)
local spare_u, spare_v, spare = field(start.u), field(start.v), field(start.ink)
local p, q, div = neso.zeros { N, N }, neso.zeros { N, N }, neso.zeros { N, N }
for _ = 1, steps do
  advect[N](spare_u, u, u, v, dt, N)
  advect[N](spare_v, v, u, v, dt, N)
  u, spare_u, v, spare_v = spare_u, u, spare_v, v
  divergence[N](div, u, v, N)
  p:fill_(0)
  for _ = 1, iterations do
    relax[N](q, p, div, N)
    p, q = q, p
  end
  project[N](u, v, p, N)
  advect[N](spare, ink, u, v, dt, N)
  ink, spare = spare, ink
end

-- The same in double precision, cell by cell.
local function reference()
  local function copy(list)
    local out = support.doubles(N * N)
    for i = 1, #list do out[i - 1] = list[i] end
    return out
  end
  local function each(f)
    local out = support.doubles(N * N)
    for y = 0, N - 1 do
      for x = 0, N - 1 do out[y * N + x] = f(x, y) end
    end
    return out
  end
  local function get(a, x, y) return a[y % N * N + x % N] end
  local function moved(a, U, V)
    return each(function(x, y)
      local px, py = x - dt * get(U, x, y), y - dt * get(V, x, y)
      local i, j = math.floor(px), math.floor(py)
      local fx, fy = px - i, py - j
      return (get(a, i, j) * (1 - fx) + get(a, i + 1, j) * fx) * (1 - fy)
        + (get(a, i, j + 1) * (1 - fx) + get(a, i + 1, j + 1) * fx) * fy
    end)
  end
  local U, V, I = copy(start.u), copy(start.v), copy(start.ink)
  for _ = 1, steps do
    U, V = moved(U, U, V), moved(V, U, V)
    local d = each(function(x, y)
      return (get(U, x + 1, y) - get(U, x - 1, y) + get(V, x, y + 1) - get(V, x, y - 1)) / 2
    end)
    local P = support.doubles(N * N)
    for _ = 1, iterations do
      local old = P
      P = each(function(x, y)
        return (get(old, x + 1, y) + get(old, x - 1, y) + get(old, x, y + 1) + get(old, x, y - 1)
          - get(d, x, y)) / 4
      end)
    end
    local old_u, old_v = U, V
    U = each(function(x, y) return get(old_u, x, y) - (get(P, x + 1, y) - get(P, x - 1, y)) / 2 end)
    V = each(function(x, y) return get(old_v, x, y) - (get(P, x, y + 1) - get(P, x, y - 1)) / 2 end)
    I = moved(I, U, V)
  end
  return U, V, I
end

local want_u, want_v, want_ink = reference()
local shape = ("%d x %d, %d steps"):format(N, N, steps)
support.verdict("fluid, velocity", shape, math.max(
  support.error(support.array(u), want_u, N * N), support.error(support.array(v), want_v, N * N)),
  1e-4)
support.verdict("fluid, ink", shape, support.error(support.array(ink), want_ink, N * N), 1e-3)

local paint = neso.jit(function(pixels, values, WIDTH)
  local at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
  tl.store(pixels + at, (255 * tl.clamp(tl.load(values + at), 0, 1)):to(tl.u8))
end)
local image = neso.zeros({ N, N }, tl.u8)
paint[N](image, ink, N)
support.image("fluid", image)
