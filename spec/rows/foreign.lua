-- Assembly and functions of other languages: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
}
