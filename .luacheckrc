std = "luajit"
max_line_length = 100
cache = false
exclude_files = { "build*", ".gpu" }
-- The shell runs under LuaJIT and Lua 5.1 to 5.4.
files["lua"] = { std = "max" }
files["spec/messages"] = { max_line_length = false } -- messages as they are shown
files["spec/**/*_spec.lua"] = { std = "luajit+busted" }
