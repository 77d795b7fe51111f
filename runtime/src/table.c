#include "table.h"

#include <string.h>

#define BUCKETS 64

typedef struct entry {
  struct entry *next; /* in the bucket */
  struct entry *newer, *older;
  uint64_t hash;
  neso_variant *variant; /* one reference */
  size_t key_size;
  unsigned char key[];
} entry;

struct neso_table {
  neso_context *context; /* borrowed from the kernel */
  pthread_mutex_t lock;
  unsigned generation;
  size_t count;
  entry *newest, *oldest;
  entry *buckets[BUCKETS];
};

neso_table *neso__table_new(neso_context *context) {
  neso_table *table = neso__object_new(context, sizeof *table);
  if (!table)
    return NULL;
  table->context = context;
  pthread_mutex_init(&table->lock, NULL);
  return table;
}

static void entry_delete(neso_table *table, entry *e) {
  neso__variant_release(e->variant);
  neso__object_free(table->context, e);
}

void neso__table_delete(neso_table *table) {
  if (!table)
    return;
  neso__table_clear(table);
  pthread_mutex_destroy(&table->lock);
  neso__object_free(table->context, table);
}

static bool matches(const entry *e, const void *key, size_t size,
                    uint64_t hash) {
  return e->hash == hash && e->key_size == size && !memcmp(e->key, key, size);
}

static void list_remove(neso_table *table, entry *e) {
  *(e->newer ? &e->newer->older : &table->newest) = e->older;
  *(e->older ? &e->older->newer : &table->oldest) = e->newer;
}

static void list_push(neso_table *table, entry *e) {
  e->newer = NULL;
  e->older = table->newest;
  *(e->older ? &e->older->newer : &table->oldest) = e;
  table->newest = e;
}

static entry *lookup(neso_table *table, const void *key, size_t size,
                     uint64_t hash) {
  entry *e = table->newest;
  if (e && matches(e, key, size, hash))
    return e;
  e = table->buckets[hash % BUCKETS];
  while (e && !matches(e, key, size, hash))
    e = e->next;
  if (!e)
    return NULL;
  list_remove(table, e);
  list_push(table, e);
  return e;
}

neso_variant *neso__table_find(neso_table *table, const void *key, size_t size,
                               uint64_t hash, unsigned *out_generation) {
  pthread_mutex_lock(&table->lock);
  entry *e = lookup(table, key, size, hash);
  neso_variant *variant = e ? e->variant : NULL;
  if (variant)
    neso__variant_retain(variant);
  *out_generation = table->generation;
  pthread_mutex_unlock(&table->lock);
  return variant;
}

static entry *remove_oldest(neso_table *table) {
  entry *e = table->oldest;
  entry **link = &table->buckets[e->hash % BUCKETS];
  while (*link != e)
    link = &(*link)->next;
  *link = e->next;
  list_remove(table, e);
  table->count--;
  return e;
}

void neso__table_put(neso_table *table, const void *key, size_t size,
                     uint64_t hash, unsigned generation,
                     neso_variant *variant) {
  entry *e = neso__object_new(table->context, sizeof *e + size);
  if (!e)
    return; /* the variant serves this launch and is built again */
  e->hash = hash;
  e->key_size = size;
  memcpy(e->key, key, size);
  e->variant = variant;
  neso__variant_retain(variant);
  entry *leaves = NULL;
  pthread_mutex_lock(&table->lock);
  if (table->generation != generation || lookup(table, key, size, hash)) {
    leaves = e;
  } else {
    if (table->count == NESO_TABLE_LIMIT)
      leaves = remove_oldest(table);
    e->next = table->buckets[hash % BUCKETS];
    table->buckets[hash % BUCKETS] = e;
    list_push(table, e);
    table->count++;
  }
  pthread_mutex_unlock(&table->lock);
  if (leaves)
    entry_delete(table, leaves);
}

void neso__table_clear(neso_table *table) {
  pthread_mutex_lock(&table->lock);
  entry *e = table->newest;
  memset(table->buckets, 0, sizeof table->buckets);
  table->newest = table->oldest = NULL;
  table->count = 0;
  table->generation++;
  pthread_mutex_unlock(&table->lock);
  while (e) {
    entry *older = e->older;
    entry_delete(table, e);
    e = older;
  }
}

size_t neso__table_count(neso_table *table) {
  pthread_mutex_lock(&table->lock);
  size_t count = table->count;
  pthread_mutex_unlock(&table->lock);
  return count;
}
