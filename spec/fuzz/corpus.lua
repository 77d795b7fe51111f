-- luajit spec/fuzz/corpus.lua FOLDER [MOST]
-- Writes what the fuzzers start from: FOLDER/text/* (the kernels of the conformance cases),
-- FOLDER/program/* (what the frontend makes of them) and FOLDER/words, a dictionary. Of a file of
-- cases, at most MOST (default 120) are taken.

local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local root = here .. "../../"
local folder = assert(arg[1], "usage: corpus.lua FOLDER [MOST]")
local most = tonumber(arg[2] or 120)
local SYNTAX = "and break do else elseif end false for function goto if in local nil not or repeat"
  .. " return then true until while :: // == ~= <= >= << >> .. ... [[ ]] --[[ [==["

package.path = root .. "spec/conformance/?.lua;" .. package.path

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function conformance_files()
  local file = assert(io.open(root .. "spec/conformance/run.lua"))
  local list = file:read "*a":match "local files = (%b{})"
  file:close()
  return assert(loadstring("return " .. list))()
end

-- Programs are taken where the frontend gives them to the compiler.
local programs, texts = {}, {}
local frontend = require "neso.frontend"
local build = frontend.build
frontend.build = function(request)
  local program, lines, info = build(request)
  programs[program] = true
  return program, lines, info
end

local runner = require "runner"
local device = require "neso".device()
for _, name in ipairs(conformance_files()) do
  local count = 0
  runner.each(root .. "spec/conformance/" .. name .. ".lua", function(case)
    count = count + 1
    if count > most or #case.kernel > 2000 then return end
    texts[case.kernel] = true
    runner.run(case, device, function() end)
  end)
end

local function write_all(kind, set)
  os.execute(("mkdir -p '%s/%s'"):format(folder, kind))
  local list = {}
  for text in pairs(set) do list[#list + 1] = text end
  table.sort(list)
  for i, text in ipairs(list) do write(("%s/%s/%04d"):format(folder, kind, i), text) end
  return #list
end

local function words()
  local out, seen = {}, {}
  local function add(word)
    if seen[word] then return end
    seen[word] = true
    out[#out + 1] = '"' .. word:gsub('[%c"\\]', function(c)
      return ("\\x%02x"):format(c:byte())
    end) .. '"\n'
  end
  for word in SYNTAX:gmatch "%S+" do
    add(word)
  end
  for _, row in ipairs(dofile(root .. "spec/ops_language.lua")) do
    add("tl." .. row[1] .. "(")
    add(":" .. row[1] .. "(")
    for name in row[2]:gmatch "[%a_]+" do add(name .. " = ") end
  end
  for _, kind in ipairs(require "neso.dtype".list) do add("tl." .. kind.name) end
  for _, row in ipairs(dofile(root .. "spec/ops.lua").ir) do
    add(string.char(#row[1]) .. row[1])
    for _, attribute in ipairs(row.attributes or {}) do add(attribute[1]) end
  end
  return table.concat(out)
end

print(("%d texts, %d programs"):format(write_all("text", texts), write_all("program", programs)))
write(folder .. "/words", words())
