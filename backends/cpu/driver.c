/* The processor as a device: buffers are memory of the host, kernels are
 * machine code of this process, programs run over a thread pool. */
#include <stdatomic.h>
#include <string.h>

#include "code.h"
#include "externs.h"
#include "host.h"
#include "launch.h"
#include "variant.h"

#define SCRATCH_LIMIT (UINT64_C(1) << 30)

typedef struct cpu_code {
  neso_entry_fn entry;
  size_t scratch;
  _Atomic uint32_t program_ns;
  bool reports;
  const neso_source *source; /* borrowed of the image */
  neso_code_map map;         /* empty when the compiler linked the code */
  neso_externs externs;
} cpu_code;

static bool cpu_query(neso_context *context, char reason[NESO_REASON_SIZE],
                      int *out_count) {
  (void)context;
  neso__host_name(reason, NESO_REASON_SIZE);
  *out_count = 1;
  return true;
}

static neso_status cpu_open(neso_context *context, int index,
                            neso_device_info *out_info) {
  (void)context;
  (void)index;
  char name[NESO_REASON_SIZE];
  neso__host_name(name, sizeof name);
  *out_info = (neso_device_info){
      strdup(name),
      neso__format("host %016llx", (unsigned long long)neso__host_digest()),
      {NESO_GRID_LIMIT, NESO_GRID_LIMIT, NESO_GRID_LIMIT}};
  return NULL;
}

static neso_status cpu_load(neso_device *device, const neso_image *image,
                            void **out_code) {
  uint64_t scratch = neso__metadata_number(image->metadata, "scratch", 0);
  if (scratch > SCRATCH_LIMIT)
    return neso_status_make(NESO_OUT_OF_RANGE,
                            "kernel '%s' needs %llu bytes of working memory "
                            "a thread; the limit is %llu: use smaller blocks",
                            image->kernel, (unsigned long long)scratch,
                            (unsigned long long)SCRATCH_LIMIT);
  cpu_code *code = neso__object_new(device->context, sizeof *code);
  if (!code)
    return neso__out_of_memory("a kernel", sizeof *code);
  code->scratch = (size_t)scratch;
  code->reports = neso__metadata_number(image->metadata, "reports", 0) != 0;
  code->source = image->source;
  void *entry = image->entry;
  if (!entry) {
    neso_status status = neso__externs_open(image->metadata, &code->externs);
    if (!status)
      status =
          neso__code_load(image->binary, image->size, code->externs.addresses,
                          code->externs.count, &code->map);
    if (status) {
      neso__externs_close(&code->externs);
      neso__object_free(device->context, code);
      return neso_status_note(status, "in kernel '%s'", image->kernel);
    }
    entry = code->map.entry;
  }
  *(void **)&code->entry = entry;
  *out_code = code;
  return NULL;
}

static void cpu_unload(neso_device *device, void *code_pointer) {
  cpu_code *code = code_pointer;
  neso__code_unload(&code->map);
  neso__externs_close(&code->externs);
  neso__object_free(device->context, code);
}

static neso_status cpu_launch(neso_device *device, const neso_launch *launch) {
  cpu_code *code = launch->code;
  neso_grid_run run = {code->entry,       launch,        code->scratch,
                       &code->program_ns, code->reports, code->source};
  return neso__grid_run(device->context, &run);
}

const neso_backend neso__backend_cpu = {
    .name = "cpu",
    .facts = NESO_FACT_SMALL | NESO_FACT_APART,
    .host_visible = true,
    .query = cpu_query,
    .device_open = cpu_open,
    .memory_allocate = neso__host_allocate,
    .memory_free = neso__host_free,
    .memory_read = neso__host_read,
    .memory_write = neso__host_write,
    .code_load = cpu_load,
    .code_unload = cpu_unload,
    .launch = cpu_launch,
};
