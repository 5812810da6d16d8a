/* What a running association is told through a FIFO, one command a line:
 *
 *   key ID SECRET            active ID               (RFC 4895)
 *   bind ADDRESS             unbind ADDRESS          (RFC 5061)
 *   peer-primary ADDRESS     addresses
 *   reset in|out STREAM..    reset-all               (RFC 6525)
 *   add IN OUT               streams
 *   stop (what send and ping send; one message more is the last)
 *
 * Each is answered by one line: did COMMAND, or failed COMMAND: WHY, or what was asked for. */
#ifndef SHEAVE_CONTROL_H
#define SHEAVE_CONTROL_H
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

enum { MOST_WORDS = 16 };

/* What the processes of one association know of each other. */
struct shared {
  volatile int stop;
  volatile uint32_t sent; /* the number of messages, 0 until it is known */
};

static struct shared *shared;

static inline int set_addresses(int s, int port, int name, const char *list) {
  struct addresses local = parse_addresses(list, port);
  return setsockopt(s, IPPROTO_SCTP, name, local.packed, (socklen_t)local.length);
}

static inline int local_port(int s) {
  union address own;
  socklen_t length = sizeof own;
  return getsockname(s, &own.any, &length) ? 0 : ntohs(own.v4.sin_port);
}

static inline int set_peer_primary(int s, const char *text) {
  struct addresses all = parse_addresses(text, local_port(s));
  struct sctp_setpeerprim option = {0};
  memcpy(&option.sspp_addr, all.packed, all.length);
  return setsockopt(s, IPPROTO_SCTP, SCTP_SET_PEER_PRIMARY_ADDR, &option, sizeof option);
}

static inline int reset_streams(int s, int count, char **words) {
  struct { struct sctp_reset_streams head; uint16_t ids[MOST_WORDS]; } option = {0};
  option.head.srs_flags = !strcmp(words[0], "in") ? SCTP_STREAM_RESET_INCOMING : SCTP_STREAM_RESET_OUTGOING;
  for (int i = 1; i < count; i++) option.head.srs_stream_list[i - 1] = (uint16_t)atoi(words[i]);
  option.head.srs_number_streams = (uint16_t)(count - 1);
  size_t length = sizeof option.head + option.head.srs_number_streams * sizeof *option.ids;
  return setsockopt(s, IPPROTO_SCTP, SCTP_RESET_STREAMS, &option, (socklen_t)length);
}

static inline int add_streams(int s, int in, int out) {
  struct sctp_add_streams option = {.sas_instrms = (uint16_t)in, .sas_outstrms = (uint16_t)out};
  return setsockopt(s, IPPROTO_SCTP, SCTP_ADD_STREAMS, &option, sizeof option);
}

static inline int reset_all(int s) {
  sctp_assoc_t id = SCTP_FUTURE_ASSOC; /* there is one */
  return setsockopt(s, IPPROTO_SCTP, SCTP_RESET_ASSOC, &id, sizeof id);
}

static inline int print_addresses(int s) {
  struct { struct sctp_getaddrs head; uint8_t room[MOST_ADDRESSES * sizeof(union address)]; } all = {0};
  struct sctp_status status = {0};
  socklen_t length = sizeof all, status_length = sizeof status;
  if (getsockopt(s, IPPROTO_SCTP, SCTP_GET_PEER_ADDRS, &all, &length)) return -1;
  if (getsockopt(s, IPPROTO_SCTP, SCTP_STATUS, &status, &status_length)) return -1;
  printf("addresses");
  const uint8_t *at = all.head.addrs;
  for (uint32_t i = 0; i < all.head.addr_num; i++) {
    union address one = {0};
    memcpy(&one, at, sizeof one.v4);
    memcpy(&one, at, address_length(&one));
    at += address_length(&one);
    printf(" %s", address_text(&one));
  }
  printf(" primary %s\n", address_text((const void *)&status.sstat_primary.spinfo_address));
  return 0;
}

static inline int print_streams(int s) {
  struct sctp_status status = {0};
  socklen_t length = sizeof status;
  if (getsockopt(s, IPPROTO_SCTP, SCTP_STATUS, &status, &length)) return -1;
  printf("streams in %u out %u\n", status.sstat_instrms, status.sstat_outstrms);
  return 0;
}

static inline int set_by_command(int s, int count, char **words) {
  const char *verb = words[0];
  int port = local_port(s), first = count > 1 ? atoi(words[1]) : 0, second = count > 2 ? atoi(words[2]) : 0;
  if (!strcmp(verb, "reset-all")) return reset_all(s);
  if (!strcmp(verb, "stop")) return shared->stop = 1, 0;
  errno = EINVAL;
  if (count < 2) return -1;
  if (!strcmp(verb, "active")) return activate_key(s, (uint16_t)first);
  if (!strcmp(verb, "bind")) return set_addresses(s, port, SCTP_SOCKOPT_BINDX_ADD, words[1]);
  if (!strcmp(verb, "unbind")) return set_addresses(s, port, SCTP_SOCKOPT_BINDX_REM, words[1]);
  if (!strcmp(verb, "peer-primary")) return set_peer_primary(s, words[1]);
  if (!strcmp(verb, "reset")) return reset_streams(s, count - 1, words + 1);
  if (count < 3) return -1;
  if (!strcmp(verb, "key")) return set_key(s, (uint16_t)first, words[2]);
  return strcmp(verb, "add") ? -1 : add_streams(s, first, second);
}

static inline void obey(int s, char *line) {
  char whole[256], *words[MOST_WORDS], *rest;
  int count = 0, status = -1;
  snprintf(whole, sizeof whole, "%s", line);
  for (char *word = strtok_r(line, " ", &rest); word && count < MOST_WORDS; word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  if (!count) return;
  if (!strcmp(words[0], "addresses")) status = print_addresses(s);
  else if (!strcmp(words[0], "streams")) status = print_streams(s);
  else {
    /* Streams can be reset once what was sent on them, and the request before, is acknowledged. */
    for (int i = 0; i < 500 && (status = set_by_command(s, count, words)); i++) {
      if (errno != EAGAIN && errno != EINPROGRESS) break;
      usleep(10000);
    }
    if (!status) printf("did %s\n", whole);
  }
  if (status) printf("failed %s: %s\n", whole, strerror(errno));
}

/* A process that obeys for the association of `s`, if the options want one; 0 if not. */
static inline pid_t start_control(int s, const struct options *options) {
  if (!options->control) return 0;
  char path[128], unopened[140], line[256];
  snprintf(path, sizeof path, "/tmp/%s.control", options->control);
  snprintf(unopened, sizeof unopened, "%s.unopened", path);
  /* Who finds it finds it open: what is written into one that nobody has open is lost. */
  if (mkfifo(unopened, 0600)) fail(unopened);
  FILE *commands = fopen(unopened, "r+"); /* which never ends */
  if (!commands || rename(unopened, path)) fail(path);
  pid_t child = fork();
  if (child) { fclose(commands); return child; }
  signal(SIGTERM, SIG_DFL);
  while (fgets(line, sizeof line, commands)) {
    line[strcspn(line, "\n")] = 0;
    obey(s, line);
  }
  exit(1);
}

static inline void stop_control(pid_t child) {
  if (child > 0) kill(child, SIGTERM);
}
#endif
