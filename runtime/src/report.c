#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"

#define KEPT_LIMIT ((size_t)4 << 20) /* bytes of lines that a launch keeps */

struct neso_report_line {
  uint64_t program;
  size_t at, length; /* in the text */
  size_t place;      /* in time */
};

static uint64_t program_of(const struct neso_program_at *at) {
  return ((uint64_t)at->id[2] * (uint64_t)at->count[1] + (uint64_t)at->id[1]) *
             (uint64_t)at->count[0] +
         (uint64_t)at->id[0];
}

/* ---------------------------------------------------------------- lines -- */

/* Memory of `*size` bytes made at least `wanted`; false when there is none. */
static bool grow(neso_context *context, void **memory, size_t *size,
                 size_t wanted) {
  if (wanted <= *size)
    return true;
  size_t larger = wanted < 1024 ? 4096 : 2 * wanted;
  void *moved = neso__memory_allocate(context, larger, 16);
  if (!moved)
    return false;
  if (*memory)
    memcpy(moved, *memory, *size);
  neso__memory_free(context, *memory, *size);
  *memory = moved;
  *size = larger;
  return true;
}

/* Adds to the line that is being written. */
static void put(neso_reports *r, const char *text, size_t length) {
  void *memory = r->text;
  if (r->is_lost)
    return;
  r->is_lost = r->text_size + length > KEPT_LIMIT ||
               !grow(r->context, &memory, &r->text_room, r->text_size + length);
  r->text = memory;
  if (r->is_lost)
    return;
  memcpy(r->text + r->text_size, text, length);
  r->text_size += length;
}

static void end_line(neso_reports *r, uint64_t program, size_t start) {
  void *memory = r->lines;
  put(r, "\n", 1);
  if (!r->is_lost && !grow(r->context, &memory, &r->lines_room,
                           (r->line_count + 1) * sizeof *r->lines))
    r->is_lost = true;
  r->lines = memory;
  if (r->is_lost) {
    r->text_size = start;
    r->dropped++;
  } else {
    r->lines[r->line_count] =
        (neso_report_line){program, start, r->text_size - start, r->line_count};
    r->line_count++;
  }
  r->is_lost = false;
}

/* --------------------------------------------------------------- prints -- */

#define VALUES_LIMIT 64

typedef struct print_site {
  bool hex;
  int count;
  neso_report_value values[VALUES_LIMIT];
  const char *text; /* \1 stands for a value */
} print_site;

static void read_print(const char *site, print_site *out) {
  out->hex = !strncmp(site, "printx", 6);
  site += out->hex ? 6 : 5;
  out->count = 0;
  while (out->count < VALUES_LIMIT &&
         neso__report_value(&site, &out->values[out->count]))
    out->count++;
  out->text = *site ? site + 1 : site;
}

static void put_element(neso_reports *r, const print_site *site, int which,
                        const void *const *data, int64_t i) {
  const neso_report_value *value = &site->values[which];
  char text[NESO_REPORT_ELEMENT];
  int64_t place = value->rank ? neso__report_place(value, i) : 0;
  size_t size = neso_dtype_size(value->dtype);
  neso__report_element(text, value,
                       (const char *)data[which] + place * (int64_t)size,
                       site->hex);
  put(r, text, strlen(text));
}

static void put_start(neso_reports *r, const struct neso_program_at *at,
                      const neso_report_value *shape, int64_t i) {
  char text[64], index[NESO_REPORT_INDEX];
  int length = snprintf(text, sizeof text, "(%d, %d, %d) ", at->id[0],
                        at->id[1], at->id[2]);
  put(r, text, (size_t)length);
  if (!shape)
    return;
  neso__report_index(index, shape->rank, shape->extent, i);
  put(r, index, strlen(index));
  put(r, " ", 1);
}

static void put_line(neso_reports *r, const struct neso_program_at *at,
                     const print_site *site, const neso_report_value *shape,
                     const void *const *data, int64_t i) {
  size_t start = r->text_size;
  int which = 0;
  put_start(r, at, shape, i);
  for (const char *part = site->text; *part;) {
    size_t plain = strcspn(part, "\1");
    put(r, part, plain);
    part += plain;
    if (*part && which < site->count)
      put_element(r, site, which++, data, i);
    part += *part != 0;
  }
  end_line(r, program_of(at), start);
}

static void print(neso_reports *reports, const struct neso_program_at *at,
                  const char *text, const void *const *data) {
  print_site site;
  const neso_report_value *shape = NULL;
  read_print(text, &site);
  for (int i = 0; i < site.count && !shape; i++)
    shape = site.values[i].rank ? &site.values[i] : NULL;
  int64_t count = shape ? neso__report_count(shape) : 1;
  pthread_mutex_lock(&reports->lock);
  for (int64_t i = 0; i < count; i++)
    put_line(reports, at, &site, shape, data, i);
  pthread_mutex_unlock(&reports->lock);
}

/* ------------------------------------------------------------- failures -- */

/* Of several failures that of the first program counts: the error is then the
 * same from run to run as far as may be. */
static void fail(const struct neso_program_at *at, int64_t ordinal,
                 const char *what, const char *index) {
  neso_reports *reports = at->launch;
  const neso_source *source = reports->source;
  uint64_t program = program_of(at);
  char line[16] = "";
  bool known = source && ordinal >= 0 &&
               (uint64_t)ordinal < source->line_count && source->lines[ordinal];
  if (known)
    snprintf(line, sizeof line, ":%u", source->lines[ordinal]);
  pthread_mutex_lock(&reports->lock);
  if (!reports->failure || program < reports->failed_program) {
    neso_status_free(reports->failure);
    reports->failed_program = program;
    reports->failure = neso_status_make(
        NESO_DEVICE_ERROR, "%s%s: kernel '%s': %s, in program (%d, %d, %d)%s%s",
        source ? source->file : "kernel", line, reports->launch->kernel, what,
        at->id[0], at->id[1], at->id[2], *index ? ", element " : "", index);
  }
  pthread_mutex_unlock(&reports->lock);
  atomic_store(&reports->failed, true);
  longjmp(((neso_reporter *)(void *)at)->leave, 1);
}

static void assertion(const struct neso_program_at *at, const char *site,
                      int64_t ordinal, const void *const *data) {
  int64_t extents[NESO_REPORT_RANK];
  char index[NESO_REPORT_INDEX], text[1024];
  site += strlen("assert");
  site += *site == ' ';
  int rank = neso__report_extents(&site, extents);
  neso__report_index(index, rank, extents,
                     rank ? *(const int32_t *)data[0] : 0);
  const char *message = *site ? site + 1 : site;
  snprintf(text, sizeof text, "%s%s", message,
           *message ? "" : "assertion failed");
  fail(at, ordinal, text, index);
}

static void access_check(const struct neso_program_at *at, const char *site,
                         int64_t ordinal, const void *const *data) {
  const neso_reports *reports = at->launch;
  char what[512], index[NESO_REPORT_INDEX];
  if (!neso__access_holds(reports->launch, site, data, what, sizeof what,
                          index))
    fail(at, ordinal, what, index);
}

int32_t neso__report(const struct neso_program_at *at, const char *site,
                     int64_t ordinal, const void *const *data) {
  if (!strncmp(site, "print", 5))
    print(at->launch, at, site, data);
  else if (!strncmp(site, "assert", 6))
    assertion(at, site, ordinal, data);
  else
    access_check(at, site, ordinal, data);
  return 0;
}

/* -------------------------------------------------------------- launches -- */

void neso__reports_begin(neso_reports *reports, neso_context *context,
                         const neso_launch *launch, const neso_source *source) {
  memset(reports, 0, sizeof *reports);
  reports->context = context;
  reports->launch = launch;
  reports->source = source;
  pthread_mutex_init(&reports->lock, NULL);
  atomic_init(&reports->failed, false);
}

static int by_program(const void *a, const void *b) {
  const neso_report_line *x = a, *y = b;
  if (x->program != y->program)
    return x->program < y->program ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

void neso__context_print(neso_context *context, const char *text, size_t size) {
  if (context->config.print)
    context->config.print(context->config.user, text, size);
  else
    fwrite(text, 1, size, stdout);
}

static void write_dropped(const neso_reports *r) {
  char text[256];
  int length =
      snprintf(text, sizeof text,
               "kernel '%.100s': %" PRIu64 " more lines were printed; a launch "
               "keeps %zu MiB of them\n",
               r->launch->kernel, r->dropped, KEPT_LIMIT >> 20);
  neso__context_print(r->context, text, (size_t)length);
}

static void write_lines(neso_reports *r) {
  bool own = !r->context->config.print;
  if (r->line_count)
    qsort(r->lines, r->line_count, sizeof *r->lines, by_program);
  if (own)
    flockfile(stdout);
  for (size_t i = 0; i < r->line_count; i++)
    neso__context_print(r->context, r->text + r->lines[i].at,
                        r->lines[i].length);
  if (r->dropped)
    write_dropped(r);
  if (own) {
    fflush(stdout);
    funlockfile(stdout);
  }
}

neso_status neso__reports_end(neso_reports *r) {
  if (r->line_count || r->dropped)
    write_lines(r);
  neso__memory_free(r->context, r->text, r->text_room);
  neso__memory_free(r->context, r->lines, r->lines_room);
  pthread_mutex_destroy(&r->lock);
  return r->failure;
}
