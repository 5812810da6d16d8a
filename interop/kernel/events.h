/* What an association tells, a line each. */
#ifndef SHEAVE_EVENTS_H
#define SHEAVE_EVENTS_H
#include "address.h"

#include <linux/sctp.h> /* which needs what address.h includes */

static inline void print_path(const struct sctp_paddr_change *change) {
  static const char *const states[] = {"available", "unreachable", "removed", "added",
                                       "primary",   "confirmed",   "potentially-failed"};
  union address address;
  unsigned state = (unsigned)change->spc_state;
  memcpy(&address, &change->spc_aaddr, sizeof address);
  printf("path %s %s\n", address_text(&address), state < sizeof states / sizeof *states ? states[state] : "?");
}

static inline const char *outcome(unsigned flags) {
  return flags & SCTP_STREAM_RESET_DENIED ? " denied" : flags & SCTP_STREAM_RESET_FAILED ? " failed" : "";
}

static inline void print_reset(const struct sctp_stream_reset_event *event) {
  printf("reset%s%s streams", event->strreset_flags & SCTP_STREAM_RESET_INCOMING_SSN ? " in" : "",
         event->strreset_flags & SCTP_STREAM_RESET_OUTGOING_SSN ? " out" : "");
  size_t count = (event->strreset_length - sizeof *event) / sizeof *event->strreset_stream_list;
  for (size_t i = 0; i < count; i++) printf(" %u", event->strreset_stream_list[i]);
  printf("%s\n", outcome(event->strreset_flags));
}

static inline void print_event(const union sctp_notification *event) {
  static const char *const keys[] = {"new", "free", "none"};
  switch (event->sn_header.sn_type) {
    case SCTP_PEER_ADDR_CHANGE: print_path(&event->sn_paddr_change); break;
    case SCTP_STREAM_RESET_EVENT: print_reset(&event->sn_strreset_event); break;
    case SCTP_ASSOC_RESET_EVENT:
      printf("reset all%s\n", outcome(event->sn_assocreset_event.assocreset_flags));
      break;
    case SCTP_STREAM_CHANGE_EVENT:
      printf("changed in %u out %u%s\n", event->sn_strchange_event.strchange_instrms,
             event->sn_strchange_event.strchange_outstrms, outcome(event->sn_strchange_event.strchange_flags));
      break;
    case SCTP_AUTHENTICATION_EVENT:
      if (event->sn_authkey_event.auth_indication < 3)
        printf("key %u %s\n", event->sn_authkey_event.auth_keynumber,
               keys[event->sn_authkey_event.auth_indication]);
      break;
    case SCTP_ADAPTATION_INDICATION:
      printf("adaptation %u\n", event->sn_adaptation_event.sai_adaptation_ind);
      break;
  }
}
#endif
