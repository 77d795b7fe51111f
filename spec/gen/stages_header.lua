-- luajit spec/gen/stages_header.lua COMPILER_LUA OUT
-- Writes the stages of a backend's compiler.lua as rows of an array of neso_stage, for C tests.
local rows = {}
for i, stage in ipairs(dofile(arg[1]).stages) do
  rows[i] = ('{"%s", "%s"},\n'):format(stage.name, stage.passes)
end
local file = assert(io.open(arg[2], "wb"))
file:write(table.concat(rows))
file:close()
