--- What a person who knows Triton looks for and neso has not: name = what to write meanwhile, ""
--- where there is nothing yet. spec/language.md lists the same.
local M = {}

local MASKED = "pointers, offsets and a mask do it: tl.load(p + i:col() * stride + j:row(), mask)"

local function all(names, advice)
  for name in names:gmatch "%S+" do M[name] = advice end
end

all("inline_asm_elementwise dot_scaled", "")
all("make_block_ptr advance make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor",
  MASKED)
all("cosh sinh asin acos atan", "")
all("isnan", "x ~= x")
all("fdiv", "x / y")
all("floordiv", "tl.div_floor")

return M
