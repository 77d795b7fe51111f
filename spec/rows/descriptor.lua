-- Tensor descriptors and block pointers: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "make_tensor_descriptor", "base shape strides block_shape padding?", group = "descriptor",
    method = false, example = "tl.make_tensor_descriptor(x, { n, 64 }, { 64, 1 }, { 4, 16 })",
    doc = "A tensor in memory: pointer, extents, strides (the last is 1) and the shape of its"
      .. " blocks. `padding`: \"zero\" or \"nan\" for what is outside." },
  { "load_tensor_descriptor", "desc ...", group = "descriptor", op = "neso.masked_load",
    method = false, example = "tl.make_tensor_descriptor(x, { n }, { 1 }, { 16 }):load(8)",
    doc = "The block at offsets, also desc:load(i, j): padding where it leaves the tensor." },
  { "store_tensor_descriptor", "desc ...", group = "descriptor", op = "neso.masked_store",
    method = false, example = "tl.make_tensor_descriptor(x, { n }, { 1 }, { 8 }):store(8, v)",
    doc = "Writes a block at offsets, also desc:store(i, j, value); what is outside is dropped." },
  { "descriptor_gather", "desc x_offsets y", group = "descriptor", op = "neso.masked_load",
    method = false,
    example = "tl.make_tensor_descriptor(x, { n, 64 }, { 64, 1 }, { 1, 8 })"
      .. ":gather(tl.arange(8), 0)",
    doc = "Rows at x_offsets, columns from y on, for blocks {1, N}; also desc:gather(rows, y)." },
  { "descriptor_scatter", "desc value x_offsets y", group = "descriptor", op = "neso.masked_store",
    method = false,
    example = "tl.make_tensor_descriptor(x, { n, 64 }, { 64, 1 }, { 1, 8 })"
      .. ":scatter(0, tl.arange(8), 0)",
    doc = "The inverse; also desc:scatter(value, rows, y)." },
  { "descriptor_atomic_add", "desc ...", group = "descriptor", op = "neso.atomic_rmw",
    method = false,
    example = "tl.make_tensor_descriptor(x, { n }, { 1 }, { 8 }):atomic_add(8, 1)",
    doc = "desc:atomic_add(i, j, value): the atomic operation on a block, without a result." },
  { "descriptor_atomic_min", "desc ...", group = "descriptor", op = "neso.atomic_rmw",
    method = false,
    example = "tl.make_tensor_descriptor(x, { n }, { 1 }, { 8 }):atomic_min(8, 1)",
    doc = "desc:atomic_min(i, j, value): the atomic operation on a block, without a result." },
  { "descriptor_atomic_max", "desc ...", group = "descriptor", op = "neso.atomic_rmw",
    method = false,
    example = "tl.make_tensor_descriptor(x, { n }, { 1 }, { 8 }):atomic_max(8, 1)",
    doc = "desc:atomic_max(i, j, value): the atomic operation on a block, without a result." },
  { "descriptor_atomic_and", "desc ...", group = "descriptor", op = "neso.atomic_rmw",
    method = false,
    example = "tl.make_tensor_descriptor(x:to(tl.pointer_type(tl.i32)), { n }, { 1 }, { 8 })"
      .. ":atomic_and(8, 1)",
    doc = "desc:atomic_and(i, j, value): the atomic operation on a block, without a result." },
  { "descriptor_atomic_or", "desc ...", group = "descriptor", op = "neso.atomic_rmw",
    method = false,
    example = "tl.make_tensor_descriptor(x:to(tl.pointer_type(tl.i32)), { n }, { 1 }, { 8 })"
      .. ":atomic_or(8, 1)",
    doc = "desc:atomic_or(i, j, value): the atomic operation on a block, without a result." },
  { "descriptor_atomic_xor", "desc ...", group = "descriptor", op = "neso.atomic_rmw",
    method = false,
    example = "tl.make_tensor_descriptor(x:to(tl.pointer_type(tl.i32)), { n }, { 1 }, { 8 })"
      .. ":atomic_xor(8, 1)",
    doc = "desc:atomic_xor(i, j, value): the atomic operation on a block, without a result." },
  { "make_block_ptr", "base shape strides offsets block_shape order? padding?",
    group = "descriptor", method = false,
    example = "tl.make_block_ptr(x, { n, 64 }, { 64, 1 }, { 0, 0 }, { 4, 16 })",
    doc = "A pointer to a block of a tensor, for tl.load and tl.store with boundary_check = axes"
      .. " (which may leave the tensor) and padding." },
  { "advance", "pointer offsets", group = "descriptor", method = false,
    example = "tl.advance(tl.make_block_ptr(x, { n }, { 1 }, { 0 }, { 16 }), { 16 })",
    doc = "A block pointer moved by offsets." },
}
