/* A host in C whose particle step is a Lua kernel over its own arrays,
 * reloaded while it runs.
 *
 *   minimal SCRIPT STEPS   steps the particles, watching SCRIPT
 *   minimal SCRIPT         checks itself: edits a copy of SCRIPT on the way and
 *                          compares every step with plain C
 */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <neso.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT 100000
#define BLOCK 1024
#define DT 0.01f

typedef struct host {
  lua_State *lua;
  neso_context *context;
  neso_kernel *step; /* the one in use; NULL before the first good script */
  neso_buffer *y_buffer, *vy_buffer;
  float *y, *vy; /* the host's own memory, under the buffers */
  const char *script;
  struct stat seen; /* of the script when it was last loaded */
} host;

/* Prints and frees; true when there was no error. */
static bool fine(neso_status status) {
  if (!status)
    return true;
  fprintf(stderr, "%s: %s\n", neso_code_name(neso_status_code(status)),
          neso_status_text(status));
  neso_status_free(status);
  return false;
}

/* ------------------------------------------------------------ reloading -- */

static bool launch(host *h, neso_kernel *kernel) {
  const int64_t grid[3] = {(COUNT + BLOCK - 1) / BLOCK, 1, 1};
  const neso_arg args[] = {neso_arg_buffer(h->y_buffer, NESO_F32),
                           neso_arg_buffer(h->vy_buffer, NESO_F32),
                           neso_arg_number(DT), neso_arg_number(COUNT),
                           neso_arg_number(BLOCK)};
  return fine(neso_kernel_launch(kernel, grid, args, 5));
}

static bool has_changed(host *h) {
  struct stat now;
  if (stat(h->script, &now) != 0)
    return false;
  bool changed = now.st_mtim.tv_sec != h->seen.st_mtim.tv_sec ||
                 now.st_mtim.tv_nsec != h->seen.st_mtim.tv_nsec ||
                 now.st_size != h->seen.st_size;
  h->seen = now;
  return changed;
}

/* The kernel that the script exports, or NULL after a message. */
static neso_kernel *load_script(host *h) {
  neso_kernel *kernel = NULL;
  if (luaL_dofile(h->lua, h->script)) {
    fprintf(stderr, "%s\n", lua_tostring(h->lua, -1));
    lua_pop(h->lua, 1);
    return NULL;
  }
  return fine(neso_kernel_get(h->context, "step", &kernel)) ? kernel : NULL;
}

/* One step. A new script must load and compile before it takes over: the
 * first launch of its kernel is this step, or the old kernel does it. */
static bool step(host *h) {
  neso_kernel *fresh = has_changed(h) ? load_script(h) : NULL;
  if (fresh && launch(h, fresh)) {
    neso_kernel_release(h->step);
    h->step = fresh;
    printf("now running %s\n", h->script);
    return true;
  }
  neso_kernel_release(fresh);
  return h->step && launch(h, h->step);
}

/* ----------------------------------------------------------- the host -- */

static bool open_host(host *h) {
  size_t size = COUNT * sizeof(float);
  neso_device *device;
  h->y = malloc(size);
  h->vy = malloc(size);
  h->lua = luaL_newstate();
  if (!h->y || !h->vy || !h->lua)
    return false;
  luaL_openlibs(h->lua);
  for (int i = 0; i < COUNT; i++) {
    h->y[i] = 1 + (float)(i % 1000) * 0.01f;
    h->vy[i] = (float)(i % 77) * 0.1f;
  }
  return fine(neso_context_create(NULL, &h->context)) &&
         fine(neso_attach(h->context, h->lua)) &&
         fine(neso_device_get(h->context, "cpu", 0, &device)) &&
         fine(neso_buffer_wrap(h->context, device, h->y, size, NULL, NULL,
                               &h->y_buffer)) &&
         fine(neso_buffer_wrap(h->context, device, h->vy, size, NULL, NULL,
                               &h->vy_buffer));
}

static void close_host(host *h) {
  neso_kernel_release(h->step);
  neso_buffer_release(h->y_buffer);
  neso_buffer_release(h->vy_buffer);
  if (h->lua)
    lua_close(h->lua);
  neso_context_release(h->context);
  free(h->y);
  free(h->vy);
}

/* ---------------------------------------------------------- self check -- */

static void plain_step(float *y, float *vy, float gravity) {
  for (int i = 0; i < COUNT; i++) {
    float v = vy[i] + gravity * DT;
    float p = y[i] + v * DT;
    y[i] = p < 0 ? 0 - p : p;
    vy[i] = p < 0 ? 0.5f * (0 - v) : v;
  }
}

/* Writes `text` with the first `from` in it as `to`. */
static bool write_edited(const char *path, const char *text, const char *from,
                         const char *to) {
  const char *at = strstr(text, from);
  FILE *file = at ? fopen(path, "wb") : NULL;
  if (!file)
    return false;
  fprintf(file, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  return fclose(file) == 0;
}

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *text = calloc(1, 65536);
  if (text && fread(text, 1, 65535, file) == 0)
    text[0] = 0;
  fclose(file);
  return text;
}

static bool check_run(host *h, const char *text, float *y, float *vy) {
  float gravity = -9.81f;
  memcpy(y, h->y, COUNT * sizeof *y);
  memcpy(vy, h->vy, COUNT * sizeof *vy);
  for (int i = 0; i < 150; i++) {
    bool wrote = true;
    if (i == 50) { /* the moon */
      wrote = write_edited(h->script, text, "-9.81", "-1.62");
      gravity = -1.62f;
    } else if (i == 80) { /* a slip of the pen: -1.62 goes on */
      wrote = write_edited(h->script, text, "tl.where", "tl.were");
    } else if (i == 90) { /* not even Lua */
      wrote = write_edited(h->script, text, "end)", "");
    } else if (i == 100) { /* mended */
      wrote = write_edited(h->script, text, "-9.81", "-9.81");
      gravity = -9.81f;
    }
    if (!wrote || !step(h))
      return false;
    plain_step(y, vy, gravity);
    if (memcmp(y, h->y, COUNT * sizeof *y) ||
        memcmp(vy, h->vy, COUNT * sizeof *vy)) {
      fprintf(stderr, "step %d differs from plain C\n", i);
      return false;
    }
  }
  return true;
}

static bool check(host *h, const char *script) {
  char copy[] = "/tmp/neso-minimal-XXXXXX";
  int file = mkstemp(copy);
  char *text = read_text(script);
  float *y = malloc(COUNT * sizeof *y), *vy = malloc(COUNT * sizeof *vy);
  h->script = copy;
  bool good = file >= 0 && text && y && vy &&
              write_edited(copy, text, "-9.81", "-9.81") &&
              check_run(h, text, y, vy);
  free(y);
  free(vy);
  free(text);
  if (file >= 0) {
    close(file);
    unlink(copy);
  }
  puts(good ? "150 steps, 2 reloads, 2 refused scripts: as plain C"
            : "the check failed");
  return good;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s SCRIPT [STEPS]\n", argv[0]);
    return 2;
  }
  host h = {.script = argv[1]};
  bool good = open_host(&h);
  if (good && argc == 2)
    good = check(&h, argv[1]);
  for (int i = 0; good && argc > 2 && i < atoi(argv[2]); i++) {
    good = step(&h);
    usleep(10000);
  }
  close_host(&h);
  return good ? 0 : 1;
}
