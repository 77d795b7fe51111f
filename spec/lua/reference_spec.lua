-- The reference page is generated, and every function of the table is built by somebody.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "codegen_support.lua")

describe("spec/ops_language.lua", function()
  it("is what spec/language.md shows", function()
    local run = assert(loadfile(here .. "../gen/reference.lua"))
    local before = rawget(_G, "arg")
    rawset(_G, "arg", { "--check" })
    local exit = os.exit
    local code = 0
    rawset(os, "exit", function(n) code = n end)
    run()
    rawset(os, "exit", exit)
    rawset(_G, "arg", before)
    assert.are.equal(0, code)
  end)

  local samples = {
    program_id = "tl.program_id(1)", num_programs = "tl.num_programs()", arange = "tl.arange(4)",
    full = "tl.full({2, 3}, 7, tl.f16)", zeros = "tl.zeros{2, 3}",
    broadcast_to = "tl.broadcast_to(v, {4, 8})", expand_dims = "tl.expand_dims(v, -1)",
    reshape = "tl.reshape(v, 2, 4)", trans = "tl.trans(w)", permute = "tl.permute(w, {1, 0})",
    T = "w:T()", load = "tl.load(x)", store = "tl.store(x, v:sum())", cast = "tl.cast(v, tl.f64)",
    to = "v:to(tl.i8)", bitcast = "v:bitcast(tl.i32)", fma = "tl.fma(v, 2, v)",
    pow = "tl.pow(v, 2.5)", atan2 = "tl.atan2(v, 1)", minimum = "tl.minimum(v, 0)",
    maximum = "tl.maximum(v, 0)", clamp = "tl.clamp(v, 0, 1)", where = "tl.where(v > 1, v, 0)",
    cdiv = "tl.cdiv(n, 16)", div_floor = "tl.div_floor(n, 3)",
    div_trunc = "tl.div_trunc(n, 3)", rem = "tl.rem(n, 3)",
    umulhi = "tl.umulhi(n, n)", next_power_of_2 = "tl.next_power_of_2(100)",
    xor_sum = "tl.xor_sum(tl.arange(4))", dot = "tl.dot(w, w:T())",
    static_assert = "tl.static_assert(true)", static_print = "tl.static_print('x', v)",
    multiple_of = "tl.multiple_of(n, 16)", max_contiguous = "tl.max_contiguous(v, 8)",
    max_constancy = "tl.max_constancy(v, 2)", assume = "tl.assume(n > 0)",
    range = "tl.range(0, n, 2)", static_range = "tl.static_range(4)",
  }

  it("has an erf that ends at the ends", function()
    local erf
    for _, row in ipairs(dofile(here .. "../ops_language.lua")) do
      if row[1] == "erf" then erf = row.reference end
    end
    local nan = erf(0 / 0)
    assert.are_not.equal(nan, nan)
    assert.are.equal(1, erf(math.huge))
    assert.are.equal(-1, erf(-math.huge))
    assert.are.equal(0, erf(0))
    assert.near(0.8427007929497149, erf(1), 1e-15)
  end)

  it("has a builder for every row, and ir operations that exist", function()
    local ops = dofile(here .. "../ops.lua")
    local known = {}
    for _, row in ipairs(ops.ir) do
      known[row[1]] = true
    end
    for _, row in ipairs(ops.language) do
      assert.truthy(row.op == nil or known[row.op], row[1])
      assert.truthy(row.doc:find("%.$"), row[1])
      local sample = row.example or samples[row[1]] or ("tl.%s(v)"):format(row[1])
      local text = support.body("local v = tl.load(x + tl.arange(8))\nlocal w = v:reshape(4, 2)\n"
        .. "local r = " .. sample, "x:*f32 n:i32", { print = function() end })
      local shown = not row.op or row.op == "neso.reshape" or text:find(row.op, 1, true)
      assert.truthy(shown, row[1] .. "\n" .. text)
    end
  end)

  it("lists what is not there, and nothing that is", function()
    local language = require "neso.language"
    local file = assert(io.open(here .. "../language.md"))
    local page = file:read "*a"
    file:close()
    local section = page:match "\n## Not there yet\n(.*)"
    for name in pairs(require "neso.language.absent") do
      assert.is_nil(language[name], name)
      assert.truthy(section:find("`" .. name .. "`", 1, true), name)
    end
    assert.truthy(support.error("tl.floordiv(x)", "x:*f32")
      :find("tl has no 'floordiv' yet", 1, true))
  end)
end)
