--- Compiles kernels for specs: text in, printed program out.

local here = debug.getinfo(1, "S").source:match("^@(.*/)spec/lua/") or ""
package.path = here .. "lua/?.lua;" .. here .. "lua/?/init.lua;" .. here .. "spec/lua/?.lua;"
  .. package.path
package.preload["neso.language.rows"] = package.preload["neso.language.rows"]
  or function() return dofile(here .. "spec/ops_language.lua") end

local frontend = require "neso.frontend"
local printer = require "program_print"
local source = require "neso.frontend.source"

local M = {}

--- "x:*f32 n:i32 BLOCK=16" -> params of a build request.
function M.params(text)
  local params = {}
  for word in text:gmatch("%S+") do
    local name, const = word:match("^([%w_]+)=(.+)$")
    if name then
      params[#params + 1] = { name = name, kind = "const", value = loadstring("return " .. const)() }
    else
      local star, dtype
      name, star, dtype = word:match("^([%w_]+):(%*?)([%w_]+)$")
      params[#params + 1] = { name = name, kind = star == "*" and "pointer" or "scalar",
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

local prelude = "local tl = require 'neso.language'; "

--- Builds the text `function(...) ... end`; gives the printed program without constants' noise.
function M.text(body, params, options)
  local chunk = prelude .. "return " .. body
  local fn = assert(loadstring(chunk, "=k.lua"))()
  if source.register then source.register("=k.lua", chunk) end
  local program, _, info = M.build(fn, params, options)
  return printer.print(program), info
end

--- The error text of a kernel that must not compile.
function M.error(body, params, options)
  local ok, message = pcall(M.text, body, params, options)
  assert(not ok, "the kernel compiles")
  return message
end

return M
