-- Atomic operations: every kind and dtype, old values, masks, duplicates, contention between
-- programs, locks.

local cases = {}
local nan = 0 / 0

local function numbers(n, from, low)
  local out = {}
  for i = 1, n do out[i] = ((i * 37 + from * 11) % 23) - (low or 11) end
  return out
end

local bit_and, bit_or, bit_xor
do
  local function by_bit(f)
    return function(a, b)
      local out = 0
      for k = 0, 6 do
        local x, y = math.floor(a / 2 ^ k) % 2, math.floor(b / 2 ^ k) % 2
        out = out + f(x, y) * 2 ^ k
      end
      return out
    end
  end
  bit_and = by_bit(function(x, y) return x * y end)
  bit_or = by_bit(function(x, y) return math.max(x, y) end)
  bit_xor = by_bit(function(x, y) return (x + y) % 2 end)
end

local kinds = {
  add = function(a, b) return a + b end, max = math.max, min = math.min,
  xchg = function(_, b) return b end,
  ["and"] = bit_and, ["or"] = bit_or, xor = bit_xor,
}
local logical = { ["and"] = true, ["or"] = true, xor = true }

for kind, fn in pairs(kinds) do
  for _, dtype in ipairs { "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16",
    "f32", "f64" } do
    local float = dtype:find "f" ~= nil
    for _, masked in ipairs { false, true } do
      if not (float and logical[kind]) then
        local n, low = 33, (logical[kind] or dtype:sub(1, 1) == "u") and 0 or 11
        cases[#cases + 1] = {
          name = ("atomic_%s %s%s"):format(kind, dtype, masked and " masked" or ""),
          kernel = ([[function k(old, px, py)
            local i = tl.arange(0, 33)
            local mask = %s
            tl.store(old + i, tl["atomic_%s"](px + i, tl.load(py + i), mask))
          end]]):format(masked and "i % 3 ~= 1" or "nil", kind),
          args = { old = { dtype, count = n }, px = { dtype, numbers(n, 1, low) },
            py = { dtype, numbers(n, 2, low) } },
          want = {
            old = function(inputs)
              local out = {}
              for i = 1, n do out[i] = (masked and (i - 1) % 3 == 1) and 0 or inputs.px[i] end
              return out
            end,
            px = function(inputs)
              local out = {}
              for i = 1, n do
                local off = masked and (i - 1) % 3 == 1
                out[i] = off and inputs.px[i] or fn(inputs.px[i], inputs.py[i])
              end
              return out
            end,
          },
        }
      end
    end
  end
end

for _, dtype in ipairs { "i8", "u16", "i32", "i64", "f16", "f32", "f64" } do
  cases[#cases + 1] = {
    name = "atomic_cas " .. dtype,
    kernel = [[function k(old, px)
      local i = tl.arange(0, 33)
      tl.store(old + i, tl.atomic_cas(px + i, 3, 7, i ~= 5))
    end]],
    args = { old = { dtype, count = 33 }, px = { dtype, numbers(33, 1, 0) } },
    want = {
      old = function(inputs)
        local out = {}
        for i = 1, 33 do out[i] = i == 6 and 0 or inputs.px[i] end
        return out
      end,
      px = function(inputs)
        local out = {}
        for i = 1, 33 do out[i] = inputs.px[i] == 3 and i ~= 6 and 7 or inputs.px[i] end
        return out
      end,
    },
  }
end

for _, sem in ipairs { "relaxed", "acquire", "release", "acq_rel" } do
  for _, scope in ipairs { "cta", "gpu", "sys" } do
    cases[#cases + 1] = {
      name = ("atomic order %s, scope %s"):format(sem, scope),
      kernel = ([[function k(px)
        tl.atomic_add(px, 2, { sem = "%s", scope = "%s" })
        tl.atomic_cas(px + 1, 0, 5, { sem = "%s", scope = "%s" })
        tl.debug_barrier()
      end]]):format(sem, scope, sem, scope),
      args = { px = { "i32", { 1, 0 } } }, want = { px = { 3, 5 } },
    }
  end
end

cases[#cases + 1] = {
  name = "atomic max and min propagate NaN",
  kernel = [[function k(px, py)
    local i = tl.arange(0, 4)
    tl.atomic_max(px + i, tl.load(py + i))
    tl.atomic_min(px + 4 + i, tl.load(py + i))
  end]],
  args = { px = { "f32", { 1, nan, 3, 4, 1, nan, 3, 4 } }, py = { "f32", { nan, 2, 2, 5 } } },
  want = { px = { nan, nan, 3, 5, nan, nan, 2, 4 } },
}

-- P51: each element exactly once, duplicates included, however many programs.
for _, n in ipairs { 1, 2, 8, 32, 33, 100, 257 } do
  for _, dtype in ipairs { "i32", "i64", "f32" } do
    cases[#cases + 1] = {
      name = ("P51 counts of {%d} by 64 programs, %s"):format(n, dtype), grid = 64,
      kernel = ([[function k(px)
        local i = tl.arange(0, %d)
        tl.atomic_add(px + i %% 3, 1)
        tl.atomic_add(px + 3 + i * 0, 1)
      end]]):format(n),
      args = { px = { dtype, count = 4 } },
      want = { px = { 64 * math.ceil(n / 3), 64 * math.ceil((n - 1) / 3),
        64 * math.ceil((n - 2) / 3) + 0, 64 * n } },
    }
  end
end
cases[#cases + 1] = {
  name = "old values of duplicates are all different",
  kernel = [[function k(out, px)
    local i = tl.arange(0, 100)
    tl.store(out + i, tl.sort(tl.atomic_add(px + i * 0, 1)))
  end]],
  args = { out = { "i32", count = 100 }, px = { "i32", { 0 } } },
  want = { out = function()
    local out = {}
    for i = 1, 100 do out[i] = i - 1 end
    return out
  end },
}

-- P52: a lock that two programs each want must pass on.
cases[#cases + 1] = {
  name = "P52 800 locks, two programs each", grid = 1600,
  kernel = [[function k(lock, px)
    local at = tl.program_id(0) % 800
    while tl.atomic_cas(lock + at, 0, 1) == 1 do end
    local x = tl.load(px + at, { volatile = true })
    tl.store(px + at, x + 1)
    tl.atomic_xchg(lock + at, 0)
  end]],
  args = { lock = { "i32", count = 800 }, px = { "i32", count = 800 } },
  want = { px = function()
    local out = {}
    for i = 1, 800 do out[i] = 2 end
    return out
  end },
}

-- Waiting for a program of lower index, which works for a while first.
for name, wait in pairs {
  ["a volatile load"] = "tl.load(flag, VOLATILE) == 0",
  ["a volatile load under a mask"] = "tl.load(flag, tl.load(count) >= 0, 0, VOLATILE) == 0",
  ["volatile loads of a block"] = "tl.sum(tl.load(flag + tl.arange(0, 33), VOLATILE)) == 0",
  ["atomic_or"] = "tl.atomic_or(flag, 0, { sem = 'acquire' }) == 0",
  ["a relaxed atomic_cas"] = "tl.atomic_cas(flag, 0, 0, { sem = 'relaxed' }) == 0",
} do
  cases[#cases + 1] = {
    name = "a program waits by " .. name, grid = 2,
    kernel = ([[function k(flag, count, out)
      if tl.program_id(0) == 0 then
        for i = 1, 300000 do tl.atomic_add(count, 1) end
        tl.atomic_xchg(flag, 1, { sem = "release" })
      else
        while %s do end
        tl.store(out, tl.atomic_add(count, 0))
      end
    end]]):format((wait:gsub("VOLATILE", "{ volatile = true }"))),
    args = { flag = { "i32", count = 33 }, count = { "i32", { 0 } }, out = { "i32", { 0 } } },
    want = { out = { 300000 } },
  }
end

-- Program order of loads, stores and atomic operations.
cases[#cases + 1] = {
  name = "loads before and after an atomic operation",
  kernel = [[function k(out, px)
    local i = tl.arange(0, 33)
    local before = tl.load(px + i)
    tl.atomic_add(px + i, 10)
    local after = tl.load(px + i)
    tl.store(px + i, 1)
    tl.store(out + i, after * 100 + before)
    tl.store(out + 33 + i, tl.atomic_add(px + i, 1))
  end]],
  args = { out = { "i32", count = 66 }, px = { "i32", numbers(33, 3) } },
  want = {
    out = function(inputs)
      local out = {}
      for i = 1, 33 do
        out[i], out[33 + i] = (inputs.px[i] + 10) * 100 + inputs.px[i], 1
      end
      return out
    end,
    px = function()
      local out = {}
      for i = 1, 33 do out[i] = 2 end
      return out
    end,
  },
}
cases[#cases + 1] = {
  name = "the last program to arrive finishes", grid = 37,
  kernel = [[function k(count, parts, out)
    local id = tl.program_id(0)
    tl.store(parts + id, id + 1)
    if tl.atomic_add(count, 1) == tl.num_programs(0) - 1 then
      local i = tl.arange(0, 64)
      tl.store(out, tl.sum(tl.load(parts + i, i < 37, { volatile = true })))
    end
  end]],
  args = { count = { "i32", { 0 } }, parts = { "i32", count = 64 }, out = { "i32", { 0 } } },
  want = { out = { 37 * 38 / 2 } },
}
cases[#cases + 1] = {
  name = "atomic through a pointer that a loop carries",
  kernel = [[function k(px)
    local p = px
    for i in tl.range(5) do
      tl.atomic_add(p, i)
      p = p + 2
    end
  end]],
  args = { px = { "i64", count = 10 } },
  want = { px = { 0, 0, 1, 0, 2, 0, 3, 0, 4, 0 } },
}

return cases
