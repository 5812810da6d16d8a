/* A generator of the seed, which threads share. */
#include "load.h"

static uint64_t state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void seed_with(uint64_t seed) { state = seed; }

long below(long most) {
  pthread_mutex_lock(&lock);
  state += 0x9e3779b97f4a7c15ull;
  uint64_t z = state;
  pthread_mutex_unlock(&lock);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return (long)((z ^ z >> 31) % (uint64_t)most);
}
