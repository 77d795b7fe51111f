# Target neso_identity: <build>/gen/neso_identity.h with NESO_COMPILER_IDENTITY,
# a digest of all that decides what the compiler emits. It enters every cache
# key, and libneso refuses a compiler of another build by it.
if(CMAKE_SCRIPT_MODE_FILE)
  set(all "")
  foreach(input IN LISTS INPUTS)
    file(SHA256 ${input} digest)
    string(APPEND all "${digest}\n")
  endforeach()
  string(SHA256 digest "${all}${LLVM}")
  string(SUBSTRING ${digest} 0 24 digest)
  set(text "#define NESO_COMPILER_IDENTITY \"neso ${VERSION} llvm ${LLVM} ${digest}\"\n")
  file(WRITE ${OUTPUT} "${text}")
  return()
endif()

if(TARGET neso_identity)
  return()
endif()

find_program(LLVM_CONFIG NAMES llvm-config-22 llvm-config)
set(llvm_version none)
if(LLVM_CONFIG)
  execute_process(COMMAND ${LLVM_CONFIG} --version OUTPUT_VARIABLE llvm_version
    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(GLOB identity_inputs CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/*.c ${CMAKE_CURRENT_LIST_DIR}/*.cc ${CMAKE_CURRENT_LIST_DIR}/*.h
  ${PROJECT_SOURCE_DIR}/backends/*/*.c ${PROJECT_SOURCE_DIR}/backends/*/*.h)
list(FILTER identity_inputs EXCLUDE REGEX "/driver[^/]*\\.[ch]$")
list(APPEND identity_inputs ${PROJECT_SOURCE_DIR}/spec/ops.lua)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/gen/neso_identity.h
  COMMAND ${CMAKE_COMMAND} "-DINPUTS=${identity_inputs}"
          -DOUTPUT=${PROJECT_BINARY_DIR}/gen/neso_identity.h
          -DVERSION=${PROJECT_VERSION} -DLLVM=${llvm_version} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${identity_inputs} ${CMAKE_CURRENT_LIST_FILE}
  VERBATIM)
add_custom_target(neso_identity DEPENDS ${PROJECT_BINARY_DIR}/gen/neso_identity.h)
