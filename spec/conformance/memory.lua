-- Loads and stores: masks, offsets, the order of memory operations.
local cases = {}

local function add(case)
  cases[#cases + 1] = case
end

for _, dtype in ipairs { "i8", "i16", "i32", "i64", "u8", "u16", "u32", "f16", "bf16", "f32", "f64",
  "i1" } do
  local values = dtype == "i1" and { true, false, true, true, false } or { 1, 2, 3, 4, 5 }
  local other = dtype == "i1" and false or 0
  add {
    name = "masked copy of " .. dtype,
    kernel = [[function k(out, x, n, BLOCK)
      local i = tl.arange(0, BLOCK)
      tl.store(out + i, tl.load(x + i, i < n), i < 5)
    end]],
    args = { out = { dtype, count = 5 }, x = { dtype, values }, n = 3, BLOCK = 8 },
    want = { out = { values[1], values[2], values[3], other, other } },
  }
end

add {
  name = "other",
  kernel = [[function k(out, x, BLOCK)
    local i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i % 2 == 0, -7))
  end]],
  args = { out = { "f32", count = 4 }, x = { "f32", { 1, 2, 3, 4 } }, BLOCK = 4 },
  want = { out = { 1, -7, 3, -7 } },
}

for _, block in ipairs { 1, 3, 33, 48, 100, 257 } do
  add {
    name = "reverse with blocks of " .. block,
    kernel = [[function k(out, x, n, BLOCK)
      local i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
      tl.store(out + (n - 1 - i), tl.load(x + i, i < n), i < n)
    end]],
    args = { out = { "i32", count = 5 }, x = { "i32", { 1, 2, 3, 4, 5 } }, n = 5, BLOCK = block },
    grid = math.ceil(5 / block),
    want = { out = { 5, 4, 3, 2, 1 } },
  }
end

add {
  name = "a store is seen by later loads of the program",
  kernel = [[function k(out, x, N)
    local i = tl.arange(0, N)
    tl.store(x + (N - 1 - i), i)
    tl.store(out + i, tl.load(x + i))
  end]],
  args = { out = { "i32", count = 64 }, x = { "i32", count = 64 }, N = 64 },
  want = { out = function()
    local out = {}
    for i = 1, 64 do
      out[i] = 64 - i
    end
    return out
  end },
}

add {
  name = "transposed store",
  kernel = [[function k(out, x, M, N)
    local r, c = tl.arange(0, M):col(), tl.arange(0, N):row()
    local v = tl.load(x + r * N + c)
    tl.store(out + tl.arange(0, N):col() * M + tl.arange(0, M):row(), v:T())
  end]],
  args = { out = { "f32", count = 6 }, x = { "f32", { 1, 2, 3, 4, 5, 6 } }, M = 2, N = 3 },
  want = { out = { 1, 4, 2, 5, 3, 6 } },
}

-- Offsets are 64-bit: factors that overflow 32 bits give the exact number.
add {
  name = "64-bit offsets",
  kernel = [[function k(out, a, b)
    tl.store(out, a:to(tl.i64) * b + 5)
  end]],
  args = { out = { "i64", count = 1 }, a = 65537, b = 65536 },
  want = { out = { 65537 * 65536 + 5 } },
}

add {
  name = "grid of three axes",
  kernel = [[function k(out)
    local x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    local nx, ny = tl.num_programs(0), tl.num_programs(1)
    tl.store(out + (z * ny + y) * nx + x, 100 * x + 10 * y + z)
  end]],
  args = { out = { "i32", count = 12 } },
  grid = { 3, 2, 2 },
  want = { out = { 0, 100, 200, 10, 110, 210, 1, 101, 201, 11, 111, 211 } },
}

-- Blocks carried by loops and results of dot have padded rows.
for _, shape in ipairs { { 3, 5, "15" }, { 3, 5, "5, 3" }, { 4, 48, "8, 24" },
  { 4, 6, "2, 2, 6" } } do
  local count, values, want = shape[1] * shape[2], {}, {}
  for i = 1, count do
    values[i], want[i] = i % 50, i % 50 + 4
  end
  for _, dtype in ipairs { "f32", "i64", "i8" } do
    add {
      name = ("reshape of a carried %s {%d, %d} to {%s}"):format(dtype, shape[1], shape[2],
        shape[3]),
      kernel = ([[function k(out, x, n, M, N, COUNT)
        local v = tl.load(x + tl.arange(0, M):col() * N + tl.arange(0, N):row())
        for i = 1, n do v = v + 2 end
        tl.store(out + tl.arange(0, COUNT):reshape(%s), v:reshape(%s))
      end]]):format(shape[3], shape[3]),
      args = { out = { dtype, count = count }, x = { dtype, values }, n = 2, M = shape[1],
        N = shape[2], COUNT = count },
      want = { out = want },
    }
  end
end

-- One lane of a constant mask, after a conversion to a narrower type: nothing behind it is written.
for _, dtype in ipairs { "i8", "i16", "i32" } do
  for _, n in ipairs { 2, 4, 8 } do
    local want = {}
    for i = 1, 32 do want[i] = i == n and -1 or 0 end
    add {
      name = ("one lane of %d, i64 to %s"):format(n, dtype),
      kernel = [[function k(out, wide, x, N)
        local i = tl.arange(0, N)
        local v = tl.load(x + i) >> 3
        tl.store(wide + i, v)
        tl.store(out + i, v, i == N - 1)
      end]],
      args = { out = { dtype, count = 32 }, wide = { "i64", count = 8 },
        x = { "i64", { -8, -8, -8, -8, -8, -8, -8, -8 } }, N = n },
      want = { out = want },
    }
  end
end

return cases
