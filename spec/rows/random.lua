-- Random numbers: rows of tl functions; spec/ops_language.lua says
-- what the columns are.

return {
}
