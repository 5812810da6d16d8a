/* Links between the ends of pairs. */
#include "load.h"
#include <time.h>

struct packet {
  struct packet *next;
  uint64_t due;
  void *to;
  size_t length;
  unsigned char bytes[];
};

static char ends[MOST_PAIRS][2];
static struct packet *first;
static struct link_quality quality;
static uint64_t time_passed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t carrier;
static volatile int carries;

void set_quality(struct link_quality wanted) { quality = wanted; }
void *end_of(long pair, long side) { return &ends[pair][side]; }

static uint64_t real_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

uint64_t now(void) { return carries ? real_time() : time_passed; }

static void put(void *to, const void *buffer, size_t length) {
  struct packet *packet = malloc(sizeof *packet + length);
  *packet = (struct packet){.due = now() + (uint64_t)(quality.delay ? below(quality.delay) : 0), .to = to, .length = length};
  memcpy(packet->bytes, buffer, length);
  pthread_mutex_lock(&lock);
  struct packet **place = &first;
  while (*place && (*place)->due <= packet->due) place = &(*place)->next;
  packet->next = *place;
  *place = packet;
  pthread_mutex_unlock(&lock);
}

int carry(void *address, void *buffer, size_t length, uint8_t tos, uint8_t set_df) {
  (void)tos; (void)set_df;
  long at = (char *)address - &ends[0][0];
  if (at < 0 || at >= MOST_PAIRS * 2) FAULT("a packet to nowhere");
  void *to = &ends[0][0] + (at ^ 1);
  if (below(100) < quality.loss) return 0;
  put(to, buffer, length);
  if (below(100) < quality.doubling) put(to, buffer, length);
  return 0;
}

static struct packet *take(uint64_t when) {
  pthread_mutex_lock(&lock);
  struct packet *packet = first && first->due <= when ? first : NULL;
  if (packet) first = packet->next;
  pthread_mutex_unlock(&lock);
  return packet;
}

void deliver_until(uint64_t when) {
  time_passed = when;
  for (struct packet *packet; (packet = take(when)); free(packet)) usrsctp_conninput(packet->to, packet->bytes, packet->length, 0);
}

static void *carry_all(void *nothing) {
  while (carries) {
    deliver_until(real_time());
    usleep(500);
  }
  return nothing;
}

void start_carrier(void) {
  carries = 1;
  pthread_create(&carrier, NULL, carry_all, NULL);
}

void stop_carrier(void) {
  carries = 0;
  pthread_join(carrier, NULL);
}
