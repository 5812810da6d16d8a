/* What the standard input asks of the newest association, a line each:
 *
 *   reset ...            add ...                  streams.h
 *   bind ADDRESS         unbind ADDRESS           an address of its own (RFC 5061)
 *   peer-primary ADDRESS                          the one that it wants data at
 *   paths                                         prints: paths ADDRESS STATE...
 *   key ID SECRET        active ID                (RFC 4895)
 *   deactivate ID        delete ID
 *   stop                                          what send and offer send; no message follows
 *
 * A line that fails is answered by "failed COMMAND: WHY", any other by "did COMMAND". */
#ifndef SHEAVE_CONTROL_H
#define SHEAVE_CONTROL_H
#include "addresses.h"
#include "keys.h"
#include "streams.h"

static volatile int stopped;

static inline int obey_one(struct socket *socket, const char *line) {
  char verb[16] = "", word[64] = "", secret[64] = "";
  int words = sscanf(line, "%15s %63s %63s", verb, word, secret);
  unsigned id = (unsigned)atoi(word);
  if (!strcmp(verb, "stop")) return stopped = 1, 0;
  if (!strcmp(verb, "paths")) return print_paths(socket);
  if (words > 1) {
    if (!strcmp(verb, "bind")) return change_addresses(socket, word, SCTP_BINDX_ADD_ADDR);
    if (!strcmp(verb, "unbind")) return change_addresses(socket, word, SCTP_BINDX_REM_ADDR);
    if (!strcmp(verb, "peer-primary")) return set_peer_primary(socket, word);
    if (!strcmp(verb, "active")) return change_key(socket, SCTP_AUTH_ACTIVE_KEY, id);
    if (!strcmp(verb, "deactivate")) return change_key(socket, SCTP_AUTH_DEACTIVATE_KEY, id);
    if (!strcmp(verb, "delete")) return change_key(socket, SCTP_AUTH_DELETE_KEY, id);
  }
  if (words > 2 && !strcmp(verb, "key")) return insert_key(socket, id, secret);
  return change_streams(socket, line);
}

/* Does what the line says, as soon as nothing else is under way. */
static inline void obey(struct socket *socket, char *line) {
  int failed;
  line[strcspn(line, "\n")] = 0;
  for (int tries = 0; (failed = obey_one(socket, line)) && tries < 500; tries++) {
    if (errno != EBUSY && errno != EALREADY) break;
    usleep(10000);
  }
  if (failed) printf("failed %s: %s\n", line, strerror(errno));
  else printf("did %s\n", line);
}
#endif
