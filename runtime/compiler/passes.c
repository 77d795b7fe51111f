/* Every pass of our own, by name. */
#include "pass.h"

#include <string.h>

#include "backends/cpu/lower.h"
#include "mlir_shim.h"

static neso_status math_polynomials(neso_pass_env *env, MlirModule module) {
  if (neso__shim_math_polynomials(mlirModuleGetOperation(module)))
    return NULL;
  return neso__pass_fail_mlir(env, NESO_INTERNAL,
                              "the polynomials did not converge");
}

static const struct {
  const char *name;
  neso_pass_fn run;
} passes[] = {
    {"neso-verify", neso__verify},
    {"neso-math-polynomials", math_polynomials},
    {"neso-cpu-layout", neso__cpu_layout},
    {"neso-cpu-lower", neso__cpu_lower},
};

neso_pass_fn neso__pass_find(const char *name) {
  for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
    if (!strcmp(passes[i].name, name))
      return passes[i].run;
  return NULL;
}
