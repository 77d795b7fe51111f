-- The `neso` program: scripts, pipes, and the prompt as typed on a pseudo terminal.
local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local support = dofile(here .. "support.lua")
local read, write, run = support.read, support.write, support.run

local stage, build = os.getenv "NESO_STAGE", os.getenv "NESO_BUILD"
local NESO = stage and stage .. "/bin/neso"
local PTY = build and build .. "/spec/c/spec_pty_run"

local function file(text)
  local path = os.tmpname()
  write(path, text)
  finally(function() os.remove(path) end)
  return path
end

local function neso(arguments) return run("'" .. NESO .. "' " .. arguments) end

-- What the prompt answers to lines from a pipe.
local function piped(lines)
  return neso("< " .. file(table.concat(lines, "\n") .. "\n"))
end

-- What a terminal shows after the steps of spec/c/pty_run.c; state is where the history lies.
local function typed(steps, state)
  local path = file("wait neso> \n" .. table.concat(steps, "\n") .. "\n")
  return run(("XDG_STATE_HOME='%s' TERM=xterm '%s' '%s' < %s"):format(state, PTY, NESO, path))
end

local PROMPT = "wait \\x0aneso> "

local function leave() return "send \\x04", "exit" end

local describe_program = NESO and read(NESO) and describe or pending
local describe_terminal = PTY and read(PTY) and NESO and read(NESO) and describe or pending

describe_program("neso, the program", function()
  it("runs a script with arg and its arguments", function()
    local path = file "print(arg[0], arg[1], #arg, select('#', ...), ...)"
    local out, status = neso(path .. " a 'b c'")
    assert.equal(path .. "\ta\t2\t2\ta\tb c\n", out)
    assert.equal(0, status)
  end)

  it("shows a script's error with its calls, and fails", function()
    local path = file "local function f() error('boo') end\nf()\n"
    local out, status = neso(path)
    assert.equal(1, status)
    assert.truthy(out:find("neso: " .. path .. ":1: boo\nstack traceback:", 1, true), out)
    assert.truthy(out:find(path .. ":2: in main chunk", 1, true), out)
    assert.is_nil(out:find("repl/program", 1, true), out)
  end)

  it("says what is wrong with a script or an option", function()
    local out, status = neso "/nowhere.lua"
    assert.same({ "neso: cannot open /nowhere.lua: No such file or directory\n", 1 },
      { out, status })
    out, status = neso "--foo"
    assert.same({ "neso: unknown option --foo (see neso --help)\n", 2 }, { out, status })
    out, status = neso(file "x =")
    assert.equal(1, status)
    assert.truthy(out:find(":1:4: expected an expression, found the end", 1, true), out)
    out = neso(file "x = 7 // 2")
    assert.truthy(out:find(":1:7: operator `//` is not in Lua 5.1", 1, true), out)
  end)

  it("takes code, modules and the standard input", function()
    assert.equal("3\n", (neso "-e 'print(1 + 2)'"))
    assert.equal("1\n2\n", (neso("-e 'a = 1 print(a)' -e 'print(a + 1)'")))
    assert.equal("x\n", (run("echo 'print(...)' | '" .. NESO .. "' - x")))
    assert.equal("table\n", (neso "-l jit.util -e 'print(type(package.loaded[\"jit.util\"]))'"))
  end)

  it("exits as the script says", function()
    assert.equal(7, select(2, neso(file "os.exit(7)")))
  end)

  it("tells its version and its use", function()
    assert.truthy((neso "--version"):find "^neso %d+%.%d+%.%d+, LuaJIT")
    assert.truthy((neso "--help"):find "usage: neso")
  end)

  it("finds its modules from where it is installed", function()
    local out = run("cd / && env -u LUA_PATH -u LUA_CPATH '" .. NESO
      .. "' -e 'print(package.searchpath(\"neso.repl.show\", package.path))'")
    assert.equal(stage .. "/share/lua/5.1/neso/repl/show.lua\n", out)
  end)
end)

describe_program("neso at a pipe", function()
  it("shows values and no prompts", function()
    local out, status = piped { "1 + 1", "local x = 5", "x, 'a'", "{1, {b = 2}}", "=x * 2",
      "print(x)", "_", "-- nothing" }
    assert.equal('2\n5\t"a"\n{ 1, { b = 2 } }\n10\n5\n10\n', out)
    assert.equal(0, status)
  end)

  it("goes on after errors, and fails at the end", function()
    local out, status = piped { "error 'boo'", "x y", "'open", "local t = {", "}", "nil + 1",
      "'on'", "error({})", "error()", "'still on'" }
    assert.truthy(out:find("neso:1:1: boo\n", 1, true), out)
    assert.truthy(out:find("\n   1 | x y\n     |   ^\n", 1, true), out)
    assert.truthy(out:find('"on"', 1, true), out)
    assert.truthy(out:find('"still on"', 1, true), out)
    assert.equal(1, status)
  end)

  it("joins the lines of an input, and complains about an unfinished one", function()
    local out, status = piped { "for i = 1, 2 do", "  print(i)", "end", "1 +", "2", "f = [[", "a",
      "]]", "f", "if x then" }
    assert.truthy(out:find('^1\n2\n3\n"a\\n"\n'), out)
    assert.truthy(out:find "'end' expected", out)
    assert.equal(1, status)
  end)

  it("keeps local variables of the prompt apart from globals", function()
    local out = piped { "local a, b = 1", "local function f(n) if n > 0 then return f(n - 1) end "
      .. "return a end", "f(3), b, rawget(_G, 'a'), rawget(_G, 'f')", "a = 2", "f(0)", "c = 3",
      "rawget(_G, 'c')", "local c = 4", "c, _G.c", "local a", "a", "do local d = 1 end", "d" }
    assert.equal("1\tnil\tnil\tnil\n2\n3\n4\t3\nnil\nnil\n", out)
  end)

  it("knows its commands", function()
    local out = piped { ":help", ":vars", ":time math.sin(1)", ":nonsense", ":tile", ":tile 7",
      ":quit", "print 'not reached'" }
    assert.truthy(out:find ":time EXPRESSION", out)
    assert.truthy(out:find "median [%d.]+ ns of %d+ runs", out)
    assert.truthy(out:find "unknown command :nonsense", out)
    assert.truthy(out:find "an expression is missing", out)
    assert.truthy(out:find "`7` is no kernel", out)
    assert.is_nil(out:find "not reached", out)
  end)

  it("lists what was set, and what neso and tl offer", function()
    local out = piped { "x = 3", "local y = 'a'", "print = print", "z = nil", ":vars" }
    assert.equal('print = function: builtin#29\nx = 3\ny = "a"\n',
      (out:gsub("builtin#%d+", "builtin#29")))
    out = piped { "neso", "tl" }
    assert.truthy(out:find("neso %d+%.%d+%.%d+\n  allclose, arange, "), out)
    assert.truthy(out:find("neso.language\n  T, abs, ", 1, true), out)
    for line in out:gmatch "[^\n]+" do assert.truthy(#line <= 80, line) end
  end)

  it("shows tables with cycles, many items and odd keys", function()
    local out = piped { "t = {} t.t = t t['a b'] = 1 t[2.5] = true", "t",
      "local big = {} for i = 1, 100 do big[i] = i end",
      "#require'neso.repl.show'.value(big) < 400",
      "setmetatable({}, { __tostring = function() return 'me' end })", "\"a\\n\\1\"" }
    assert.equal('{ [2.5] = true, ["a b"] = 1, t = {<itself>} }\ntrue\nme\n"a\\n\\001"\n', out)
  end)
end)

-- A kernel that adds `what`, as lines to be typed.
local function kernel(what)
  return { "local add = neso.jit(function(out, a, n, BLOCK)",
    "  local at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)",
    "  tl.store(out + at, tl.load(a + at, at < n) + " .. what .. ", at < n)", "end)" }
end

local function with_kernel(what, ...)
  local lines = kernel(what)
  for _, text in ipairs { ... } do lines[#lines + 1] = text end
  return lines
end

describe_program("kernels at the prompt", function()
  it("are typed, run, dumped and timed", function()
    local out, status = piped(with_kernel("1", "local x, y = neso.arange(4), neso.zeros{4}",
      "add[1](y, x, 4, 4)", "y:get(0), y:get(3)", ":tile add", ":llvm add", ":asm add",
      ":dump opt add", ":time add[1](y, x, 4, 4)", "add"))
    assert.equal(0, status, out)
    assert.truthy(out:find "^1\t4\n")
    assert.truthy(out:find "neso.program_id")
    assert.truthy(out:find "define i32 @neso_kernel")
    assert.truthy(out:find "neso_kernel:")
    assert.truthy(out:find "median [%d.]+ %a+ of %d+ runs")
    assert.truthy(out:find "kernel 'add'")
  end)

  it("are redefined, with captured variables of the prompt", function()
    local lines = with_kernel("1", "local x, y = neso.zeros{4}, neso.zeros{4}",
      "add[1](y, x, 4, 4)", "y:get(0)", "local step = 10")
    for _, text in ipairs(with_kernel("step", "add[1](y, x, 4, 4)", "y:get(0)", "step = 20",
      "add[1](y, x, 4, 4)", "y:get(0)")) do
      lines[#lines + 1] = text
    end
    local out, status = piped(lines)
    assert.equal(0, status, out)
    assert.equal("1\n10\n20\n", out)
  end)

  it("show their errors at the place, and the prompt goes on", function()
    local out = piped(with_kernel("nonsense", "local x, y = neso.zeros{4}, neso.zeros{4}",
      "add[1](y, x, 4, 4)", "add[1](y)", ":tile add", "'on'"))
    assert.truthy(out:find("\n   3 |   tl.store(out + at, tl.load(a + at", 1, true), out)
    assert.truthy(out:find("launch `add` first", 1, true), out)
    assert.truthy(out:find '"on"\n$', out)
  end)

  it("show the first line of the input as it was typed", function()
    local out = piped { "local k = neso.jit(function(a) tl.store(a, nonsense) end)",
      "local x = neso.zeros{1}", "k[1](x)" }
    assert.truthy(out:find("1 | local k = neso.jit(function(a) tl.store(a, non", 1, true), out)
  end)
end)

describe_program("kernels of a script", function()
  it("come from the text that was loaded, whatever happened to the file since", function()
    local path = file [[
      local neso = require "neso"
      local tl = neso.language
      local k = neso.jit(function(out) tl.store(out, 1.0) end)
      local h = io.open(arg[0]) local text = h:read "*a" h:close()
      h = assert(io.open(arg[1], "w")) h:write((text:gsub("1%.0", "2.0"))) h:close()
      local x = neso.zeros { 1 }
      k[1](x)
      print(x:get(0)) ]]
    local out, status = neso(path .. " " .. path)
    assert.equal("1\n", out)
    assert.equal(0, status)
    assert.truthy(read(path):find("2.0", 1, true))
  end)
end)

describe_program("neso devices and neso cache", function()
  it("say who serves", function()
    local out, status = neso "devices"
    assert.equal(0, status, out)
    assert.truthy(out:find "cpu +yes", out)
    assert.truthy(out:find "null +no", out)
  end)

  it("show and empty the cache", function()
    local folder = os.tmpname()
    os.remove(folder)
    finally(function() os.execute("rm -rf '" .. folder .. "'") end)
    local path = file [[
      local neso = require "neso"
      neso.jit(function(out) neso.language.store(out, 3.0) end)[1](neso.zeros { 1 }) ]]
    local function cached(arguments)
      return run(("NESO_CACHE_DIR='%s' '%s' %s"):format(folder, NESO, arguments))
    end
    assert.same({ "", 0 }, { cached(path) })
    assert.truthy(cached("cache"):find "files +1\n")
    assert.truthy(cached("cache clear"):find "^removed 1 files")
    assert.truthy(cached("cache stats"):find "files +0\n")
    assert.equal(1, select(2, cached "cache nonsense"))
  end)
end)

describe_terminal("neso on a terminal", function()
  local state

  setup(function()
    state = os.tmpname()
    os.remove(state)
  end)

  teardown(function() os.execute("rm -rf '" .. state .. "'") end)

  it("prompts, shows values, and leaves at Ctrl-D", function()
    local out, status = typed({ "send 40 + 2\\n", PROMPT, leave() }, state)
    assert.equal(0, status, out)
    assert.truthy(out:find("neso> 40 + 2\r\n42\r\nneso> ", 1, true), out)
  end)

  it("asks on for the rest of an input", function()
    local out, status = typed({ "send for i = 1, 2 do\\n", "wait   ... ", "send print(i * 7)\\n",
      "wait   ... ", "send end\\n", "wait 14", PROMPT, leave() }, state)
    assert.equal(0, status, out)
  end)

  it("survives errors", function()
    local out, status = typed({ "send error('boo')\\n", "wait neso:1:1: boo", PROMPT,
      "send x y\\n", "wait expected", PROMPT, "send 6 * 7\\n", "wait 42", PROMPT, leave() }, state)
    assert.equal(0, status, out)
  end)

  it("stops what runs at Ctrl-C", function()
    local out, status = typed({ "send while true do end\\n", "sleep 300", "send \\x03",
      "wait interrupted", PROMPT, "send 6 * 7\\n", "wait 42", PROMPT, leave() }, state)
    assert.equal(0, status, out)
  end)

  it("warns at the second Ctrl-C that a compiled loop cannot be stopped, and ends at the third",
    function()
      local out, status = typed({ "send function spin() while true do end end\\n", PROMPT,
        "send spin()\\n", "sleep 300", "send \\x03", "sleep 100", "send \\x03",
        "wait once more ends neso", "send \\x03", "exit" }, state)
      assert.equal(128 + 2, status, out)
    end)

  it("drops the line, and an unfinished input, at Ctrl-C", function()
    local out, status = typed({ "send garbage garbage", "wait garbage garbage", "send \\x03",
      PROMPT, "send local t = {\\n", "wait   ... ", "send \\x03", PROMPT, "send 6 * 7\\n",
      "wait 42", PROMPT, leave() }, state)
    assert.equal(0, status, out)
  end)

  it("completes names, fields, methods, keywords and commands", function()
    local out, status = typed({ "send string.for\\t('%d!', 7)\\n", 'wait "7!"', PROMPT,
      "send math.\\t", "wait acos", "wait neso> math.", "send pi\\n", "wait 3.14", PROMPT,
      "send local verylongname = 'abc'\\n", PROMPT, "send verylo\\t:upp\\t()\\n", 'wait "ABC"',
      PROMPT, "send :he\\t\\n", "wait Tab completes", PROMPT, leave() }, state)
    assert.equal(0, status, out)
  end)

  it("edits and reads UTF-8", function()
    local out, status = typed({ "send 'a\195\188\226\130\172", "wait \226\130\172",
      "send \\x7f'\\n", "wait \"a\195\188\"", PROMPT, leave() }, state)
    assert.equal(0, status, out)
  end)

  it("brings back earlier lines, also in the next session", function()
    local folder = state .. "/history"
    local out, status = typed({ "send 6 * 7\\n", "wait 42", PROMPT, "send 'other'\\n", PROMPT,
      "send \\e[A\\e[A\\n", "wait 42", PROMPT, leave() }, folder)
    assert.equal(0, status, out)
    assert.truthy(read(folder .. "/neso/history"):find "other")
    out, status = typed({ "send \\e[A\\n", "wait 42", PROMPT, leave() }, folder)
    assert.equal(0, status, out)
  end)

  it("takes a kernel line by line, runs, dumps, redefines it and brings it back", function()
    local steps = {}
    local function define(what)
      local lines = kernel(what)
      for i, text in ipairs(lines) do
        steps[#steps + 1] = "send " .. text .. "\\n"
        steps[#steps + 1] = i < #lines and "wait   ... " or PROMPT
      end
    end
    local function add(...)
      for _, text in ipairs { ... } do steps[#steps + 1] = text end
    end
    define "1"
    add("send local x, y = neso.zeros{4}, neso.zeros{4}\\n", PROMPT)
    add("send ad\\t[1](y, x, 4, 4)\\n", PROMPT, "send y\\n", "wait 1., 1., 1., 1.", PROMPT)
    add("send :tile add\\n", "wait neso.program_id", PROMPT)
    define "'no'"
    add("send add[1](y, x, 4, 4)\\n", "wait cannot apply", PROMPT)
    define "2"
    add("send add[1](y, x, 4, 4)\\n", PROMPT, "send y\\n", "wait 2., 2., 2., 2.", PROMPT)
    add("send :asm add\\n", "wait neso_kernel", PROMPT)
    add("send \\e[A\\e[A\\n", "wait 2., 2., 2., 2.", PROMPT, leave())
    local out, status = typed(steps, state)
    assert.equal(0, status, out)
  end)
end)
