#include "diagnostics.h"

#include <string.h>

void neso__diagnostics_clear(neso_diagnostics *diagnostics) {
  diagnostics->used = 0;
  diagnostics->line = 0;
  diagnostics->text[0] = 0;
}

static void append(neso_diagnostics *d, const char *text, size_t length) {
  size_t room = sizeof(d->text) - 1 - d->used;
  if (length > room)
    length = room;
  memcpy(d->text + d->used, text, length);
  d->used += length;
  d->text[d->used] = 0;
}

void neso__diagnostics_add(neso_diagnostics *diagnostics, const char *text,
                           size_t length) {
  if (diagnostics->used)
    append(diagnostics, "\n", 1);
  append(diagnostics, text, length);
}

unsigned neso__location_line(MlirLocation location) {
  if (mlirLocationIsAFileLineColRange(location))
    return (unsigned)mlirLocationFileLineColRangeGetStartLine(location);
  if (mlirLocationIsAName(location))
    return neso__location_line(mlirLocationNameGetChildLoc(location));
  if (mlirLocationIsACallSite(location))
    return neso__location_line(mlirLocationCallSiteGetCallee(location));
  if (mlirLocationIsAFused(location) &&
      mlirLocationFusedGetNumLocations(location)) {
    MlirLocation first[64];
    if (mlirLocationFusedGetNumLocations(location) <= 64) {
      mlirLocationFusedGetLocations(location, first);
      return neso__location_line(first[0]);
    }
  }
  return 0;
}

static void append_part(MlirStringRef part, void *user) {
  append(user, part.data, part.length);
}

MlirLogicalResult neso__diagnostics_mlir(MlirDiagnostic diagnostic,
                                         void *user) {
  neso_diagnostics *d = user;
  MlirDiagnosticSeverity severity = mlirDiagnosticGetSeverity(diagnostic);
  if (severity == MlirDiagnosticWarning || severity == MlirDiagnosticRemark)
    return mlirLogicalResultSuccess();
  if (!d->line)
    d->line = neso__location_line(mlirDiagnosticGetLocation(diagnostic));
  if (d->used)
    append(d, "\n", 1);
  mlirDiagnosticPrint(diagnostic, append_part, d);
  return mlirLogicalResultSuccess();
}

void neso__diagnostics_llvm(LLVMDiagnosticInfoRef info, void *user) {
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  neso__diagnostics_add(user, text, strlen(text));
  LLVMDisposeMessage(text);
}
