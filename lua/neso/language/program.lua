--- tl.program_id, tl.num_programs.

local dtypes = require("neso.dtype").names
local builder = require "neso.frontend.builder"
local check = require "neso.language.check"

local function grid_query(name)
  return function(cx, a)
    local axis = check.integer(cx, a.axis or 0, "a grid axis")
    if axis < 0 or axis > 2 then
      cx:fail(("a grid has the axes 0, 1 and 2, got %d"):format(axis))
    end
    local id = cx.builder:value(name, {}, dtypes.i32, {},
      { builder.axis(axis) })
    id.ssa.nonnegative = true
    return id
  end
end

return {
  program_id = grid_query "neso.program_id",
  num_programs = grid_query "neso.num_programs",
}
