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
local assembly = { { "text", "string" }, { "constraints", "string" }, { "pack", "integer" } }
local foreign = { { "symbol", "string" }, { "library", "string" } }

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
  { "neso.address", 1, 1, args = { "pointer" }, doc = "the address in bytes, i64" },
  { "neso.pointer", 1, 1, args = { "address" }, doc = "a pointer to an address, i64" },
  { "neso.from_f8", 1, 1, attributes = { { "format", "string" } }, args = { "codes" },
    doc = "8-bit floats, given as i8, as f32" },
  { "neso.to_f8", 1, 1, attributes = { { "format", "string" } }, args = { "x" },
    doc = "f32 rounded to 8-bit floats, as i8" },
  { "neso.reduce", 1, 1, attributes = { { "axis", "integer" }, { "kind", "string" } },
    args = { "block" }, doc = "the block without `axis`" },
  { "neso.arg_reduce", 1, 2,
    attributes = { { "axis", "integer" }, { "kind", "string" }, { "propagate_nan", "bool" } },
    args = { "block" }, doc = "extreme value and its lowest index (i32)" },
  { "neso.dot", 3, 1, attributes = { { "precision", "string" } }, args = { "a", "b", "acc" },
    doc = "acc + a b" },

  -- Shape with another order of elements.
  { "neso.cat", 2, 1, attributes = axis, args = { "a", "b" }, doc = "b after a along `axis`" },
  { "neso.slice", 1, 1, attributes = { { "start", "array" }, { "step", "array" } },
    args = { "block" }, doc = "element i is element start + i * step of the block, by axis" },
  { "neso.gather", 2, 1, attributes = axis, args = { "block", "index" },
    doc = "elements at `index` along `axis`; 0 where the index is outside" },
  { "neso.sort", { 1, -1 }, -1,
    attributes = { { "axis", "integer" }, { "descending", "bool" } }, args = { "keys", "..." },
    doc = "keys in order along `axis`, stable, NaN greatest; the other blocks move along" },
  { "neso.histogram", { 1, 2 }, 1, args = { "block", "mask" },
    doc = "how often 0, 1, ... occur, i32; what is outside or masked off is not counted" },

  -- With a function on scalars as region.
  { "neso.fold", { 1, -1 }, -1, regions = 1, attributes = axis, args = { "block", "..." },
    doc = "the blocks without `axis`, combined by the region (accumulators, elements)" },
  { "neso.scan", { 1, -1 }, -1, regions = 1,
    attributes = { { "axis", "integer" }, { "reverse", "bool" } }, args = { "block", "..." },
    doc = "inclusive prefixes along `axis`, combined by the region (accumulators, elements)" },
  { "neso.map", { 1, -1 }, -1, regions = 1, args = { "block", "..." },
    doc = "the region on each element of the blocks" },

  { "neso.yield", { 0, -1 }, 0, terminator = true, args = { "..." },
    doc = "what such a region gives" },

  -- Atomic memory operations give the old values, 0 where the mask is false.
  { "neso.atomic_rmw", { 3, 4 }, 1, effect = "WRITE",
    attributes = { { "kind", "string" }, { "sem", "string" }, { "scope", "string" } },
    args = { "base", "offsets", "value", "mask" },
    doc = "*p = kind(*p, value), element by element" },
  { "neso.atomic_cas", { 4, 5 }, 1, effect = "WRITE",
    attributes = { { "sem", "string" }, { "scope", "string" } },
    args = { "base", "offsets", "compare", "value", "mask" },
    doc = "*p = value where *p has the bits of compare" },
  { "neso.barrier", 0, 0, effect = "WRITE", doc = "all threads of the program meet" },

  -- Reports to the host.
  { "neso.print", { 0, -1 }, 0, effect = "WRITE",
    attributes = { { "text", "string" }, { "dtypes", "string" }, { "hex", "bool" } },
    args = { "..." }, doc = "prints the values; `dtypes` are their types in the language" },
  { "neso.assert", { 1, 2 }, 0, effect = "WRITE",
    attributes = { { "message", "string" }, { "shape", "array" } },
    args = { "condition", "index" },
    doc = "ends the launch with the message unless the scalar condition holds; `index` is that of"
      .. " the failing element in a block of `shape`, row-major" },
  { "neso.check_access", { 2, 3 }, 0, effect = "WRITE",
    attributes = { { "dtype", "string" }, { "name", "string" }, { "access", "string" } },
    args = { "base", "offsets", "mask" },
    doc = "ends the launch unless every element lies in a buffer of the launch" },
  { "neso.breakpoint", { 0, -1 }, 0, effect = "WRITE", attributes = { { "names", "string" } },
    args = { "..." }, doc = "a prompt in the interpreter; compiled code has none" },

  -- Code that is not neso's. The forms without `_pure` may have effects.
  { "neso.asm", { 0, -1 }, -1, effect = "WRITE", attributes = assembly, args = { "..." },
    doc = "an assembly text on each `pack` elements" },
  { "neso.asm_pure", { 0, -1 }, -1, attributes = assembly, args = { "..." },
    doc = "the same without effects" },
  { "neso.extern", { 0, -1 }, 1, effect = "WRITE", attributes = foreign, args = { "..." },
    doc = "a C function on each element" },
  { "neso.extern_pure", { 0, -1 }, 1, attributes = foreign, args = { "..." },
    doc = "the same without effects" },
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
    math = "absf absi ceil cos ctlz ctpop cttz erf exp exp2 expm1 floor log log10 log1p log2 round"
      .. " roundeven rsqrt sin sqrt tan tanh trunc",
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
