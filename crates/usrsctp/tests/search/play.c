/* The sockets of a script, and its calls. */
#include "search.h"
#include <signal.h>
#include <stdarg.h>

static struct slot slots[SLOTS];

struct slot *slot_of(long number) {
  struct slot *slot = &slots[(unsigned long)number % SLOTS];
  slot->number = (int)((unsigned long)number % SLOTS);
  return slot;
}

static struct sockaddr_conn conn(long index, long port) {
  struct sockaddr_conn name;
  memset(&name, 0, sizeof name);
  name.sconn_family = AF_CONN;
  name.sconn_port = htons((uint16_t)port);
  name.sconn_addr = address_of(index);
  return name;
}

/* Addresses from 100 on are of the machine, 127.0.0.1 the first. */
union name {
  struct sockaddr_conn conn;
  struct sockaddr_in ip;
};

static void name_it(union name *name, long index, long port) {
  name->conn = conn(index, port);
  if (index < 100) return;
  name->ip = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  name->ip.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)index - 100);
}

static int on_message(struct socket *socket, union sctp_sockstore from, void *data, size_t length,
                      struct sctp_rcvinfo info, int flags, void *ulp_info) {
  (void)socket;
  struct slot *slot = ulp_info;
  if (!slot->socket) say("FAULT called back for a closed socket");
  if (data && !(flags & MSG_EOR)) {
    show_part(slot, data, length, flags);
    free(data);
    return 1;
  }
  say("callback of %d: %s flags %x sid %u ssn %u flags %x ppid %u context %u %s %s", slot->number, data ? "data" : "end",
      flags, info.rcv_sid, info.rcv_ssn, info.rcv_flags & SCTP_UNORDERED, info.rcv_ppid, flags & MSG_NOTIFICATION ? 0 : info.rcv_context,
      info.rcv_assoc_id ? "an id" : "no id", name_of(&from));
  if (data && flags & MSG_NOTIFICATION) show_notification(data, length);
  else if (data) show_part(slot, data, length, flags);
  free(data);
  return 1;
}

static int on_room(struct socket *socket, uint32_t room, void *ulp_info) {
  (void)socket; (void)room; (void)ulp_info;
  return 1;
}

static void on_change(struct socket *socket, void *argument, int flags) {
  struct slot *slot = argument;
  (void)flags;
  if (slot->socket != socket) say("FAULT upcall for another socket");
  slot->upcalls++;
}

/* usrsctp never has a one-to-many socket writable. */
static int events_of(struct slot *slot) {
  int events = usrsctp_get_events(slot->socket);
  return slot->type == SOCK_SEQPACKET && !(events & SCTP_EVENT_ERROR) ? events & ~SCTP_EVENT_WRITE : events;
}

/* socket SLOT DOMAIN TYPE CALLBACKS */
static void open_socket(struct slot *slot, const struct line *line) {
  static const int domains[] = {AF_CONN, AF_INET, AF_INET6, 4711}, types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
  if (slot->socket) { say("in use"); return; }
  long calls = line->n[3] % 4;
  int type = types[(unsigned long)line->n[2] % 3];
  struct socket *socket = usrsctp_socket(domains[(unsigned long)line->n[1] % 4], type, calls == 3 ? IPPROTO_TCP : IPPROTO_SCTP,
                                         calls ? on_message : NULL, calls == 2 ? on_room : NULL, 0, calls ? slot : NULL);
  say("socket: %s", outcome(socket ? 0 : -1));
  if (!socket) return;
  *slot = (struct slot){.socket = socket, .number = slot->number, .type = type};
  say("non-blocking: %d %s", usrsctp_get_non_blocking(socket), outcome(usrsctp_set_non_blocking(socket, 1)));
}

/* A socket that another one gave. */
static void keep(struct slot *slot, struct socket *socket) {
  if (!socket) return;
  *slot = (struct slot){.socket = socket, .number = slot->number, .type = SOCK_STREAM};
  void *ulp_info = NULL;
  int has = usrsctp_get_ulpinfo(socket, &ulp_info);
  say("non-blocking %d, ulp info %d %s", usrsctp_get_non_blocking(socket), has, ulp_info ? "of the first" : "none");
  usrsctp_set_ulpinfo(socket, slot);
  usrsctp_set_non_blocking(socket, 1);
}

/* accept SLOT NEW */
static void accept_one(struct slot *slot, const struct line *line) {
  struct slot *accepted = slot_of(line->n[1]);
  if (accepted->socket) { say("in use"); return; }
  struct sockaddr_conn peer = {0};
  socklen_t length = sizeof peer;
  struct socket *socket = usrsctp_accept(slot->socket, (struct sockaddr *)&peer, &length);
  say("accept: %s", outcome(socket ? 0 : -1));
  if (!socket) return;
  say("peer %s length %u", name_of(&peer), length);
  keep(accepted, socket);
  accepted->peer = peer;
}

/* send SLOT LENGTH FILL KIND LENGTH-DIFFERENCE SID FLAGS PPID POLICY VALUE TO MSGFLAGS */
static void send_one(struct slot *slot, const struct line *line) {
  static unsigned char bytes[1 << 20];
  const long *n = line->n;
  size_t length = (unsigned long)n[1] % sizeof bytes;
  for (size_t i = 0; i < length; i++) bytes[i] = (unsigned char)(n[2] + (long)(i * 7 + i / 251));
  struct sctp_sndinfo sndinfo = {.snd_sid = (uint16_t)n[5], .snd_flags = (uint16_t)n[6], .snd_ppid = htonl((uint32_t)n[7]), .snd_context = (uint32_t)n[7] + 1};
  struct sctp_prinfo prinfo = {.pr_policy = (uint16_t)n[8], .pr_value = (uint32_t)n[9]};
  struct sctp_sendv_spa spa = {.sendv_flags = (uint32_t)(1 | (n[8] ? 2 : 0)), .sendv_sndinfo = sndinfo, .sendv_prinfo = prinfo};
  struct { void *info; size_t length; } infos[] = {{NULL, 0}, {&sndinfo, sizeof sndinfo}, {&prinfo, sizeof prinfo}, {&spa, 2}, {&spa, sizeof spa}, {&spa, 0}};
  unsigned kind = (unsigned)n[3] % 6;
  if (slot->type == SOCK_SEQPACKET && n[10] == 3) spa.sendv_sndinfo.snd_assoc_id = sndinfo.snd_assoc_id = assoc_of(slot, 3);
  if (n[10] == 4) spa.sendv_sndinfo.snd_assoc_id = sndinfo.snd_assoc_id = 77;
  struct sockaddr_conn other = conn(slot->peer.sconn_addr ? 7 : 6, 5001), without_port = slot->peer;
  without_port.sconn_port = 0;
  struct sockaddr *to = n[10] == 1 ? (struct sockaddr *)&slot->peer : n[10] == 2 ? (struct sockaddr *)&other : n[10] == 5 ? (struct sockaddr *)&without_port : NULL;
  socklen_t given = (socklen_t)((long)infos[kind].length + n[4] < 0 ? 0 : (long)infos[kind].length + n[4]);
  errno = 0;
  ssize_t sent = usrsctp_sendv(slot->socket, bytes, length, to, to != NULL, infos[kind].info, given, kind == 5 ? 0 : kind, (int)n[11]);
  say("send: %s", outcome(sent));
}

/* Receives once; whether there may be more. */
static int receive(struct slot *slot, size_t room, int flags, socklen_t info_room) {
  static unsigned char bytes[1 << 20];
  struct sctp_recvv_rn info = {0};
  struct sockaddr_conn from = {0};
  socklen_t from_length = sizeof from, info_length = info_room;
  unsigned kind = 99;
  errno = 0;
  ssize_t got = usrsctp_recvv(slot->socket, bytes, room, (struct sockaddr *)&from, &from_length, &info, &info_length, &kind, &flags);
  if (got < 0) { say("receive: %s", outcome(got)); return 0; }
  /* Neither the lengths of parts nor those of lists of features are compared. */
  int is_part = room > 1000 && got > 0 && !(flags & (MSG_EOR | MSG_PEEK));
  if (flags & MSG_NOTIFICATION) {
    say("receive: notification flags %x", flags);
    if (flags & MSG_EOR && room > 1000) show_notification(bytes, (size_t)got);
    return 1;
  }
  if (is_part) { show_part(slot, bytes, (size_t)got, flags); return 1; }
  if (room > 1000 && got > 0 && !(flags & MSG_PEEK)) show_part(slot, bytes, (size_t)got, flags);
  else {
    say("receive: %zd flags %x", got, flags);
    if (got == 0) return 0;
    show_message(bytes, (size_t)got);
  }
  say("from %s length %u", name_of(&from), from_length);
  say("info %u length %u", kind, info_length);
  const struct sctp_rcvinfo *own = &info.recvv_rcvinfo;
  const struct sctp_nxtinfo *next = kind == SCTP_RECVV_NXTINFO ? (void *)&info : &info.recvv_nxtinfo;
  if (kind & 1)
    say("sid %u ssn %u flags %x ppid %u context %u %s", own->rcv_sid, own->rcv_ssn, own->rcv_flags, ntohl(own->rcv_ppid),
        own->rcv_context, own->rcv_assoc_id ? "an id" : "no id");
  if (kind & 2)
    say("next sid %u flags %x ppid %u length %u %s", next->nxt_sid, next->nxt_flags, ntohl(next->nxt_ppid), next->nxt_length,
        next->nxt_assoc_id ? "an id" : "no id");
  return 1;
}

static void show_names(int count, struct sockaddr *list) {
  const char *at = (const char *)list;
  for (int i = 0; i < count && i < 8; i++, at += sizeof(struct sockaddr_conn)) say("address %s", name_of(at));
}

static void close_slot(struct slot *slot) {
  struct socket *socket = slot->socket;
  slot->socket = NULL;
  usrsctp_close(socket);
  say("close");
}

static void call_socket(struct slot *slot, const struct line *line) {
  const long *n = line->n;
  const char *name = line->name;
  union name address;
  name_it(&address, n[1], n[2]);
  struct sockaddr *at = (struct sockaddr *)&address, *list = NULL;
  socklen_t length = (socklen_t)((long)sizeof address + n[3]);
  if (!strncmp(name, "connect", 7)) ask_for(n[1]);
  errno = 0;
  if (!strcmp(name, "bind")) say("bind: %s", outcome(usrsctp_bind(slot->socket, at, length)));
  else if (!strcmp(name, "listen")) say("listen: %s", outcome(usrsctp_listen(slot->socket, (int)n[1])));
  else if (!strcmp(name, "connect")) {
    int result = usrsctp_connect(slot->socket, at, length);
    say("connect: %s", outcome(result));
    if (result == 0 || errno == EINPROGRESS) slot->peer = address.conn;
  } else if (!strcmp(name, "accept")) accept_one(slot, line);
  else if (!strcmp(name, "send")) send_one(slot, line);
  else if (!strcmp(name, "receive")) receive(slot, (unsigned long)n[1] % (1 << 20), (int)n[2], (socklen_t)n[3]);
  else if (!strcmp(name, "drain")) { for (int i = 0; i < 100 && receive(slot, 1 << 17, 0, sizeof(struct sctp_recvv_rn)); i++) {} }
  else if (!strcmp(name, "set") || !strcmp(name, "get") || !strcmp(name, "info")) option_call(slot, line);
  else if (!strcmp(name, "shutdown")) say("shutdown: %s", outcome(usrsctp_shutdown(slot->socket, (int)n[1])));
  else if (!strcmp(name, "close")) close_slot(slot);
  else if (!strcmp(name, "events")) say("events %d", events_of(slot));
  else if (!strcmp(name, "upcall")) {
    say("upcall: %s", outcome(usrsctp_set_upcall(slot->socket, n[1] ? on_change : NULL, slot)));
    slot->has_upcall = n[1] != 0;
    slot->events = events_of(slot);
  }
  else if (!strcmp(name, "peeloff")) {
    struct slot *peeled = slot_of(n[2]);
    if (peeled->socket) { say("in use"); return; }
    struct socket *socket = usrsctp_peeloff(slot->socket, assoc_of(slot, n[1]));
    say("peeloff: %s", outcome(socket ? 0 : -1));
    keep(peeled, socket);
    peeled->peer = slot->peer;
  } else if (!strcmp(name, "own") || !strcmp(name, "peers")) {
    int own = *name == 'o';
    int count = own ? usrsctp_getladdrs(slot->socket, assoc_of(slot, n[1]), &list) : usrsctp_getpaddrs(slot->socket, assoc_of(slot, n[1]), &list);
    say("addresses: %s", outcome(count));
    show_names(count, list);
    if (count >= 0) own ? usrsctp_freeladdrs(list) : usrsctp_freepaddrs(list);
  } else if (!strcmp(name, "id")) say("id: %s", usrsctp_getassocid(slot->socket, at) ? "one" : "none");
  else if (!strcmp(name, "bindx")) say("bindx: %s", outcome(usrsctp_bindx(slot->socket, at, (int)n[3], (int)n[4])));
  else if (!strcmp(name, "connectx")) say("connectx: %s", outcome(usrsctp_connectx(slot->socket, at, (int)n[3], NULL)));
  else say("no such call");
}

static void junk(const struct line *line) {
  unsigned char bytes[256];
  size_t length = (unsigned long)line->n[1] % sizeof bytes;
  for (size_t i = 0; i < length; i++) bytes[i] = (unsigned char)(line->n[2] * (long)(i + 3) >> 3);
  usrsctp_conninput(address_of(line->n[0]), bytes, length, 0);
}

static void show_dump(const struct line *line) {
  unsigned char bytes[64];
  size_t length = (unsigned long)line->n[0] % sizeof bytes;
  memset(bytes, (int)line->n[1], sizeof bytes);
  char *text = usrsctp_dumppacket(bytes, length, (int)line->n[2]);
  /* Without the time of day. */
  say("dump: %s", text ? strlen(text) > 19 ? text + 19 : "short" : "none");
  say("crc32c %08x", usrsctp_crc32c(bytes, length));
  if (text) usrsctp_freedumpbuffer(text);
}

/* Closes all, lets it end, and ends the library. */
static void finish(void) {
  for (long i = 0; i < SLOTS; i++)
    if (slot_of(i)->socket) { struct linger none = {0, 0}; usrsctp_setsockopt(slot_of(i)->socket, SOL_SOCKET, SO_LINGER, &none, sizeof none); }
  say("finish with sockets: %d", usrsctp_finish());
  for (long i = 0; i < SLOTS; i++)
    if (slot_of(i)->socket) close_slot(slot_of(i));
  flow();
  for (long i = 0; i < ADDRESSES; i++) cut(i, 0);
  int result = -1;
  for (int i = 0; i < 30 && result; i++) { pass(60000); result = usrsctp_finish(); }
  say("finish: %d", result);
}

static struct { const char *name; uint32_t (*get)(void); int (*set)(uint32_t); } const settings[] = {
#define SETTING(name) {#name, usrsctp_sysctl_get_sctp_##name, usrsctp_sysctl_set_sctp_##name}
    SETTING(sendspace), SETTING(recvspace), SETTING(auto_asconf), SETTING(ecn_enable),
    SETTING(pr_enable), SETTING(auth_enable), SETTING(asconf_enable), SETTING(reconfig_enable), SETTING(nrsack_enable),
    SETTING(pktdrop_enable), SETTING(no_csum_on_loopback), SETTING(peer_chunk_oh), SETTING(max_burst_default),
    SETTING(max_chunks_on_queue), SETTING(min_split_point), SETTING(delayed_sack_time_default), SETTING(sack_freq_default),
    SETTING(system_free_resc_limit), SETTING(asoc_free_resc_limit), SETTING(heartbeat_interval_default),
    SETTING(pmtu_raise_time_default), SETTING(shutdown_guard_time_default), SETTING(secret_lifetime_default),
    SETTING(rto_max_default), SETTING(rto_min_default), SETTING(rto_initial_default), SETTING(init_rto_max_default),
    SETTING(valid_cookie_life_default), SETTING(init_rtx_max_default), SETTING(assoc_rtx_max_default),
    SETTING(path_rtx_max_default), SETTING(add_more_threshold), SETTING(nr_incoming_streams_default),
    SETTING(nr_outgoing_streams_default), SETTING(cmt_on_off), SETTING(cmt_use_dac), SETTING(use_cwnd_based_maxburst),
    SETTING(nat_friendly), SETTING(L2_abc_variable), SETTING(mbuf_threshold_count), SETTING(do_drain),
    SETTING(hb_maxburst), SETTING(abort_if_one_2_one_hits_limit), SETTING(min_residual), SETTING(max_retran_chunk),
    SETTING(logging_level), SETTING(default_cc_module), SETTING(default_frag_interleave), SETTING(mobility_base),
    SETTING(mobility_fasthandoff), SETTING(inits_include_nat_friendly), SETTING(udp_tunneling_port),
    SETTING(enable_sack_immediately), SETTING(vtag_time_wait), SETTING(blackhole),
    SETTING(diag_info_code), SETTING(fr_max_burst_default), SETTING(path_pf_threshold), SETTING(default_ss_module),
    SETTING(rttvar_bw), SETTING(rttvar_rtt), SETTING(rttvar_eqret), SETTING(steady_step), SETTING(use_dccc_ecn),
    SETTING(buffer_splitting), SETTING(initial_cwnd),
#undef SETTING
#define SETTING(name) {#name, usrsctp_sysctl_get_sctp_##name, usrsctp_tunable_set_sctp_##name}
    SETTING(hashtblsize), SETTING(pcbtblsize), SETTING(chunkscale),
};
#define SETTINGS (sizeof settings / sizeof settings[0])

static void change_setting(size_t which, uint32_t value, int keep) {
  uint32_t before = settings[which].get();
  errno = 0;
  int result = settings[which].set(value);
  say("setting %s: was %u, %s, is %u", settings[which].name, before, outcome(result), settings[which].get());
  if (!keep) settings[which].set(before);
}

/* setting WHICH VALUE, or setting 0 VALUE NAME, which keeps the value, or settings 0 VALUE for all. */
static void change_settings(const struct line *line) {
  for (size_t i = 0; i < SETTINGS; i++) {
    int is_named = !strcmp(line->option, settings[i].name);
    if (is_named || !strcmp(line->name, "settings") || (!line->option[0] && i == (unsigned long)line->n[0] % SETTINGS))
      change_setting(i, (uint32_t)line->n[1], is_named);
  }
}

/* Events are told of by an upcall, where there is one. */
static void look_at(struct slot *slot) {
  if (!slot->has_upcall || !slot->socket) return;
  int events = events_of(slot);
  if (events != slot->events) say("events of %d: %d", slot->number, events);
  if (events & ~slot->events && !slot->upcalls) say("FAULT no upcall for events %d", events & ~slot->events);
  slot->events = events;
  slot->upcalls = 0;
}

void play(const struct line *line) {
  const char *name = line->name;
  const long *n = line->n;
  struct slot *slot = slot_of(n[0]);
  if (!strcmp(name, "socket")) open_socket(slot, line);
  else if (!strcmp(name, "pass")) pass(n[0]);
  else if (!strcmp(name, "cut")) cut(n[0], n[1] != 0);
  else if (!strcmp(name, "limit")) limit(n[0]);
  else if (!strcmp(name, "register")) register_address(n[0], 1);
  else if (!strcmp(name, "deregister")) register_address(n[0], 0);
  else if (!strcmp(name, "junk")) junk(line);
  else if (!strcmp(name, "dump")) show_dump(line);
  else if (!strncmp(name, "setting", 7)) change_settings(line);
  else if (!slot->socket) say("no socket");
  else call_socket(slot, line);
  flow();
  for (long i = 0; i < SLOTS; i++) look_at(slot_of(i));
}

static void print(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  vfprintf(stderr, format, rest);
  va_end(rest);
}

/* Carries out the script on standard input; `-s SEED` draws one and prints it instead. */
int main(int count, char **words) {
  if (count == 3 && !strcmp(words[1], "-s")) { draw(strtoull(words[2], NULL, 10)); return 0; }
  alarm(20);
  setvbuf(stdout, NULL, _IOLBF, 0);
  usrsctp_init_nothreads(0, carry, print);
  for (long i = 0; i < ADDRESSES; i++) register_address(i, 1);
  char text[256];
  for (int number = 1; fgets(text, sizeof text, stdin); number++) {
    struct line line = {0};
    printf("%d %s", number, text);
    int i = 0;
    for (char *rest, *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
      char *end;
      long value = strtol(word, &end, 10);
      if (!line.name[0]) snprintf(line.name, sizeof line.name, "%s", word);
      else if (*end) snprintf(line.option, sizeof line.option, "%s", word);
      else if (i < NUMBERS) line.n[i++] = value;
    }
    play(&line);
  }
  printf("end\n");
  finish();
  return 0;
}
