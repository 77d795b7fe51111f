/* Functions of other libraries that a kernel calls: "extern SYMBOL LIBRARY"
 * lines of the metadata (spec/abi.md). */
#ifndef NESO_SRC_EXTERNS_H
#define NESO_SRC_EXTERNS_H

#include "neso.h"

#define NESO_MAX_EXTERNS 64

typedef struct neso_externs {
  size_t count;
  void *addresses[NESO_MAX_EXTERNS];
  void *libraries[NESO_MAX_EXTERNS]; /* owned handles; NULL: the process */
} neso_externs;

/* Loads the libraries and finds the functions. After an error the rest may be
 * closed as well as after success. */
neso_status neso__externs_open(const char *metadata, neso_externs *out_externs);
void neso__externs_close(neso_externs *externs);

#endif
