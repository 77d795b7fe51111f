local complete = require "neso.repl.complete"

local variables = setmetatable({ tensor_a = 1, tensor_b = 2, t = { first = 1, fill = print } },
  { __index = _G })

local function at(before) return complete.at(variables, before) end

describe("completion at the prompt", function()
  it("inserts what is certain and lists what is not", function()
    assert.equal("or_", (at "print(tens"))
    local insert, list = at "tensor_"
    assert.is_nil(insert)
    assert.equal("tensor_a  tensor_b\n", list)
    assert.equal("nt", (at "x = pri"))
    assert.equal("ction", (at "fun"))
    assert.is_nil(at "nothing_like_it")
  end)

  it("follows fields and methods", function()
    assert.equal("st", (at "t.fir"))
    assert.equal("ll", (at "t:fi"))
    assert.equal("rmat", (at "string.fo"))
    assert.is_nil(at "t.nothing.x")
    assert.is_nil(at "f().fi")
    assert.is_nil(at "a..pri")
  end)

  it("knows the commands", function()
    assert.equal("lp ", (at ":he"))
    assert.equal("i", (at ":t"))
    assert.equal("tile  time\n", (select(2, at ":ti")))
  end)

  it("indents at the beginning of a line", function()
    assert.equal("  ", (at "  "))
  end)

  it("asks values that make their fields on demand", function()
    local lazy = setmetatable({}, { __index = function() end, __names = { launch = true } })
    local listed = setmetatable({}, { __names = function() return { "atomic_add" } end })
    local own = setmetatable({ lazy = lazy, listed = listed }, { __index = _G })
    assert.equal("unch", (complete.at(own, "lazy:la")))
    assert.equal("omic_add", (complete.at(own, "listed.at")))
  end)
end)
