-- Recovery under PUC Lua 5.1-5.4: the one function on the live function's lines, and, as proof, the
-- body of its dump must occur in the dump of the chunk compiled again from the text.
local string = require "string"
local functions = require "neso.frontend.source_functions"

local ipairs, pcall, tonumber = ipairs, pcall, tonumber
local load_text = loadstring or load
local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub

local VERSION = tonumber(match(_VERSION, "%d+%.%d+"))
local HEADER_52 = 18 -- bytes before the function in a dump of Lua 5.2

local prover = {}

-- The part of a function's dump that is the same where it is nested in its chunk: all after the
-- chunk name, which nested functions leave out (5.2 writes it behind the code, for each of them).
local function body(bytes, name)
  if VERSION == 5.2 then return sub(bytes, HEADER_52 + 1) end
  local _, stop = find(bytes, name, 1, true)
  return stop and sub(bytes, stop + (VERSION == 5.1 and 2 or 1))
end

-- What loadfile takes out before it compiles.
local function without_header(text)
  return (gsub(gsub(text, "^\239\187\191", ""), "^#", "--#"))
end

function prover.live(fn, info)
  if info.what == "main" then
    return nil, "a whole chunk is no kernel: write a function ... end in it"
  end
  local ok, bytes = pcall(string.dump, fn)
  local proof = ok and body(bytes, info.source)
  if not proof then return nil, "the function has no Lua bytecode with its chunk's name" end
  return { proof = proof, name = info.source, line = info.linedefined,
    last_line = info.lastlinedefined }
end

function prover.find(live, text)
  local chunk = load_text(without_header(text), live.name)
  if not chunk or not find(string.dump(chunk), live.proof, 1, true) then return nil end
  local ok, list = pcall(functions.list, text)
  if not ok then return nil, list end
  local found
  for _, place in ipairs(list) do
    if place.line == live.line and place.last_line == live.last_line then
      if found then
        return nil, ("line %d has several functions, and this Lua cannot tell which one is meant: "
          .. "put each on lines of its own, or write the kernel as a string: neso.kernel[[ ... ]]")
          :format(live.line)
      end
      found = place
    end
  end
  return found
end

return prover
