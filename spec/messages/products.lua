-- Messages: products.
return {
  { message = "tl.dot cannot multiply shapes {16, 8} and {16, 8}: 8 columns meet 16 rows",
    kernel = [[local a = tl.zeros({16, 8})
local b = tl.dot(a, a)]] },
  { message = "tl.dot takes blocks with two axes or more; a is block {8} of i32",
    kernel = "local b = tl.dot(tl.arange(0, 8), tl.arange(0, 8))" },
  { message = "tl.dot cannot multiply shapes {2, 4, 4} and {3, 4, 4}: batches are of one shape",
    kernel = "local b = tl.dot(tl.zeros{ 2, 4, 4 }, tl.zeros{ 3, 4, 4 })" },
  { message = "tl.dot takes two blocks of one dtype, got f16 and f32",
    hint = "convert one side with :to(...)",
    kernel = "local b = tl.dot(tl.zeros({ 4, 4 }, tl.f16), tl.zeros{ 4, 4 })" },
  { message = "tl.dot has no product of booleans",
    hint = "convert them to i8",
    kernel = "local b = tl.dot(tl.zeros({ 4, 4 }, tl.i1), tl.zeros({ 4, 4 }, tl.i1))" },
  { message = "the accumulator of tl.dot must be a block {4, 4} of f32, got block {4, 5} of f32",
    kernel = "local b = tl.dot(tl.zeros{ 4, 4 }, tl.zeros{ 4, 4 }, tl.zeros{ 4, 5 })" },
  { message = [[precision must be one of 'ieee', 'tf32', 'tf32x3', 'bf16', 'bf16x3', 'bf16x6', got the string "half"]],
    kernel = "local b = tl.dot(tl.zeros{ 4, 4 }, tl.zeros{ 4, 4 }, { precision = 'half' })" },
  { message = "tl.dot takes blocks with two axes or more; a is scalar of i32",
    kernel = "local b = tl.dot(n, n)" },
  { message = "static assertion failed: the format of lhs is one of e2m1, e4m3, e5m2, bf16, fp16",
    kernel = "local b = tl.dot_scaled(tl.zeros{ 4, 32 }, nil, 'e3m3', tl.zeros{ 32, 4 }, nil, 'e2m1')" },
}
