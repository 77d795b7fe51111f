/* Terse construction of MLIR operations for the CPU lowering. Every function
 * inserts where the builder stands and returns the single result. */
#ifndef NESO_CPU_BUILD_H
#define NESO_CPU_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

typedef struct cpu_builder {
  MlirContext ctx;
  MlirLocation loc;
  MlirBlock block;
  MlirOperation before; /* insert before it; null: at the end of the block */
  MlirType i1, i8, i16, i32, i64, f16, bf16, f32, f64, ptr;
} cpu_builder;

void cpu_builder_init(cpu_builder *b, MlirContext ctx);

MlirOperation cpu_op(cpu_builder *b, const char *name, intptr_t operand_count,
                     const MlirValue *operands, intptr_t result_count,
                     const MlirType *results, intptr_t attribute_count,
                     const MlirNamedAttribute *attributes);
MlirValue cpu_unary(cpu_builder *b, const char *name, MlirType result,
                    MlirValue x);
/* The result has the type of `x`. */
MlirValue cpu_binary(cpu_builder *b, const char *name, MlirValue x,
                     MlirValue y);
MlirValue cpu_fma(cpu_builder *b, MlirValue x, MlirValue y, MlirValue z);
MlirValue cpu_select(cpu_builder *b, MlirValue condition, MlirValue x,
                     MlirValue y);
/* arith.cmpi and arith.cmpf by the dialect's number of the predicate. */
enum {
  CPU_EQ,
  CPU_NE,
  CPU_SLT,
  CPU_SLE,
  CPU_SGT,
  CPU_SGE,
  CPU_ULT,
  CPU_ULE,
  CPU_UGT,
  CPU_UGE
};
enum {
  CPU_FALSE,
  CPU_OEQ,
  CPU_OGT,
  CPU_OGE,
  CPU_OLT,
  CPU_OLE,
  CPU_ONE,
  CPU_ORD,
  CPU_UEQ,
  CPU_FUGT,
  CPU_FUGE,
  CPU_FULT,
  CPU_FULE,
  CPU_UNE,
  CPU_UNO
};
MlirValue cpu_cmpi(cpu_builder *b, int predicate, MlirValue x, MlirValue y);
MlirValue cpu_cmpf(cpu_builder *b, int predicate, MlirValue x, MlirValue y);

/* Constants of a scalar or (as a splat) a vector type. */
MlirValue cpu_int(cpu_builder *b, MlirType type, int64_t value);
MlirValue cpu_float(cpu_builder *b, MlirType type, double value);
MlirValue cpu_zero(cpu_builder *b, MlirType type);
MlirValue cpu_index(cpu_builder *b, int64_t value); /* i64 */
/* {0, 1, ..., lanes-1} of an integer type. */
MlirValue cpu_iota(cpu_builder *b, MlirType element, int64_t lanes);

/* `value` in every lane of a vector; itself when lanes is 0. */
MlirValue cpu_splat(cpu_builder *b, MlirValue value, int64_t lanes);
/* Integer to another width. */
MlirValue cpu_resize(cpu_builder *b, MlirValue value, MlirType element,
                     bool is_signed);
/* base + index elements of `element` (i1 counts as a byte). */
MlirValue cpu_gep(cpu_builder *b, MlirValue base, MlirValue index,
                  MlirType element);
MlirValue cpu_gep_bytes(cpu_builder *b, MlirValue base, int64_t bytes);
MlirValue cpu_load(cpu_builder *b, MlirType type, MlirValue address,
                   int64_t align);
void cpu_store(cpu_builder *b, MlirValue value, MlirValue address,
               int64_t align);
/* The compiler moves no access over it, nor out of a loop around it. */
void cpu_fence(cpu_builder *b);
/* Lanes [from, from + lanes) of a vector, and their replacement by `part`. */
MlirValue cpu_slice(cpu_builder *b, MlirValue x, int64_t from, int64_t lanes);
MlirValue cpu_put_slice(cpu_builder *b, MlirValue x, MlirValue part,
                        int64_t from);
/* Whether a vector of i1 has a true lane. */
MlirValue cpu_any_lane(cpu_builder *b, MlirValue lanes);
MlirValue cpu_intrinsic(cpu_builder *b, const char *name, MlirType result,
                        intptr_t count, const MlirValue *operands);

/* scf.for over i64 with the given initial values; the body is empty and has no
 * terminator. The builder stays where it was. */
MlirOperation cpu_for(cpu_builder *b, MlirValue low, MlirValue high,
                      MlirValue step, intptr_t count, const MlirValue *inits);
/* scf.if with results; both blocks empty and without terminator. */
MlirOperation cpu_if(cpu_builder *b, MlirValue condition, intptr_t count,
                     const MlirType *results);
/* scf.while between the types of `inits` and `results`; both blocks with their
 * arguments, without terminator. */
MlirOperation cpu_while(cpu_builder *b, intptr_t count, const MlirValue *inits,
                        intptr_t result_count, const MlirType *results);
MlirBlock cpu_body(MlirOperation op, intptr_t region);
/* Inserts at the end of `block` from now on. */
void cpu_enter(cpu_builder *b, MlirBlock block);
/* Appends scf.yield to a block and leaves the builder alone. */
void cpu_yield(cpu_builder *b, MlirBlock block, intptr_t count,
               const MlirValue *values);

MlirNamedAttribute cpu_named(cpu_builder *b, const char *name,
                             MlirAttribute attribute);
MlirAttribute cpu_i32_attr(cpu_builder *b, int64_t value);
MlirType cpu_vector(MlirType element, int64_t lanes); /* lanes 0: scalar */
MlirType cpu_element(MlirType type); /* of a vector or itself */
int64_t cpu_lanes(MlirType type);    /* 0 for a scalar */
bool cpu_is_float(MlirType element);
unsigned cpu_bits(MlirType element);
/* Bytes in memory; i1 is a byte. */
int64_t cpu_bytes(MlirType element);
static inline MlirStringRef cpu_str(const char *text) {
  return mlirStringRefCreateFromCString(text);
}
static inline MlirType cpu_type(MlirValue v) { return mlirValueGetType(v); }
bool cpu_op_is(MlirOperation op, const char *name);
MlirAttribute cpu_attr(MlirOperation op, const char *name);
int64_t cpu_attr_int(MlirOperation op, const char *name);

#endif
