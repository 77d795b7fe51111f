local diagnostics = require "neso.frontend.diagnostics"

local function node(text, from, stop)
  local line, col = diagnostics.place(text, from)
  return { pos = from, stop = stop, line = line, col = col }
end

describe("diagnostics", function()
  it("shows the place, the line, a caret under the node and the hint", function()
    local text = "local x = 1\n  local y = a + b\n"
    local from = text:find("a + b", 1, true)
    assert.equal(table.concat({
      "softmax.lua:2:13: cannot add",
      "   2 |   local y = a + b",
      "     |             ^~~~~",
      "hint: look",
    }, "\n"), diagnostics.format({ name = "softmax.lua", text = text }, node(text, from, from + 4),
      "cannot add", "look"))
  end)

  it("underlines only the first line of a node of several lines", function()
    local text = "f(\n1)"
    assert.equal("t:1:1: m\n   1 | f(\n     | ^~", diagnostics.format({ name = "t", text = text },
      node(text, 1, 5), "m"))
  end)

  it("keeps tabs and counts a UTF-8 sequence as one column", function()
    local text = "\tü = x"
    local from = text:find("x", 1, true)
    assert.equal("t:1:7: m\n   1 | \tü = x\n     | \t    ^", diagnostics.format(
      { name = "t", text = text }, node(text, from, from), "m"))
  end)

  it("cuts a very long line around the place", function()
    local text = ("a,"):rep(500) .. "HERE" .. (",b"):rep(500)
    local from = text:find("HERE", 1, true)
    local out = diagnostics.format({ name = "t", text = text }, node(text, from, from + 3), "m")
    local shown, caret = out:match("\n   1 | ([^\n]*)\n     | ([^\n]*)")
    assert.is_true(#shown < 200)
    assert.equal("HERE", shown:sub(caret:find("^", 1, true), #caret))
  end)

  it("points behind the text for its end", function()
    assert.equal("t:2:1: m\n   2 | \n     | ^",
      diagnostics.format({ name = "t", text = "x\n" }, node("x\n", 3, 3), "m"))
  end)

  it("does without a place", function()
    assert.equal("k: m\nhint: h", diagnostics.format({ name = "k" }, nil, "m", "h"))
  end)

  it("throws a plain string", function()
    local ok, message = pcall(diagnostics.throw, { name = "k" }, nil, "m")
    assert.is_false(ok)
    assert.equal("k: m", message)
  end)

  it("counts \\n, \\r\\n and \\n\\r as one line break each", function()
    assert.same({ 1, 1 }, { diagnostics.place("ab", 1) })
    assert.same({ 2, 1 }, { diagnostics.place("a\r\nb", 4) })
    assert.same({ 2, 1 }, { diagnostics.place("a\n\rb", 4) })
    assert.same({ 3, 2 }, { diagnostics.place("a\n\nbc", 5) })
  end)
end)
