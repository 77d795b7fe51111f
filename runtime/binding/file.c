/* Elements from and to files, and the few system calls the shell needs. */
#include "binding.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int failure(lua_State *L, const char *path, const char *why) {
  lua_pushnil(L);
  lua_pushfstring(L, "%s: %s", path, why);
  return 2;
}

static void swap_bytes(char *data, size_t size, size_t count) {
  for (size_t n = 0; n < count; n++, data += size) {
    for (size_t i = 0; i < size / 2; i++) {
      char byte = data[i];
      data[i] = data[size - 1 - i];
      data[size - 1 - i] = byte;
    }
  }
}

/* core.file_read(tensor, path, offset, swap) -> true, or nil and why; the
 * tensor is contiguous */
static int file_read(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "load");
  const char *path = luaL_checkstring(L, 2);
  long offset = (long)luaL_checknumber(L, 3);
  size_t size = neso_dtype_size((neso_dtype)tensor->dtype);
  size_t count = (size_t)neso__tensor_numel(tensor);
  char *data = neso__tensor_data(L, tensor);
  FILE *file = fopen(path, "rb");
  if (!file) {
    return failure(L, path, strerror(errno));
  }
  bool read = fseek(file, offset, SEEK_SET) == 0 &&
              fread(data, size, count, file) == count;
  fclose(file);
  if (!read) {
    return failure(L, path, "the file ends before its data does");
  }
  if (lua_toboolean(L, 4)) {
    swap_bytes(data, size, count);
  }
  if (tensor->dtype == NESO_I1) {
    for (size_t i = 0; i < count; i++) {
      data[i] = data[i] != 0;
    }
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* core.file_write(tensor, path, header) -> true, or nil and why; contiguous */
static int file_write(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "save");
  const char *path = luaL_checkstring(L, 2);
  size_t header_size;
  const char *header = luaL_checklstring(L, 3, &header_size);
  size_t size = neso_dtype_size((neso_dtype)tensor->dtype);
  size_t count = (size_t)neso__tensor_numel(tensor);
  char *data = neso__tensor_data(L, tensor);
  FILE *file = fopen(path, "wb");
  if (!file) {
    return failure(L, path, strerror(errno));
  }
  bool written = fwrite(header, 1, header_size, file) == header_size &&
                 fwrite(data, size, count, file) == count;
  int error = errno;
  if (fclose(file) != 0) {
    written = false;
    error = errno;
  }
  if (!written) {
    return failure(L, path, strerror(error));
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* core.file_size(path) -> bytes, or nil and why */
static int file_size(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct stat info;
  if (stat(path, &info) != 0) {
    return failure(L, path, strerror(errno));
  }
  lua_pushnumber(L, (lua_Number)info.st_size);
  return 1;
}

static int folder_gc(lua_State *L) {
  DIR **folder = lua_touserdata(L, 1);
  if (*folder) {
    closedir(*folder);
    *folder = NULL;
  }
  return 0;
}

/* core.list_folder(path) -> names without a leading dot, in no order; {} when
 * it is no folder */
static int list_folder(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  lua_createtable(L, 8, 0);
  DIR **folder = lua_newuserdata(L, sizeof *folder); /* closed by __gc */
  *folder = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, folder_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  *folder = opendir(path);
  int count = 0;
  for (struct dirent *entry; *folder && (entry = readdir(*folder));) {
    if (entry->d_name[0] != '.') {
      lua_pushstring(L, entry->d_name);
      lua_rawseti(L, -3, ++count);
    }
  }
  if (*folder) {
    closedir(*folder);
    *folder = NULL;
  }
  lua_pop(L, 1);
  return 1;
}

/* core.make_folder(path): true when it exists afterwards */
static int make_folder(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  lua_pushboolean(L, mkdir(path, 0700) == 0 || errno == EEXIST);
  return 1;
}

/* core.clock() -> seconds of a clock that never jumps */
static int clock_seconds(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (lua_Number)now.tv_sec + (lua_Number)now.tv_nsec * 1e-9);
  return 1;
}

void neso__open_file(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"file_read", file_read},
      {"file_write", file_write},
      {"file_size", file_size},
      {"list_folder", list_folder},
      {"make_folder", make_folder},
      {"clock", clock_seconds},
      {NULL, NULL},
  };
  neso_lua_setfuncs(L, functions);
}
