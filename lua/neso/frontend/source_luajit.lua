-- Proof by LuaJIT bytecode. A dump is ESC "LJ", version, flags, the chunk name unless stripped, and
-- then every prototype as length and bytes, children before their parent: the order in which the
-- functions close in the text. Two compilations of one text under one name give equal bytes.
local string = require "string"
local functions = require "neso.frontend.source_functions"

local loadstring, pcall, setmetatable = loadstring, pcall, setmetatable
local byte, sub = string.byte, string.sub
local dump = string.dump

local prover = {}

local function uleb(s, p)
  local value, scale = 0, 1
  while true do
    local b = byte(s, p)
    p = p + 1
    if b < 128 then return value + b * scale, p end
    value, scale = value + (b - 128) * scale, scale * 128
  end
end

local function prototypes(bytes)
  local flags, p = uleb(bytes, 5)
  if flags % 4 < 2 then
    local length
    length, p = uleb(bytes, p)
    p = p + length
  end
  local list, n = {}, 0
  while true do
    local length
    length, p = uleb(bytes, p)
    if length == 0 then return list end
    n = n + 1
    list[n] = sub(bytes, p, p + length - 1)
    p = p + length
  end
end

-- First byte of the instructions of a prototype and the byte after the last one.
local function instructions(proto)
  local _, count, debug_size, p
  _, p = uleb(proto, 5) -- after flags, parameters, slots, upvalues
  _, p = uleb(proto, p)
  count, p = uleb(proto, p)
  debug_size, p = uleb(proto, p)
  if debug_size > 0 then
    _, p = uleb(proto, p)
    _, p = uleb(proto, p)
  end
  return p, p + 4 * count
end

-- A `pairs` loop that once ran over another iterator is rewritten for good (ISNEXT to JMP, ITERN
-- to ITERC), and its dump shows that. The opcodes are learned from two chunks that differ in just
-- this.
local patched -- byte written by the compiler * 256 + byte after the patch -> true
local patch_offset

local function learn_patches()
  local fresh = prototypes(dump(loadstring "for k in pairs(x) do end"))[1]
  local other = prototypes(dump(loadstring "for k in pairz(x) do end"))[1]
  local from, to = instructions(fresh)
  patched = {}
  for p = from, to - 1 do
    local a, b = byte(fresh, p), byte(other, p)
    if a ~= b then
      patched[a * 256 + b] = true
      patch_offset = (p - from) % 4
    end
  end
end

local function same_code(live, ref, from, to)
  for p = from, to - 1 do
    local a, b = byte(ref, p), byte(live, p)
    if a ~= b and not (patched[a * 256 + b] and (p - from) % 4 == patch_offset) then
      return false
    end
  end
  return true
end

local function same(live, ref)
  if live == ref then return true end
  if #live ~= #ref then return false end
  if not patched then learn_patches() end
  local from, to = instructions(ref)
  return sub(live, 1, from - 1) == sub(ref, 1, from - 1) and sub(live, to) == sub(ref, to)
    and same_code(live, ref, from, to)
end

-- Is the function with its nested functions the run of prototypes that ends at k?
local function matches(live, chunk, k)
  local n = #live
  if k < n then return false end
  for i = 0, n - 1 do
    if not same(live[n - i], chunk[k - i]) then return false end
  end
  return true
end

local analyses = setmetatable({}, { __mode = "v" }) -- chunk name -> the chunk last looked at

local function analyse(name, text)
  local known = analyses[name]
  if known and known.text == text then return known end
  if byte(text) == 27 then return nil, "the file holds bytecode, not Lua text" end
  local chunk = loadstring(text, name)
  if not chunk then return nil end
  local ok, list = pcall(functions.list, text)
  if not ok then return nil, list end
  known = { text = text, protos = prototypes(dump(chunk)), functions = list }
  if #known.protos ~= #list + 1 then
    return nil, ("the text has %d functions, compiled it has %d"):format(#list, #known.protos - 1)
  end
  analyses[name] = known
  return known
end

--- What is to be proved of a live function, or nil and a reason.
---@param fn function
---@param info table debug.getinfo(fn, "S")
function prover.live(fn, info)
  local ok, bytes = pcall(dump, fn)
  if not ok then return nil, "the function has no Lua bytecode" end
  if info.what == "main" then
    return nil, "a whole chunk is no kernel: write a function ... end in it"
  end
  return { protos = prototypes(bytes), name = info.source, line = info.linedefined }
end

--- The function's place in the text, { from =, to = }; or nil and perhaps a reason.
---@param live table of `prover.live`
---@param text string
function prover.find(live, text)
  local chunk, why = analyse(live.name, text)
  if not chunk then return nil, why end
  local found
  for k = 1, #chunk.functions do
    if matches(live.protos, chunk.protos, k) then
      local place = chunk.functions[k]
      if found and not functions.alike(text, found, place) then
        return nil, ("line %d has several functions that compile alike but are written "
          .. "differently: put each on lines of its own"):format(live.line)
      end
      found = found or place
    end
  end
  return found
end

return prover
