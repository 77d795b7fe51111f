-- luajit spec/gen/ops_header.lua OPS_LUA OUT_DIR
-- Writes what others know of spec/ops.lua: OUT_DIR/neso_ops.h (one NESO_OP row an operation) for C,
-- and OUT_DIR/neso.irdl.mlir (the `neso` dialect) for `mlir-opt --irdl-file` on dumps.

local bases = {
  integer = "#builtin.integer",
  bool = "#builtin.integer",
  string = "#builtin.string",
  array = "#builtin.dense_array",
}

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

local function values(word, names, prefix)
  local parts = {}
  for i, name in ipairs(names) do
    parts[i] = ("%s: %%%s%d"):format(name, prefix, i)
  end
  return #parts > 0 and ("    irdl.%s(%s)\n"):format(word, table.concat(parts, ", ")) or ""
end

local function irdl_operation(row)
  local out = { ("  irdl.operation @%s {\n"):format(row[1]:match("%.(.+)$")) }
  local operands, results = row.args or {}, {}
  assert(#operands == row[2], row[1] .. ": args do not name every operand")
  for i = 1, row[3] do
    results[i] = row[3] == 1 and "result" or "result" .. i
  end
  for i = 1, #operands do
    out[#out + 1] = ("    %%o%d = irdl.any\n"):format(i)
  end
  for i = 1, #results do
    out[#out + 1] = ("    %%r%d = irdl.any\n"):format(i)
  end
  local attributes = {}
  for i, attribute in ipairs(row.attributes or {}) do
    out[#out + 1] = ('    %%a%d = irdl.base "%s"\n'):format(i, bases[attribute[2]])
    attributes[i] = ('"%s" = %%a%d'):format(attribute[1], i)
  end
  out[#out + 1] = values("operands", operands, "o")
  out[#out + 1] = values("results", results, "r")
  if #attributes > 0 then
    out[#out + 1] = ("    irdl.attributes {%s}\n"):format(table.concat(attributes, ", "))
  end
  out[#out + 1] = "  }\n"
  return table.concat(out)
end

local function irdl(ir)
  local out = { "irdl.dialect @neso {\n" }
  for _, row in ipairs(ir) do
    if row[1]:find("^neso%.") then
      out[#out + 1] = irdl_operation(row)
    end
  end
  out[#out + 1] = "}\n"
  return table.concat(out)
end

local ops_path, out_dir = arg[1], arg[2]
local ops = dofile(ops_path)
write(out_dir .. "/neso_ops.h", header(ops.ir))
write(out_dir .. "/neso.irdl.mlir", irdl(ops.ir))
