-- The table of messages (spec/messages): each is shown as it says, and every place of the frontend
-- and the language that raises one is met.

local root = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(root .. "codegen_support.lua")
local cases = dofile(root .. "../messages/cases.lua")

-- What other checks leave nothing for, kept in case one of them goes; and extern functions, which
-- foreign_spec calls.
local unreached = { "a kernel cannot call itself", "  cx:fail(x.message, x.hint)",
  "format(node.kind:lower())", "expected a number or a block, got",
  "the block ended before it", "fill no whole registers", "argument %d of '%s' is %s, got %s" }

local function is_unreached(file, at)
  local number = 0
  for line in io.lines(root .. "../../" .. file) do
    number = number + 1
    for _, text in ipairs(unreached) do
      if number == at and line:find(text, 1, true) then return true end
    end
  end
  return false
end

describe("messages", function()
  for _, topic in ipairs(cases.topics) do
    it("of " .. topic .. " are shown with place, line, caret and hint", function()
      for i, case in ipairs(cases.of(topic)) do
        local text = cases.text(case)
        local line, hint = cases.shown(text)
        local where = ("%s %d:\n%s"):format(topic, i, text)
        assert.are.equal(case.message, line, where)
        assert.are.equal(case.hint, hint, where)
        assert.truthy(text:match "^[^\n]-:%d+:%d+: ", where)
        assert.truthy(text:match "\n +| +%^", where)
      end
    end)
  end

  it("are met at every place that raises one", function()
    local sites = cases.watch(function()
      for _, topic in ipairs(cases.topics) do
        for _, case in ipairs(cases.of(topic)) do pcall(cases.text, case) end
      end
    end)
    local wrong = {}
    for file, lines in pairs(sites) do
      for line, state in pairs(lines) do
        local met = state == "met"
        if met == is_unreached(file, line) then
          wrong[#wrong + 1] = ("%s:%d is %smet"):format(file, line, met and "" or "not ")
        end
      end
    end
    table.sort(wrong)
    assert.are.equal("", table.concat(wrong, "\n"))
  end)
end)
