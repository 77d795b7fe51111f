--- State of one compilation: the builder, the trail of writes, the frame of the function that is
--- being compiled, and what was read of the host.

local builder = require "neso.frontend.builder"
local diagnostics = require "neso.frontend.diagnostics"
local prune = require "neso.frontend.prune"
local values = require "neso.frontend.values"

local M = {}

-- Of one kernel. What is beyond them takes minutes to compile, or never ends.
local max_statements = 2 ^ 18 -- run while compiling
local max_made = 2 ^ 18 -- operations, with those of loops that were tried again
local max_operations = 2 ^ 14
local max_depth = 60 -- of run-time branches and loops

local Context = {}
Context.__index = Context

--- Where a function of the source begins and ends, and where its free names live.
---@class neso.Code
---@field node table Function node
---@field ctx table of the parser
---@field fn function|nil live function
---@field env table|nil names of a string kernel

function M.new()
  return setmetatable({
    builder = builder.new(), trail = {}, owned = setmetatable({}, { __mode = "k" }), serial = 0,
    exit_serial = 0, statements = 0, calls = {}, captures = {}, captured = {}, params = {},
    contract = false,
  }, Context)
end

function Context:new_serial()
  self.serial = self.serial + 1
  return self.serial
end

function Context:new_cell(value, name, node)
  return values.cell(value, name, self:new_serial(), node)
end

--- A table that the kernel may write to.
function Context:new_table()
  local t = {}
  self.owned[t] = self:new_serial()
  return t
end

--- True while the code of the kernel's own file is compiled.
function Context:in_root_file()
  return self.frame.code.ctx.text == self.root_ctx.text
end

--- Line for an operation; 0 in a function of another file than the kernel's.
function Context:line_of(node)
  if self:in_root_file() then return node.line or 0 end
  return self.call_line or 0
end

-- The calls that led to the function being compiled, innermost first.
local function call_notes(self)
  local notes = {}
  for i = #self.calls, 1, -1 do
    local call = self.calls[i]
    notes[#notes + 1] = ("\ncalled in %s:%d"):format(call.ctx.name, call.node.line)
  end
  return table.concat(notes)
end

--- Ends the compilation with an error at the node (default: what is being evaluated).
---@param message string
---@param hint string|nil
---@param node table|nil
function Context:fail(message, hint, node)
  local text = diagnostics.format(self.frame.code.ctx, node or self.node, message, hint)
  error(text .. call_notes(self), 0)
end

function Context:too_large(what)
  self:fail("this kernel has more than " .. what,
    "unrolled loops and calls multiply; a loop at run time is 'for i = a, b' or tl.range")
end

--- The finished body.
function Context:finish()
  prune.run(self.builder)
  local body, count = self.builder:finish()
  if count > max_operations then
    self.node = self.kernel_node
    self:too_large(("%d operations"):format(max_operations))
  end
  return body
end

--- A statement begins: ends the compilation where the kernel has grown too large.
function Context:step()
  self.statements = self.statements + 1
  if self.statements > max_statements then
    self:too_large(("%d statements to run while compiling"):format(max_statements))
  elseif self.builder.count > max_made then
    self:too_large(("%d operations, loops that are tried again counted each time"):format(max_made))
  end
  if self.builder.depth > max_depth then
    self:fail(("run-time branches and loops nest deeper than %d"):format(max_depth))
  end
end

--- Notes that a value of the host was read, once a place.
function Context:capture(kind, where, key, record)
  local seen = self.captured[where]
  if not seen then
    seen = {}
    self.captured[where] = seen
  end
  if seen[key] then return end
  seen[key] = true
  record.kind = kind
  self.captures[#self.captures + 1] = record
end

return M
