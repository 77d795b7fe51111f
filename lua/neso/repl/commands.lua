-- The prompt's commands, `:name rest of the line`. Each gets the prompt (see init.lua) and the
-- rest; what it raises is shown like any other error.
local chunk = require "neso.repl.chunk"
local show = require "neso.repl.show"

local error, next, pairs, pcall, require, tostring = error, next, pairs, pcall, require,
  tostring
local concat, sort = table.concat, table.sort
local find, format, match, rep = string.find, string.format, string.match, string.rep
local max, min = math.max, math.min

local commands = {}

commands.help = { text = "this list" }
commands.tile = { args = "K", text = "the tile IR of kernel K, as last launched" }
commands.llvm = { args = "K", text = "its LLVM IR" }
commands.asm = { args = "K", text = "its assembly" }
commands.dump = { args = "STAGE K", text = "what any stage made of it" }
commands.time = { args = "EXPRESSION", text = "run it many times, e.g. :time k[grid](x, y, n)" }
commands.vars = { text = "the variables of the prompt" }
commands.quit = { text = "leave (so does Ctrl-D)" }

local ORDER = { "help", "tile", "llvm", "asm", "dump", "time", "vars", "quit" }

local HELP = [[
Type Lua; an expression shows its value (the last one is in `_`). An unfinished input
goes on over several lines. `local x` at the prompt lasts until you leave. Tab completes
names, Ctrl-C stops what runs or drops the line.

]]

function commands.help.run(prompt)
  local lines = {}
  for _, name in pairs(ORDER) do
    local usage = ":" .. name .. " " .. (commands[name].args or "")
    lines[#lines + 1] = "  " .. usage .. rep(" ", 20 - #usage) .. commands[name].text
  end
  prompt.print(HELP .. concat(lines, "\n"))
end

local function evaluate(prompt, text)
  if not find(text, "%S") then error("an expression is missing (see :help)", 0) end
  return chunk.expression(prompt.session, text)
end

local function kernel(prompt, text)
  local _, value = evaluate(prompt, text)()
  if not require "neso.jit".record(value) then
    error(format("`%s` is no kernel but %s", text, show.value(value)), 0)
  end
  return value
end

local function dump(prompt, stage, text)
  local out = kernel(prompt, text):dump(stage)
  if not out then error(format("launch `%s` first: nothing was compiled", text), 0) end
  prompt.print((tostring(out):gsub("\n$", "")))
end

for _, stage in pairs { "tile", "llvm", "asm" } do
  commands[stage].run = function(prompt, rest) dump(prompt, stage, rest) end
end

function commands.dump.run(prompt, rest)
  local stage, text = match(rest, "^(%S+)%s+(.+)$")
  if not stage then error("usage: :dump STAGE K", 0) end
  dump(prompt, stage, text)
end

local SAMPLE = 1e-4 -- seconds a sample lasts at least
local TOTAL = 0.5 -- seconds of measuring
local MAX_SAMPLES = 1000

local function duration(seconds)
  if seconds < 1e-6 then return format("%.0f ns", seconds * 1e9) end
  if seconds < 1e-3 then return format("%.3g us", seconds * 1e6) end
  if seconds < 1 then return format("%.3g ms", seconds * 1e3) end
  return format("%.3g s", seconds)
end

-- Processor time where neso cannot be loaded.
local function wall_clock()
  local ok, clock = pcall(function() return require "neso".clock end)
  return ok and clock or os.clock
end

local function sample(f, count, clock)
  local start = clock()
  for _ = 1, count do f() end
  return clock() - start
end

-- How many calls last a sample.
local function calls_of_sample(f, clock)
  local count = 1
  while true do
    local took = sample(f, count, clock)
    if took >= SAMPLE then return count, took end
    count = count * max(2, min(100, SAMPLE / max(took, 1e-9)))
    count = count - count % 1
  end
end

function commands.time.run(prompt, rest)
  local f = evaluate(prompt, rest)
  local clock = wall_clock()
  local first = sample(f, 1, clock)
  local count, took = calls_of_sample(f, clock)
  local samples = {}
  for i = 1, max(5, min(MAX_SAMPLES, TOTAL / took)) do
    samples[i] = sample(f, count, clock) / count
  end
  sort(samples)
  prompt.print(format("median %s of %d runs (fastest %s, first %s)",
    duration(samples[(#samples + 1 - (#samples + 1) % 2) / 2]), #samples * count,
    duration(samples[1]), duration(first)))
end

local function brief(value)
  local text = show.value(value)
  local first = match(text, "^[^\n]*")
  if first == text and #text <= 70 then return text end
  return first:sub(1, 66) .. " ..."
end

function commands.vars.run(prompt)
  local names, session = {}, prompt.session
  for name, value in next, session.variables do
    if prompt.predefined[name] ~= value then names[#names + 1] = name end
  end
  for name in next, session.set do
    if session.variables[name] ~= nil and not session.own[name] then names[#names + 1] = name end
  end
  sort(names)
  for _, name in pairs(names) do
    prompt.print(name .. " = " .. brief(prompt.session.variables[name]))
  end
end

function commands.quit.run(prompt) prompt.leaving = true end

return commands
