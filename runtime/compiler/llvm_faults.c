#include "llvm_faults.h"

#include <stdbool.h>
#include <string.h>

/* ------------------------------------------- stores of a single lane -- */

/* The only lane that a constant mask lets through, or -1. */
static int only_lane(LLVMValueRef mask) {
  int found = -1;
  if (!LLVMIsConstant(mask))
    return -1;
  for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(mask)); i++) {
    LLVMValueRef lane = LLVMGetAggregateElement(mask, i);
    if (!lane || !LLVMIsAConstantInt(lane))
      return -1;
    if (LLVMConstIntGetZExtValue(lane) == 0)
      continue;
    if (found >= 0)
      return -1;
    found = (int)i;
  }
  return found;
}

static bool is_masked_store(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction))
    return false;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  size_t length;
  static const char prefix[] = "llvm.masked.store.";
  return callee && LLVMIsAFunction(callee) &&
         !strncmp(LLVMGetValueName2(callee, &length), prefix,
                  sizeof prefix - 1);
}

static void store_lane(LLVMBuilderRef builder, LLVMValueRef store, int lane) {
  LLVMValueRef value = LLVMGetOperand(store, 0);
  LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
  LLVMTypeRef i32 =
      LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));
  LLVMValueRef index = LLVMConstInt(i32, (unsigned)lane, false);
  LLVMPositionBuilderBefore(builder, store);
  value = LLVMBuildExtractElement(builder, value, index, "");
  LLVMValueRef address =
      LLVMBuildGEP2(builder, element, LLVMGetOperand(store, 1), &index, 1, "");
  LLVMSetAlignment(LLVMBuildStore(builder, value, address), 1);
  LLVMInstructionEraseFromParent(store);
}

/* LLVM 22 makes one scalar store of a masked store whose constant mask has one
 * lane, and with AVX-512 forgets then that the value was truncated: it writes
 * the wide element over what lies behind. */
static void split_single_lane(LLVMBuilderRef builder, LLVMValueRef at) {
  int lane = is_masked_store(at) ? only_lane(LLVMGetOperand(at, 2)) : -1;
  if (lane >= 0)
    store_lane(builder, at, lane);
}

/* ---------------------------------------------------- scalars of bf16 -- */

static bool is_bf16(LLVMValueRef value) {
  return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMBFloatTypeKind;
}

static LLVMValueRef word_of(LLVMBuilderRef builder, LLVMValueRef value) {
  LLVMTypeRef word =
      LLVMInt16TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));
  if (LLVMIsABitCastInst(value) && LLVMTypeOf(LLVMGetOperand(value, 0)) == word)
    return LLVMGetOperand(value, 0);
  return LLVMBuildBitCast(builder, value, word, "");
}

/* Frozen, so that code generation does not make it a phi of bf16 again. */
static void word_phi(LLVMBuilderRef builder, LLVMValueRef phi) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(phi));
  LLVMPositionBuilderBefore(builder, phi);
  LLVMValueRef words =
      LLVMBuildPhi(builder, LLVMInt16TypeInContext(context), "");
  LLVMValueRef first = phi;
  while (LLVMIsAPHINode(first))
    first = LLVMGetNextInstruction(first);
  LLVMPositionBuilderBefore(builder, first);
  LLVMValueRef value = LLVMBuildBitCast(builder, words, LLVMTypeOf(phi), "");
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(from));
    LLVMValueRef word = word_of(builder, LLVMGetIncomingValue(phi, i));
    word = LLVMBuildFreeze(builder, word, "");
    LLVMAddIncoming(words, &word, &from, 1);
  }
  LLVMReplaceAllUsesWith(phi, value);
  LLVMInstructionEraseFromParent(phi);
}

static void word_select(LLVMBuilderRef builder, LLVMValueRef select) {
  LLVMPositionBuilderBefore(builder, select);
  LLVMValueRef word =
      LLVMBuildSelect(builder, LLVMGetOperand(select, 0),
                      word_of(builder, LLVMGetOperand(select, 1)),
                      word_of(builder, LLVMGetOperand(select, 2)), "");
  LLVMReplaceAllUsesWith(
      select, LLVMBuildBitCast(builder, word, LLVMTypeOf(select), ""));
  LLVMInstructionEraseFromParent(select);
}

static void word_load(LLVMBuilderRef builder, LLVMValueRef load) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(load));
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef word = LLVMBuildLoad2(builder, LLVMInt16TypeInContext(context),
                                     LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(word, LLVMGetAlignment(load));
  LLVMSetVolatile(word, LLVMGetVolatile(load));
  LLVMReplaceAllUsesWith(load,
                         LLVMBuildBitCast(builder, word, LLVMTypeOf(load), ""));
  LLVMInstructionEraseFromParent(load);
}

static void word_store(LLVMBuilderRef builder, LLVMValueRef store) {
  LLVMPositionBuilderBefore(builder, store);
  LLVMSetOperand(store, 0, word_of(builder, LLVMGetOperand(store, 0)));
}

/* On x86 a scalar of bf16 lives in a register as f32, and going back to memory
 * or to another block takes denormals for 0: such scalars move as words. */
static void move_as_word(LLVMBuilderRef builder, LLVMValueRef at) {
  switch (LLVMGetInstructionOpcode(at)) {
  case LLVMPHI:
    if (is_bf16(at))
      word_phi(builder, at);
    break;
  case LLVMSelect:
    if (is_bf16(at))
      word_select(builder, at);
    break;
  case LLVMLoad:
    if (is_bf16(at) && LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic)
      word_load(builder, at);
    break;
  case LLVMStore:
    if (is_bf16(LLVMGetOperand(at, 0)) &&
        LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic)
      word_store(builder, at);
    break;
  default:
    break;
  }
}

/* --------------------------------------------------------------- a walk -- */

/* May replace or erase `at`; what it builds is not visited. */
typedef void neso_visit(LLVMBuilderRef builder, LLVMValueRef at);

static void each_instruction(LLVMModuleRef module, neso_visit *visit) {
  LLVMBuilderRef builder =
      LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
       f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
         block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at;
           at = next) {
        next = LLVMGetNextInstruction(at);
        visit(builder, at);
      }
  LLVMDisposeBuilder(builder);
}

/* The lanes come first: a store that they leave may be one of bf16. */
void neso__llvm_avoid_faults(LLVMModuleRef module) {
  each_instruction(module, split_single_lane);
  each_instruction(module, move_as_word);
}
