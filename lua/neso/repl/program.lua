-- The `neso` program: what its arguments ask for. C (runtime/cli) calls `main` with argv.
local ipairs, pcall, rawset, require, tostring, type, unpack, xpcall = ipairs, pcall,
  rawset, require, tostring, type, unpack, xpcall
local debug, io = require "debug", require "io"
local terminal = require "neso.terminal"

local HELP = [=[
usage: neso [options] [script [arguments]]
       neso devices | cache [stats|prune|clear]

Without a script, neso is a prompt: type Lua, see values; `:help` there tells the rest.

  script [arguments]   run a Lua script (`-` is standard input); `arg` holds the arguments
  devices              the backends: which were asked, which answered, and why not
  cache [stats]        where compiled kernels are kept, how many, how large
  cache prune          remove the least used ones down to the size limit
  cache clear          remove them all

  -e CODE              run CODE (before the script, if there is one)
  -l NAME              require NAME first
  -i                   prompt after the script or the code
  -h, --help           this text
  -v, --version        versions
  --                   no options after this

Environment: NESO_BACKEND (cpu), NESO_BACKEND_PATH, NESO_CACHE_DIR, NESO_CACHE_SIZE,
NESO_DUMP (tile,llvm,asm).
A script with the name of a command runs as ./devices or ./cache.
]=]

local program = {}

local function complain(...)
  io.stdout:flush()
  io.stderr:write("neso: ", ...)
  io.stderr:write "\n"
end

local function with_traceback(err)
  if type(err) ~= "string" then
    local ok, text = pcall(tostring, err)
    return ok and text or "an error without text"
  end
  local trace = debug.traceback(err, 2)
  return trace:match "^(.*)\n%s*%[C%]: in function 'xpcall'" or trace
end

-- Calls f so that Ctrl-C and errors end it, and tells about them.
local function call(f, ...)
  local count, args = select("#", ...), { ... }
  terminal.watch()
  local ok, err = xpcall(function() return f(unpack(args, 1, count)) end, with_traceback)
  terminal.unwatch()
  if not ok then complain(err) end
  return ok
end

-- The text is kept, so that kernels of the script compile from what was loaded.
local function load_kept(text, name)
  require "neso.frontend.source".register(name, text)
  local chunk, why = loadstring(text, name)
  if chunk then return chunk end
  return nil, require "neso.repl.chunk".syntax_error(text, name, why)
end

local function read_script(path)
  if path == "-" then return io.read "*a", "=stdin" end
  local file, why = io.open(path, "rb")
  if not file then return nil, "cannot open " .. why end
  local text = file:read "*a"
  file:close()
  if not text then return nil, "cannot read " .. path end
  return text, "@" .. path
end

local function run_script(path, args)
  local text, name = read_script(path)
  if not text then
    complain(name)
    return false
  end
  local chunk, why = load_kept(text, name)
  if not chunk then
    complain(why)
    return false
  end
  return call(chunk, unpack(args, 1, #args))
end

local function run_code(code, index)
  local chunk, why = load_kept(code, ("=(command line %d)"):format(index))
  if chunk then return call(chunk) end
  complain(why)
  return false
end

local function bytes_text(n)
  if n < 1024 then return n .. " bytes" end
  if n < 1024 * 1024 then return ("%.1f KiB"):format(n / 1024) end
  return ("%.1f MiB"):format(n / 1024 / 1024)
end

local function show_cache(cache)
  local stats = cache.stats()
  if not stats.path then return print "there is no cache on disk" end
  print(("path   %s\nfiles  %d\nsize   %s of %s"):format(stats.path, stats.files,
    bytes_text(stats.bytes), bytes_text(stats.limit)))
end

local function remove_from_cache(how)
  return function(cache)
    local removed = cache[how]()
    print(("removed %d files, %s"):format(removed.files, bytes_text(removed.bytes)))
  end
end

local CACHE = { stats = show_cache, prune = remove_from_cache "prune",
  clear = remove_from_cache "clear" }

local COMMANDS = {}

function COMMANDS.devices()
  return call(function() print(require "neso".devices()) end)
end

function COMMANDS.cache(args)
  local action = CACHE[args[1] or "stats"]
  if not action or #args > 1 then
    complain("usage: neso cache [stats|prune|clear]")
    return false
  end
  return call(function() action(require "neso.cache") end)
end

local function version()
  return ("neso %s, %s"):format(terminal.version, jit.version)
end

-- Options up to the script: what to do in order, or nil and a complaint.
local function parse(argv)
  local plan = { before = {} }
  local i = 1
  while argv[i] do
    local word = argv[i]
    local letter, rest = word:match "^%-([el])(.*)$"
    if word == "--" then
      i = i + 1
      break
    elseif word == "-h" or word == "--help" then
      plan.help = true
    elseif word == "-v" or word == "--version" then
      plan.version = true
    elseif word == "-i" then
      plan.prompt = true
    elseif letter then
      if rest == "" then
        i = i + 1
        rest = argv[i]
      end
      if not rest then return nil, "option -" .. letter .. " needs a value" end
      plan.before[#plan.before + 1] = { letter = letter, value = rest }
    elseif word:find "^%-." then
      return nil, "unknown option " .. word .. " (see neso --help)"
    else
      break
    end
    i = i + 1
  end
  plan.script, plan.at = argv[i], i
  return plan
end

-- `arg` as luajit gives it: the script is arg[0].
local function set_arg(argv, at)
  local shifted = {}
  for i = 0, #argv do shifted[i - at] = argv[i] end
  rawset(_G, "arg", shifted)
  return shifted
end

local function run_before(plan)
  for index, step in ipairs(plan.before) do
    local ok
    if step.letter == "e" then
      ok = run_code(step.value, index)
    else
      ok = call(function() rawset(_G, step.value, require(step.value)) end)
    end
    if not ok then return false end
  end
  return true
end

local function run_rest(plan, args)
  local script = plan.script
  if script then
    local command = COMMANDS[script]
    local ok
    if command then
      ok = command(args)
    else
      ok = run_script(script, args)
    end
    if not plan.prompt then return ok end
  elseif #plan.before > 0 and not plan.prompt then
    return true
  end
  return require "neso.repl".run()
end

--- Does what the arguments say; the exit status.
---@param argv table arguments, the program's own name at 0
---@return integer
function program.main(argv)
  local plan, why = parse(argv)
  if not plan then
    complain(why)
    return 2
  end
  if plan.help or plan.version then
    io.write(plan.help and HELP or version() .. "\n")
    return 0
  end
  local args = set_arg(argv, plan.at)
  return run_before(plan) and run_rest(plan, args) and 0 or 1
end

return program
