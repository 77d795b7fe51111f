#include "neso.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct neso_status_object {
  neso_code code;
  char *text; /* owned */
};

static struct neso_status_object out_of_memory = {NESO_OUT_OF_MEMORY,
                                                  "out of memory"};

static char *format_text(const char *prefix, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0)
    return NULL;
  size_t start = strlen(prefix);
  char *text = malloc(start + (size_t)length + 1);
  if (!text)
    return NULL;
  memcpy(text, prefix, start);
  vsnprintf(text + start, (size_t)length + 1, format, args);
  return text;
}

neso_status neso_status_make(neso_code code, const char *format, ...) {
  neso_status status = malloc(sizeof *status);
  if (!status)
    return &out_of_memory;
  va_list args;
  va_start(args, format);
  status->code = code;
  status->text = format_text("", format, args);
  va_end(args);
  if (status->text)
    return status;
  free(status);
  return &out_of_memory;
}

neso_status neso_status_note(neso_status status, const char *format, ...) {
  if (!status || status == &out_of_memory)
    return status;
  size_t length = strlen(status->text);
  char *prefix = malloc(length + 2);
  if (!prefix)
    return status;
  memcpy(prefix, status->text, length);
  memcpy(prefix + length, "\n", 2);
  va_list args;
  va_start(args, format);
  char *text = format_text(prefix, format, args);
  va_end(args);
  free(prefix);
  if (!text)
    return status;
  free(status->text);
  status->text = text;
  return status;
}

neso_code neso_status_code(neso_status status) {
  return status ? status->code : NESO_OK;
}

const char *neso_status_text(neso_status status) {
  return status ? status->text : "";
}

void neso_status_free(neso_status status) {
  if (!status || status == &out_of_memory)
    return;
  free(status->text);
  free(status);
}

const char *neso_code_name(neso_code code) {
  switch (code) {
  case NESO_OK:
    return "ok";
  case NESO_INVALID_ARGUMENT:
    return "invalid argument";
  case NESO_NOT_FOUND:
    return "not found";
  case NESO_UNAVAILABLE:
    return "unavailable";
  case NESO_OUT_OF_MEMORY:
    return "out of memory";
  case NESO_OUT_OF_RANGE:
    return "out of range";
  case NESO_COMPILE_ERROR:
    return "compile error";
  case NESO_DEVICE_ERROR:
    return "device error";
  case NESO_UNSUPPORTED:
    return "unsupported";
  case NESO_IO_ERROR:
    return "input/output error";
  case NESO_INTERNAL:
    return "internal error";
  }
  return "unknown code";
}
