# Writes neso_identity.h: a digest of all that decides what the compiler makes
# of a program. It is stamped into libneso and libneso_compiler alike and
# enters every key of the disk cache. Run at every build (cmake -P) with SOURCE
# (the project), OUTPUT and LLVM (its version); rewritten when it changes.
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${SOURCE}
  ${SOURCE}/runtime/compiler/*.c ${SOURCE}/runtime/compiler/*.cc
  ${SOURCE}/runtime/compiler/*.h ${SOURCE}/backends/*.c ${SOURCE}/backends/*.h)
list(APPEND files spec/ops.lua)
list(FILTER files EXCLUDE REGEX "/driver[^/]*\\.c$|/tool/")
list(SORT files)
set(text "llvm ${LLVM}\n")
foreach(file IN LISTS files)
  if(EXISTS ${SOURCE}/${file})
    file(SHA256 ${SOURCE}/${file} digest)
    string(APPEND text "${file} ${digest}\n")
  endif()
endforeach()
string(SHA256 digest "${text}")
string(SUBSTRING ${digest} 0 16 digest)
set(header "#define NESO_COMPILER_IDENTITY \"${digest}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT header STREQUAL before)
  file(WRITE ${OUTPUT} "${header}")
endif()
