/* Streams that are reset and added while an association lives (RFC 6525): what the standard input asks for,
 *
 *   reset outgoing|incoming|both [STREAM...]   without a stream: all
 *   reset association                          and with it the TSNs
 *   add OUTGOING INCOMING
 *
 * and what the library tells of it, a line each that begins with "event". */
#ifndef SHEAVE_STREAMS_H
#define SHEAVE_STREAMS_H
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

enum { MOST_STREAMS_IN_A_COMMAND = 64 };

static inline const char *outcome_of(uint16_t flags) {
  if (flags & SCTP_STREAM_RESET_DENIED) return " denied";
  return flags & SCTP_STREAM_RESET_FAILED ? " failed" : "";
}

static inline void print_stream_reset(const struct sctp_stream_reset_event *event) {
  size_t count = (event->strreset_length - sizeof *event) / sizeof(uint16_t);
  printf("event reset%s%s%s", event->strreset_flags & SCTP_STREAM_RESET_OUTGOING_SSN ? " outgoing" : "",
         event->strreset_flags & SCTP_STREAM_RESET_INCOMING_SSN ? " incoming" : "",
         outcome_of(event->strreset_flags));
  for (size_t i = 0; i < count; i++) printf(" %u", event->strreset_stream_list[i]);
  printf("\n");
}

static inline void print_event(const union sctp_notification *event) {
  switch (event->sn_header.sn_type) {
    case SCTP_STREAM_RESET_EVENT:
      print_stream_reset(&event->sn_strreset_event);
      break;
    case SCTP_ASSOC_RESET_EVENT:
      printf("event reset association%s\n", outcome_of(event->sn_assocreset_event.assocreset_flags));
      break;
    case SCTP_STREAM_CHANGE_EVENT:
      printf("event streams outgoing %u incoming %u%s\n", event->sn_strchange_event.strchange_outstrms,
             event->sn_strchange_event.strchange_instrms,
             outcome_of(event->sn_strchange_event.strchange_flags));
      break;
    default:
      break;
  }
}

static inline int reset_streams(struct socket *socket, const char *direction, char *ids) {
  static uint8_t room[sizeof(struct sctp_reset_streams) + MOST_STREAMS_IN_A_COMMAND * sizeof(uint16_t)];
  struct sctp_reset_streams *request = (struct sctp_reset_streams *)room;
  uint16_t count = 0;
  memset(room, 0, sizeof room);
  if (strcmp(direction, "incoming")) request->srs_flags |= SCTP_STREAM_RESET_OUTGOING;
  if (strcmp(direction, "outgoing")) request->srs_flags |= SCTP_STREAM_RESET_INCOMING;
  for (char *id = strtok(ids, " "); id && count < MOST_STREAMS_IN_A_COMMAND; id = strtok(NULL, " "))
    request->srs_stream_list[count++] = (uint16_t)atoi(id);
  request->srs_number_streams = count;
  return usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_RESET_STREAMS, request,
                            (socklen_t)(sizeof *request + count * sizeof(uint16_t)));
}

static inline int reset_association(struct socket *socket) {
  sctp_assoc_t current = SCTP_CURRENT_ASSOC;
  return usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_RESET_ASSOC, &current, sizeof current);
}

static inline int add_streams(struct socket *socket, unsigned outgoing, unsigned incoming) {
  struct sctp_add_streams more = {.sas_outstrms = (uint16_t)outgoing, .sas_instrms = (uint16_t)incoming};
  return usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_ADD_STREAMS, &more, sizeof more);
}

static inline int change_streams(struct socket *socket, const char *line) {
  char direction[16] = "", ids[512] = "";
  unsigned outgoing, incoming;
  if (sscanf(line, "add %u %u", &outgoing, &incoming) == 2) return add_streams(socket, outgoing, incoming);
  if (sscanf(line, "reset %15s %511[^\n]", direction, ids) > 0)
    return strcmp(direction, "association") ? reset_streams(socket, direction, ids) : reset_association(socket);
  errno = EINVAL;
  return -1;
}

/* Grants the peer all requests, and asks for all events. */
static inline int enable_stream_changes(struct socket *socket) {
  static const uint16_t types[] = {SCTP_STREAM_RESET_EVENT, SCTP_ASSOC_RESET_EVENT, SCTP_STREAM_CHANGE_EVENT};
  struct sctp_assoc_value all = {.assoc_id = SCTP_FUTURE_ASSOC, .assoc_value = SCTP_ENABLE_VALUE_MASK};
  int failed = usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_ENABLE_STREAM_RESET, &all, sizeof all);
  for (size_t i = 0; i < sizeof types / sizeof types[0] && !failed; i++) {
    struct sctp_event event = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = types[i], .se_on = 1};
    failed = usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event);
  }
  return failed;
}
#endif
