/* Random tensors. Philox4x32-10 (Salmon et al., SC 2011) by counter: element
 * i depends on seed, stream and i alone. */
#include "binding.h"

#include <math.h>

typedef struct philox {
  uint32_t key[2];
  uint64_t stream;
} philox;

static void philox_block(const philox *p, uint64_t block, uint32_t out[4]) {
  uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32),
                   (uint32_t)p->stream, (uint32_t)(p->stream >> 32)};
  uint32_t k0 = p->key[0], k1 = p->key[1];
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)0xD2511F53u * c[0];
    uint64_t b = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t c1 = c[1], c3 = c[3];
    c[0] = (uint32_t)(b >> 32) ^ c1 ^ k0;
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c3 ^ k1;
    c[3] = (uint32_t)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int i = 0; i < 4; i++) {
    out[i] = c[i];
  }
}

static uint64_t join(const uint32_t *words) {
  return (uint64_t)words[1] << 32 | words[0];
}

/* Each fills up to four values from one block and says how many. */
typedef int (*generator)(const uint32_t words[4], double low, double high,
                         neso_wide out[4]);

static int uniform_f32(const uint32_t w[4], double low, double high,
                       neso_wide out[4]) {
  for (int i = 0; i < 4; i++) {
    out[i].f = low + (high - low) * (w[i] >> 8) * 0x1p-24;
  }
  return 4;
}

static int uniform_f64(const uint32_t w[4], double low, double high,
                       neso_wide out[4]) {
  for (int i = 0; i < 2; i++) {
    out[i].f = low + (high - low) * (double)(join(w + 2 * i) >> 11) * 0x1p-53;
  }
  return 2;
}

static int normal_f32(const uint32_t w[4], double mean, double deviation,
                      neso_wide out[4]) {
  for (int i = 0; i < 4; i += 2) {
    float u = ((float)(w[i] >> 8) + 1) * 0x1p-24f;
    float angle = (float)(w[i + 1] >> 8) * 0x1p-24f * 6.28318530717958648f;
    float radius = sqrtf(-2 * logf(u));
    out[i].f = mean + deviation * (double)(radius * cosf(angle));
    out[i + 1].f = mean + deviation * (double)(radius * sinf(angle));
  }
  return 4;
}

static int normal_f64(const uint32_t w[4], double mean, double deviation,
                      neso_wide out[4]) {
  double u = ((double)(join(w) >> 11) + 1) * 0x1p-53;
  double angle = (double)(join(w + 2) >> 11) * 0x1p-53 * 6.28318530717958648;
  double radius = sqrt(-2 * log(u));
  out[0].f = mean + deviation * radius * cos(angle);
  out[1].f = mean + deviation * radius * sin(angle);
  return 2;
}

/* Integers of [low, high). */
static int integers(const uint32_t w[4], double low, double high,
                    neso_wide out[4]) {
  uint64_t range = (uint64_t)(high - low);
  for (int i = 0; i < 2; i++) {
    unsigned __int128 wide = (unsigned __int128)join(w + 2 * i) * range;
    out[i].i = (int64_t)low + (int64_t)(uint64_t)(wide >> 64);
  }
  return 2;
}

static generator choose(const char *kind, neso_dtype dtype) {
  switch (*kind) {
  case 'u':
    return dtype == NESO_F64 ? uniform_f64 : uniform_f32;
  case 'n':
    return dtype == NESO_F64 ? normal_f64 : normal_f32;
  default:
    return integers;
  }
}

/* core.random(tensor, "uniform"|"normal"|"integer", seed, stream, a, b):
 * [a, b), mean a and deviation b, or integers of [a, b); contiguous */
static int random_fill(lua_State *L) {
  neso_tensor *tensor = neso__tensor_check(L, 1, "random");
  neso_dtype dtype = (neso_dtype)tensor->dtype;
  const char *kind = luaL_checkstring(L, 2);
  uint64_t seed = (uint64_t)(int64_t)luaL_checknumber(L, 3);
  philox p = {{(uint32_t)seed, (uint32_t)(seed >> 32)},
              (uint64_t)luaL_checknumber(L, 4)};
  double a = luaL_checknumber(L, 5), b = luaL_checknumber(L, 6);
  generator generate = choose(kind, dtype);
  neso_wide_kind from = *kind == 'i' ? NESO_WIDE_INT : NESO_WIDE_FLOAT;
  char *data = neso__tensor_data(L, tensor);
  ptrdiff_t size = (ptrdiff_t)neso_dtype_size(dtype);
  int64_t count = neso__tensor_numel(tensor), done = 0;
  for (uint64_t block = 0; done < count; block++) {
    uint32_t words[4];
    neso_wide values[4];
    philox_block(&p, block, words);
    int64_t n = generate(words, a, b, values);
    n = n < count - done ? n : count - done;
    neso__encode(dtype, data + done * size, size, (size_t)n, from, values);
    done += n;
  }
  lua_settop(L, 1);
  return 1;
}

/* core.philox(key low, key high, c0, c1, c2, c3) -> four words (for tests) */
static int random_philox(lua_State *L) {
  uint32_t in[6], out[4];
  for (int i = 0; i < 6; i++) {
    in[i] = (uint32_t)luaL_checknumber(L, i + 1);
  }
  philox p = {{in[0], in[1]}, (uint64_t)in[5] << 32 | in[4]};
  philox_block(&p, (uint64_t)in[3] << 32 | in[2], out);
  for (int i = 0; i < 4; i++) {
    lua_pushnumber(L, out[i]);
  }
  return 4;
}

void neso__open_random(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"random", random_fill}, {"philox", random_philox}, {NULL, NULL}};
  neso_lua_setfuncs(L, functions);
}
