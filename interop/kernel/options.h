/* What the command line says of a socket. */
#ifndef SHEAVE_OPTIONS_H
#define SHEAVE_OPTIONS_H
#include "address.h"

#include <linux/sctp.h> /* which needs what address.h includes */

struct options {
  const char *bind;
  const char *control;
  const char *auth;
  const char *keys;
  const char *priorities;
  int room;
  unsigned streams;
  int unordered;
  unsigned gap_ms;
  size_t first;
  int abort;
  int hmac;
  int active_key;
  int interleave;
  int reset;
  int scheduler;
  unsigned adaptation;
  uint16_t policy;
  unsigned policy_value;
  unsigned reliable_stream;
};

/* Bytes of a socket's buffers, and of the largest message. */
enum { LARGEST = 4 << 20 };

/* The value of a word such as `streams=7` where it is called so, else NULL. */
static inline const char *value_of(const char *word, const char *name) {
  size_t length = strlen(name);
  return strncmp(word, name, length) || word[length] != '=' ? NULL : word + length + 1;
}

static inline void parse_policy(struct options *options, const char *value) {
  const char *number = strchr(value, ':');
  options->policy = !strncmp(value, "ttl", 3)   ? SCTP_PR_SCTP_TTL
                    : !strncmp(value, "rtx", 3) ? SCTP_PR_SCTP_RTX
                                                : SCTP_PR_SCTP_PRIO;
  options->policy_value = number ? (unsigned)atoi(number + 1) : 0;
}

static inline void parse_option(struct options *options, const char *word) {
  const char *value;
  if ((value = value_of(word, "bind"))) options->bind = value;
  else if ((value = value_of(word, "streams"))) options->streams = (unsigned)atoi(value);
  else if ((value = value_of(word, "gap"))) options->gap_ms = (unsigned)atoi(value);
  else if ((value = value_of(word, "first"))) options->first = (size_t)atol(value);
  else if ((value = value_of(word, "room"))) options->room = atoi(value);
  else if ((value = value_of(word, "control"))) options->control = value;
  else if ((value = value_of(word, "auth"))) options->auth = value;
  else if ((value = value_of(word, "keys"))) options->keys = value;
  else if ((value = value_of(word, "priorities"))) options->priorities = value;
  else if ((value = value_of(word, "hmac"))) options->hmac = atoi(value);
  else if ((value = value_of(word, "active"))) options->active_key = atoi(value);
  else if ((value = value_of(word, "scheduler"))) options->scheduler = atoi(value);
  else if ((value = value_of(word, "adaptation"))) options->adaptation = (unsigned)atoi(value);
  else if ((value = value_of(word, "policy"))) parse_policy(options, value);
  else if ((value = value_of(word, "reliable-stream"))) options->reliable_stream = (unsigned)atoi(value);
  else if (!strcmp(word, "interleave")) options->interleave = 1;
  else if (!strcmp(word, "reset")) options->reset = 1;
  else if (!strcmp(word, "unordered")) options->unordered = 1;
  else if (!strcmp(word, "end=abort")) options->abort = 1;
  else if (strcmp(word, "end=shutdown")) { printf("unknown option %s\n", word); exit(2); }
}

static inline struct options parse_options(int count, char **words) {
  struct options options = {.room = LARGEST, .active_key = -1, .reliable_stream = UINT32_MAX};
  for (int i = 0; i < count; i++) parse_option(&options, words[i]);
  return options;
}

static inline void set(int s, int level, int name, const void *value, size_t length, const char *what) {
  if (setsockopt(s, level, name, value, (socklen_t)length) < 0) fail(what); /* connect answers with an id */
}

static inline void set_value(int s, int name, uint32_t value, const char *what) {
  struct sctp_assoc_value option = {.assoc_id = SCTP_FUTURE_ASSOC, .assoc_value = value};
  set(s, IPPROTO_SCTP, name, &option, sizeof option, what);
}

/* Gives a socket, or its association, a shared key; 0 or -1. */
static inline int set_key(int s, uint16_t number, const char *secret) {
  struct { struct sctp_authkey key; char secret[64]; } option = {
      .key = {.sca_keynumber = number, .sca_keylength = (uint16_t)strlen(secret)}};
  if (strlen(secret) > sizeof option.secret) return -1;
  memcpy(option.key.sca_key, secret, strlen(secret));
  return setsockopt(s, IPPROTO_SCTP, SCTP_AUTH_KEY, &option,
                    (socklen_t)(sizeof option.key + strlen(secret)));
}

static inline int activate_key(int s, uint16_t number) {
  struct sctp_authkeyid option = {.scact_keynumber = number};
  return setsockopt(s, IPPROTO_SCTP, SCTP_AUTH_ACTIVE_KEY, &option, sizeof option);
}

static inline void set_authentication(int s, const struct options *options) {
  if (options->hmac) {
    struct { struct sctp_hmacalgo list; uint16_t ids[2]; } option = {.list = {.shmac_num_idents = 1}};
    option.list.shmac_idents[0] = (uint16_t)options->hmac;
    if (options->hmac != SCTP_AUTH_HMAC_ID_SHA1)
      option.list.shmac_idents[option.list.shmac_num_idents++] = SCTP_AUTH_HMAC_ID_SHA1;
    set(s, IPPROTO_SCTP, SCTP_HMAC_IDENT, &option,
        sizeof option.list + option.list.shmac_num_idents * sizeof *option.ids, "hash algorithms");
  }
  char *chunks = strdup(options->auth ? options->auth : ""), *keys = strdup(options->keys ? options->keys : "");
  char *rest;
  for (char *word = strtok_r(chunks, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    struct sctp_authchunk option = {.sauth_chunk = (uint8_t)atoi(word)};
    set(s, IPPROTO_SCTP, SCTP_AUTH_CHUNK, &option, sizeof option, "authenticated chunk");
  }
  for (char *word = strtok_r(keys, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    const char *secret = strchr(word, ':');
    if (!secret || set_key(s, (uint16_t)atoi(word), secret + 1)) fail("key");
  }
  if (options->active_key >= 0 && activate_key(s, (uint16_t)options->active_key)) fail("active key");
  free(chunks);
  free(keys);
}

static inline void watch(int s, uint16_t type) {
  struct sctp_event event = {.se_type = type, .se_on = 1};
  set(s, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event, "events");
}

static inline int open_socket(int family, const struct options *options) {
  static const uint16_t events[] = {SCTP_PEER_ADDR_CHANGE, SCTP_AUTHENTICATION_EVENT, SCTP_STREAM_RESET_EVENT,
                                    SCTP_ASSOC_RESET_EVENT, SCTP_STREAM_CHANGE_EVENT,
                                    SCTP_ADAPTATION_INDICATION, SCTP_PARTIAL_DELIVERY_EVENT};
  int s = socket(family, SOCK_STREAM, IPPROTO_SCTP), one = 1, room = LARGEST;
  if (s < 0) fail("socket");
  /* Whatever became of those before: an association whose last word was lost holds the port for minutes. */
  set(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one, "reuse");
  struct sctp_initmsg init = {.sinit_num_ostreams = (uint16_t)options->streams, .sinit_max_instreams = 65535};
  set(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room, "receive buffer");
  set(s, SOL_SOCKET, SO_SNDBUFFORCE, &options->room, sizeof options->room, "send buffer");
  set(s, IPPROTO_SCTP, SCTP_INITMSG, &init, sizeof init, "streams");
  set(s, IPPROTO_SCTP, SCTP_NODELAY, &one, sizeof one, "no delay");
  set(s, IPPROTO_SCTP, SCTP_RECVRCVINFO, &one, sizeof one, "receive information");
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) watch(s, events[i]);
  set_authentication(s, options);
  if (options->interleave) {
    int every_stream = 2;
    set(s, IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE, &every_stream, sizeof every_stream, "interleaved reading");
    set_value(s, SCTP_INTERLEAVING_SUPPORTED, 1, "interleaving");
  }
  if (options->reset) set_value(s, SCTP_ENABLE_STREAM_RESET, SCTP_ENABLE_STRRESET_MASK, "stream reset");
  if (options->scheduler) set_value(s, SCTP_STREAM_SCHEDULER, (uint32_t)options->scheduler, "scheduler");
  if (options->adaptation) {
    struct sctp_setadaptation option = {options->adaptation};
    set(s, IPPROTO_SCTP, SCTP_ADAPTATION_LAYER, &option, sizeof option, "adaptation");
  }
  return s;
}

/* Gives streams 0, 1, .. of an association their priorities; 0 goes first. */
static inline void set_priorities(int s, const struct options *options) {
  char *list = strdup(options->priorities ? options->priorities : ""), *rest;
  struct sctp_stream_value option = {0};
  for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    option.stream_value = (uint16_t)atoi(word);
    set(s, IPPROTO_SCTP, SCTP_STREAM_SCHEDULER_VALUE, &option, sizeof option, "priority");
    option.stream_id++;
  }
  free(list);
}

static inline void bind_all(int s, int family, int port, const struct options *options) {
  if (options->bind) {
    struct addresses local = parse_addresses(options->bind, port);
    set(s, IPPROTO_SCTP, SCTP_SOCKOPT_BINDX_ADD, local.packed, local.length, "bindx");
  } else if (port) {
    union address any = {0};
    any.any.sa_family = (sa_family_t)family;
    any.v4.sin_port = htons((uint16_t)port); /* the port stands at the same place in both */
    if (bind(s, &any.any, (socklen_t)address_length(&any))) fail("bind");
  }
}
#endif
