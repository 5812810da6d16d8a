/* What is printed: each line once, with names for what differs from run to run. */
#include "search.h"
#include <stdarg.h>

void say(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  printf(" ");
  vprintf(format, rest);
  printf("\n");
  va_end(rest);
}

/* A result, or the name of the error. */
const char *outcome(long result) {
  static char text[4][32];
  static int turn;
  char *place = text[turn++ % 4];
  int error = errno;
  if (result >= 0) snprintf(place, sizeof text[0], "%ld", result);
  else snprintf(place, sizeof text[0], "%s", strerrorname_np(error) ? strerrorname_np(error) : "no error");
  return place;
}

const char *name_of(const void *address) {
  static char text[4][48];
  static int turn;
  char *place = text[turn++ % 4];
  struct sockaddr_conn name;
  memcpy(&name, address, sizeof name);
  long index = (char *)name.sconn_addr - (char *)address_of(0);
  if (name.sconn_family == AF_CONN && index >= 0 && index < ADDRESSES)
    snprintf(place, sizeof text[0], ntohs(name.sconn_port) / 10 == 500 ? "%ld:%d" : "%ld:any", index, ntohs(name.sconn_port));
  else snprintf(place, sizeof text[0], "family %d", name.sconn_family);
  return place;
}

unsigned hash(const void *data, size_t length) {
  const unsigned char *bytes = data;
  unsigned value = 2166136261u;
  for (size_t i = 0; i < length; i++) value = (value ^ bytes[i]) * 16777619u;
  return value;
}

static const char *has(uint32_t id) { return id ? "an id" : "no id"; }

void show_notification(const void *data, size_t length) {
  union sctp_notification it;
  memset(&it, 0, sizeof it);
  memcpy(&it, data, length < sizeof it ? length : sizeof it);
  unsigned type = it.sn_header.sn_type, flags = it.sn_header.sn_flags, said = it.sn_header.sn_length;
  /* The rest of one that was read in part. */
  if (said != length) return;
  switch (type) {
  case SCTP_ASSOC_CHANGE: {
    const struct sctp_assoc_change *change = &it.sn_assoc_change;
    /* The ABORT that the peer sent; other states have other things there. */
    char abort[3 * 24 + 1] = "";
    if (change->sac_state == SCTP_COMM_LOST || change->sac_state == SCTP_CANT_STR_ASSOC)
      for (size_t i = sizeof *change; i < length && strlen(abort) + 3 < sizeof abort; i++)
        sprintf(abort + strlen(abort), " %02x", ((const unsigned char *)data)[i]);
    say("assoc change %u: flags %u error %u streams %u/%u %s%s", change->sac_state, flags, change->sac_error,
        change->sac_outbound_streams, change->sac_inbound_streams, has(change->sac_assoc_id), abort);
    break;
  }
  case SCTP_PEER_ADDR_CHANGE: {
    const struct sctp_paddr_change *change = &it.sn_paddr_change;
    say("address change %u: flags %u error %u %s %s length %u", change->spc_state, flags, change->spc_error,
        name_of(&change->spc_aaddr), has(change->spc_assoc_id), said);
    break;
  }
  case SCTP_REMOTE_ERROR:
    say("remote error %u: flags %u %s", it.sn_remote_error.sre_error, flags, has(it.sn_remote_error.sre_assoc_id));
    break;
  case SCTP_SHUTDOWN_EVENT:
    say("shutdown: flags %u %s length %u", flags, has(it.sn_shutdown_event.sse_assoc_id), said);
    break;
  case SCTP_ADAPTATION_INDICATION:
    say("adaptation %u: flags %u %s length %u", it.sn_adaptation_event.sai_adaptation_ind, flags,
        has(it.sn_adaptation_event.sai_assoc_id), said);
    break;
  case SCTP_PARTIAL_DELIVERY_EVENT:
    say("partial delivery %u: stream %u flags %u %s length %u", it.sn_pdapi_event.pdapi_indication,
        it.sn_pdapi_event.pdapi_stream, flags, has(it.sn_pdapi_event.pdapi_assoc_id), said);
    break;
  case SCTP_AUTHENTICATION_EVENT:
    say("authentication %u: key %u flags %u length %u", it.sn_auth_event.auth_indication,
        it.sn_auth_event.auth_keynumber, flags, said);
    break;
  case SCTP_SENDER_DRY_EVENT:
    say("sender dry: flags %u %s length %u", flags, has(it.sn_sender_dry_event.sender_dry_assoc_id), said);
    break;
  case SCTP_STREAM_RESET_EVENT: {
    const struct sctp_stream_reset_event *reset = data;
    char list[64] = "";
    size_t count = (length - sizeof *reset) / sizeof reset->strreset_stream_list[0];
    for (size_t i = 0; i < count && i < 8; i++)
      sprintf(list + strlen(list), " %u", reset->strreset_stream_list[i]);
    say("stream reset: flags %u %s %zu streams%s", flags, has(reset->strreset_assoc_id), count, list);
    break;
  }
  case SCTP_ASSOC_RESET_EVENT:
    say("assoc reset: flags %u %s length %u", flags, has(it.sn_assocreset_event.assocreset_assoc_id), said);
    break;
  case SCTP_STREAM_CHANGE_EVENT:
    say("stream change: flags %u %s streams %u/%u length %u", flags, has(it.sn_strchange_event.strchange_assoc_id),
        it.sn_strchange_event.strchange_outstrms, it.sn_strchange_event.strchange_instrms, said);
    break;
  case SCTP_SEND_FAILED_EVENT: {
    const struct sctp_send_failed_event *failed = &it.sn_send_failed_event;
    say("send failed: flags %u error %u sid %u flags %x ppid %u context %u %s bytes %zu", flags, failed->ssfe_error,
        failed->ssfe_info.snd_sid, failed->ssfe_info.snd_flags, failed->ssfe_info.snd_ppid,
        failed->ssfe_info.snd_context, has(failed->ssfe_assoc_id), length - sizeof *failed);
    break;
  }
  default:
    say("notification %u: flags %u length %u", type, flags, said);
  }
}

void show_message(const void *data, size_t length) { say("bytes %zu hash %08x", length, hash(data, length)); }

void show_part(struct slot *slot, const void *data, size_t length, int flags) {
  slot->begun = realloc(slot->begun, slot->begun_length + length);
  memcpy(slot->begun + slot->begun_length, data, length);
  slot->begun_length += length;
  if (!(flags & MSG_EOR)) return;
  show_message(slot->begun, slot->begun_length);
  slot->begun_length = 0;
}
