/* What the programs of one launch on the CPU report: prints, failed asserts
 * and accesses outside of the buffers (spec/abi.md). */
#ifndef NESO_SRC_REPORT_H
#define NESO_SRC_REPORT_H

#include <setjmp.h>

#include "launch.h"

typedef struct neso_report_line neso_report_line;

/* Lives on the launcher's stack. */
typedef struct neso_reports {
  neso_context *context;
  const neso_launch *launch;
  const neso_source *source; /* may be NULL */
  pthread_mutex_t lock;      /* over the rest */
  char *text;                /* owned: the lines as they came */
  size_t text_size, text_room;
  neso_report_line *lines; /* owned; where they lie in it */
  size_t line_count, lines_room;
  bool is_lost;     /* the line that is being written has no room */
  uint64_t dropped; /* lines that had none */
  atomic_bool failed;
  uint64_t failed_program; /* the first one of those that failed */
  neso_status failure;     /* owned */
} neso_reports;

/* What `at` of a program that may report lies in. */
typedef struct neso_reporter {
  struct neso_program_at at;
  jmp_buf leave; /* where a failed program goes */
} neso_reporter;

void neso__reports_begin(neso_reports *reports, neso_context *context,
                         const neso_launch *launch, const neso_source *source);
/* Writes what was printed, in the order of the programs, and gives the failure
 * of the first program that failed, or NULL. */
neso_status neso__reports_end(neso_reports *reports);

/* Called by kernels as `at->report`. Does not return when the launch fails. */
int32_t neso__report(const struct neso_program_at *at, const char *site,
                     int64_t ordinal, const void *const *data);

/* ------------------------------------------------- report_text.c: texts -- */

#define NESO_REPORT_RANK 8

/* One value of a site. */
typedef struct neso_report_value {
  neso_dtype dtype;
  bool is_pointer; /* an address, as NESO_U64 */
  int rank;
  int64_t extent[NESO_REPORT_RANK], stride[NESO_REPORT_RANK];
} neso_report_value;

/* Reads the next value of a site's head and moves behind it; false at the end
 * of the line. */
bool neso__report_value(const char **head, neso_report_value *out);
/* "4,8" moves `head` behind it; gives how many. */
int neso__report_extents(const char **head,
                         int64_t out_extents[NESO_REPORT_RANK]);
int64_t neso__report_count(const neso_report_value *value);
/* Place in elements of element `i`, counted row-major. */
int64_t neso__report_place(const neso_report_value *value, int64_t i);
/* "{2, 5}" of element `i`, "" for a scalar. */
#define NESO_REPORT_INDEX 192
void neso__report_index(char out[NESO_REPORT_INDEX], int rank,
                        const int64_t *extents, int64_t i);
/* Text of one element; floats: the shortest that reads back. */
#define NESO_REPORT_ELEMENT 40
void neso__report_element(char out[NESO_REPORT_ELEMENT],
                          const neso_report_value *value, const void *element,
                          bool hex);

#endif
