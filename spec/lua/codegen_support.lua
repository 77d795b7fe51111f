--- Compiles kernels for specs: text in, printed program out.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
local root = here .. "../../"
package.path = root .. "lua/?.lua;" .. root .. "lua/?/init.lua;" .. package.path
package.preload["neso.language.rows"] = function()
  return dofile(root .. "spec/ops_language.lua")
end

local frontend = require "neso.frontend"
local printer = dofile(here .. "program_print.lua")
local source = require "neso.frontend.source"

local M = {}

--- "x:*f32 n:i32 BLOCK=16" -> params of a build request; `@f32` is a pointer into a buffer that may
--- be large.
function M.params(text)
  local params = {}
  for word in text:gmatch("%S+") do
    local name, const = word:match("^([%w_]+)=(.+)$")
    if name then
      local value = assert((loadstring or load)("return " .. const))()
      params[#params + 1] = { name = name, kind = "const", value = value }
    else
      local star, dtype
      name, star, dtype = word:match("^([%w_]+):([*@]?)([%w_]+)$")
      params[#params + 1] = { name = name, kind = star ~= "" and "pointer" or "scalar",
        dtype = dtype, facts = star == "*" and 2 or 0 }
    end
  end
  return params
end

--- Builds a live function.
function M.build(fn, params, options)
  local record = assert(source.of(fn))
  return frontend.build { name = "k", fn = fn, source = record, params = M.params(params),
    options = options, backend = "cpu", print = options and options.print }
end

--- Builds the text `function(...) ... end`, with `tl` and the standard library as its free names;
--- gives the printed program and info.
function M.text(body, params, options)
  options = options or {}
  local env = setmetatable(options.env or {}, { __index = _G })
  env.tl = env.tl or require "neso.language"
  local record = { name = "k.lua", text = body, from = 1, to = #body, version = 5.3 }
  local program, lines, info = frontend.build { name = "k", source = record, env = env,
    params = M.params(params), options = options, backend = "cpu", print = options.print }
  return printer.print(program, options.lines and lines, true), info
end

--- The operations of a kernel body, without the first and the last line of the program.
function M.body(statements, params, options)
  local names = {}
  for name in params:gmatch("([%w_]+)[:=]") do
    names[#names + 1] = name
  end
  local text = "function(" .. table.concat(names, ", ") .. ")\n" .. statements .. "\nend"
  local program = M.text(text, params, options)
  return (program:gsub("^[^\n]*\n", ""):gsub("  func.return[^\n]*\n$", ""))
end

--- The error text of a kernel body that must not compile.
function M.error(statements, params, options)
  local ok, message = pcall(M.body, statements, params, options)
  assert(not ok, "the kernel compiles")
  return message
end

return M
