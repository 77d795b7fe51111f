-- luajit spec/gen/coverage.lua [--check] [COMPILED [INTERPRETED]]
-- Writes spec/coverage.md from the results of the conformance cases: files that
-- spec/conformance/run.lua --results wrote, compiled and in the interpreter; without them it runs
-- the cases. --check writes nothing and fails when the page claims more than the results show.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
package.path = here .. "../conformance/?.lua;" .. here .. "?.lua;" .. package.path
local workers = require "workers"
local reasons = require "coverage_reasons"
local rows = dofile(here .. "../ops_language.lua")
local ops = dofile(here .. "../ops.lua")
local page = here .. "../coverage.md"

local dtypes = { "i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32",
  "f64", "f8e5m2", "f8e4m3fn", "f8e4b15", "f8e4m3fnuz", "f8e5m2fnuz" }
local ir_dtypes = { "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64" }
local operators = { "+", "-", "*", "/", "//", "%", "^", "==", "~=", "<", "<=", ">", ">=", "&", "|",
  "~", "<<", ">>", "unary -", "unary ~", "not" }

local check, files = false, {}
for _, word in ipairs(arg) do
  if word == "--check" then check = true else files[#files + 1] = word end
end

local function run(options)
  local path = os.tmpname()
  os.execute(("'%s' '%s../conformance/run.lua' %s --results %s >/dev/null"):format(
    arg[-1] or "luajit", here, options, path))
  return path
end

-- ------------------------------------------------------------------- results --

-- What passed, and why cases were skipped: "function sum f32" -> true or text.
local function read(path)
  local found = { count = 0, failed = 0, passed = {}, skipped = {} }
  workers.read(path, function(_, _, status, reason, applied)
    if status == "passed" then found.count = found.count + 1 end
    if status == "failed" then found.failed = found.failed + 1 end
    for key in applied:gmatch "[^,]+" do
      if status == "passed" then found.passed[key] = true end
      local shown = status == "skipped" and key:match "^shown (.*)$"
      if shown then found.skipped[shown] = reason end
    end
  end)
  return found
end

local compiled = read(files[1] or run "")
local interpreted = read(files[2] or run "--interpret")

-- --------------------------------------------------------------------- cells --

local notes, note_numbers = {}, {}
local gaps = {}

local function note(reason)
  if not note_numbers[reason] then
    notes[#notes + 1] = reason
    note_numbers[reason] = #notes
  end
  return tostring(note_numbers[reason])
end

local function cell(kind, row, dtype)
  local key = ("%s %s %s"):format(kind, row, dtype)
  local c, i = compiled.passed[key], interpreted.passed[key]
  if c and i then return "ci" end
  local reason = compiled.skipped[row .. " " .. dtype] or interpreted.skipped[row .. " " .. dtype]
    or reasons.find(row, dtype)
  local shown = (c and "c" or "") .. (i and "i" or "")
  if reason then return shown .. (shown == "" and "" or " ") .. note(reason) end
  gaps[#gaps + 1] = ("%s %s%s"):format(row, dtype, shown ~= "" and " (only " .. shown .. ")" or "")
  return shown
end

local function named(name)
  return "`" .. name:gsub("|", "\\|") .. "`"
end

-- Of operations of the tile IR only what a case applied is listed: their types follow from the
-- functions above.
local function ir_row(name)
  local both, one = {}, {}
  for _, dtype in ipairs(ir_dtypes) do
    local key = ("ir %s %s"):format(name, dtype)
    local c, i = compiled.passed[key], interpreted.passed[key]
    if c and i then both[#both + 1] = dtype elseif c or i then one[#one + 1] = dtype end
  end
  local bare = ("ir %s -"):format(name)
  if compiled.passed[bare] or interpreted.passed[bare] then both[#both + 1] = "(no operand)" end
  if #both + #one == 0 then
    local reason = reasons.find("ir:" .. name, "")
    if reason then one[1] = note(reason) else gaps[#gaps + 1] = "ir " .. name end
  end
  return ("| `%s` | %s | %s |\n"):format(name, table.concat(both, " "), table.concat(one, " "))
end

local function language_row(kind, name)
  local cells = {}
  for k, dtype in ipairs(dtypes) do cells[k] = cell(kind, name, dtype) end
  return ("| %s | %s |\n"):format(named(name), table.concat(cells, " | "))
end

local function table_head()
  return ("| | %s |\n|---%s|\n"):format(table.concat(dtypes, " | "), ("|---"):rep(#dtypes))
end

-- ---------------------------------------------------------------------- page --

local function body()
  local out = { "\n## Operators\n\n", table_head() }
  for _, name in ipairs(operators) do out[#out + 1] = language_row("operator", name) end
  out[#out + 1] = "\n## Functions\n\n" .. table_head()
  for _, row in ipairs(rows) do out[#out + 1] = language_row("function", row[1]) end
  out[#out + 1] = "\n## Operations of the tile IR\n\n| | compiled and interpreted | one of them |\n"
    .. "|---|---|---|\n"
  for _, row in ipairs(ops.ir) do out[#out + 1] = ir_row(row[1]) end
  out[#out + 1] = "\n## Reasons\n\n"
  for i, reason in ipairs(notes) do out[#out + 1] = ("%d. %s\n"):format(i, reason) end
  return table.concat(out)
end

local function text()
  local tables = body()
  return ("%d cases\n\n# Coverage\n\n"):format(compiled.count)
    .. "Made by spec/gen/coverage.lua from the results of spec/conformance. `c`: a case that"
    .. " applies the function\nto the dtype passes compiled for the CPU; `i`: one passes in the"
    .. " interpreter; a number: a reason below why there is none.\n" .. tables
end

local function read_page()
  local file = io.open(page, "rb")
  local old = file and file:read "*a" or ""
  if file then file:close() end
  return old
end

local new, old = text(), read_page()
for _, gap in ipairs(gaps) do print("without a case or a reason: " .. gap) end
local function without_count(page_text) return (page_text:gsub("^%d+", "")) end
if check then
  local claimed = tonumber(old:match "^%d+")
  local stale = without_count(old) ~= without_count(new) or not claimed or claimed > compiled.count
  if stale then io.stderr:write("spec/coverage.md is not what the cases show: run"
    .. " luajit spec/gen/coverage.lua\n") end
  os.exit(not stale and #gaps == 0 and 0 or 1)
end
local file = assert(io.open(page, "wb"))
file:write(new)
file:close()
print(("%d cases, %d failed compiled, %d interpreted"):format(compiled.count, compiled.failed,
  interpreted.failed))
