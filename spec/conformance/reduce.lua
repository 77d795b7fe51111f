-- Reductions: every kind, axis and block size; NaN and ties.
local cases = {}
local nan, inf = 0 / 0, math.huge

local function numbers(n, from)
  local out = {}
  for i = 1, n do
    out[i] = ((i * 7919 + from) % 41) - 20
  end
  return out
end

local folds = {
  sum = function(a, b) return a + b end,
  max = math.max,
  min = math.min,
}

local function add(case)
  cases[#cases + 1] = case
end

for name, fold in pairs(folds) do
  for _, dtype in ipairs { "i32", "f32", "f64", "f16" } do
    for _, n in ipairs { 1, 2, 7, 33, 64, 100, 257 } do
      add {
        name = ("%s %s {%d}"):format(name, dtype, n),
        kernel = ("function k(out, x, N) tl.store(out, tl.%s(tl.load(x + tl.arange(0, N)), 0)) end")
          :format(name),
        args = { out = { dtype, count = 1 }, x = { dtype, numbers(n, 3) }, N = n },
        want = { out = function(inputs)
          local out = inputs.x[1]
          for i = 2, #inputs.x do
            out = fold(out, inputs.x[i])
          end
          return { out }
        end },
      }
    end
  end
end

for _, axis in ipairs { 0, 1, -1 } do
  local rows, columns = 5, 12
  local along = axis == 0 and rows or columns
  local count = rows * columns / along
  add {
    name = ("sum {5, 12} axis %d"):format(axis),
    kernel = ([[function k(out, x, M, N, R)
      local i = tl.arange(0, M):col() * N + tl.arange(0, N):row()
      tl.store(out + tl.arange(0, R), tl.sum(tl.load(x + i), %d))
    end]]):format(axis),
    args = { out = { "f32", count = count }, x = { "f32", numbers(60, 1) }, M = rows, N = columns,
      R = count },
    want = { out = function(inputs)
      local out = {}
      for i = 1, count do
        out[i] = 0
      end
      for r = 0, rows - 1 do
        for c = 0, columns - 1 do
          local at = (axis == 0 and c or r) + 1
          out[at] = out[at] + inputs.x[r * columns + c + 1]
        end
      end
      return out
    end },
  }
end

-- 16-bit sums accumulate in f32 and round once.
for _, dtype in ipairs { "f16", "bf16" } do
  local values, sum = {}, 0
  for i = 1, 4096 do
    values[i] = i % 2 == 0 and 1 or 2 ^ -7
    sum = sum + values[i]
  end
  add {
    name = "sum of 4096 " .. dtype,
    kernel = "function k(out, x, N) tl.store(out, tl.sum(tl.load(x + tl.arange(0, N)), 0)) end",
    args = { out = { dtype, count = 1 }, x = { dtype, values }, N = 4096 },
    want = { out = { sum } },
  }
end

local function arg_case(which, values, index)
  add {
    name = ("arg%s %s"):format(which, table.concat(values, " ")),
    kernel = ("function k(out, x, N) tl.store(out, tl.arg%s(tl.load(x + tl.arange(0, N)), 0)) end")
      :format(which),
    args = { out = { "i32", count = 1 }, x = { "f32", values }, N = #values },
    want = { out = { index } },
  }
end
arg_case("max", { 1, 5, 2, 5 }, 1)
arg_case("min", { 3, -1, -1, 4 }, 1)
arg_case("max", { -inf, -inf, -inf }, 0)
arg_case("min", { inf, inf }, 0)

-- NaN wins wherever it stands.
for n = 2, 20, 6 do
  for at = 1, n do
    local values = numbers(n, 5)
    values[at] = nan
    values[at % n + 1] = inf
    for _, which in ipairs { "max", "min" } do
      arg_case(which, values, at - 1)
      add {
        name = ("%s with NaN at %d of %d"):format(which, at, n),
        kernel = ("function k(out, x, N) tl.store(out, tl.%s(tl.load(x + tl.arange(0, N)), 0)) end")
          :format(which),
        args = { out = { "f32", count = 1 }, x = { "f32", values }, N = n },
        want = { out = { nan } },
      }
    end
  end
end

add {
  name = "any, all, xor_sum",
  kernel = [[function k(out, x, N)
    local v = tl.load(x + tl.arange(0, N))
    tl.store(out, v:any())
    tl.store(out + 1, v:all())
    tl.store(out + 2, v:xor_sum())
    tl.store(out + 3, (v > 2):sum())
  end]],
  args = { out = { "i32", count = 4 }, x = { "i32", { 3, 0, 5, 9 } }, N = 4 },
  want = { out = { 1, 0, 15, 3 } },
}

-- The reduced rows are walked inside the loop over lanes; what the nest reads is kept for a store.
for _, rows in ipairs { 7, 32 } do
  local values = numbers(rows * 33, 6)
  add {
    name = ("store after a sum of columns, %d rows"):format(rows),
    kernel = [[function k(sums, out, x, ROWS)
      local at = tl.arange(0, ROWS):col() * 33 + tl.arange(0, 32):row()
      local v = tl.load(x + at)
      tl.store(sums + tl.arange(0, 32), v:max(0))
      tl.store(out + at, v, tl.arange(0, 32):row() < 5)
    end]],
    args = { sums = { "f32", count = 32 }, out = { "f32", count = rows * 33 },
      x = { "f32", values }, ROWS = rows },
    want = {
      sums = function(inputs)
        local result = {}
        for c = 1, 32 do
          result[c] = inputs.x[c]
          for r = 1, rows - 1 do result[c] = math.max(result[c], inputs.x[r * 33 + c]) end
        end
        return result
      end,
      out = function(inputs)
        local result = {}
        for i = 1, rows * 33 do result[i] = (i - 1) % 33 < 5 and inputs.x[i] or 0 end
        return result
      end,
    },
  }
end

return cases
