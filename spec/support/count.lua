-- Usage: luajit count.lua tests.xml
-- Reads the JUnit file of ctest and prints the sum over the cases inside every test. A test tells
-- its count by a last line "N passed, N failed[, N skipped]" or by cmocka's report; any other
-- counts as one. Exits 1 when something failed or nothing passed.

local CLOSING = "(%d+) passed, (%d+) failed"

local function unescape(text)
  local names = { lt = "<", gt = ">", quot = '"', apos = "'", amp = "&" }
  return (text:gsub("&(%a+);", names))
end

local function last_closing(text)
  local passed, failed, skipped
  for line in text:gmatch "[^\n]+" do
    local p, f = line:match(CLOSING)
    if p then passed, failed, skipped = p, f, line:match "(%d+) skipped" or 0 end
  end
  if passed then return tonumber(passed), tonumber(failed), tonumber(skipped) end
end

local function cmocka_report(text)
  local function sum(pattern)
    local n, seen = 0, false
    for k in text:gmatch(pattern) do n, seen = n + tonumber(k), true end
    return n, seen
  end
  local passed, is_cmocka = sum "%[  PASSED  %] (%d+) test%(s%)"
  if not is_cmocka then return end
  local failed = sum "%[  FAILED  %] (%d+) test%(s%), listed"
  local skipped = sum "%[  SKIPPED %] (%d+) test%(s%), listed"
  return passed, failed, skipped
end

local function count_case(status, output)
  local passed, failed, skipped = last_closing(output)
  if not passed then passed, failed, skipped = cmocka_report(output) end
  if status == "notrun" or status == "disabled" then return 0, 0, 1 end
  if not passed then passed, failed, skipped = status == "run" and 1 or 0, 0, 0 end
  if status == "fail" and failed == 0 then failed = 1 end
  return passed, failed, skipped
end

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "*a" or ""
  if file then file:close() end
  return text
end

local total = { 0, 0, 0 }
for head, body in read(arg[1]):gmatch "<testcase(.-)>(.-)</testcase>" do
  local output = unescape(body:match "<system%-out>(.*)</system%-out>" or "")
  local counts = { count_case(head:match 'status="(%w+)"', output) }
  for i = 1, 3 do total[i] = total[i] + counts[i] end
  for line in ("\n" .. output):gmatch "\n(skipped [^\n]+)" do print(line) end
  if counts[2] > 0 then print("failed: " .. head:match 'name="([^"]*)"') end
end
if total[1] + total[2] == 0 then
  print "no test ran"
  total[2] = 1
end
print(("%d passed, %d failed, %d skipped"):format(unpack(total)))
os.exit(total[2] == 0 and total[1] > 0 and 0 or 1)
