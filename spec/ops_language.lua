-- The tile language: one row a function of `tl`. Installed as neso/language/rows.lua, so that the
-- frontend, the reference page and the conformance suite read the same list.
--
--   [1] name   [2] parameters: "x axis? ..." where ? may be left out and `shape` takes a table of
--              extents or plain extents
--   group      heading of the reference page
--   doc        one sentence
--   kind       how it is built where a table is enough:
--                "float1/2/3"  elementwise on floats: `op`; integers become f32, 16-bit floats are
--                              computed in f32 and rounded once; `direct` keeps 16 bits
--              rows without a kind are built by lua/neso/language/<group>.lua
--   op         the tile IR operation
--   method     false: not callable as x:name() (default: the first parameter is x or pointer)
--   reference  the same in plain Lua on numbers, for conformance cases; ulp = error allowed in f32
--   host       true: may also be called outside of kernels, on numbers
-- A row is about values; dtypes and shapes follow the rules of spec/language.md.

local function round_away(x)
  return x >= 0 and math.floor(x + 0.5) or math.ceil(x - 0.5)
end

local function tanh(x)
  if x > 20 then return 1 elseif x < -20 then return -1 end
  local a, b = math.exp(x), math.exp(-x)
  return (a - b) / (a + b)
end

-- Kahan's: what rounding exp(x) and 1 + x lost is divided out again.
local function expm1(x)
  local u = math.exp(x)
  if u == 1 then return x elseif u - 1 == -1 then return -1 end
  return (u - 1) * x / math.log(u)
end

local function log1p(x)
  local u = 1 + x
  return u == 1 and x or math.log(u) * x / (u - 1)
end

local function erf(x)
  if x ~= x then return x end
  if math.abs(x) > 6 then return x > 0 and 1 or -1 end -- within 1e-16
  local term, sum, n = x, x, 0
  repeat
    n = n + 1
    term = term * 2 * x * x / (2 * n + 1)
    sum = sum + term
  until math.abs(term) <= 1e-17 * math.abs(sum)
  return 2 / math.sqrt(math.pi) * math.exp(-x * x) * sum
end

local function cdiv(x, d)
  if type(x) ~= "number" or type(d) ~= "number" then
    error(("tl.cdiv takes numbers, got %s and %s"):format(type(x), type(d)), 2)
  end
  return -math.floor(-x / d)
end

local function div_floor(x, y)
  return math.floor(x / y)
end

local function power_of_2(n)
  local p = 1
  while p < n do
    p = p * 2
  end
  return p
end

return {
  -- Program ---------------------------------------------------------------------------------------
  { "program_id", "axis?", group = "program", op = "neso.program_id",
    doc = "Index of this program along a grid axis (0, 1 or 2; default 0), i32." },
  { "num_programs", "axis?", group = "program", op = "neso.num_programs",
    doc = "Extent of the grid along an axis (default 0), i32." },

  -- Creation --------------------------------------------------------------------------------------
  { "arange", "first last?", group = "create", op = "neso.arange",
    doc = "Block of i32 from `first` to before `last`; with one argument from 0." },
  { "full", "shape value dtype?", group = "create",
    doc = "Block with `value` everywhere; the dtype defaults to that of the value (1.0 is the"
      .. " integer 1)." },
  { "zeros", "shape dtype?", group = "create",
    doc = "Block of zeros, f32 unless a dtype is given." },
  { "zeros_like", "x", group = "create", doc = "Zeros of the shape and dtype of x." },

  -- Shape -----------------------------------------------------------------------------------------
  { "broadcast_to", "x shape", group = "shape", op = "neso.broadcast",
    doc = "x stretched to a shape: extents of 1 grow, missing ones on the left are added." },
  { "expand_dims", "x axis", group = "shape", op = "neso.expand_dims",
    doc = "An extent of 1 put in at `axis`, counted in the result." },
  { "col", "x", group = "shape", doc = "A block {n} as a column {n, 1}." },
  { "row", "x", group = "shape", doc = "A block {n} as a row {1, n}." },
  { "reshape", "x shape", group = "shape", op = "neso.reshape",
    doc = "The same elements in row-major order under another shape; {} gives a scalar." },
  { "ravel", "x", group = "shape", doc = "All elements in one axis." },
  { "trans", "x order?", group = "shape", op = "neso.trans",
    doc = "Axes in another order; by default the last two change places." },
  { "permute", "x order", group = "shape", op = "neso.trans",
    doc = "Axes in the order given: extent k of the result is extent order[k] of x." },
  { "T", "x", group = "shape", doc = "The two axes of a block change places." },

  -- Memory ----------------------------------------------------------------------------------------
  { "load", "pointer mask? other? cache? evict? volatile?", group = "memory", op = "neso.load",
    doc = "Elements at a pointer; where the mask is false, `other` (default 0), and no memory is"
      .. " touched." },
  { "store", "pointer value mask? cache? evict?", group = "memory", op = "neso.store",
    doc = "Writes the value, cast to the element type, where the mask is true." },

  -- Conversion ------------------------------------------------------------------------------------
  { "cast", "x dtype", group = "convert",
    doc = "x as another dtype: rounded to nearest even; float to integer is cut toward zero and"
      .. " saturates, NaN gives 0." },
  { "to", "x dtype", group = "convert", doc = "The same as tl.cast." },
  { "bitcast", "x dtype", group = "convert", op = "arith.bitcast",
    doc = "The bits of x under another dtype of the same width." },

  -- Mathematics -----------------------------------------------------------------------------------
  { "exp", "x", group = "math", kind = "float1", op = "math.exp", reference = math.exp, ulp = 4,
    doc = "e to the x." },
  { "exp2", "x", group = "math", kind = "float1", op = "math.exp2", ulp = 4,
    reference = function(x) return 2 ^ x end, doc = "2 to the x." },
  { "expm1", "x", group = "math", kind = "float1", op = "math.expm1", reference = expm1,
    ulp = 8, doc = "exp(x) - 1." },
  { "log", "x", group = "math", kind = "float1", op = "math.log", reference = math.log, ulp = 4,
    positive = true, doc = "Natural logarithm." },
  { "log2", "x", group = "math", kind = "float1", op = "math.log2", ulp = 4, positive = true,
    reference = function(x) return math.log(x) / math.log(2) end, doc = "Logarithm to base 2." },
  { "log10", "x", group = "math", kind = "float1", op = "math.log10", ulp = 4, positive = true,
    reference = function(x) return math.log(x) / math.log(10) end, doc = "Logarithm to base 10." },
  { "log1p", "x", group = "math", kind = "float1", op = "math.log1p", reference = log1p,
    ulp = 8, positive = true, doc = "log(1 + x)." },
  { "sin", "x", group = "math", kind = "float1", op = "math.sin", reference = math.sin, ulp = 4,
    doc = "Sine of x in radians." },
  { "cos", "x", group = "math", kind = "float1", op = "math.cos", reference = math.cos, ulp = 4,
    doc = "Cosine of x in radians." },
  { "tan", "x", group = "math", kind = "float1", op = "math.tan", reference = math.tan, ulp = 8,
    doc = "Tangent of x in radians." },
  { "tanh", "x", group = "math", kind = "float1", op = "math.tanh", reference = tanh, ulp = 8,
    doc = "Hyperbolic tangent." },
  { "erf", "x", group = "math", kind = "float1", op = "math.erf", reference = erf, ulp = 8,
    doc = "Error function." },
  { "sqrt", "x", group = "math", kind = "float1", op = "math.sqrt", reference = math.sqrt, ulp = 0,
    positive = true, doc = "Square root, correctly rounded." },
  { "rsqrt", "x", group = "math", kind = "float1", op = "math.rsqrt", ulp = 2, positive = true,
    reference = function(x) return 1 / math.sqrt(x) end, doc = "1 / sqrt(x)." },
  { "floor", "x", group = "math", kind = "float1", op = "math.floor", reference = math.floor,
    ulp = 0, keep_integers = true, doc = "Greatest whole number not above x, in the type of x." },
  { "ceil", "x", group = "math", kind = "float1", op = "math.ceil", reference = math.ceil, ulp = 0,
    keep_integers = true, doc = "Least whole number not below x, in the type of x." },
  { "trunc", "x", group = "math", kind = "float1", op = "math.trunc", ulp = 0, keep_integers = true,
    reference = function(x) return x >= 0 and math.floor(x) or math.ceil(x) end,
    doc = "x cut toward zero, in the type of x." },
  { "round", "x", group = "math", kind = "float1", op = "math.round", reference = round_away,
    ulp = 0, keep_integers = true, doc = "Nearest whole number, halves away from zero." },
  { "abs", "x", group = "math", op = "math.absf", reference = math.abs, ulp = 0,
    doc = "Absolute value; the least integer wraps to itself." },
  { "fma", "x y z", group = "math", kind = "float3", op = "math.fma", direct = true,
    doc = "x * y + z, rounded once." },
  { "pow", "x y", group = "math", op = "math.powf", ulp = 2,
    reference = function(x, y) return x ^ y end, doc = "x to the y; the same as x ^ y." },
  { "atan2", "y x", group = "math", kind = "float2", op = "math.atan2", ulp = 4,
    reference = math.atan2 or math.atan, method = false, doc = "Angle of the point (x, y)." },
  { "sigmoid", "x", group = "math", library = true, doc = "1 / (1 + exp(-x))." },
  { "minimum", "x y propagate_nan?", group = "math", doc = "The smaller by element; NaN wins unless"
    .. " propagate_nan = false.", reference = math.min, ulp = 0 },
  { "maximum", "x y propagate_nan?", group = "math", doc = "The larger by element; NaN wins unless"
    .. " propagate_nan = false.", reference = math.max, ulp = 0 },
  { "clamp", "x low high propagate_nan?", group = "math", doc = "minimum(maximum(x, low), high)." },
  { "where", "condition x y", group = "math", op = "arith.select",
    doc = "x where the condition is true, y elsewhere; both are computed." },
  { "cdiv", "x d", group = "math", reference = cdiv, host = true,
    doc = "x / d rounded up, for integers and d > 0." },
  { "div_floor", "x y", group = "math", reference = div_floor, host = true,
    doc = "Quotient rounded down, exact for integers: `x // y` where Lua has no such operator." },
  { "div_trunc", "x y", group = "math", doc = "Quotient cut toward zero, as in C; x / 0 gives 0." },
  { "rem", "x y", group = "math", doc = "Remainder with the sign of x, as in C; of 0 it is x." },
  { "umulhi", "x y", group = "math",
    doc = "High half of the product of two 32-bit integers taken as unsigned." },
  { "next_power_of_2", "n", group = "math", reference = power_of_2, host = true, method = false,
    doc = "Least power of two not below n; for numbers known when compiling." },

  -- Reduction -------------------------------------------------------------------------------------
  { "sum", "x axis? keep_dims? dtype?", group = "reduce", op = "neso.reduce",
    doc = "Sum along an axis, or of everything. f16 and bf16 accumulate in f32 and round once;"
      .. " integers below 32 bits and booleans give 32 bits." },
  { "prod", "x axis? keep_dims? dtype?", group = "reduce", op = "neso.reduce", doc = "Product." },
  { "max", "x axis? keep_dims? propagate_nan? return_indices?", group = "reduce",
    op = "neso.reduce", doc = "Largest; with return_indices = true its lowest index as well." },
  { "min", "x axis? keep_dims? propagate_nan? return_indices?", group = "reduce",
    op = "neso.reduce", doc = "Smallest; with return_indices = true its lowest index as well." },
  { "argmax", "x axis? keep_dims? propagate_nan?", group = "reduce", op = "neso.arg_reduce",
    doc = "Lowest index of the largest, i32; the first NaN counts as largest." },
  { "argmin", "x axis? keep_dims? propagate_nan?", group = "reduce", op = "neso.arg_reduce",
    doc = "Lowest index of the smallest, i32; the first NaN counts as smallest." },
  { "any", "x axis? keep_dims?", group = "reduce", op = "neso.reduce",
    doc = "True where any element is not zero." },
  { "all", "x axis? keep_dims?", group = "reduce", op = "neso.reduce",
    doc = "True where no element is zero." },
  { "xor_sum", "x axis? keep_dims?", group = "reduce", op = "neso.reduce",
    doc = "Exclusive or of integers." },
  { "softmax", "x axis?", group = "reduce", library = true,
    doc = "exp(x - max) / sum along an axis (default: the last)." },

  -- Dot -------------------------------------------------------------------------------------------
  { "dot", "a b acc? precision? out_dtype?", group = "dot", op = "neso.dot", method = true,
    doc = "acc + a b for blocks {M, K} and {K, N}. f16 and bf16 accumulate in f32, f32 is IEEE"
      .. " unless `precision` names another mode; i8 gives i32." },

  -- Hints and checks ------------------------------------------------------------------------------
  { "static_assert", "condition message?", group = "hint", method = false,
    doc = "Ends the compilation with the message unless the condition holds." },
  { "static_print", "...", group = "hint", method = false, doc = "Prints while compiling." },
  { "multiple_of", "x values", group = "hint", doc = "x; a promise about divisibility." },
  { "max_contiguous", "x values", group = "hint", doc = "x; a promise about runs of successors." },
  { "max_constancy", "x values", group = "hint", doc = "x; a promise about runs of equal values." },
  { "assume", "condition", group = "hint", method = false,
    doc = "A promise that the condition holds." },

  -- Loops -----------------------------------------------------------------------------------------
  { "range", "first last? step? num_stages? unroll?", group = "loop", method = false,
    doc = "For `for`: first, first + step, ... before last, at run time." },
  { "static_range", "first last? step?", group = "loop", method = false,
    doc = "For `for`: the same, unrolled; the variable is known when compiling." },
}
