/* The messages that every C peer sends and expects, the same as in `peers/src/pattern.rs`: the PPID of
 * each is its number, and it holds these bytes. */
#ifndef SHEAVE_PATTERN_H
#define SHEAVE_PATTERN_H
#include <stddef.h>
#include <stdint.h>

/* The number of the first message: smaller PPIDs are those of other protocols (RFC 9260 §15.5). */
enum { FIRST_NUMBER = 1 << 20 };

static inline uint8_t pattern_byte(uint32_t n, size_t at) {
  return (uint8_t)(n * 31 + at * 7 + (at >> 8));
}

static inline void pattern_fill(uint32_t n, uint8_t *bytes, size_t length) {
  for (size_t at = 0; at < length; at++) bytes[at] = pattern_byte(n, at);
}

/* What one receiver has seen; an ordered message must be newer than the last one of its stream. */
struct tally {
  uint64_t bytes;
  uint64_t messages;
  uint64_t wrong;
  /* Messages of odd numbers, which are reliable wherever others are not. */
  uint64_t odd;
  int64_t newest[65536];
};

static inline void tally_start(struct tally *tally) {
  tally->bytes = tally->messages = tally->wrong = tally->odd = 0;
  for (size_t stream = 0; stream < 65536; stream++) tally->newest[stream] = -1;
}

static inline void tally_add(struct tally *tally, uint16_t stream, uint32_t n, int unordered,
                             const uint8_t *bytes, size_t length) {
  int right = 1;
  for (size_t at = 0; right && at < length; at++) right = bytes[at] == pattern_byte(n, at);
  if (!unordered) {
    right = right && tally->newest[stream] < (int64_t)n;
    tally->newest[stream] = n;
  }
  tally->bytes += length;
  tally->messages += 1;
  tally->wrong += !right;
  tally->odd += n % 2;
}
#endif
