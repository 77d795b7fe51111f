/* Tile programs (spec/program.md) written by their bytes, also wrong ones. An
 * operation's parts are written in their order: op, its attributes, regions. */
#ifndef NESO_SPEC_PROGRAM_WRITER_H
#define NESO_SPEC_PROGRAM_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
  uint8_t at[4096];
  size_t size;
} bytes;

typedef struct table {
  char entries[64][40];
  size_t count;
} table;

/* Tables fill as the body names strings and types. */
typedef struct program {
  table strings, types;
  bytes type_bytes, body;
} program;

static void put(bytes *b, uint64_t value) {
  do {
    b->at[b->size++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
  } while (value >>= 7);
}

static void put_bytes(bytes *b, const void *from, size_t size) {
  memcpy(b->at + b->size, from, size);
  b->size += size;
}

static size_t intern(table *t, const char *text) {
  for (size_t i = 0; i < t->count; i++)
    if (!strcmp(t->entries[i], text))
      return i;
  strcpy(t->entries[t->count], text);
  return t->count++;
}

static void put_string(program *p, const char *text) {
  put(&p->body, intern(&p->strings, text));
}

/* "ptr", "i32", "f32:8x4". */
static void put_type(program *p, const char *text) {
  size_t known = p->types.count, index = intern(&p->types, text);
  put(&p->body, index);
  if (index < known)
    return;
  char element[8] = {0}, extents[16] = {0};
  int dims[2], rank = 0;
  sscanf(text, "%7[^:]:%15s", element, extents);
  rank = *extents ? sscanf(extents, "%dx%d", &dims[0], &dims[1]) : 0;
  bool pointer = !strcmp(text, "ptr");
  put_bytes(&p->type_bytes, pointer ? "p" : "t", 1);
  put(&p->type_bytes, intern(&p->strings, pointer ? "f32" : element));
  if (!pointer)
    put(&p->type_bytes, (uint64_t)rank);
  for (int i = 0; i < rank; i++)
    put(&p->type_bytes, (uint64_t)dims[i]);
}

static size_t words_of(char *text, char **words) {
  size_t count = 0;
  for (char *w = strtok(text, " "); w; w = strtok(NULL, " "))
    words[count++] = w;
  return count;
}

/* An operation up to its attributes, which follow, then its regions. */
static void op(program *p, const char *name, const char *operands,
               const char *results, int attributes) {
  char text[64], *words[8];
  put_string(p, name);
  size_t count = words_of(strcpy(text, operands), words);
  put(&p->body, count);
  for (size_t i = 0; i < count; i++)
    put(&p->body, strtoul(words[i], NULL, 10));
  count = words_of(strcpy(text, results), words);
  put(&p->body, count);
  for (size_t i = 0; i < count; i++)
    put_type(p, words[i]);
  put(&p->body, (uint64_t)attributes);
}

static void regions(program *p, int count) { put(&p->body, (uint64_t)count); }

static void region(program *p, const char *arguments, int ops) {
  char text[64], *words[8];
  size_t count = words_of(strcpy(text, arguments), words);
  put(&p->body, count);
  for (size_t i = 0; i < count; i++)
    put_type(p, words[i]);
  put(&p->body, (uint64_t)ops);
}

static void attribute(program *p, const char *name, char kind) {
  put_string(p, name);
  put_bytes(&p->body, &kind, 1);
}

static void number(program *p, const char *name, char kind, const char *type,
                   const char *text) {
  attribute(p, name, kind);
  put_type(p, type);
  put_string(p, text);
}

static void word(program *p, const char *name, const char *text) {
  attribute(p, name, 's');
  put_string(p, text);
}

static void boolean(program *p, const char *name, bool value) {
  attribute(p, name, 'b');
  put(&p->body, value);
}

static void memory(program *p) {
  word(p, "cache", "");
  word(p, "evict", "");
  boolean(p, "volatile", false);
  regions(p, 0);
}

static void param(program *p, const char *type, const char *name) {
  put_type(p, type);
  put_string(p, name);
  put(&p->body, 0);
}

static bytes finish(const program *p) {
  bytes b = {{0}, 0};
  put_bytes(&b, "NTP1", 4);
  put(&b, p->strings.count);
  for (size_t i = 0; i < p->strings.count; i++) {
    put(&b, strlen(p->strings.entries[i]));
    put_bytes(&b, p->strings.entries[i], strlen(p->strings.entries[i]));
  }
  put(&b, p->types.count);
  put_bytes(&b, p->type_bytes.at, p->type_bytes.size);
  put_bytes(&b, p->body.at, p->body.size);
  return b;
}

#endif
