local parser = require "neso.frontend.parser"

local function chunk(text, version)
  return parser.parse_chunk(text, { name = "t", version = version or 5.1 })
end

local function expression(text, version)
  return chunk("return " .. text, version)[1].values[1]
end

-- The tree as text, fully bracketed.
local show
local SHOW = {
  Name = function(n) return n.name end,
  Number = function(n) return n.text end,
  String = function(n) return ("%q"):format(n.value) end,
  Binary = function(n)
    local op = n.op:find "%a" and " " .. n.op .. " " or n.op
    return "(" .. show(n.left) .. op .. show(n.right) .. ")"
  end,
  Unary = function(n) return "(" .. n.op .. " " .. show(n.operand) .. ")" end,
  Index = function(n) return show(n.object) .. "[" .. show(n.key) .. "]" end,
  Paren = function(n) return "<" .. show(n.expr) .. ">" end,
}
function show(n) return SHOW[n.kind](n) end

local function fails(text, message, version)
  local ok, err = pcall(chunk, text, version)
  assert.is_false(ok, text)
  assert.truthy(err:find(message, 1, true), err)
end

describe("parser: expressions", function()
  it("binds operators as Lua does", function()
    assert.equal("((1+(2*3))-4)", show(expression "1+2*3-4"))
    assert.equal("(a..(b..c))", show(expression "a..b..c"))
    assert.equal("(- (x^(- (y^2))))", show(expression "-x^-y^2"))
    assert.equal("((a and b) or (not c))", show(expression "a and b or not c"))
    assert.equal("((a+b)<(c..d))", show(expression "a+b<c..d"))
    assert.equal("(<(a+b)>*c)", show(expression "(a+b)*c"))
    assert.equal('a["b"][c]["d"]', show(expression "a.b[c].d"))
  end)

  it("binds the operators of 5.3 as Lua 5.3 does", function()
    assert.equal("(a|(b~(c&(d<<(e..(f+g))))))", show(expression("a|b~c&d<<e..f+g", 5.3)))
    assert.equal("((~ a)//b)", show(expression("~a//b", 5.3)))
    assert.equal("(a<(b|c))", show(expression("a<b|c", 5.3)))
  end)

  it("says that an operator of 5.3 is not in 5.1, and what is", function()
    fails("x = a // b", "neso.kernel[[")
    fails("x = a & b", "bit.band")
    fails("x = a << b", "bit.lshift")
    fails("x = ~a", "bit.bxor")
    fails("x = a && b", "`and`")
    fails("x = a || b", "`or`")
  end)

  it("reads tables, calls and functions", function()
    local t = expression "{1, a = 2, ['b'] = 3; 4, f(...)}"
    assert.equal(5, #t.items)
    assert.is_nil(t.items[1].key)
    assert.same({ "a", "b" }, { t.items[2].key.value, t.items[3].key.value })
    local call = expression "o.m:f 'x' {1} (2, 3)"
    assert.equal("Call", call.kind)
    assert.equal(2, #call.args)
    assert.equal("Table", call.callee.args[1].kind)
    assert.same({ "Method", "f" }, { call.callee.callee.kind, call.callee.callee.name })
    local f = expression "function(a, b, ...) return ... end"
    assert.same({ 2, true }, { #f.params, f.is_vararg })
  end)

  it("keeps how a number is written, and refuses host suffixes in kernels", function()
    assert.is_true(expression("1").integer)
    assert.is_false(expression("1.0").integer)
    assert.equal("0x10", expression("0x10").text)
    fails("x = 1LL", "suffix")
    local host = parser.parse_chunk("x = 1LL", { name = "t", host = true })
    assert.equal("LL", host[1].values[1].suffix)
  end)
end)

describe("parser: statements", function()
  it("reads each kind", function()
    local kinds = {}
    for _, stat in ipairs(chunk [[
      local a, b = 1; a, b.c = b, a; f(a); do end; while a do break end; repeat local x until x
      if a then elseif b then else end for i = 1, 2, 3 do end for k, v in pairs(a) do end
      function m.n:o() end local function g() end goto out ::out:: return 1 ]]) do
      kinds[#kinds + 1] = stat.kind
    end
    assert.same({ "Local", "Assign", "CallStat", "Do", "While", "Repeat", "If", "NumericFor",
      "GenericFor", "FunctionStat", "LocalFunction", "Goto", "Label", "Return" }, kinds)
  end)

  it("gives a method its self and functions their names", function()
    local stat = chunk "function m.n:o(x) return self end"[1]
    assert.is_true(stat.is_method)
    assert.equal("m.n:o", stat.func.name)
    assert.same({ "self", "x" }, { stat.func.params[1].name, stat.func.params[2].name })
    assert.equal(stat.func.params[1].decl, stat.func.body[1].values[1].decl)
  end)

  it("takes goto as a name where LuaJIT does", function()
    assert.equal("Assign", chunk "goto = 1"[1].kind)
    assert.equal("Goto", chunk "goto x ::x::"[1].kind)
  end)

  it("takes the statements of 5.3", function()
    assert.equal(2, #chunk(";;local a <const> = 1;; while a do break; a = 2 end", 5.3))
    assert.equal("const", chunk("local a <const> = 1", 5.3)[1].names[1].attribute)
    fails("local a <foo> = 1", "unknown attribute", 5.3)
  end)

  it("gives every node its bytes", function()
    local text = "local y = f(a) + b.c\nreturn y"
    local block = chunk(text)
    local sum = block[1].values[1]
    assert.equal("f(a) + b.c", text:sub(sum.pos, sum.stop))
    assert.equal("f(a)", text:sub(sum.left.pos, sum.left.stop))
    assert.equal("b.c", text:sub(sum.right.pos, sum.right.stop))
    assert.equal("return y", text:sub(block[2].pos, block[2].stop))
    assert.same({ 2, 8 }, { block[2].values[1].line, block[2].values[1].col })
  end)
end)

describe("parser: names", function()
  it("resolves each use to the declaration that it means", function()
    local block = chunk [[
      local x = x
      local function f(x) return x, f, y end
      for x = x, 2 do g(x) end
      repeat local x = 1 until x
      return x ]]
    local outer = block[1].names[1].decl
    assert.is_nil(block[1].values[1].decl)
    local f = block[2].func
    local returned = f.body[1].values
    assert.equal(f.params[1].decl, returned[1].decl)
    assert.equal(block[2].name.decl, returned[2].decl)
    assert.is_nil(returned[3].decl)
    assert.equal(outer, block[3].start.decl)
    assert.equal(block[3].var.decl, block[3].body[1].call.args[1].decl)
    assert.equal(block[4].body[1].names[1].decl, block[4].cond.decl)
    assert.equal(outer, block[5].values[1].decl)
    assert.equal("x", outer.name)
    assert.equal(block[1].names[1], outer.node)
  end)
end)

describe("parser: refusals", function()
  it("says what is missing and where it began", function()
    fails("if a then\n x = 1\n", "expected `end` to close `if` of line 1, found the end")
    fails("f(1, 2", "expected `)` to close `(`")
    fails("x = {1", "expected `}` to close `{`")
    fails("if x = 1 then end", "comparison is `==`")
    fails("x += 1", "Lua has no `+=`")
    fails("x++", "Lua has no `++`")
    fails("for i = 1, 2 { }", "`do ... end`")
    fails("while a do continue end", "goto continue")
    fails("x = a && b", "`and`", 5.3)
    fails("x = a || b", "`or`", 5.3)
    fails("x = a ** 2", "`x ^ y`")
    fails("x = a[:, None]", "x:col()")
    fails("x = a[None, :]", "x:row()")
    fails("f(x, axis = 1)", "named in a table")
    fails("f((n,), 1)", "lists as { ... }")
    fails("f([n], 1)", "lists as { ... }")
    fails("if x is None then end", "`==`")
    fails("x = 1 if c else 2", "`c and x or y`")
    fails("if x == 3: y = 1", "`then ... end`")
    fails("x = 1 # comment", "--")
    fails("x = a @ b", "tl.dot")
    fails("local end = 1", "`end` is a word of Lua")
    fails("function f(a = 1) end", "default values")
    fails("function f(a: int) end", "type annotations")
    fails("f() = 1", "only a variable or a field can be assigned")
    fails("end", "`end` closes nothing")
    fails("return 1 x = 2", "last statement")
    fails("a\n(b)", "statement")
  end)

  it("checks break, goto, labels and varargs", function()
    fails("break", "break outside of a loop")
    fails("while 1 do local f = function() break end end", "break outside of a loop")
    fails("goto x", "no visible label `x`")
    fails("do ::x:: end goto x", "no visible label")
    fails("::x:: ::x::", "already")
    fails("do goto x local a ::x:: f() end", "jumps into the scope of local `a`")
    fails("repeat goto x local a ::x:: until a", "jumps into the scope")
    fails("function f() return ... end", "`...` outside")
    chunk "do goto x local a ::x:: end"
    chunk "::x:: goto x"
    chunk "for i = 1, 2 do for j = 1, 2 do goto next end ::next:: end"
  end)

  it("limits nesting instead of running out of stack", function()
    fails("x = " .. ("("):rep(1000) .. "1" .. (")"):rep(1000), "nested too deeply")
    fails("x = " .. ("not "):rep(100000) .. "1", "nested too deeply")
    fails(("do "):rep(100000), "nested too deeply")
    fails("x = " .. ("{"):rep(100000), "nested too deeply")
    fails("x = " .. ("function() return "):rep(1000), "nested too deeply")
    fails("x = " .. ("a.."):rep(100000) .. "a", "nested too deeply")
  end)
end)

describe("parser.parse_function", function()
  local text = "local a = 1\nreturn function (x) return x + a end, 2"
  local from, to = text:find("function.-end")

  it("reads one function of a chunk in the chunk's coordinates", function()
    local f = parser.parse_function(text, from, to, { name = "t" })
    assert.same({ from, to, 2, 8 }, { f.pos, f.stop, f.line, f.col })
    local sum = f.body[1].values[1]
    assert.equal("x + a", text:sub(sum.pos, sum.stop))
    assert.equal(f.params[1].decl, sum.left.decl)
    assert.is_nil(sum.right.decl)
    assert.equal(text, f.ctx.text)
  end)

  it("reads a function statement with its name", function()
    local named = "function m.k:go(a) return self, a end"
    local f = parser.parse_function(named, 1, #named, { name = "t" })
    assert.equal("m.k:go", f.name)
    assert.equal("self", f.params[1].name)
  end)

  it("refuses a wrong end", function()
    assert.is_false(pcall(parser.parse_function, text, from, to - 1, { name = "t" }))
  end)
end)

-- Files of this machine and of the tree: agreement with the host's own compiler.
local function lua_files()
  local files = {}
  for _, root in ipairs { "/usr/share/lua", "/usr/share/luajit-2.1.0-beta3", "lua", "spec",
    "examples", "backends" } do
    local pipe = io.popen("find " .. root .. " -name '*.lua' 2>/dev/null")
    for path in pipe:lines() do files[#files + 1] = path end
    pipe:close()
  end
  return files
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function count_functions(node)
  local count = node.kind == "Function" and 1 or 0
  for key, value in pairs(node) do
    if type(value) == "table" and key ~= "decl" and key ~= "ctx" then
      count = count + count_functions(value)
    end
  end
  return count
end

local function count_prototypes(dump)
  local p, count = 5, 0
  local function uleb()
    local value, scale = 0, 1
    while true do
      local b = dump:byte(p)
      p = p + 1
      if b < 128 then return value + b * scale end
      value, scale = value + (b - 128) * scale, scale * 128
    end
  end
  if uleb() % 4 < 2 then p = p + uleb() end
  while true do
    local length = uleb()
    if length == 0 then return count end
    p, count = p + length, count + 1
  end
end

describe("parser against the host's compiler", function()
  it("accepts the same files, with as many functions", function()
    local files = lua_files()
    assert.is_true(#files > 20)
    for _, path in ipairs(files) do
      local text = read(path)
      local compiled = loadstring(text, "=x")
      local ok, tree = pcall(parser.parse_chunk, text, { name = path, host = true })
      assert.equal(compiled ~= nil, ok, path .. ": " .. tostring(tree))
      if ok then
        assert.equal(count_prototypes(string.dump(compiled)) - 1, count_functions(tree), path)
      end
    end
  end)

  it("accepts and refuses the same damaged texts", function()
    local words = { "end", "local", "=", "(", ")", "x", "1", "{", "}", ",", "function", "if",
      "then", "return", "..", "...", ".", ":", "do", "goto", "::", "not", "-", "'s'", "[", "]",
      "break", ";", "repeat", "until", "for", "in", "while", "\n", "and", "#" }
    local seed = 7
    local function random(n)
      seed = (seed * 16807) % 2147483647
      return seed % n + 1
    end
    for _ = 1, 20000 do
      local parts = {}
      for i = 1, random(9) do parts[i] = words[random(#words)] end
      local text = table.concat(parts, " ")
      local compiled, why = loadstring(text, "=x")
      local ok, tree = pcall(parser.parse_chunk, text, { name = "x" })
      assert.equal(compiled ~= nil, ok, text .. " | " .. tostring(why) .. " | " .. tostring(tree))
    end
  end)

  it("takes time in proportion to the text", function()
    local function time(n)
      local text = ("local t = { a = 1, 'x' } f(t.a + 2)\n"):rep(150):gsub("local t", "t"):rep(n)
      collectgarbage()
      local start = os.clock()
      parser.parse_chunk(text, { name = "x" })
      return os.clock() - start
    end
    time(10)
    local small, large = time(10), time(80)
    assert.is_true(large < 8 * small * 4, ("%g and %g"):format(small, large))
  end)
end)
