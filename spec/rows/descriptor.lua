-- Tensor descriptors and block pointers: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
}
