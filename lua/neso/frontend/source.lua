-- The text of a live function, with proof that it is this function's text.
--
-- Under LuaJIT a text is believed only when the chunk, compiled again from it under the same chunk
-- name (never run), holds the function's own bytecode with debug info; the place of that prototype
-- among the chunk's prototypes gives the exact bytes of the `function ... end`. Under PUC Lua
-- 5.1-5.4 the one function on the same lines is taken, and its dump must be part of the chunk's.
--
-- What the proof cannot see, because it compiles to the same bytecode on the same lines: comments
-- and blanks, how a constant is written (`1` or `1.0`, `2*3` or `6`), and names that bytecode does
-- not keep (labels). `keep`, called when a kernel is defined, closes that gap for files: the text
-- of that moment is then used whatever happens to the file (also when it, or the working
-- directory, moves). Twins on one line that compile alike are refused when written differently.
-- Bytecode is compared inside one process only; it is no key for anything on disk.
--
-- Where texts come from: `register` (prompts, loaders), `keep`, the file of an `@` chunk, LÖVE's
-- file system, `luajit -e`, and the chunk name itself for `load(text)`. A host with files of its
-- own adds a reader: `table.insert(source.readers, function(path) return text end)`.
local debug, string = require "debug", require "string"
local diagnostics = require "neso.frontend.diagnostics"

local ipairs, pcall, rawget, setmetatable, tonumber, type = ipairs, pcall, rawget, setmetatable,
  tonumber, type
local global = _G
local has_io, io = pcall(require, "io")
local match, sub = string.match, string.sub

local source = {}

local registered = {} -- chunk name -> { text =, original = }
local kept = setmetatable({}, { __mode = "k" }) -- function -> text of its file
local kept_chunks = {} -- chunk name -> text last kept

local prover -- loaded at the first use: neso.frontend.source_luajit or source_puc

--- Tells the text of a chunk that its name does not lead to. `original` is what a person wrote,
--- when `text` differs from it: as many bytes, or fewer when `text` has something before it.
---@param chunkname string as given to load
---@param text string what was compiled
---@param original string?
function source.register(chunkname, text, original)
  registered[chunkname] = { text = text, original = original }
end

--- Forgets what `register` told.
---@param chunkname string
function source.forget(chunkname) registered[chunkname] = nil end

local function read_file(path)
  local file = has_io and io and io.open(path, "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  return text
end

local function read_love(path)
  local love = rawget(global, "love")
  local files = type(love) == "table" and love.filesystem
  local text = files and files.read and files.read(path)
  return type(text) == "string" and text or nil
end

--- Readers of files, tried in order: path -> text or nil.
source.readers = { read_file, read_love }

local function read_path(path)
  for _, reader in ipairs(source.readers) do
    local text = reader(path)
    if text then return text end
  end
end

--- Holds on to the text that the function's file has now. Call it when a kernel is defined.
---@param fn function
function source.keep(fn)
  local name = debug.getinfo(fn, "S").source
  if sub(name, 1, 1) ~= "@" or registered[name] then return end
  local text = read_path(sub(name, 2))
  kept[fn] = text
  kept_chunks[name] = text
end

local function add(list, text, original)
  if type(text) == "string" then list[#list + 1] = { text = text, original = original } end
end

local function add_files(list, path)
  for _, reader in ipairs(source.readers) do add(list, reader(path)) end
end

local function add_command_line(list)
  local arg = rawget(global, "arg")
  for i = -1, type(arg) == "table" and -16 or 0, -1 do
    local text = arg[i]
    add(list, type(text) == "string" and match(text, "^%-e(.+)") or text)
  end
end

-- Every text that could be the chunk's.
local function candidates(fn, name)
  local list, first = {}, sub(name, 1, 1)
  add(list, kept[fn])
  if registered[name] then add(list, registered[name].text, registered[name].original) end
  add(list, kept_chunks[name])
  if first == "@" then
    add_files(list, sub(name, 2))
  elseif name == "=(command line)" then
    add_command_line(list)
  elseif first ~= "=" then
    add(list, name)
  end
  return list
end

local function display_name(info)
  return match(info.source, "^[@=](.*)") or info.short_src
end

local AS_STRING = "write the kernel as a string: neso.kernel[[ ... ]]"

-- Why there is no text at all.
local function no_text(info)
  local name = info.source
  if name == "=?" or name == "" or sub(name, 1, 1) == "\27" then
    return "the function was loaded from bytecode without debug information; " .. AS_STRING
  elseif sub(name, 1, 1) == "@" then
    return ("cannot read `%s`, the file of the function (moved, or the working directory is "
      .. "another one now); %s"):format(sub(name, 2), AS_STRING)
  elseif name == "=stdin" then
    return "this prompt does not keep what is typed: use the `neso` prompt or a file, or "
      .. AS_STRING
  end
  return ("the text of chunk `%s` was not kept by its loader; %s")
    :format(display_name(info), AS_STRING)
end

-- Why the texts that there are do not prove to be the function's.
local function not_proved(info, why)
  local name = info.source
  if why then return why end
  if sub(name, 1, 1) == "@" then
    return ("%s changed after the function was loaded: load it again"):format(sub(name, 2))
  end
  return no_text(info)
end

local function record(info, candidate, place)
  local text, from, to = candidate.text, place.from, place.to
  if candidate.original then
    local skipped = #text - #candidate.original
    text, from, to = candidate.original, from - skipped, to - skipped
  end
  local line, col = diagnostics.place(text, from)
  return { text = text, from = from, to = to, line = line, col = col, source = info.source,
    name = display_name(info), version = source.version }
end

local function load_prover()
  local jit = rawget(global, "jit")
  prover = require(type(jit) == "table" and jit.version and "neso.frontend.source_luajit"
    or "neso.frontend.source_puc")
end

--- The grammar of function kernels on this host: 5.1 (LuaJIT, PUC 5.1, 5.2) or 5.3.
source.version = tonumber(match(_VERSION, "%d+%.%d+")) >= 5.3 and 5.3 or 5.1

--- Where the function is written: the whole text of its chunk and the bytes of `function ... end`,
--- or nil and a reason in words.
---@param fn function
---@return { text: string, from: integer, to: integer, line: integer, col: integer,
---   name: string, version: number, source: string }?
---@return string? reason
function source.of(fn)
  if type(fn) ~= "function" then return nil, "a " .. type(fn) .. " is no function" end
  local info = debug.getinfo(fn, "S")
  if info.what == "C" then return nil, "a C function has no Lua text" end
  if not prover then load_prover() end
  local live, refused = prover.live(fn, info)
  if not live then return nil, refused end
  local list, reason = candidates(fn, info.source), nil
  for _, candidate in ipairs(list) do
    local place, why = prover.find(live, candidate.text)
    if place then return record(info, candidate, place) end
    reason = reason or why
  end
  if #list == 0 then return nil, no_text(info) end
  return nil, not_proved(info, reason)
end

return source
