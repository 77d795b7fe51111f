std = "luajit"
max_line_length = 100
cache = false
exclude_files = { "build*", ".gpu" }
files["spec/**/*_spec.lua"] = { std = "luajit+busted" }
