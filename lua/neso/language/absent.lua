--- What a person who knows Triton looks for and neso has not: name = what to write meanwhile, ""
--- where there is nothing yet. spec/language.md lists the same.
local M = {}


local function all(names, advice)
  for name in names:gmatch "%S+" do M[name] = advice end
end

all("floordiv", "tl.div_floor")

return M
