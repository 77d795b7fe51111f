-- Tensor descriptors and block pointers: every rank, blocks that leave the tensor on each side,
-- padding, strides known at run time only, gather, scatter, atomic operations, carried in loops.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local make = dofile(here .. "make.lua")

local cases = {}

local function numbers(n, seed)
  local out = {}
  for i = 1, n do out[i] = ((i * 37 + seed * 11) % 101) - 50 end
  return out
end

-- Index of an element of the tensor, or nil outside.
local function index(shape, at)
  local i = 0
  for d = 1, #shape do
    if at[d] < 0 or at[d] >= shape[d] then return nil end
    i = i * shape[d] + at[d]
  end
  return i + 1
end

local shapes = {
  { { 100 }, { 33 }, { 0 } }, { { 100 }, { 33 }, { 90 } }, { { 100 }, { 48 }, { -7 } },
  { { 20, 30 }, { 8, 16 }, { 4, 8 } }, { { 20, 30 }, { 8, 16 }, { 16, 24 } },
  { { 20, 30 }, { 9, 33 }, { -3, -5 } }, { { 5, 6, 7 }, { 3, 4, 8 }, { 3, 4, 2 } },
  { { 2, 3, 4, 5 }, { 2, 2, 3, 8 }, { 1, 2, 3, 4 } },
  { { 2, 2, 3, 3, 4 }, { 1, 2, 2, 2, 8 }, { 1, 1, 2, 2, -2 } },
  { { 7, 9 }, { 4, 4 }, { 100, 100 } },
}

for _, dtype in ipairs { "i8", "f16", "i32", "f32", "f64", "f8e5m2" } do
  for number, row in ipairs(shapes) do
    local shape, block, offset = row[1], row[2], row[3]
    local n, count = make.size(shape), make.size(block)
    local strides, step = {}, 1
    for d = #shape, 1, -1 do
      strides[d], step = step, step * shape[d]
    end
    -- The first extent and stride come at run time.
    local run_shape, run_strides = { unpack(shape) }, { unpack(strides) }
    local run_offset = { unpack(offset) }
    run_shape[1], run_offset[1] = "extent", "start"
    if #shape > 1 then run_strides[1] = "stride" end
    local descriptor = ("tl.make_tensor_descriptor(px, %s, %s, %s"):format(make.text(run_shape),
      make.text(run_strides), make.text(block))
    local float = dtype:find "f" ~= nil
    local args = { px = { dtype, numbers(n, number) }, extent = shape[1], stride = strides[1],
      start = offset[1] }
    local function with(extra)
      local out = {}
      for key, value in pairs(args) do out[key] = value end
      for key, value in pairs(extra) do out[key] = value end
      return out
    end
    local signature = "extent, stride, start"
    for _, padding in ipairs { "zero", "nan" } do
      if padding == "zero" or float then
        cases[#cases + 1] = {
          name = ("descriptor load %s %s at %s, %s"):format(dtype, make.text(block),
            make.text(offset), padding),
          kernel = ([[function k(out, px, %s)
            local desc = %s, "%s")
            tl.store(out + tl.arange(0, %d), desc:load(%s):ravel())
          end]]):format(signature, descriptor, padding, count, table.concat(run_offset, ", ")),
          args = with { out = { dtype, count = count } },
          want = { out = function(inputs)
            local out = {}
            for i = 0, count - 1 do
              local at = make.coords(block, i)
              for d = 1, #at do at[d] = at[d] + offset[d] end
              local from = index(shape, at)
              out[i + 1] = from and inputs.px[from] or padding == "nan" and 0 / 0 or 0
            end
            return out
          end },
        }
      end
    end
    cases[#cases + 1] = {
      name = ("descriptor store %s %s at %s"):format(dtype, make.text(block), make.text(offset)),
      kernel = ([[function k(px, pv, %s)
        local desc = %s)
        desc:store(%s, tl.load(pv + tl.arange(0, %d)):reshape(%s))
      end]]):format(signature, descriptor, make.text(run_offset), count, make.text(block)),
      args = with { pv = { dtype, numbers(count, 9) } },
      want = { px = function(inputs)
        local out = { unpack(inputs.px) }
        for i = 0, count - 1 do
          local at = make.coords(block, i)
          for d = 1, #at do at[d] = at[d] + offset[d] end
          local to = index(shape, at)
          if to then out[to] = inputs.pv[i + 1] end
        end
        return out
      end },
    }
  end
end

local function matrix_case(name, kernel, args, want)
  args.px = args.px or { "f32", numbers(20 * 32, 3) }
  cases[#cases + 1] = { name = name, kernel = kernel, args = args, want = want }
end

matrix_case("descriptor gather of rows, some outside", [[function k(out, px, at)
  local desc = tl.make_tensor_descriptor(px, { 20, 32 }, { 32, 1 }, { 1, 16 })
  local rows = tl.load(at + tl.arange(0, 9))
  tl.store(out + tl.arange(0, 144), desc:gather(rows, 24):ravel())
end]], { out = { "f32", count = 144 }, at = { "i32", { 3, 0, 19, 20, -1, 7, 7, 100, 2 } } }, {
  out = function(inputs)
    local out = {}
    for r = 1, 9 do
      for c = 0, 15 do
        local from = index({ 20, 32 }, { inputs.at[r], 24 + c })
        out[(r - 1) * 16 + c + 1] = from and inputs.px[from] or 0
      end
    end
    return out
  end })

matrix_case("descriptor scatter of rows", [[function k(px, at)
  local desc = tl.make_tensor_descriptor(px, { 20, 32 }, { 32, 1 }, { 1, 16 })
  local rows = tl.load(at + tl.arange(0, 5))
  desc:scatter(rows:col() * 100 + tl.arange(0, 16):row(), rows, 24)
end]], { at = { "i32", { 3, 0, 19, 20, -1 } } }, {
  px = function(inputs)
    local out = { unpack(inputs.px) }
    for r = 1, 5 do
      for c = 0, 15 do
        local to = index({ 20, 32 }, { inputs.at[r], 24 + c })
        if to then out[to] = inputs.at[r] * 100 + c end
      end
    end
    return out
  end })

for kind, fn in pairs { add = function(a, b) return a + b end, min = math.min, max = math.max } do
  for _, dtype in ipairs { "i32", "f32" } do
    matrix_case(("descriptor atomic_%s %s"):format(kind, dtype), ([[function k(px)
      local desc = tl.make_tensor_descriptor(px, { 20, 32 }, { 32, 1 }, { 8, 16 })
      desc:atomic_%s(16, 24, tl.arange(0, 8):col() * 3 + tl.arange(0, 16):row())
    end]]):format(kind), { px = { dtype, numbers(640, 3) } }, {
      px = function(inputs)
        local out = { unpack(inputs.px) }
        for i = 0, 7 do
          for j = 0, 15 do
            local to = index({ 20, 32 }, { 16 + i, 24 + j })
            if to then out[to] = fn(out[to], i * 3 + j) end
          end
        end
        return out
      end })
  end
end

local bitwise = { ["and"] = bit.band, ["or"] = bit.bor, xor = bit.bxor }
for _, kind in ipairs { "and", "or", "xor" } do
  for _, dtype in ipairs { "i32", "i64" } do
    matrix_case(("descriptor atomic_%s %s"):format(kind, dtype), ([[function k(px)
      local desc = tl.make_tensor_descriptor(px, { 20, 32 }, { 32, 1 }, { 9, 20 })
      desc:atomic_%s(15, -3, tl.arange(0, 9):col() * 3 + tl.arange(0, 20):row())
    end]]):format(kind), { px = { dtype, numbers(640, 3) } }, {
      px = function(inputs)
        local out = {}
        for i = 1, 640 do out[i] = tonumber(inputs.px[i]) end
        for i = 0, 8 do
          for j = 0, 19 do
            local to = index({ 20, 32 }, { 15 + i, -3 + j })
            if to then out[to] = bitwise[kind](out[to], i * 3 + j) end
          end
        end
        return out
      end })
  end
end

matrix_case("descriptor of strides beyond 32 bits", [[function k(out, px, far)
  local desc = tl.make_tensor_descriptor(px - far, { 2, 32 }, { far, 1 }, { 3, 40 })
  tl.store(out + tl.arange(0, 120), desc:load(1, -4):ravel())
end]], { out = { "f32", count = 120 }, far = 2 ^ 32 + 64 }, {
  out = function(inputs)
    local out = {}
    for i = 0, 119 do
      local row, column = math.floor(i / 40), i % 40 - 4
      local inside = row == 0 and column >= 0 and column < 32
      out[i + 1] = inside and inputs.px[column + 1] or 0
    end
    return out
  end })

matrix_case("descriptor gather of rows by i16 and i64", [[function k(out, px, at)
  local desc = tl.make_tensor_descriptor(px, { 20, 32 }, { 32, 1 }, { 1, 33 })
  local rows = tl.load(at + tl.arange(0, 9))
  local sum = desc:gather(rows:to(tl.i16), 0) + desc:gather(rows:to(tl.i64), 0)
  tl.store(out + tl.arange(0, 297), sum:ravel())
end]], { out = { "f32", count = 297 }, at = { "i32", { 3, 0, 19, 20, -1, 7, 7, 100, 2 } } }, {
  out = function(inputs)
    local out = {}
    for r = 1, 9 do
      for c = 0, 32 do
        local from = index({ 20, 32 }, { inputs.at[r], c })
        out[(r - 1) * 33 + c + 1] = from and 2 * inputs.px[from] or 0
      end
    end
    return out
  end })

for stages = 1, 3 do
  matrix_case("P59 descriptor kept by a while loop, stages " .. stages, ([[function k(out, px, n)
    local desc = tl.make_tensor_descriptor(px, { 20, 32 }, { 32, 1 }, { 5, 16 })
    local sum, i = tl.zeros({ 5, 16 }, tl.f32), 0
    while i < n do
      for j in tl.range{ 0, 2, num_stages = %d } do sum = sum + desc:load(0, 16 * j + 3) end
      i = i + 1
      desc = tl.make_tensor_descriptor(px + i * 32, { 20 - i, 32 }, { 32, 1 }, { 5, 16 })
    end
    tl.store(out + tl.arange(0, 80), sum:ravel())
  end]]):format(stages), { out = { "f32", count = 80 }, n = 18 }, {
    out = function(inputs)
      local out = {}
      for i = 0, 79 do
        local r, c = math.floor(i / 16), i % 16
        out[i + 1] = 0
        for s = 0, 17 do
          for j = 0, 1 do
            local from = index({ 20, 32 }, { r + s, 16 * j + 3 + c })
            out[i + 1] = out[i + 1] + (from and inputs.px[from] or 0)
          end
        end
      end
      return out
    end })
end

matrix_case("P59 descriptors made in a loop, stages 4", [[function k(out, px, n)
  local sum = tl.zeros({ 8, 16 }, tl.f32)
  for i in tl.range{ 0, n, 1, num_stages = 4 } do
    local desc = tl.make_tensor_descriptor(px + i * 32, { 20 - i, 32 }, { 32, 1 }, { 8, 16 })
    sum = sum + desc:load(0, 16)
  end
  tl.store(out + tl.arange(0, 128), sum:ravel())
end]], { out = { "f32", count = 128 }, n = 15 }, {
  out = function(inputs)
    local out = {}
    for i = 0, 127 do
      local r, c = math.floor(i / 16), i % 16
      out[i + 1] = 0
      for s = 0, 14 do
        local from = index({ 20, 32 }, { r + s, 16 + c })
        out[i + 1] = out[i + 1] + (from and inputs.px[from] or 0)
      end
    end
    return out
  end })

matrix_case("descriptor chosen by a branch and given to a function", [[function k(out, px, n)
  local function total(d, i) return tl.sum(d:load(i, 0)) end
  local desc = tl.make_tensor_descriptor(px, { 20, 32 }, { 32, 1 }, { 4, 16 })
  if n > 3 then
    desc = tl.make_tensor_descriptor(px, { 2, 32 }, { 32, 1 }, { 4, 16 })
  end
  tl.store(out, total(desc, 0))
end]], { out = { "f32", count = 1 }, n = 4 }, {
  out = function(inputs)
    local sum = 0
    for r = 0, 1 do
      for c = 0, 15 do sum = sum + inputs.px[r * 32 + c + 1] end
    end
    return { sum }
  end })

-- Block pointers.
matrix_case("block pointer advanced in a loop", [[function k(out, px, rows)
  local p = tl.make_block_ptr(px, { rows, 32 }, { 32, 1 }, { 0, 8 }, { 8, 16 }, { 1, 0 })
  local sum = tl.zeros({ 8, 16 }, tl.f32)
  for i in tl.range(3) do
    sum = sum + tl.load(p, { boundary_check = { 0 }, padding = "zero" })
    p = tl.advance(p, { 8, 0 })
  end
  tl.store(out + tl.arange(0, 128), sum:ravel())
end]], { out = { "f32", count = 128 }, rows = 20 }, {
  out = function(inputs)
    local out = {}
    for i = 0, 127 do
      local r, c = math.floor(i / 16), i % 16
      out[i + 1] = 0
      for s = 0, 2 do
        local from = index({ 20, 32 }, { r + 8 * s, 8 + c })
        out[i + 1] = out[i + 1] + (from and inputs.px[from] or 0)
      end
    end
    return out
  end })

matrix_case("block pointer: padding with NaN, stores with a check", [[function k(out, px)
  local p = tl.make_block_ptr(px, { 20, 32 }, { 32, 1 }, { 16, 24 }, { 8, 16 })
  local x = tl.load(p, { boundary_check = { 0, 1 }, padding = "nan" })
  tl.store(out, tl.sum((x ~= x):to(tl.i32)))
  tl.store(p, 7, { boundary_check = { 0, 1 } })
end]], { out = { "i32", count = 1 } }, {
  out = { 128 - 32 },
  px = function(inputs)
    local out = { unpack(inputs.px) }
    for r = 16, 19 do
      for c = 24, 31 do out[r * 32 + c + 1] = 7 end
    end
    return out
  end })

return cases
