-- Processes that share the cases of a run, and the table of results that each writes.

local M = {}

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- The same in every process, whatever the order of the cases there.
local function hash(text)
  local h = 7
  for i = 1, #text do h = (h * 31 + text:byte(i)) % 16777213 end
  return h
end

--- Whether the case is one of share `index` (from 1) of `count`.
function M.mine(name, index, count)
  return hash(name) % count == index - 1
end

--- How many processors there are.
function M.processors()
  local pipe = io.popen "getconf _NPROCESSORS_ONLN"
  local count = pipe and tonumber(pipe:read "*l")
  if pipe then pipe:close() end
  return count or 1
end

local function escaped(text)
  return (text:gsub("[\\\t\n]", { ["\\"] = "\\\\", ["\t"] = "\\t", ["\n"] = "\\n" }))
end

local function plain(text)
  return (text:gsub("\\(.)", { ["\\"] = "\\", t = "\t", n = "\n" }))
end

--- A writer of results: one a line, the fields as `fields` names them, lists by commas.
function M.writer(path)
  local file = assert(io.open(path, "w"))
  return function(...)
    local list = { ... }
    for i, field in ipairs(list) do list[i] = escaped(tostring(field)) end
    file:write(table.concat(list, "\t"), "\n")
    file:flush()
  end
end

--- Calls f with the fields of each line of a file of results.
function M.read(path, f)
  local file = io.open(path)
  if not file then return end
  for line in file:lines() do
    local list = {}
    for field in (line .. "\t"):gmatch "([^\t]*)\t" do list[#list + 1] = plain(field) end
    f(unpack(list))
  end
  file:close()
end

--- Runs `count` processes of `script`, all at once, and gives the files of their results and their
--- output.
---@param script string
---@param count integer
---@param arguments string[]
---@return { results: string, output: string }[]
function M.run(script, count, arguments)
  local list = {}
  for i = 1, count do
    local job = { results = os.tmpname(), output = os.tmpname() }
    local words = { quoted(arg[-1] or "luajit"), quoted(script), "--share",
      ("%d/%d"):format(i, count), "--results", job.results }
    for _, word in ipairs(arguments) do words[#words + 1] = quoted(word) end
    job.pipe = assert(io.popen(("%s >%s 2>&1"):format(table.concat(words, " "), job.output)))
    list[i] = job
  end
  for _, job in ipairs(list) do job.pipe:close() end
  return list
end

return M
