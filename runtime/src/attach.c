#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "context.h"

typedef neso_status (*attach_fn)(neso_context *context,
                                 struct lua_State *state);

/* Where the binding is, seen from libneso: an installed tree, or one folder
 * for both. */
static const char *const places[] = {"lua/5.1/neso/core.so", "core.so"};

static char *find_binding(void) {
  char *path = NULL;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    free(path);
    path = neso__library_path(places[i]);
    if (path && access(path, R_OK) == 0)
      break;
  }
  return path;
}

neso_status neso_attach(neso_context *context, struct lua_State *state) {
  char *path = find_binding();
  if (!path)
    return neso__out_of_memory("the path of the Lua binding", 0);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  attach_fn attach = NULL;
  if (library)
    *(void **)&attach = dlsym(library, "neso_core_attach");
  neso_status status = NULL;
  if (!attach)
    status = neso_status_make(
        NESO_UNAVAILABLE, "the Lua binding cannot be loaded: %s", dlerror());
  else
    status = neso_status_note(attach(context, state),
                              "so the Lua binding %s did not attach", path);
  free(path);
  return status;
}
