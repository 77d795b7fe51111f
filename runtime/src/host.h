/* The processor that this process runs on. */
#ifndef NESO_SRC_HOST_H
#define NESO_SRC_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Human name of the processor. */
void neso__host_name(char *out_name, size_t size);
/* Digest of everything that code for this processor depends on: equal on two
 * machines only when the same code may run on both. */
uint64_t neso__host_digest(void);

#endif
