-- Where the prompt's lines come from: a terminal with line editing (the `neso` program), a plain
-- terminal (any other LuaJIT), or a pipe, which shows no prompts.
local io, os = require "io", require "os"
local pcall, require = pcall, require

local reader = {}

local function history_path()
  local folder = os.getenv "XDG_STATE_HOME"
  if not folder or folder == "" then
    local home = os.getenv "HOME"
    folder = home and home ~= "" and home .. "/.local/state"
  end
  return folder and folder .. "/neso/history" or nil
end

local function plain(interactive)
  return {
    interactive = interactive,
    read = function(_, prompt)
      if interactive then
        io.write(prompt)
        io.flush()
      end
      local line = io.read "*l"
      if line then return line end
      return nil, "eof"
    end,
    remember = function() end,
    complete = function() end,
  }
end

local function edited(editor)
  return {
    interactive = true,
    read = function(_, prompt) return editor:read(prompt) end,
    remember = function(_, line) editor:remember(line) end,
    complete = function(_, f) editor:complete(f) end,
  }
end

--- The reader for the standard input: `interactive`, `read(prompt)` -> line, or nil and "eof" or
--- "interrupted"; `remember(line)`; `complete(f)`.
function reader.open()
  local ok, terminal = pcall(require, "neso.terminal")
  if not ok then return plain(true) end
  if not (terminal.is_terminal(0) and terminal.is_terminal(1)) then return plain(false) end
  local editor = terminal.editor(history_path())
  return editor and edited(editor) or plain(true)
end

return reader
