--- The parameter column of the rows of spec/ops_language.lua. Requires nothing: generators of
--- the build read it too.

local M = {}

--- { name =, optional =, named = } for each parameter of the row; `variadic` is set on the list for
--- "...", behind which parameters are given by name only (`named`).
function M.params(row)
  local params = {}
  for word in row[2]:gmatch("%S+") do
    if word == "..." then
      params.variadic = true
    else
      local name, optional = word:match("^([%w_]+)(%??)$")
      params[#params + 1] = { name = name, optional = optional == "?", named = params.variadic }
    end
  end
  return params
end

--- Is the function also called as x:name(...)?
function M.is_method(row, params)
  if row.method ~= nil then return row.method end
  local first = params[1] and params[1].name
  return first == "x" or first == "pointer"
end

return M
