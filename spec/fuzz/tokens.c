/* A mutator of Lua text that keeps tokens whole: most of what it makes can be
 * parsed, so that the code generation is reached. */
#include "tokens.h"

#include <ctype.h>
#include <string.h>

#define MAX_TOKENS 4096

typedef struct token {
  const char *text;
  size_t size;
  bool blank;
} token;

typedef struct list {
  token items[MAX_TOKENS];
  size_t count;
} list;

static list here, there;

static uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static size_t below(uint32_t *state, size_t limit) {
  return limit ? next_random(state) % limit : 0;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t token_size(const char *at, const char *end) {
  const char *p = at + 1;
  if (is_word(*at)) {
    while (p < end &&
           (is_word(*p) || (isdigit((unsigned char)*at) && *p == '.')))
      p++;
  } else if (*at == '"' || *at == '\'') {
    while (p < end && *p != *at && *p != '\n')
      p++;
    p += p < end;
  } else if (isspace((unsigned char)*at)) {
    while (p < end && isspace((unsigned char)*p))
      p++;
  } else if (p < end && strchr("=<>.:/~", *at) &&
             *p == (*at == '~' ? '=' : *at)) {
    p++;
  }
  return (size_t)(p - at);
}

static void split(const uint8_t *data, size_t size, list *out) {
  const char *at = (const char *)data, *end = at + size;
  out->count = 0;
  while (at < end && out->count < MAX_TOKENS) {
    size_t length = token_size(at, end);
    out->items[out->count++] =
        (token){at, length, isspace((unsigned char)*at) != 0};
    at += length;
  }
}

static size_t pick(uint32_t *state, const list *l) {
  size_t i = below(state, l->count);
  while (i < l->count && l->items[i].blank)
    i++;
  return i < l->count ? i : 0;
}

static void replace(list *l, size_t at, size_t removed, const token *with,
                    size_t count) {
  if (removed > l->count - at)
    removed = l->count - at;
  if (l->count - removed + count > MAX_TOKENS)
    return;
  memmove(l->items + at + count, l->items + at + removed,
          (l->count - at - removed) * sizeof(token));
  memcpy(l->items + at, with, count * sizeof(token));
  l->count = l->count - removed + count;
}

/* The line around a token. */
static void line_of(const list *l, size_t at, size_t *first, size_t *count) {
  size_t from = at, to = at;
  while (from > 0 &&
         !memchr(l->items[from - 1].text, '\n', l->items[from - 1].size))
    from--;
  while (to < l->count && !memchr(l->items[to].text, '\n', l->items[to].size))
    to++;
  *first = from;
  *count = to < l->count ? to + 1 - from : to - from;
}

static token a_word(uint32_t *state, const fuzz_words *words) {
  static const char *const others[] = {"0",          "1",
                                       "-1",         "2",
                                       "3",          "7",
                                       "33",         "1e9",
                                       "0.5",        "nil",
                                       "true",       "and",
                                       "or",         "not",
                                       "+",          "-",
                                       "*",          "/",
                                       "//",         "%",
                                       "^",          "==",
                                       "~=",         "<",
                                       "..",         "#",
                                       "{}",         "(",
                                       ")",          ",",
                                       "=",          "then",
                                       "break",      "else",
                                       "2^31",       "x",
                                       "if x then",  "for i = 1, 4 do",
                                       "while x do", "end",
                                       "return",     "repeat",
                                       "local",      "function(a, b)",
                                       "do",         "until x",
                                       "goto",       "{ 1, 2 }",
                                       "..."};
  size_t own = sizeof(others) / sizeof(others[0]);
  if (words->count && below(state, 2))
    return (token){words->items[below(state, words->count)], 0, false};
  return (token){others[below(state, own)], 0, false};
}

static void change(list *l, const list *other, const fuzz_words *words,
                   uint32_t *state) {
  static token kept[MAX_TOKENS];
  size_t at = pick(state, l), first, count;
  switch (below(state, 8)) {
  case 0: /* one token as another of the text */
    if (other->count)
      replace(l, at, 1, &other->items[pick(state, other)], 1);
    return;
  case 1: /* a word in place of a token, or beside it */
    kept[0] = a_word(state, words);
    kept[0].size = strlen(kept[0].text);
    replace(l, at, below(state, 2), kept, 1);
    return;
  case 2:
    replace(l, at, 1 + below(state, 3), kept, 0);
    return;
  case 3: /* a line goes */
    line_of(l, at, &first, &count);
    replace(l, first, count, kept, 0);
    return;
  case 4:
  case 5: /* a line of the other text comes */
    if (!other->count)
      return;
    line_of(other, pick(state, other), &first, &count);
    memcpy(kept, other->items + first, count * sizeof(token));
    size_t to, unused;
    line_of(l, at, &to, &unused);
    replace(l, to, below(state, 2) ? unused : 0, kept, count);
    return;
  case 6: /* some tokens of the other text */
    if (!other->count)
      return;
    first = pick(state, other);
    count = 1 + below(state, 12);
    if (count > other->count - first)
      count = other->count - first;
    memcpy(kept, other->items + first, count * sizeof(token));
    replace(l, at, below(state, count + 1), kept, count);
    return;
  default: /* two tokens change places */
    first = pick(state, l);
    if (l->count) {
      token one = l->items[at];
      l->items[at] = l->items[first];
      l->items[first] = one;
    }
  }
}

static size_t join(const list *l, uint8_t *out, size_t room) {
  size_t size = 0;
  for (size_t i = 0; i < l->count && size + l->items[i].size + 1 < room; i++) {
    const token *t = &l->items[i];
    if (size && is_word((char)out[size - 1]) && is_word(t->text[0]))
      out[size++] = ' ';
    memcpy(out + size, t->text, t->size);
    size += t->size;
  }
  return size;
}

size_t fuzz_tokens_mutate(const uint8_t *data, size_t size,
                          const uint8_t *other, size_t other_size,
                          const fuzz_words *words, uint32_t seed, uint8_t *out,
                          size_t room) {
  uint32_t state = seed * 2654435761u + 1;
  split(data, size, &here);
  split(other, other_size, &there);
  for (size_t i = 1 + below(&state, 4); i > 0; i--)
    change(&here, &there, words, &state);
  return join(&here, out, room);
}
