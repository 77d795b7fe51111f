#include "program_reader.h"

void neso__reader_init(neso_reader *reader, const void *bytes, size_t size) {
  const uint8_t *start = bytes;
  *reader = (neso_reader){start, start, size ? start + size : start, NULL, 0};
}

bool neso__reader_fail(neso_reader *reader, const char *error) {
  if (!reader->error) {
    reader->error = error;
    reader->error_at = (size_t)(reader->at - reader->start);
  }
  return false;
}

uint8_t neso__reader_byte(neso_reader *reader) {
  if (reader->error || reader->at == reader->end) {
    neso__reader_fail(reader, "ends too early");
    return 0;
  }
  return *reader->at++;
}

uint64_t neso__reader_uleb(neso_reader *reader) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = neso__reader_byte(reader);
    if (shift == 63 && byte > 1)
      break;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128)
      return reader->error ? 0 : value;
  }
  neso__reader_fail(reader, "number too long");
  return 0;
}

int64_t neso__reader_sleb(neso_reader *reader) {
  uint64_t value = neso__reader_uleb(reader);
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

size_t neso__reader_count(neso_reader *reader) {
  uint64_t count = neso__reader_uleb(reader);
  if (count <= (uint64_t)(reader->end - reader->at))
    return (size_t)count;
  neso__reader_fail(reader, "count beyond the end");
  return 0;
}

size_t neso__reader_index(neso_reader *reader, size_t limit,
                          const char *error) {
  uint64_t index = neso__reader_uleb(reader);
  if (index < limit)
    return (size_t)index;
  neso__reader_fail(reader, error);
  return 0;
}

const char *neso__reader_bytes(neso_reader *reader, size_t length) {
  if (reader->error || length > (size_t)(reader->end - reader->at)) {
    neso__reader_fail(reader, "ends too early");
    return NULL;
  }
  const char *bytes = (const char *)reader->at;
  reader->at += length;
  return bytes;
}
