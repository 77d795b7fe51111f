-- k-means (Lloyd): the nearest of the centres for every point, then the mean of the points of each
-- centre. Both kernels work on tiles of points x centres.
local here = arg[0]:match "^(.*/)" or "./"
package.path = here .. "?.lua;" .. package.path
local neso = require "neso"
local support = require "support"
local tl = neso.language

-- |p - c|^2 less |p|^2, which is the same for all centres, by a matrix product.
local assign = neso.jit(function(label, points, centres, n, k, D, BLOCK, K)
  local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  local c, d = tl.arange(0, K), tl.arange(0, D)
  local p = tl.load(points + i:col() * D + d:row(), i:col() < n)
  local centre = tl.load(centres + c:col() * D + d:row(), c:col() < k)
  local distance = tl.sum(centre * centre, 1):row() - 2 * tl.dot(p, centre:trans())
  distance = tl.where(c:row() < k, distance, math.huge)
  tl.store(label + i, tl.argmin(distance, 1), i < n)
end)

-- One program a centre: each label is compared, so no program waits for another.
local update = neso.jit(function(centres, points, label, n, D, BLOCK)
  local c, d = tl.program_id(0), tl.arange(0, D)
  local sum, count = tl.zeros({ D }), 0
  for start = 0, n - 1, BLOCK do
    local i = start + tl.arange(0, BLOCK)
    local mine = i < n and tl.load(label + i, i < n, -1) == c
    sum = sum + tl.sum(tl.load(points + i:col() * D + d:row(), mine:col()), 0)
    count = count + tl.sum(mine)
  end
  if count > 0 then tl.store(centres + c * D + d, sum / count) end
end)

local n, k, D, rounds = 2000, 7, 5, 12
local points = neso.rand { n, D }
local centres = points:slice(0, 0, k):clone()
local label = neso.zeros({ n }, tl.i32)
for _ = 1, rounds do
  assign[tl.cdiv(n, 64)](label, points, centres, n, k, D, 64, 8)
  update[k](centres, points, label, n, D, 128)
end

local function reference(p)
  local c, of = support.doubles(k * D), support.doubles(n)
  for i = 0, k * D - 1 do c[i] = p[i] end
  for _ = 1, rounds do
    local sum, count = support.doubles(k * D), support.doubles(k)
    for i = 0, n - 1 do
      local best, least = 0, math.huge
      for j = 0, k - 1 do
        local distance = 0
        for d = 0, D - 1 do distance = distance + (p[i * D + d] - c[j * D + d]) ^ 2 end
        if distance < least then best, least = j, distance end
      end
      of[i], count[best] = best, count[best] + 1
      for d = 0, D - 1 do sum[best * D + d] = sum[best * D + d] + p[i * D + d] end
    end
    for j = 0, k - 1 do
      for d = 0, D - 1 do
        if count[j] > 0 then c[j * D + d] = sum[j * D + d] / count[j] end
      end
    end
  end
  return c, of
end

local want_centres, want_label = reference(support.array(points))
support.verdict("k-means, centres", ("%d points, %d centres"):format(n, k),
  support.error(support.array(centres), want_centres, k * D), 1e-4)
support.verdict("k-means, labels", ("%d points, %d centres"):format(n, k),
  support.error(support.array(label, "const int32_t"), want_label, n), 0)
