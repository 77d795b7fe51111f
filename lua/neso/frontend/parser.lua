-- Lua text to a tree, with the place of every node. Statements and entry points; expressions are in
-- parser_expr.lua, names and jumps in parser_scope.lua.
--
-- Accepts what LuaJIT accepts (version 5.1), or Lua 5.3 with 5.4's <const> (version 5.3). Numbers
-- with LuaJIT's suffixes LL, ULL and i belong to no kernel: they are refused unless `ctx.host`.
--
-- A node is { kind=, pos=, stop= (bytes of the chunk), line=, col= }. Expressions:
--   Nil True False Vararg, Number{value,integer,text,suffix?}, String{value},
--   Name{name,decl?}, Index{object,key}, Call{callee,args}, Method{object,name,args},
--   Function{params,is_vararg,body,name?}, Binary{op,left,right}, Unary{op,operand}, Paren{expr},
--   Table{items={{key?,value}}}
-- Statements:
--   Local{names,values}, Assign{targets,values}, CallStat{call}, Do{body}, While{cond,body},
--   Repeat{body,cond}, If{clauses={{cond,body}},orelse?}, NumericFor{var,start,limit,step?,body},
--   GenericFor{names,exprs,body}, FunctionStat{target,func,is_method},
--   LocalFunction{name,func}, Return{values}, Break, Goto{label}, Label{name}
-- A Block holds its statements in its array part. A declaring Name and each use share `decl`,
-- { name=, node= }; a use without `decl` is an upvalue of the text, or a global.
local expr = require "neso.frontend.parser_expr"
local hints = require "neso.frontend.parser_hints"
local scope = require "neso.frontend.parser_scope"
local state = require "neso.frontend.parser_state"

local open, close, accept, expect = state.open, state.close, state.accept, state.expect
local expect_closing, read_name, fail = state.expect_closing, state.name, state.fail

local parser = {}
local statement = {} -- keyword -> reader

local BLOCK_ENDS = { eof = true, ["end"] = true, ["else"] = true, ["elseif"] = true,
  ["until"] = true }

local function read_statement(ps)
  local reader = statement[ps.lx.kind]
  if reader then
    local stat = reader(ps)
    if stat then return stat end
  end
  return expr.statement(ps)
end

-- Statements up to the end of the block; the caller opened its scope.
local function read_statements(ps, block)
  local lx, n = ps.lx, 0
  state.enter(ps)
  while not BLOCK_ENDS[lx.kind] do
    if lx.kind == ";" and ps.lenient then
      lx:advance()
    else
      local stat = read_statement(ps)
      n = n + 1
      block[n] = stat
      if not ps.lenient then accept(ps, ";") end
      if stat.kind == "Return" or (stat.kind == "Break" and not ps.lenient) then
        accept(ps, ";")
        break
      end
    end
  end
  state.leave(ps)
  return close(ps, block)
end

local function read_block(ps, is_loop)
  scope.open_block(ps, is_loop)
  local block = read_statements(ps, open(ps, "Block"))
  scope.close_block(ps)
  return block
end

statement["do"] = function(ps)
  local node = open(ps, "Do")
  ps.lx:advance()
  node.body = read_block(ps)
  expect_closing(ps, "end", node)
  return close(ps, node)
end

statement["while"] = function(ps)
  local node = open(ps, "While")
  ps.lx:advance()
  node.cond = expr.read(ps)
  expect(ps, "do", hints.missing)
  node.body = read_block(ps, true)
  expect_closing(ps, "end", node)
  return close(ps, node)
end

statement["repeat"] = function(ps)
  local node = open(ps, "Repeat")
  ps.lx:advance()
  scope.open_block(ps, true)
  node.body = read_statements(ps, open(ps, "Block"))
  expect_closing(ps, "until", node)
  node.cond = expr.read(ps)
  scope.close_block(ps)
  return close(ps, node)
end

local function read_clause(ps)
  ps.lx:advance()
  local cond = expr.read(ps)
  expect(ps, "then", hints.missing)
  return { cond = cond, body = read_block(ps) }
end

statement["if"] = function(ps)
  local node = open(ps, "If")
  node.clauses = { read_clause(ps) }
  while ps.lx.kind == "elseif" do
    node.clauses[#node.clauses + 1] = read_clause(ps)
  end
  if accept(ps, "else") then node.orelse = read_block(ps) end
  expect_closing(ps, "end", node)
  return close(ps, node)
end

local function read_loop_body(ps, node, names)
  expect(ps, "do", hints.missing)
  scope.open_block(ps, true)
  for i = 1, #names do scope.declare(ps, names[i]) end
  node.body = read_statements(ps, open(ps, "Block"))
  scope.close_block(ps)
  expect_closing(ps, "end", node)
  return close(ps, node)
end

local function numeric_for(ps, node, var)
  node.kind, node.var = "NumericFor", var
  ps.lx:advance()
  node.start = expr.read(ps)
  expect(ps, ",")
  node.limit = expr.read(ps)
  if accept(ps, ",") then node.step = expr.read(ps) end
  return read_loop_body(ps, node, { var })
end

statement["for"] = function(ps)
  local node = open(ps, "GenericFor")
  ps.lx:advance()
  local first = read_name(ps)
  if ps.lx.kind == "=" then return numeric_for(ps, node, first) end
  node.names = { first }
  while accept(ps, ",") do node.names[#node.names + 1] = read_name(ps) end
  if ps.lx.kind ~= "in" then fail(ps, "expected `=` or `in` after the names of `for`") end
  ps.lx:advance()
  node.exprs = expr.list(ps)
  return read_loop_body(ps, node, node.names)
end

statement["function"] = function(ps)
  local node = open(ps, "FunctionStat")
  local start = open(ps, "Function")
  ps.lx:advance()
  local spelled
  node.target, spelled, node.is_method = expr.function_name(ps)
  node.func = expr.function_body(ps, start, node.is_method)
  node.func.name = spelled
  return close(ps, node)
end

local function local_function(ps, node)
  node.kind = "LocalFunction"
  local start = open(ps, "Function")
  ps.lx:advance()
  node.name = read_name(ps)
  scope.declare(ps, node.name)
  node.func = expr.function_body(ps, start)
  node.func.name = node.name.name
  return close(ps, node)
end

local function read_attribute(ps, name)
  if not (ps.newer and accept(ps, "<")) then return end
  local attribute = read_name(ps)
  if attribute.name ~= "const" and attribute.name ~= "close" then
    state.fail_at(ps, attribute, ("unknown attribute `%s`"):format(attribute.name))
  end
  expect(ps, ">")
  name.attribute = attribute.name
end

statement["local"] = function(ps)
  local node = open(ps, "Local")
  ps.lx:advance()
  if ps.lx.kind == "function" then return local_function(ps, node) end
  node.names, node.values = {}, {}
  repeat
    local name = read_name(ps)
    read_attribute(ps, name)
    node.names[#node.names + 1] = name
  until not accept(ps, ",")
  if accept(ps, "=") then node.values = expr.list(ps) end
  for i = 1, #node.names do scope.declare(ps, node.names[i]) end
  return close(ps, node)
end

statement["return"] = function(ps)
  local node = open(ps, "Return")
  local lx = ps.lx
  lx:advance()
  node.values = (BLOCK_ENDS[lx.kind] or lx.kind == ";") and {} or expr.list(ps)
  return close(ps, node)
end

statement["break"] = function(ps)
  local node = open(ps, "Break")
  scope.check_break(ps, node)
  ps.lx:advance()
  return close(ps, node)
end

statement["goto"] = function(ps)
  if not ps.newer and ps.lx:peek() ~= "name" then return nil end
  local node = open(ps, "Goto")
  ps.lx:advance()
  node.label = read_name(ps).name
  close(ps, node)
  scope.add_goto(ps, node)
  return node
end

local function skip_semicolons(ps)
  while ps.lx.kind == ";" do ps.lx:advance() end
end

statement["::"] = function(ps)
  local node = open(ps, "Label")
  local lx = ps.lx
  lx:advance()
  node.name = read_name(ps).name
  expect(ps, "::")
  close(ps, node)
  if ps.lenient then skip_semicolons(ps) end
  scope.add_label(ps, node, BLOCK_ENDS[lx.kind] and lx.kind ~= "until")
  return node
end

local function new_state(text, ctx, from)
  local ps = state.new(text, ctx, from)
  ps.read_statements = read_statements
  return ps
end

local function check_all_read(ps)
  local kind = ps.lx.kind
  if kind == "eof" then return end
  if kind == "end" then
    fail(ps, "`end` closes nothing", "an earlier `end` already closed the last open block")
  end
  fail(ps, ("unexpected %s: the block ended before it"):format(state.found(ps)),
    "return and break are the last statement of a block")
end

--- A whole chunk. The tree is a Block with `ctx`.
---@param text string
---@param ctx { name: string, text: string?, version: number?, host: boolean? }
---@return table block
function parser.parse_chunk(text, ctx)
  local ps = new_state(text, ctx)
  scope.open_function(ps, true)
  local block = read_block(ps)
  check_all_read(ps)
  scope.close_function(ps)
  block.ctx = ps.ctx
  return block
end

--- The function whose `function` keyword is at byte `from` and whose `end` ends at byte `to`.
--- Its own name, where it is written as a statement, is `name`. The tree is a Function with `ctx`.
---@param text string the whole chunk
---@param from integer
---@param to integer
---@param ctx { name: string, text: string?, version: number? }
---@return table func
function parser.parse_function(text, from, to, ctx)
  local ps = new_state(text, ctx, from)
  scope.open_function(ps, false)
  scope.open_block(ps)
  local start = open(ps, "Function")
  expect(ps, "function")
  local is_method, spelled
  if ps.lx.kind ~= "(" then
    local _
    _, spelled, is_method = expr.function_name(ps)
  end
  local func = expr.function_body(ps, start, is_method)
  func.name = spelled
  if func.stop ~= to then
    state.fail_at(ps, func, "the function does not end where it was found to end")
  end
  func.ctx = ps.ctx
  return func
end

return parser
