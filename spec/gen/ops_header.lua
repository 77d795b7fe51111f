-- luajit spec/gen/ops_header.lua OPS_LUA OUT
-- Writes the C header of the operations in spec/ops.lua: one NESO_OP row an operation.

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function operand_range(count)
  if type(count) == "table" then
    return count[1], count[2]
  end
  return count, count
end

local function header(ir)
  local lines = {
    "/* Generated from spec/ops.lua. Define",
    " * NESO_OP(enum, name, min_operands, max_operands, results, effect, regions,",
    " *         terminator) before including; -1 means any number. */",
  }
  for _, row in ipairs(ir) do
    local low, high = operand_range(row[2])
    lines[#lines + 1] = ('NESO_OP(%s, "%s", %d, %d, %d, %s, %d, %d)'):format(
      row[1]:upper():gsub("%.", "_"), row[1], low, high, row[3], row.effect or "NONE",
      row.regions or 0, row.terminator and 1 or 0)
  end
  lines[#lines + 1] = "#undef NESO_OP\n"
  return table.concat(lines, "\n")
end

local ops_path, header_path = arg[1], arg[2]
write(header_path, header(dofile(ops_path).ir))
