local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "support.lua")
local source = require "neso.frontend.source"
local read, write, run = support.read, support.write, support.run

local function text_of(fn)
  local record, reason = source.of(fn)
  assert.truthy(record, reason)
  return record.text:sub(record.from, record.to)
end

local function refused(fn, message)
  local record, reason = source.of(fn)
  assert.is_nil(record)
  assert.truthy(reason:find(message, 1, true), reason)
end

-- A file that is removed after the test.
local function file(text)
  local path = os.tmpname()
  write(path, text)
  finally(function() os.remove(path) end)
  return path
end

-- A module file: its path, and what it returns.
local function module(text)
  local path = file(text)
  return path, assert(loadfile(path))()
end

describe("source.of", function()
  it("finds a function of a file, with its place", function()
    local path, f = module "local a = 1\nreturn function(x) return x + a end\n"
    local record = source.of(f)
    assert.same({ 2, 8, path, 5.1 }, { record.line, record.col, record.name, record.version })
    assert.equal("function(x) return x + a end", text_of(f))
  end)

  it("finds statements, methods and nested functions", function()
    local t = loadstring [[
      local m = { n = {} }
      function m.n:o(a) return function(b) return a + b end end
      local function plain() return m end
      m.loop = {}
      for i = 1, 2 do m.loop[i] = function(x) return x * i end end
      return m, plain ]]
    local m, plain = t()
    assert.equal("function m.n:o(a) return function(b) return a + b end end", text_of(m.n.o))
    assert.equal("function(b) return a + b end", text_of(m.n:o(1)))
    assert.equal("function plain() return m end", text_of(plain))
    assert.equal("function(x) return x * i end", text_of(m.loop[2]))
  end)

  it("tells functions of one line apart", function()
    local f, g, h = loadstring("return function(a) return a + 1 end, function(a) return a + 2 end, "
      .. "function(b) return b + 1 end")()
    assert.equal("function(a) return a + 1 end", text_of(f))
    assert.equal("function(a) return a + 2 end", text_of(g))
    assert.equal("function(b) return b + 1 end", text_of(h))
  end)

  it("takes equal twins for one another, and refuses twins written differently", function()
    local f, g = loadstring("return function(a) return a+1 end, function(a) return a + 1 end")()
    assert.equal("function(a) return a+1 end", text_of(f))
    assert.equal("function(a) return a+1 end", text_of(g))
    f = loadstring("return function(a) return a + 1 end, function(a) return a + 1.0 end")()
    refused(f, "written differently")
  end)

  it("survives compilation, setfenv and a patched pairs loop", function()
    local f, g = loadstring [[
      return function(n) local s = 0 for i = 1, n do s = s + i end return s end,
        function(t, pairs) local s = 0 for _, v in pairs(t) do s = s + v end return s end ]]()
    for _ = 1, 200 do f(100) end
    setfenv(f, {})
    assert.truthy(text_of(f):find "for i = 1, n")
    g({ 1, 2 }, ipairs)
    assert.truthy(text_of(g):find "in pairs")
  end)

  it("reads a BOM, a # line and CRLF", function()
    local _, f = module("\239\187\191#!/usr/bin/env luajit\r\n"
      .. "return function()\r\n  return 1\r\nend\r\n")
    assert.equal("function()\r\n  return 1\r\nend", text_of(f))
  end)

  it("refuses what has no text, and says why", function()
    refused(print, "C function")
    refused(loadstring "return 1", "whole chunk")
    refused(loadstring("return function() end", "=somewhere")(), "`somewhere` was not kept")
    refused(loadstring("return function() end", "bare name")(), "not kept by its loader")
    refused(loadstring("return function() end", "=stdin")(), "`neso` prompt")
    refused(loadstring("return function() end", "@/nowhere/x.lua")(), "cannot read `/nowhere/x")
    refused(loadstring(string.dump(loadstring("return function() end"), true))(), "bytecode")
    refused(7, "no function") -- luacheck: ignore
  end)
end)

describe("source.of a file that was edited after it was loaded", function()
  it("names the file", function()
    local path, f = module "return function(x) return x + 1 end"
    write(path, "return function(x) return x + 2 end")
    refused(f, path .. " changed after the function was loaded")
  end)

  it("refuses a shifted, a cut and a broken file", function()
    local path, f = module "return function(x) return x + 1 end"
    for _, text in ipairs { "\nreturn function(x) return x + 1 end", "return 1",
      "return function(" } do
      write(path, text)
      refused(f, "changed after the function was loaded")
    end
  end)

  it("uses the text kept at definition, whatever happens to the file", function()
    local path, f = module "return function(x) return x + 1 end"
    source.keep(f)
    write(path, "return function(x) return x + 1.0 end")
    assert.equal("function(x) return x + 1 end", text_of(f))
    local g = assert(loadfile(path))()
    source.keep(g)
    assert.equal("function(x) return x + 1.0 end", text_of(g))
    assert.equal("function(x) return x + 1 end", text_of(f))
    os.remove(path)
    assert.equal("function(x) return x + 1 end", text_of(f))
  end)
end)

describe("source.register", function()
  it("gives the text of a chunk that has only a name", function()
    local text = "return function(x) return x end"
    local f = loadstring(text, "=neso:1")()
    source.register("=neso:1", text)
    assert.equal("function(x) return x end", text_of(f))
    assert.equal("neso:1", source.of(f).name)
    source.register("=neso:1", "return function(y) return y end")
    refused(f, "not kept")
    source.forget "=neso:1"
  end)

  it("shows what a person wrote in place of what was compiled", function()
    local text, original = "return            f(function() end)", "local     f(function() end)"
    local f = loadstring(text .. "", "=neso:2")
    local got
    setfenv(f, { f = function(g) got = g end })
    f()
    source.register("=neso:2", text, original)
    local record = source.of(got)
    assert.equal(original, record.text)
    assert.equal("function() end", original:sub(record.from, record.to))
    assert.equal(13, record.col)
    source.forget "=neso:2"
  end)
end)

describe("source.readers", function()
  it("lets a host read its own files", function()
    local f = loadstring("return function(x) return x end", "@pack://a.lua")()
    refused(f, "cannot read")
    table.insert(source.readers, function(path)
      return path == "pack://a.lua" and "return function(x) return x end" or nil
    end)
    assert.equal("function(x) return x end", text_of(f))
    table.remove(source.readers)
  end)

  it("reads through LÖVE's file system", function()
    local f = loadstring("return function(x) return x end", "@game/main.lua")()
    rawset(_G, "love", { filesystem = { read = function(path)
      if path == "game/main.lua" then return "return function(x) return x end", 31 end
    end } })
    finally(function() rawset(_G, "love", nil) end)
    assert.equal("function(x) return x end", text_of(f))
  end)
end)

local PROBE = [[local s = require "neso.frontend.source"
local r, why = s.of(%s) print(r and r.text:sub(r.from, r.to) or why)]]

describe("source.of in other hosts", function()
  it("finds functions of luajit -e", function()
    local out = run("luajit -e 'local function f(x) return x end "
      .. PROBE:format "f":gsub("\n", " ") .. "'")
    assert.equal("function f(x) return x end\n", out)
  end)

  for _, lua in ipairs { "lua5.1", "lua5.2", "lua5.3", "lua5.4" } do
    local _, status = run("command -v " .. lua)
    local it_puc = status == 0 and it or pending

    it_puc("works by lines in " .. lua, function()
      local path = file("local up = 1\nlocal function f(x)\n  return x + up\nend\n"
        .. PROBE:format "f")
      assert.equal("function f(x)\n  return x + up\nend\n", run(lua .. " " .. path))
    end)

    it_puc("refuses functions of one line in " .. lua, function()
      local path = file("local f, g = function() return 1 end, function() return 2 end\n"
        .. PROBE:format "f")
      assert.truthy(run(lua .. " " .. path):find "has several functions")
    end)

    it_puc("sees that the file changed in " .. lua, function()
      local path = file "return function(x)\n  return x\nend\n"
      local probe = file(([[
        local f = dofile(%q)
        local h = io.open(%q, "w") h:write "return function(x)\n  return x + 1\nend\n" h:close()
        ]]):format(path, path) .. PROBE:format "f")
      assert.truthy(run(lua .. " " .. probe):find "changed after the function was loaded")
    end)
  end
end)

-- Lines of every function below f, children first, as the host's compiler has them.
local function compiled_lines(f, lines)
  local util = require "jit.util"
  local children, i = {}, -1
  while util.funck(f, i) ~= nil do
    local constant = util.funck(f, i)
    if type(constant) == "proto" then children[#children + 1] = constant end
    i = i - 1
  end
  for _, child in ipairs(children) do
    compiled_lines(child, lines)
    local info = util.funcinfo(child)
    lines[#lines + 1] = info.linedefined .. "-" .. info.lastlinedefined
  end
  return lines
end

describe("the functions of this machine's files", function()
  it("are as many, and on the lines, that the host's compiler says", function()
    local functions = require "neso.frontend.source_functions"
    local pipe = io.popen "find /usr/share/lua/5.1 lua spec -name '*.lua' 2>/dev/null"
    local total = 0
    for path in pipe:lines() do
      local text = read(path)
      local chunk = loadstring(text, "=x")
      local expected = chunk and compiled_lines(chunk, {}) or {}
      local list = chunk and functions.list(text) or {}
      assert.equal(#expected, #list, path)
      for k, place in ipairs(list) do
        assert.equal(expected[k], place.line .. "-" .. place.last_line, path)
      end
      total = total + #list
    end
    pipe:close()
    assert.is_true(total > 100)
  end)
end)
