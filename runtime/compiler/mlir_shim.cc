// The one C++ file: what the C API of MLIR 22 cannot say.
#include "mlir_shim.h"
#include "ops.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace {

SelfOwningTypeID typeIDs[NESO_OP_COUNT];

// A model of its own instead of DynamicOpDefinition (and so of IRDL): that one
// compares the properties of two operations as unequal, so cse never merges
// them, and it can be no terminator. Types are the work of verify.c.
class TileOp final : public OperationName::Impl {
public:
  TileOp(int op, const neso_op_row &row, DynamicDialect *dialect)
      : Impl(row.name, dialect, typeIDs[op].getTypeID(), {}), row(row) {}

  LogicalResult foldHook(Operation *, ArrayRef<Attribute>,
                         SmallVectorImpl<OpFoldResult> &) override {
    return failure();
  }
  void getCanonicalizationPatterns(RewritePatternSet &,
                                   MLIRContext *) override {}
  bool hasTrait(TypeID id) override {
    return row.terminator && id == TypeID::get<OpTrait::IsTerminator>();
  }
  OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return [](OpAsmParser &parser, OperationState &) -> ParseResult {
      return parser.emitError(parser.getNameLoc(),
                              "neso operations have the generic form only");
    };
  }
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) override {}
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef) override {
    printer.printGenericOp(op);
  }
  LogicalResult verifyInvariants(Operation *op) override {
    int operands = op->getNumOperands();
    if (operands < row.min_operands ||
        (row.max_operands >= 0 && operands > row.max_operands))
      return op->emitOpError("does not take ") << operands << " operands";
    if (row.results >= 0 && int(op->getNumResults()) != row.results)
      return op->emitOpError("must have ") << row.results << " results";
    if (int(op->getNumRegions()) != row.regions)
      return op->emitOpError("must have ") << row.regions << " regions";
    return success();
  }
  LogicalResult verifyRegionInvariants(Operation *) override {
    return success();
  }

  // No operation of the dialect has properties: attributes are one dictionary.
  std::optional<Attribute> getInherentAttr(Operation *, StringRef) override {
    return std::nullopt;
  }
  void setInherentAttr(Operation *, StringAttr, Attribute) override {}
  void populateInherentAttrs(Operation *, NamedAttrList &) override {}
  LogicalResult
  verifyInherentAttrs(OperationName, NamedAttrList &,
                      function_ref<InFlightDiagnostic()>) override {
    return success();
  }
  int getOpPropertyByteSize() override { return 0; }
  void initProperties(OperationName, OpaqueProperties,
                      OpaqueProperties) override {}
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  LogicalResult
  setPropertiesFromAttr(OperationName, OpaqueProperties, Attribute,
                        function_ref<InFlightDiagnostic()> emitError) override {
    return emitError() << "neso operations have no properties";
  }
  Attribute getPropertiesAsAttr(Operation *) override { return {}; }
  void copyProperties(OpaqueProperties, OpaqueProperties) override {}
  bool compareProperties(OpaqueProperties, OpaqueProperties) override {
    return true;
  }
  llvm::hash_code hashProperties(OpaqueProperties) override { return {}; }

private:
  const neso_op_row &row;
};

// Effects let canonicalize drop dead operations, cse merge equal ones (loads
// too, unless a write lies between), and licm hoist pure ones. A write may be
// to anything.
template <neso_effect effect>
struct Effects
    : MemoryEffectOpInterface::ExternalModel<Effects<effect>, TileOp> {
  void getEffects(Operation *op,
                  SmallVectorImpl<MemoryEffects::EffectInstance> &out) const {
    if (effect == NESO_EFFECT_READ)
      out.emplace_back(MemoryEffects::Read::get(), &op->getOpOperand(0));
    if (effect == NESO_EFFECT_WRITE)
      out.emplace_back(MemoryEffects::Write::get());
  }
};

// A volatile access may be neither merged nor dropped.
struct VolatileEffects
    : MemoryEffectOpInterface::ExternalModel<VolatileEffects, TileOp> {
  void getEffects(Operation *op,
                  SmallVectorImpl<MemoryEffects::EffectInstance> &out) const {
    out.emplace_back(MemoryEffects::Read::get(), &op->getOpOperand(0));
    auto flag = op->getAttrOfType<BoolAttr>("volatile");
    if (flag && flag.getValue())
      out.emplace_back(MemoryEffects::Write::get(), &op->getOpOperand(0));
  }
};

// licm hoists only what may run although the loop does not.
struct Hoistable : ConditionallySpeculatable::ExternalModel<Hoistable, TileOp> {
  Speculation::Speculatability getSpeculatability(Operation *) const {
    return Speculation::Speculatable;
  }
};

// int-range-optimizations starts from what only the tile operations know:
// program ids are not negative, an arange counts from start to end.
struct Ranges : InferIntRangeInterface::ExternalModel<Ranges, TileOp> {
  void inferResultRangesFromOptional(Operation *op,
                                     ArrayRef<IntegerValueRange> operands,
                                     SetIntLatticeFn set) const {
    StringRef name = op->getName().stripDialect();
    Value result = op->getResult(0);
    if (!operands.empty())
      return set(result, operands[0]);
    int64_t low = name == "num_programs" ? 1 : 0, high = INT32_MAX - 1;
    if (name == "arange") {
      auto start = op->getAttrOfType<IntegerAttr>("start");
      auto end = op->getAttrOfType<IntegerAttr>("end");
      if (!start || !end || start.getInt() >= end.getInt())
        return set(result, IntegerValueRange::getMaxRange(result));
      low = start.getInt(), high = end.getInt() - 1;
    }
    set(result, ConstantIntRanges::fromSigned(APInt(32, low, true),
                                              APInt(32, high, true)));
  }
  void inferResultRanges(Operation *op, ArrayRef<ConstantIntRanges> operands,
                         SetIntRangeFn set) const {
    SmallVector<IntegerValueRange> ranges(operands.begin(), operands.end());
    inferResultRangesFromOptional(
        op, ranges, [&](Value value, const IntegerValueRange &range) {
          if (!range.isUninitialized())
            set(value, range.getValue());
        });
  }
};

bool hasRanges(StringRef name) {
  return llvm::is_contained({"neso.program_id", "neso.num_programs",
                             "neso.arange", "neso.broadcast",
                             "neso.expand_dims", "neso.reshape", "neso.trans"},
                            name);
}

void attachInterfaces(const neso_op_row &row, MLIRContext *ctx) {
  auto name = *RegisteredOperationName::lookup(row.name, ctx);
  if (row.effect == NESO_EFFECT_NONE)
    name.attachInterface<Effects<NESO_EFFECT_NONE>, Hoistable>();
  if (row.effect == NESO_EFFECT_READ)
    name.attachInterface<VolatileEffects>();
  if (row.effect == NESO_EFFECT_WRITE)
    name.attachInterface<Effects<NESO_EFFECT_WRITE>>();
  if (hasRanges(row.name))
    name.attachInterface<Ranges>();
}

void (*badAllocHandler)(const char *reason);

} // namespace

void neso__shim_load_dialect(MlirContext context) {
  MLIRContext *ctx = unwrap(context);
  ctx->getOrLoadDynamicDialect("neso", [ctx](DynamicDialect *dialect) {
    for (int op = NESO_OP_UNKNOWN + 1; op < NESO_OP_COUNT; op++) {
      const neso_op_row &row = *neso__op_row(neso_op(op));
      if (!StringRef(row.name).starts_with("neso."))
        continue;
      RegisteredOperationName::insert(
          std::make_unique<TileOp>(op, row, dialect), {});
      attachInterfaces(row, ctx);
    }
  });
}

// mlirRegisterAllLLVMTranslations would link and load every dialect.
void neso__shim_register_translations(MlirContext context) {
  registerBuiltinDialectTranslation(*unwrap(context));
  registerLLVMDialectTranslation(*unwrap(context));
}

// Upstream offers these patterns as a test pass only.
bool neso__shim_math_polynomials(MlirOperation root) {
  Operation *op = unwrap(root);
  RewritePatternSet patterns(op->getContext());
  populateMathPolynomialApproximationPatterns(patterns);
  return succeeded(applyPatternsGreedily(op, std::move(patterns)));
}

static const llvm::MCSubtargetInfo &subtarget(LLVMTargetMachineRef machine) {
  return *reinterpret_cast<llvm::TargetMachine *>(machine)
              ->getMCSubtargetInfo();
}

// The C API only takes names, and LLVM prints about those it does not know.
bool neso__shim_knows_cpu(LLVMTargetMachineRef machine, const char *cpu) {
  return subtarget(machine).isCPUStringValid(cpu);
}

static bool knowsFeature(const llvm::MCSubtargetInfo &info, StringRef name) {
  return llvm::any_of(info.getAllProcessorFeatures(),
                      [&](const auto &row) { return name == row.Key; });
}

bool neso__shim_knows_features(LLVMTargetMachineRef machine,
                               const char *features) {
  SmallVector<StringRef> names;
  StringRef(features).split(names, ',', -1, false);
  return llvm::all_of(names, [&](StringRef name) {
    return (name.starts_with("+") || name.starts_with("-")) &&
           knowsFeature(subtarget(machine), name.drop_front());
  });
}

// The C API cannot ask what a CPU name implies.
bool neso__shim_machine_has(LLVMTargetMachineRef machine, const char *feature) {
  const llvm::MCSubtargetInfo &info = subtarget(machine);
  return knowsFeature(info, feature) &&
         info.checkFeatures((llvm::Twine("+") + feature).str());
}

// The C API installs a handler for fatal errors, but none for exhaustion.
void neso__shim_on_bad_alloc(void (*handler)(const char *reason)) {
  badAllocHandler = handler;
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *reason, bool) { badAllocHandler(reason); });
}
