/* Keys of authenticated chunks (RFC 4895), before and while an association lives. */
#ifndef SHEAVE_KEYS_H
#define SHEAVE_KEYS_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <usrsctp.h>

static inline int insert_key(struct socket *socket, unsigned id, const char *secret) {
  size_t length = strlen(secret);
  struct sctp_authkey *key = calloc(1, sizeof *key + length);
  key->sca_keynumber = (uint16_t)id;
  key->sca_keylength = (uint16_t)length;
  memcpy(key->sca_key, secret, length);
  int failed = usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_AUTH_KEY, key, (socklen_t)(sizeof *key + length));
  free(key);
  return failed;
}

/* Makes that key the active one, or deactivates or deletes it. */
static inline int change_key(struct socket *socket, int option, unsigned id) {
  struct sctp_authkeyid key = {.scact_keynumber = (uint16_t)id};
  return usrsctp_setsockopt(socket, IPPROTO_SCTP, option, &key, sizeof key);
}

/* Asks for authenticated DATA, SACK and HEARTBEAT, under the key of id 1. */
static inline int authenticate(struct socket *socket, const char *secret) {
  static const uint8_t types[] = {0, 3, 4};
  struct sctp_event event = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = SCTP_AUTHENTICATION_EVENT, .se_on = 1};
  for (size_t i = 0; i < sizeof types; i++) {
    struct sctp_authchunk chunk = {.sauth_chunk = types[i]};
    if (usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_AUTH_CHUNK, &chunk, sizeof chunk)) return -1;
  }
  if (usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event)) return -1;
  return insert_key(socket, 1, secret) || change_key(socket, SCTP_AUTH_ACTIVE_KEY, 1);
}

static inline void print_key_event(const struct sctp_authkey_event *event) {
  printf("event key %u%s\n", event->auth_keynumber,
         event->auth_indication == SCTP_AUTH_NEW_KEY    ? " new"
         : event->auth_indication == SCTP_AUTH_FREE_KEY ? " free"
                                                        : " none");
}
#endif
