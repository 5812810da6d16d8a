/* Calls of options: each option with its struct, and where in it lies what is compared. */
#include "search.h"
#include <stddef.h>

enum kind { PLAIN, ASSOC, EVENT, ADDRESS };

struct option {
  int level, name;
  const char *text;
  size_t size;
  enum kind kind;
  /* Where the id of the association lies; behind the struct where there is none. */
  size_t assoc;
  /* Words of the value that differ from library to library or run to run. */
  uint64_t hidden;
  /* Word in which drawn values are laid first. */
  int word;
};

#define NONE 999
#define ALL (~0ull)
#define BIT(type, field) (1ull << (offsetof(struct type, field) / 4))

static const struct option options[] = {
    {IPPROTO_SCTP, SCTP_RTOINFO, "RTOINFO", sizeof(struct sctp_rtoinfo), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_ASSOCINFO, "ASSOCINFO", sizeof(struct sctp_assocparams), ASSOC, 0, 1, 3},
    {IPPROTO_SCTP, SCTP_INITMSG, "INITMSG", sizeof(struct sctp_initmsg), PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_NODELAY, "NODELAY", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_AUTOCLOSE, "AUTOCLOSE", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_PRIMARY_ADDR, "PRIMARY_ADDR", sizeof(struct sctp_setprim), ADDRESS, 128, BIT(sctp_setprim, ssp_assoc_id), 0},
    {IPPROTO_SCTP, SCTP_ADAPTATION_LAYER, "ADAPTATION_LAYER", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_DISABLE_FRAGMENTS, "DISABLE_FRAGMENTS", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, "PEER_ADDR_PARAMS", sizeof(struct sctp_paddrparams), ADDRESS, 128, BIT(sctp_paddrparams, spp_assoc_id), 33},
    {IPPROTO_SCTP, SCTP_I_WANT_MAPPED_V4_ADDR, "MAPPED_V4", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_MAXSEG, "MAXSEG", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_DELAYED_SACK, "DELAYED_SACK", sizeof(struct sctp_sack_info), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE, "FRAGMENT_INTERLEAVE", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_PARTIAL_DELIVERY_POINT, "PARTIAL_DELIVERY_POINT", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_HMAC_IDENT, "HMAC_IDENT", 12, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_AUTH_ACTIVE_KEY, "AUTH_ACTIVE_KEY", sizeof(struct sctp_authkeyid), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_AUTO_ASCONF, "AUTO_ASCONF", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_MAX_BURST, "MAX_BURST", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_CONTEXT, "CONTEXT", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_EXPLICIT_EOR, "EXPLICIT_EOR", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_REUSE_PORT, "REUSE_PORT", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_EVENT, "EVENT", sizeof(struct sctp_event), EVENT, 0, 1, 0},
    {IPPROTO_SCTP, SCTP_RECVRCVINFO, "RECVRCVINFO", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_RECVNXTINFO, "RECVNXTINFO", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_DEFAULT_SNDINFO, "DEFAULT_SNDINFO", sizeof(struct sctp_sndinfo), ASSOC, 12, BIT(sctp_sndinfo, snd_assoc_id), 0},
    {IPPROTO_SCTP, SCTP_DEFAULT_PRINFO, "DEFAULT_PRINFO", sizeof(struct sctp_default_prinfo), ASSOC, 8, BIT(sctp_default_prinfo, pr_assoc_id), 0},
    {IPPROTO_SCTP, SCTP_REMOTE_UDP_ENCAPS_PORT, "REMOTE_UDP_ENCAPS_PORT", sizeof(struct sctp_udpencaps), ADDRESS, 128, BIT(sctp_udpencaps, sue_assoc_id), 33},
    {IPPROTO_SCTP, SCTP_ECN_SUPPORTED, "ECN_SUPPORTED", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_PR_SUPPORTED, "PR_SUPPORTED", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_AUTH_SUPPORTED, "AUTH_SUPPORTED", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_ASCONF_SUPPORTED, "ASCONF_SUPPORTED", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_RECONFIG_SUPPORTED, "RECONFIG_SUPPORTED", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_NRSACK_SUPPORTED, "NRSACK_SUPPORTED", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_PKTDROP_SUPPORTED, "PKTDROP_SUPPORTED", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_MAX_CWND, "MAX_CWND", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_ENABLE_STREAM_RESET, "ENABLE_STREAM_RESET", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_PLUGGABLE_SS, "PLUGGABLE_SS", 8, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_SS_VALUE, "SS_VALUE", sizeof(struct sctp_stream_value), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_STATUS, "STATUS", sizeof(struct sctp_status), ASSOC, 0, 1 | BIT(sctp_status, sstat_rwnd) | BIT(sctp_status, sstat_unackdata) | BIT(sctp_status, sstat_primary.spinfo_assoc_id) | BIT(sctp_status, sstat_primary.spinfo_cwnd) | BIT(sctp_status, sstat_primary.spinfo_srtt) | BIT(sctp_status, sstat_primary.spinfo_rto), 1},
    {IPPROTO_SCTP, SCTP_GET_PEER_ADDR_INFO, "GET_PEER_ADDR_INFO", sizeof(struct sctp_paddrinfo), ADDRESS, 128, BIT(sctp_paddrinfo, spinfo_assoc_id) | BIT(sctp_paddrinfo, spinfo_cwnd) | BIT(sctp_paddrinfo, spinfo_srtt) | BIT(sctp_paddrinfo, spinfo_rto), 33},
    {IPPROTO_SCTP, SCTP_PEER_AUTH_CHUNKS, "PEER_AUTH_CHUNKS", 40, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_LOCAL_AUTH_CHUNKS, "LOCAL_AUTH_CHUNKS", 40, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_GET_ASSOC_NUMBER, "GET_ASSOC_NUMBER", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_GET_ASSOC_ID_LIST, "GET_ASSOC_ID_LIST", 40, PLAIN, NONE, ALL - 1, 0},
    {IPPROTO_SCTP, SCTP_TIMEOUTS, "TIMEOUTS", sizeof(struct sctp_timeouts), ASSOC, 0, ALL, 1},
    {IPPROTO_SCTP, SCTP_PR_STREAM_STATUS, "PR_STREAM_STATUS", sizeof(struct sctp_prstatus), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_PR_ASSOC_STATUS, "PR_ASSOC_STATUS", sizeof(struct sctp_prstatus), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_SET_PEER_PRIMARY_ADDR, "SET_PEER_PRIMARY_ADDR", sizeof(struct sctp_setpeerprim), ADDRESS, 128, BIT(sctp_setpeerprim, sspp_assoc_id), 0},
    {IPPROTO_SCTP, SCTP_AUTH_CHUNK, "AUTH_CHUNK", 1, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, SCTP_AUTH_KEY, "AUTH_KEY", 16, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_AUTH_DEACTIVATE_KEY, "AUTH_DEACTIVATE_KEY", sizeof(struct sctp_authkeyid), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_AUTH_DELETE_KEY, "AUTH_DELETE_KEY", sizeof(struct sctp_authkeyid), ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_RESET_STREAMS, "RESET_STREAMS", 12, ASSOC, 0, 1, 1},
    {IPPROTO_SCTP, SCTP_RESET_ASSOC, "RESET_ASSOC", 4, ASSOC, 0, 1, 0},
    {IPPROTO_SCTP, SCTP_ADD_STREAMS, "ADD_STREAMS", sizeof(struct sctp_add_streams), ASSOC, 0, 1, 1},
    {SOL_SOCKET, SO_RCVBUF, "SO_RCVBUF", 4, PLAIN, NONE, 0, 0},
    {SOL_SOCKET, SO_SNDBUF, "SO_SNDBUF", 4, PLAIN, NONE, 0, 0},
    {SOL_SOCKET, SO_LINGER, "SO_LINGER", 8, PLAIN, NONE, 0, 0},
    {SOL_SOCKET, SO_ERROR, "SO_ERROR", 4, PLAIN, NONE, 0, 0},
    {SOL_SOCKET, SO_REUSEADDR, "SO_REUSEADDR", 4, PLAIN, NONE, 0, 0},
    {IPPROTO_SCTP, 0x7777, "unknown", 8, PLAIN, NONE, 0, 0},
    {IPPROTO_IP, 1, "IP", 4, PLAIN, NONE, 0, 0},
};
#define OPTIONS (sizeof options / sizeof options[0])

uint32_t assoc_of(struct slot *slot, long kind) {
  switch (kind) {
  case 0: case 1: case 2: return (uint32_t)kind;
  case 3: return usrsctp_getassocid(slot->socket, (struct sockaddr *)&slot->peer);
  default: return 77;
  }
}

static void show_value(struct slot *slot, const struct option *option, const unsigned char *value, size_t length) {
  char text[512] = "";
  uint64_t hidden = option->hidden;
  /* The windows of an association differ with what each end charges. */
  if (option->name == SCTP_ASSOCINFO && assoc_of(slot, 3))
    hidden |= BIT(sctp_assocparams, sasoc_peer_rwnd) | BIT(sctp_assocparams, sasoc_local_rwnd);
  size_t address = option->kind == ADDRESS ? 0 : option->name == SCTP_STATUS ? 24 : sizeof text;
  if (address + sizeof(struct sockaddr_conn) <= length) say("address %s", name_of(value + address));
  for (size_t at = 0; at < length && at < 180; at += 4) {
    uint32_t word = 0;
    memcpy(&word, value + at, length - at < 4 ? length - at : 4);
    if (at >= address && at < address + 128) continue;
    if (at / 4 < 64 && hidden >> (at / 4) & 1) strcat(text, " *");
    else sprintf(text + strlen(text), " %x", word);
  }
  say("%s is %zu:%s", option->text, length, text);
}

const char *option_name(long number) { return options[(unsigned long)number % OPTIONS].text; }

/* set|get|info SLOT OPTION ASSOC LENGTH-DIFFERENCE VALUE1 VALUE2 VALUE3 */
void option_call(struct slot *slot, const struct line *line) {
  const struct option *option = options;
  while (strcmp(option->text, line->option))
    if (++option == options + OPTIONS) { say("no such option"); return; }
  _Alignas(8) unsigned char value[512] = {0};
  for (int i = 0; i < 3; i++) {
    uint32_t word = (uint32_t)line->n[3 + i];
    size_t at = (size_t)(option->word + i) * 4;
    if (at + 4 <= sizeof value) memcpy(value + at, &word, 4);
  }
  if (option->kind == ADDRESS) memcpy(value, &slot->peer, sizeof slot->peer);
  uint32_t assoc = assoc_of(slot, line->n[1]);
  if (option->kind == EVENT) {
    struct sctp_event event = {.se_type = (uint16_t)line->n[3], .se_on = (uint8_t)line->n[4]};
    memcpy(value, &event, sizeof event);
  }
  if (option->assoc != NONE) memcpy(value + option->assoc, &assoc, 4);
  long wanted = (long)option->size + line->n[2];
  socklen_t length = (socklen_t)(wanted < 0 ? 0 : wanted > 400 ? 400 : wanted);
  errno = 0;
  int result;
  if (!strcmp(line->name, "set")) result = usrsctp_setsockopt(slot->socket, option->level, option->name, value, length);
  else if (!strcmp(line->name, "get")) result = usrsctp_getsockopt(slot->socket, option->level, option->name, value, &length);
  else result = usrsctp_opt_info(slot->socket, assoc, option->name, value, &length);
  say("%s %s: %s", line->name, option->text, outcome(result));
  if (result == 0 && strcmp(line->name, "set")) show_value(slot, option, value, length);
}
