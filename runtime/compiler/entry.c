#include "entry.h"

NESO_API const neso_compiler *
neso_compiler_open(const neso_compiler_host *host);

NESO_API const neso_compiler *
neso_compiler_open(const neso_compiler_host *host) {
  return neso__compiler_table(host);
}
