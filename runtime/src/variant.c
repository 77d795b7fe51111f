#include "variant.h"

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "call.h"
#include "clock.h"
#include "compiler_host.h"

struct neso_variant {
  atomic_uint refs;
  neso_context *context; /* one object reference */
  neso_device *device;   /* borrowed from the context */
  void *code;            /* owned, of the device's backend */
  size_t packed_size;
  neso_blob blob; /* owned */
  neso_build_info info;
  const neso_compiler *compiler; /* static in its library, or NULL */
  void *linked;                  /* owned, of the compiler */
  neso_source source; /* owned: kept when programs may report, else empty */
};

void *neso__variant_code(const neso_variant *variant) { return variant->code; }

size_t neso__variant_packed_size(const neso_variant *variant) {
  return variant->packed_size;
}

const neso_build_info *neso__variant_info(const neso_variant *variant) {
  return &variant->info;
}

const char *neso__variant_metadata(const neso_variant *variant) {
  return variant->blob.metadata;
}

const void *neso__variant_binary(const neso_variant *variant,
                                 size_t *out_size) {
  *out_size = variant->blob.binary_size;
  return variant->blob.binary;
}

uint64_t neso__metadata_number(const char *metadata, const char *key,
                               uint64_t otherwise) {
  size_t length = strlen(key);
  for (const char *line = metadata; line && *line;) {
    if (!strncmp(line, key, length) && line[length] == ' ')
      return strtoull(line + length + 1, NULL, 10);
    line = strchr(line, '\n');
    if (line)
      line++;
  }
  return otherwise;
}

static double now_ms(void) { return (double)neso__now_ns() * 1e-6; }

static neso_variant *variant_new(neso_context *context, neso_device *device) {
  neso_variant *variant = neso__object_new(context, sizeof *variant);
  if (!variant)
    return NULL;
  atomic_init(&variant->refs, 1);
  variant->context = context;
  variant->device = device;
  neso__context_hold(context);
  return variant;
}

static void variant_unload(neso_variant *variant) {
  if (variant->code)
    variant->device->backend->code_unload(variant->device, variant->code);
  if (variant->linked)
    variant->compiler->unlink(variant->linked);
  neso__blob_free(&variant->blob);
  variant->code = variant->linked = NULL;
}

void neso__variant_retain(neso_variant *variant) {
  atomic_fetch_add_explicit(&variant->refs, 1, memory_order_relaxed);
}

void neso__variant_release(neso_variant *variant) {
  if (!variant ||
      atomic_fetch_sub_explicit(&variant->refs, 1, memory_order_acq_rel) != 1)
    return;
  variant_unload(variant);
  neso_context *context = variant->context;
  neso__object_free(context, (void *)variant->source.lines);
  neso__object_free(context, variant);
  neso__context_drop(context);
}

/* One block: the lines, then the name of the file. */
static bool keep_source(neso_variant *variant,
                        const neso_compile_request *request) {
  const char *file = request->file ? request->file : "kernel";
  size_t bytes = request->line_count * sizeof *request->lines;
  if (variant->source.lines ||
      !neso__metadata_number(variant->blob.metadata, "reports", 0))
    return true;
  uint32_t *lines =
      neso__object_new(variant->context, bytes + strlen(file) + 1);
  if (!lines)
    return false;
  if (bytes)
    memcpy(lines, request->lines, bytes);
  variant->source =
      (neso_source){strcpy((char *)(lines + request->line_count), file), lines,
                    request->line_count};
  return true;
}

/* Turns the blob into code; `entry` as in neso_image. */
static neso_status load_code(neso_variant *variant,
                             const neso_compile_request *request, void *entry) {
  const char *kernel = request->kernel;
  const neso_blob *blob = &variant->blob;
  size_t tail = variant->packed_size % 8 ? 8 - variant->packed_size % 8 : 0;
  uint64_t args =
      neso__metadata_number(blob->metadata, "args", variant->packed_size);
  if (args != variant->packed_size && args != variant->packed_size + tail)
    return neso_status_make(NESO_INTERNAL,
                            "kernel '%s': compiled for %llu bytes of "
                            "arguments, its parameters take %zu",
                            kernel, (unsigned long long)args,
                            variant->packed_size);
  if (!keep_source(variant, request))
    return neso__out_of_memory("the lines of a kernel", request->line_count);
  neso_image image = {kernel,         blob->binary, blob->binary_size,
                      blob->metadata, entry,        &variant->source};
  return variant->device->backend->code_load(variant->device, &image,
                                             &variant->code);
}

static bool try_cache(neso_variant *variant, const neso_build *build,
                      const neso_bytes *key) {
  neso_context *context = variant->context;
  double started = now_ms();
  if (!neso__cache_get(context->cache, key, &variant->blob))
    return false;
  neso_status status = load_code(variant, &build->compile, NULL);
  if (status) {
    neso__log(context, NESO_LOG_WARN, "a cached variant is built again: %s",
              neso_status_text(status));
    neso_status_free(status);
    variant_unload(variant);
    return false;
  }
  variant->info.cached = true;
  variant->info.load_ms = now_ms() - started;
  return true;
}

static neso_status compile(neso_variant *variant, const neso_build *build) {
  neso_context *context = variant->context;
  neso_compile_request request = build->compile;
  request.backend = variant->device->backend->name;
  request.target = variant->device->info.target;
  neso_status status = neso__compiler_open(context, &variant->compiler);
  if (status)
    return neso_status_note(status, "so kernel '%s' cannot be compiled",
                            request.kernel);
  double started = now_ms();
  neso_compile_result result = {0};
  status = variant->compiler->compile(&request, &result);
  variant->info.compile_ms = now_ms() - started;
  if (status)
    return status;
  variant->linked = result.linked;
  if (!neso__blob_copy(&variant->blob, result.metadata, result.binary,
                       result.binary_size))
    status = neso__out_of_memory("a compiled kernel", result.binary_size);
  variant->compiler->free(result.binary);
  variant->compiler->free(result.metadata);
  if (status)
    return status;
  started = now_ms();
  status = load_code(variant, &request, result.entry);
  variant->info.load_ms = now_ms() - started;
  return status;
}

/* What the loader of a later run would refuse is not kept. */
static bool loads_again(neso_variant *variant, const char *kernel) {
  const neso_blob *blob = &variant->blob;
  const neso_backend *backend = variant->device->backend;
  neso_image image = {kernel,         blob->binary, blob->binary_size,
                      blob->metadata, NULL,         NULL};
  void *code = NULL;
  neso_status status = backend->code_load(variant->device, &image, &code);
  if (!status) {
    backend->code_unload(variant->device, code);
    return true;
  }
  neso__log(variant->context, NESO_LOG_WARN, "not kept in the cache: %s",
            neso_status_text(status));
  neso_status_free(status);
  return false;
}

static neso_status build_into(neso_variant *variant, const neso_build *build) {
  neso_context *context = variant->context;
  neso_bytes key = {0};
  bool cached = build->use_cache && context->cache;
  if (cached && !neso__cache_key(variant->device, &build->compile, &key))
    return neso__out_of_memory("a cache key", build->compile.program_size);
  neso_status status = NULL;
  if (!cached || !try_cache(variant, build, &key)) {
    status = compile(variant, build);
    if (!status && cached && loads_again(variant, build->compile.kernel))
      neso__cache_put(context->cache, &key, &variant->blob);
  }
  free(key.data);
  variant->info.binary_size = variant->blob.binary_size;
  return status;
}

neso_status neso__variant_build(neso_context *context, neso_device *device,
                                const neso_build *build,
                                neso_variant **out_variant) {
  neso_variant *variant = variant_new(context, device);
  if (!variant)
    return neso__out_of_memory("a variant", sizeof *variant);
  variant->packed_size = neso__packed_size(build->specs, build->spec_count);
  neso_status status = build_into(variant, build);
  if (status)
    neso__variant_release(variant);
  else
    *out_variant = variant;
  return status;
}
