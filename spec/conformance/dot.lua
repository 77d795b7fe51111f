-- Matrix products: dtypes, shapes that are no powers of two, the accumulator.
local cases = {}

local function values(n, seed)
  local out = {}
  for i = 1, n do
    out[i] = ((i * 37 + seed) % 17 - 8) / 4
  end
  return out
end

local function add(dtype, out_dtype, m, n, k)
  cases[#cases + 1] = {
    name = ("dot %s {%d, %d} {%d, %d}"):format(dtype, m, k, k, n),
    kernel = [[function k(c, a, b, M, N, K)
      local i, j, l = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
      local x = tl.load(a + i:col() * K + l:row())
      local y = tl.load(b + l:col() * N + j:row())
      local acc = tl.full({M, N}, 1, tl.f32)
      tl.store(c + i:col() * N + j:row(), tl.dot(x, y, acc))
    end]],
    args = { c = { out_dtype, count = m * n }, a = { dtype, values(m * k, 1) },
      b = { dtype, values(k * n, 5) }, M = m, N = n, K = k },
    want = { c = function(inputs)
      local out = {}
      for i = 0, m - 1 do
        for j = 0, n - 1 do
          local sum = 1
          for l = 0, k - 1 do
            sum = sum + inputs.a[i * k + l + 1] * inputs.b[l * n + j + 1]
          end
          out[i * n + j + 1] = sum
        end
      end
      return out
    end },
  }
end

local shapes = { { 16, 16, 16 }, { 32, 8, 64 }, { 1, 1, 1 }, { 5, 7, 3 }, { 33, 48, 100 } }
for _, dtype in ipairs { "f32", "f16", "bf16" } do
  for _, shape in ipairs(shapes) do
    add(dtype, "f32", shape[1], shape[2], shape[3])
  end
end

return cases
