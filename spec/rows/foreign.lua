-- Assembly and functions of other languages: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
  { "inline_asm_elementwise", "asm constraints args dtype pure? pack?", group = "foreign",
    method = false,
    doc = "Assembly on each `pack` elements of the blocks `args`, with LLVM's constraints; a result"
      .. " a dtype. `asm` is a text or a table of texts by target (x86_64, nvidia, ...).",
    example = 'tl.inline_asm_elementwise{ asm = "mov $1, $0", constraints = "=r,r",'
      .. ' args = { v:to(tl.i32) }, dtype = tl.i32 }' },
}
