rockspec_format = "3.0"
package = "neso"
version = "scm-1"
source = { url = "git+https://example.org/neso.git" }
description = {
  summary = "Tiled kernels written as Lua functions, compiled on the first call",
  detailed = [[
    A tile language for Lua: kernels are ordinary Lua functions, compiled
    through MLIR and LLVM for the device that is there, cached, and launched.]],
  license = "MIT",
}
dependencies = { "lua >= 5.1" }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_INSTALL_PREFIX = "$(PREFIX)",
    CMAKE_INSTALL_LIBDIR = "$(LIBDIR)/neso",
    NESO_LUA_DIR = "$(LUADIR)",
    NESO_CMOD_DIR = "$(LIBDIR)",
    NESO_TESTS = "OFF",
  },
}
