/* Checked accesses: do the elements lie in the buffers of the launch? */
#ifndef NESO_SRC_ACCESS_H
#define NESO_SRC_ACCESS_H

#include "report.h"

/* `site` and `data` as spec/abi.md says of "check". On false the first element
 * outside is described: in `what`, and its index in the block in `index`. */
bool neso__access_holds(const neso_launch *launch, const char *site,
                        const void *const *data, char *what, size_t what_size,
                        char index[NESO_REPORT_INDEX]);

#endif
