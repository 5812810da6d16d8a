/* A program that carries out scripts of calls of usrsctp.h and prints what comes of them. */
#ifndef SEARCH_H
#define SEARCH_H
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

/* Numbers of a line, at most; those that are missing are 0. */
#define NUMBERS 12

/* A line of a script: a call, its numbers, and the name of an option among them. */
struct line {
  char name[32], option[32];
  long n[NUMBERS];
};

/* draw.c: prints a script. */
void draw(uint64_t seed);

/* network.c: the packets, and the time. */
#define ADDRESSES 8
void *address_of(long index);
int carry(void *address, void *buffer, size_t length, uint8_t tos, uint8_t set_df);
void cut(long index, int on);
void ask_for(long index);
void register_address(long index, int on);
void flow(void);
void pass(long milliseconds);
/* Packets that are longer from now on are a fault. */
void limit(long length);

/* play.c: the sockets, and the calls. */
#define SLOTS 8
struct slot {
  struct socket *socket;
  int number, type;
  struct sockaddr_conn peer;
  /* Whether changes are told of, how often they were, and what the events were then. */
  int has_upcall, upcalls, events;
  /* A message of which parts came. */
  unsigned char *begun;
  size_t begun_length;
};
struct slot *slot_of(long number);
void play(const struct line *line);

/* option.c: calls of options. */
/* The name of an option, any of them. */
const char *option_name(long number);
void option_call(struct slot *slot, const struct line *line);
uint32_t assoc_of(struct slot *slot, long kind);

/* show.c: what is printed. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *outcome(long result);
const char *name_of(const void *address);
void show_message(const void *data, size_t length);
/* Keeps a part of a message, or shows all of it with the last. */
void show_part(struct slot *slot, const void *data, size_t length, int flags);
void show_notification(const void *data, size_t length);
unsigned hash(const void *data, size_t length);

#endif
