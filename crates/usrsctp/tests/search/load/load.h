/* Pairs of sockets that talk over links which lose, double and reorder packets. */
#ifndef LOAD_H
#define LOAD_H
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

#define FAULT(...) (printf("FAULT line %d: ", __LINE__), printf(__VA_ARGS__), printf("\n"), fflush(stdout), exit(1))

/* chance.c: a generator of the seed. */
void seed_with(uint64_t seed);
long below(long most);

/* link.c: packets under way, and the time that passes. */
#define MOST_PAIRS 32
struct link_quality { long loss, doubling, delay; };
void set_quality(struct link_quality quality);
void *end_of(long pair, long side);
int carry(void *address, void *buffer, size_t length, uint8_t tos, uint8_t set_df);
/* Delivers what is due by then, milliseconds. */
void deliver_until(uint64_t when);
uint64_t now(void);
/* The same by a thread of its own, in real time. */
void start_carrier(void);
void stop_carrier(void);

/* talker.c: an end of a pair. */
#define STREAMS 4
struct talker {
  struct socket *socket;
  struct talker *peer;
  pthread_mutex_t lock;
  long pair, side;
  int calls_back, is_busy_inside, is_closed, ended;
  /* Messages to send, those sent, and those that came; the next number due on each stream. */
  long wanted, sent, came, missing;
  uint32_t next[STREAMS], due[STREAMS];
  unsigned char *seen;
  size_t seen_room;
};
void open_talker(struct talker *talker);
/* Sends and reads what can be; whether anything was. */
int step_talker(struct talker *talker);
int is_done(struct talker *talker);
void close_talker(struct talker *talker);

#endif
