/* Sites and elements of reports as texts. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "report.h"

/* ---------------------------------------------------------------- sites -- */

int neso__report_extents(const char **head, int64_t out[NESO_REPORT_RANK]) {
  int rank = 0;
  while (rank < NESO_REPORT_RANK && **head >= '0' && **head <= '9') {
    out[rank++] = strtoll(*head, (char **)head, 10);
    *head += **head == ',';
  }
  return rank;
}

static void read_shape(const char **head, neso_report_value *out) {
  while (out->rank < NESO_REPORT_RANK) {
    out->extent[out->rank] = strtoll(*head, (char **)head, 10);
    *head += **head == '/';
    out->stride[out->rank++] = strtoll(*head, (char **)head, 10);
    if (**head != ',')
      return;
    ++*head;
  }
}

bool neso__report_value(const char **head, neso_report_value *out) {
  char name[24];
  while (**head == ' ')
    ++*head;
  size_t length = strcspn(*head, ": \n");
  if (length == 0 || length >= sizeof name)
    return false;
  memcpy(name, *head, length);
  name[length] = 0;
  *head += length;
  *out = (neso_report_value){.dtype = NESO_U64};
  out->is_pointer = !neso_dtype_parse(name, &out->dtype);
  if (**head == ':') {
    ++*head;
    read_shape(head, out);
  }
  return true;
}

int64_t neso__report_count(const neso_report_value *value) {
  int64_t count = 1;
  for (int d = 0; d < value->rank; d++)
    count *= value->extent[d];
  return count;
}

int64_t neso__report_place(const neso_report_value *value, int64_t i) {
  int64_t place = 0;
  for (int d = value->rank - 1; d >= 0; d--) {
    place += i % value->extent[d] * value->stride[d];
    i /= value->extent[d];
  }
  return place;
}

void neso__report_index(char out[NESO_REPORT_INDEX], int rank,
                        const int64_t *extents, int64_t i) {
  int64_t index[NESO_REPORT_RANK];
  size_t at = 0;
  out[0] = 0;
  for (int d = rank - 1; d >= 0; d--) {
    index[d] = i % extents[d];
    i /= extents[d];
  }
  for (int d = 0; d < rank; d++)
    at += (size_t)snprintf(out + at, NESO_REPORT_INDEX - at, "%s%" PRId64 "%s",
                           d ? ", " : "{", index[d], d == rank - 1 ? "}" : "");
}

/* ------------------------------------------------------------- elements -- */

static bool reads_back(neso_dtype dtype, const char *text, double value) {
  if (dtype == NESO_F32)
    return strtof(text, NULL) == (float)value;
  double read = strtod(text, NULL);
  if (dtype == NESO_F64)
    return read == value;
  uint64_t bits = 0;
  neso_wide wide = {.f = read};
  neso__encode(dtype, &bits, 0, 1, NESO_WIDE_FLOAT, &wide);
  neso__decode(dtype, &bits, 0, 1, &wide);
  return wide.f == value;
}

static void float_text(char out[NESO_REPORT_ELEMENT], neso_dtype dtype,
                       double value) {
  if (isnan(value) || isinf(value)) {
    strcpy(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  int digits = 0;
  do
    snprintf(out, NESO_REPORT_ELEMENT, "%.*e", digits, value);
  while (!reads_back(dtype, out, value) && ++digits < 17);
  int exponent = atoi(strchr(out, 'e') + 1);
  if (exponent >= -5 && exponent < 16)
    snprintf(out, NESO_REPORT_ELEMENT - 2, "%.*f",
             digits > exponent ? digits - exponent : 0, value);
  out[strcspn(out, ",")] = strchr(out, ',') ? '.' : 0;
  if (!strpbrk(out, ".e"))
    strcat(out, ".0");
}

static void hex_text(char out[NESO_REPORT_ELEMENT], neso_dtype dtype,
                     const void *element) {
  uint64_t bits = 0;
  size_t size = neso_dtype_size(dtype);
  memcpy(&bits, element, size);
  snprintf(out, NESO_REPORT_ELEMENT, "0x%0*" PRIx64, (int)(2 * size), bits);
}

void neso__report_element(char out[NESO_REPORT_ELEMENT],
                          const neso_report_value *value, const void *element,
                          bool hex) {
  neso_wide wide;
  neso_dtype dtype = value->dtype;
  if (hex && !value->is_pointer && dtype != NESO_I1) {
    hex_text(out, dtype, element);
    return;
  }
  neso__decode(dtype, element, 0, 1, &wide);
  if (value->is_pointer)
    snprintf(out, NESO_REPORT_ELEMENT, "0x%" PRIx64, wide.u);
  else if (dtype == NESO_I1)
    strcpy(out, wide.u ? "true" : "false");
  else if (neso__wide_kind_of(dtype) == NESO_WIDE_FLOAT)
    float_text(out, dtype, wide.f);
  else if (neso__wide_kind_of(dtype) == NESO_WIDE_INT)
    snprintf(out, NESO_REPORT_ELEMENT, "%" PRId64, wide.i);
  else
    snprintf(out, NESO_REPORT_ELEMENT, "%" PRIu64, wide.u);
}
