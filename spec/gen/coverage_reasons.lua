-- Why a cell of spec/coverage.md has no case: { rows, dtypes, reason }. Rows are names of the
-- language's functions and operators, or "ir:" and the name of an operation; dtypes are names,
-- classes (below) or "*". The first line that fits is taken.

local classes = {
  integers = "i8 i16 i32 i64 u8 u16 u32 u64",
  numbers = "i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e5m2 f8e4m3fn f8e4b15 f8e4m3fnuz"
    .. " f8e5m2fnuz",
  floats = "f16 bf16 f32 f64 f8e5m2 f8e4m3fn f8e4b15 f8e4m3fnuz f8e5m2fnuz",
  eights = "f8e5m2 f8e4m3fn f8e4b15 f8e4m3fnuz f8e5m2fnuz",
}

local lines = {
  { "program_id num_programs", "*", "gives i32" },
  { "arange", "*", "makes i32; convert with :to" },
  { "& | ~ << >> band bor bxor bnot lshift rshift arshift popcount clz ffs brev xor_sum histogram"
    .. " unary~ atomic_and atomic_or atomic_xor descriptor_atomic_and descriptor_atomic_or"
    .. " descriptor_atomic_xor swizzle2d", "floats", "integers only" },
  { "<< >> lshift rshift arshift popcount clz ffs brev histogram swizzle2d", "i1",
    "integers only" },
  { "isnan isinf isfinite signbit copysign nextafter ldexp", "integers i1", "floats only" },
  { "nextafter", "eights", "floats of 16 bits and more" },
  { "softmax", "integers i1 eights", "floats of 16 bits and more" },
  { "not", "numbers", "booleans only: numbers are compared" },
  { "abs clamp fma band bor bxor bnot cdiv fdiv div_rn div_floor div_trunc rem bitcast dot"
    .. " dot_scaled atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg"
    .. " atomic_cas descriptor_atomic_add descriptor_atomic_min descriptor_atomic_max"
    .. " descriptor_atomic_and descriptor_atomic_or descriptor_atomic_xor descriptor_gather"
    .. " descriptor_scatter", "i1", "not of booleans" },
  { "cdiv", "floats", "integers only" },
  { "brev", "*", "of u32 and i32" },
  { "umulhi", "*", "of 32- and 64-bit integers" },
  { "dot", "u32 u64 f8e4b15", "no such product" },
  { "dot_scaled", "*", "takes the formats of its scaled operands: fp4, fp8, f16, bf16" },
  { "rand randn randint randint4x rand4x randn4x philox", "floats i1", "seeds are integers" },
  { "philox", "*", "computed in u32, as its cases of i32 show" },
  { "philox_impl uint_to_uniform_float", "*", "words are u32" },
  { "pair_uniform_to_normal", "*", "uniform numbers are f32" },
  { "range static_range", "*", "bounds are integers, i32 or i64 at run time" },
  { "debug_barrier static_assert static_print", "*", "has no operand" },
  { "pointer_type", "*", "a type, not a function on values" },
  { "assume device_assert", "*", "takes a condition" },
  { "device_print", "*", "prints: spec/lua/debug_spec.lua" },
  { "next_power_of_2", "*", "of numbers known when compiling" },
  { "inline_asm_elementwise", "*", "of the target's assembly: spec/lua/foreign_spec.lua" },
  { "advance", "*", "moves block pointers of every dtype: see make_block_ptr" },
  { "descriptor_gather descriptor_scatter descriptor_atomic_add descriptor_atomic_min"
    .. " descriptor_atomic_max descriptor_atomic_and descriptor_atomic_or descriptor_atomic_xor",
    "numbers", "shown on some dtypes: the memory operation inside is that of every dtype" },
  { "ir:arith.constant", "*", "in every program" },
  { "ir:math.absi", "*", "for other frontends: spec/lua/interpreter_spec.lua" },
  { "ir:neso.print ir:neso.assert ir:neso.check_access", "*", "reports: spec/lua/debug_spec.lua" },
  { "ir:neso.breakpoint", "*", "interpreter only: spec/lua/interpreter_spec.lua" },
  { "ir:neso.asm ir:neso.asm_pure ir:neso.extern ir:neso.extern_pure", "*",
    "code of the target or of a library: spec/lua/foreign_spec.lua" },
  { "atomic_add atomic_max atomic_min atomic_xchg atomic_cas", "eights",
    "no atomics of 8-bit floats: memory has them as bytes" },
}

local M = {}

local function fits(list, name)
  if list == "*" then return true end
  for word in list:gmatch "%S+" do
    if word == name then return true end
    if classes[word] and (" " .. classes[word] .. " "):find(" " .. name .. " ", 1, true) then
      return true
    end
  end
  return false
end

--- The reason for a row and a dtype, or nil.
---@param row string
---@param dtype string
---@return string|nil
function M.find(row, dtype)
  for _, line in ipairs(lines) do
    if fits(line[1], (row:gsub(" ", ""))) and fits(line[2], dtype) then return line[3] end
  end
end

return M
