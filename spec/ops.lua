-- Every operation of neso, once. Two lists:
--
--   ir        operations of the tile IR: what the decoder may build. The C header neso_ops.h, from
--             which the `neso` dialect is registered, is made from them (spec/gen/ops_header.lua).
--   language  functions of the tile language (`tl.*`), from spec/ops_language.lua: signature, doc
--             line, reference in plain Lua, and the ir operation.
--
-- A row of `ir`: {name, operands, results, ...} with
--   operands  count, or {min, max}; max -1 is any number
--   results   count; -1 is any number
--   effect    "NONE" (default), "READ" or "WRITE"
--   regions   count (default 0)
--   terminator  true for the last operation of a region
--   attributes  list of {name, kind} for the `neso` dialect (all mandatory); kinds: integer string
--               bool array
--   args, doc names of the operands and meaning

local memory = { { "cache", "string" }, { "evict", "string" }, { "volatile", "bool" } }
local axis = { { "axis", "integer" } }

local neso = {
  { "neso.program_id", 0, 1, attributes = axis, doc = "index of this program along `axis`, i32" },
  { "neso.num_programs", 0, 1, attributes = axis, doc = "extent of the grid along `axis`, i32" },
  { "neso.arange", 0, 1, attributes = { { "start", "integer" }, { "end", "integer" } },
    doc = "block of i32 that counts from `start` to before `end`" },
  { "neso.broadcast", 1, 1, args = { "block" }, doc = "extents of 1 stretched, rank kept" },
  { "neso.expand_dims", 1, 1, attributes = axis, args = { "block" },
    doc = "an extent of 1 put in" },
  { "neso.reshape", 1, 1, args = { "block" }, doc = "same elements, row-major" },
  { "neso.trans", 1, 1, attributes = { { "order", "array" } }, args = { "block" },
    doc = "extent k of the result is extent order[k] of the operand" },
  { "neso.load", 2, 1, effect = "READ", attributes = memory, args = { "base", "offsets" },
    doc = "elements at base + offsets" },
  { "neso.masked_load", 4, 1, effect = "READ", attributes = memory,
    args = { "base", "offsets", "mask", "other" }, doc = "`other` where the mask is false" },
  { "neso.store", 3, 0, effect = "WRITE", attributes = memory,
    args = { "base", "offsets", "value" }, doc = "writes the elements at base + offsets" },
  { "neso.masked_store", 4, 0, effect = "WRITE", attributes = memory,
    args = { "base", "offsets", "value", "mask" }, doc = "writes where the mask is true" },
  { "neso.reduce", 1, 1, attributes = { { "axis", "integer" }, { "kind", "string" } },
    args = { "block" }, doc = "the block without `axis`" },
  { "neso.arg_reduce", 1, 2,
    attributes = { { "axis", "integer" }, { "kind", "string" }, { "propagate_nan", "bool" } },
    args = { "block" }, doc = "extreme value and its lowest index (i32)" },
  { "neso.dot", 3, 1, attributes = { { "precision", "string" } }, args = { "a", "b", "acc" },
    doc = "acc + a b" },
}

local scf = {
  { "scf.for", { 3, -1 }, -1, regions = 1 },
  { "scf.if", 1, -1, regions = 2 },
  { "scf.while", { 0, -1 }, -1, regions = 2 },
  { "scf.yield", { 0, -1 }, 0, terminator = true },
  { "scf.condition", { 1, -1 }, 0, terminator = true },
  { "func.return", { 0, -1 }, 0, terminator = true },
}

-- Names of upstream operations without regions, by number of operands; each has one result.
local simple = {
  [0] = { arith = "constant" },
  {
    arith = "negf extsi extui trunci extf truncf sitofp uitofp fptosi fptoui bitcast",
    math = "absf absi ceil cos erf exp exp2 expm1 floor log log10 log1p log2 round roundeven rsqrt"
      .. " sin sqrt tan tanh trunc",
    tensor = "splat",
  },
  {
    arith = "addi subi muli divsi divui remsi remui andi ori xori shli shrsi shrui"
      .. " addf subf mulf divf remf cmpi cmpf"
      .. " maximumf minimumf maxnumf minnumf maxsi maxui minsi minui",
    math = "powf atan2 copysign",
  },
  { arith = "select", math = "fma" },
}

local ir = {}
for operands = 0, 3 do
  for _, dialect in ipairs { "arith", "math", "tensor" } do
    for name in (simple[operands][dialect] or ""):gmatch("%S+") do
      ir[#ir + 1] = { dialect .. "." .. name, operands, 1 }
    end
  end
end
for _, list in ipairs { scf, neso } do
  for _, row in ipairs(list) do
    ir[#ir + 1] = row
  end
end

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"

return { ir = ir, language = dofile(here .. "ops_language.lua") }
