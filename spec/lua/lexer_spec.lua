local lexer = require "neso.frontend.lexer"

local function tokens(text, version)
  local lx, out = lexer.new { name = "t", text = text, version = version or 5.1 }, {}
  while lx.kind ~= "eof" do
    out[#out + 1] = lx.kind
    lx:advance()
  end
  return table.concat(out, " ")
end

local function first(text)
  return lexer.new { name = "t", text = text, version = 5.1 }
end

local function fails(text, message)
  local ok, err = pcall(tokens, text)
  assert.is_false(ok)
  assert.truthy(err:find(message, 1, true), err)
end

describe("lexer", function()
  it("knows every operator and keyword", function()
    assert.equal("== ~= <= >= .. ... :: // << >> < > = ~ & |",
      tokens "== ~= <= >= .. ... :: // << >> < > = ~ & |")
    assert.equal("name . name : name ( ) [ ] { } ; , # % ^ + - * /",
      tokens "a.b:c()[]{};,#%^+-*/")
    assert.equal("goto name function end name", tokens "goto ends function end _G1")
  end)

  it("skips comments and a first line with #", function()
    assert.equal("name name", tokens "#!/usr/bin/env luajit\na --[[ x\n]] b --[==[ ]] ]==]")
    assert.equal("name", tokens "\239\187\191--[ not long\na -- b")
  end)

  it("gives byte, line and column of a token", function()
    local lx = first "  a\r\n\tbc = [[\nx]] d"
    assert.same({ 3, 3, 1, 3 }, { lx.pos, lx.stop, lx.line, lx.col })
    lx:advance()
    assert.same({ 7, 8, 2, 2 }, { lx.pos, lx.stop, lx.line, lx.col })
    lx:advance()
    lx:advance()
    assert.same({ "string", "x", 2 }, { lx.kind, lx.value, lx.line })
    lx:advance()
    assert.same({ "name", 3, 5, 3 }, { lx.kind, lx.line, lx.col, lx.last_line })
  end)

  it("looks one token ahead", function()
    local lx = first "a = 'b'"
    assert.equal("=", lx:peek())
    assert.equal("=", lx:peek())
    assert.equal("a", lx.value)
    lx:advance()
    assert.equal("string", lx:peek())
    lx:advance()
    assert.equal("b", lx.value)
  end)

  it("reads every string as the host does", function()
    for _, text in ipairs { [['a\nb\t\\\'"']], [["\65\066\x41\u{48}\u{20ac}\u{10ffff}"]],
      "'a\\z  \n  b'", "'a\\\nb'", "'a\\\r\nb'", "[[\nx\r\ny\n\rz]]", "[==[a]]]=]b]==]", "''",
      [["\0\1\255"]] } do
      assert.equal(assert(loadstring("return " .. text))(), first(text).value)
    end
  end)

  it("reads every number as the host does", function()
    for _, text in ipairs { "0", "12", "1.5", ".5", "5.", "1e3", "1E-3", "0x1F", "0xA.8", "0x.8p1",
      "0x1p-4", "1.25e+2", "0b101", "9007199254740993", "1e999" } do
      assert.equal(assert(loadstring("return " .. text))(), first(text).value, text)
    end
    assert.same({ true, false, false, true, false }, { first "1".integer, first "1.".integer,
      first "1e1".integer, first "0x1e".integer, first "0x1p1".integer })
    assert.same({ "LL", "ULL", "i" }, { first "1ll".suffix, first "0x1uLL".suffix,
      first "1.5i".suffix })
  end)

  it("refuses what is no token, with a hint", function()
    fails("a = 'x", "t:1:5: unfinished string")
    fails("a = [[x", "close it with `]]`")
    fails("--[==[ x", "unfinished long comment")
    fails([['\q']], "invalid escape")
    fails([['\300']], "invalid escape")
    fails([['\u{d800}']], "invalid escape")
    fails("3x", "malformed number `3x`")
    fails("1_000", "no underscores")
    fails("1.0f", "tl.cast")
    fails("1..2", "put a space")
    fails("1.5LL", "malformed number")
    fails("a != b", "`~=`")
    fails("[=x", "invalid long string delimiter")
    fails("a $", "unexpected character `$`")
    fails("\1", "\\1")
  end)
end)
