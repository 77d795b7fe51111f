/* What joins a nest: marked values that the nest computes anyway are written
 * along; others are computed before it. */
#include "lower.h"

typedef struct gather_state {
  cpu_lower *l;
  cpu_output outputs[CPU_MAX_OUTPUTS];
  int count;
  int64_t seq;
  bool is_store;
  int budget;
} gather_state;

static cpu_buffer *buffer_for(cpu_lower *l, const cpu_value *v, int64_t seq) {
  cpu_buffer *buffer = cpu_buffer_new(l, v->element, v->rank, v->shape, 1, 0);
  cpu_buffer_keep(buffer, seq);
  cpu_buffer_keep(buffer, cpu_last_use(l, v));
  return buffer;
}

static cpu_output buffer_output(cpu_lower *l, cpu_value *v, int64_t seq) {
  return (cpu_output){.kind = CPU_BUFFER,
                      .value = v,
                      .result = v,
                      .buffer = buffer_for(l, v, seq)};
}

static bool is_pending(const cpu_lower *l, const cpu_value *v) {
  for (const cpu_value *p = l->pending; p; p = p->next_pending)
    if (p == v)
      return true;
  return false;
}

static bool has_output(const gather_state *s, const cpu_value *v) {
  for (int i = 0; i < s->count; i++)
    if (s->outputs[i].result == v)
      return true;
  return false;
}

static bool can_join(gather_state *s, cpu_value *v, cpu_coords c) {
  return cpu_same_shape(v, s->outputs[0].value) &&
         cpu_same_coords(c, cpu_identity(v), v->rank) && is_pending(s->l, v) &&
         !(v->early && s->is_store) && s->count < CPU_MAX_OUTPUTS;
}

static bool is_parameter(const cpu_lower *l, MlirValue base) {
  return mlirValueIsABlockArgument(base) &&
         mlirOperationEqual(
             mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(base)),
             l->tile_func);
}

/* No byte that the parameter `base` points to belongs to another pointer
 * parameter: a fact of the launch. */
static bool is_apart(const cpu_lower *l, MlirValue base) {
  MlirAttribute all =
      mlirOperationGetAttributeByName(l->tile_func, cpu_str("arg_attrs"));
  intptr_t i = mlirBlockArgumentGetArgNumber(base);
  if (mlirAttributeIsNull(all) || i >= mlirArrayAttrGetNumElements(all))
    return false;
  MlirAttribute facts = mlirDictionaryAttrGetElementByName(
      mlirArrayAttrGetElement(all, i), cpu_str("neso.facts"));
  return !mlirAttributeIsNull(facts) &&
         mlirIntegerAttrGetValueInt(facts) & NESO_FACT_APART;
}

/* The store of this nest could overwrite what `v` still has to load: the same
 * pointer at other elements, or two that may overlap. */
static bool is_overwritten(gather_state *s, const cpu_value *v, cpu_coords c) {
  if (!s->is_store || !cpu_is_load(v->op))
    return false;
  MlirOperation store = s->outputs[0].op;
  MlirValue to = mlirOperationGetOperand(store, 0);
  MlirValue from = mlirOperationGetOperand(v->def, 0);
  if (!mlirValueEqual(to, from))
    return !is_parameter(s->l, to) || !is_parameter(s->l, from) ||
           (!is_apart(s->l, to) && !is_apart(s->l, from));
  return !mlirValueEqual(mlirOperationGetOperand(store, 1),
                         mlirOperationGetOperand(v->def, 1)) ||
         !cpu_same_shape(v, s->outputs[0].value) ||
         !cpu_same_coords(c, cpu_identity(v), v->rank);
}

static void visit(gather_state *s, cpu_value *v, cpu_coords c) {
  if (v->rank == 0 || v->ready || mlirOperationIsNull(v->def) ||
      !(cpu_is_lazy(v->op) || v->op == NESO_OP_NESO_GATHER) || --s->budget < 0)
    return;
  if (is_overwritten(s, v, c)) {
    cpu_nest_root(s->l, buffer_output(s->l, v, s->seq), s->seq);
    return;
  }
  if (v->marked && v != s->outputs[0].result && !has_output(s, v)) {
    if (!can_join(s, v, c)) {
      cpu_nest_root(s->l, buffer_output(s->l, v, s->seq), s->seq);
      return;
    }
    s->outputs[s->count++] = buffer_output(s->l, v, s->seq);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(v->def); i++)
    visit(s, cpu_operand(s->l, v, i), cpu_operand_coords(s->l, v, i, c));
}

static void forget_pending(cpu_lower *l) {
  cpu_value **p = &l->pending;
  while (*p)
    if ((*p)->ready)
      *p = (*p)->next_pending;
    else
      p = &(*p)->next_pending;
}

/* Values loaded before a store and needed after it must be taken before. */
static void settle_before_store(gather_state *s) {
  cpu_lower *l = s->l;
  for (cpu_value *v = l->pending; v;) {
    cpu_value *next = v->next_pending;
    if (!v->ready && v->has_load && !has_output(s, v)) {
      cpu_nest_root(l, buffer_output(l, v, s->seq), s->seq);
      next = l->pending;
    }
    v = next;
  }
}

static void drop_ready(gather_state *s) {
  int kept = 1;
  for (int i = 1; i < s->count; i++)
    if (!s->outputs[i].result->ready)
      s->outputs[kept++] = s->outputs[i];
  s->count = kept;
}

void cpu_nest_root(cpu_lower *l, cpu_output output, int64_t seq) {
  gather_state s = {.l = l,
                    .outputs = {output},
                    .count = 1,
                    .seq = seq,
                    .is_store = output.kind == CPU_STORE,
                    .budget = 20000};
  if (l->error || (output.result && output.result->ready))
    return;
  cpu_coords c = cpu_identity(output.value);
  visit(&s, output.value, c);
  if (s.is_store) {
    visit(&s, cpu_op_operand(l, output.op, 1), c);
    if (neso__op_of(output.op) == NESO_OP_NESO_MASKED_STORE)
      visit(&s, cpu_op_operand(l, output.op, 3), c);
    settle_before_store(&s);
  }
  drop_ready(&s);
  cpu_nest_run(l, s.outputs, s.count);
  forget_pending(l);
}

void cpu_materialize(cpu_lower *l, cpu_value *v, cpu_buffer *buffer,
                     int64_t seq) {
  cpu_output out = {.kind = CPU_BUFFER, .value = v, .buffer = buffer};
  cpu_buffer_keep(buffer, seq);
  cpu_nest_root(l, out, seq);
}

cpu_buffer *cpu_result_buffer(cpu_lower *l, cpu_value *v) {
  v->buffer = buffer_for(l, v, v->seq);
  return v->buffer;
}

void cpu_take(cpu_lower *l, cpu_value *v, int64_t seq) {
  cpu_flush(l, seq);
  if (!v->ready) {
    cpu_nest_root(l, buffer_output(l, v, seq), seq);
    cpu_taken(l, v);
  }
  if (v->buffer)
    cpu_buffer_keep(v->buffer, seq);
}

void cpu_taken(cpu_lower *l, cpu_value *v) {
  v->ready = true;
  v->next_taken = l->taken;
  l->taken = v;
}

void cpu_let_go(cpu_lower *l, MlirBlock block, cpu_value *before) {
  for (cpu_value *v = l->taken; v != before; v = v->next_taken) {
    if (mlirBlockEqual(v->block, block))
      continue;
    v->ready = false;
    v->buffer = NULL;
  }
  l->taken = before;
}

void cpu_flush(cpu_lower *l, int64_t seq) {
  while (l->pending && !l->error) {
    cpu_value *v = l->pending;
    cpu_nest_root(l, buffer_output(l, v, seq), seq);
  }
}
