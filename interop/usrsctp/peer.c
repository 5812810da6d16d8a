/* An SCTP peer made of libusrsctp, over UDP encapsulation (RFC 6951), on 127.0.0.1 unless told otherwise. Its
 * SCTP port is always 5000.
 *
 *   peer echo UDP_PORT [OPTIONS]                             sends back whatever comes, as it came
 *   peer sink UDP_PORT [OPTIONS]                             checks and counts whatever comes
 *   peer offer UDP_PORT SIZE COUNT [OPTIONS]                 sends, then ends the association
 *   peer join UDP_PORT REMOTE_UDP_PORT [OPTIONS]             calls, and then does as echo
 *   peer take UDP_PORT REMOTE_UDP_PORT [OPTIONS]             calls, and then does as sink
 *   peer send UDP_PORT REMOTE_UDP_PORT SIZE COUNT [OPTIONS]  calls, and then does as offer
 *   peer ping UDP_PORT REMOTE_UDP_PORT SIZE COUNT [OPTIONS]  the same, and expects it all back
 *
 * Where COUNT is 0, send and offer go on until they are told to stop; they print "sent N" after the last one.
 *
 * OPTIONS: streams=N  unordered  end=shutdown|abort  key=SECRET  drop-reports  nr-sack  interleaving
 *          lifetime=MS  retransmissions=N: how messages of even numbers are given up
 *          local=ADDRESS: an address of its own; each adds one
 *          to=ADDRESS: the address to call
 *          gap=MS: the pause after each message that it sends
 *          quick-failover: a path is dead after three timeouts of 0.4 s at most, and is probed twice a second
 *
 * What the standard input asks of the newest association stands in control.h. A server prints "ready" and runs
 * until its standard input ends. Each association ends with two lines: ROLE odd N abandoned N and ROLE bytes N
 * messages N wrong N end HOW. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

#include "../pattern.h"
#include "control.h"

/* The library has this option, its header has not (RFC 8260 §4.3.1). */
enum { INTERLEAVING_SUPPORTED = 0x1206 };

enum { PORT = 5000, LARGEST = 4 << 20, BOUND_SECONDS = 300 };

static const char *role, *secret;
static unsigned streams = 1, remote_udp_port, gap;
static int unordered, end_by_abort, drop_reports, nr_sack, interleaving, quick_failover;
static struct sctp_prinfo giving_up;
static struct addresses local, to;
/* What send, ping and offer send. */
static size_t load_size;
static uint32_t load_count;
/* What the commands are for. */
static struct socket *volatile newest;

struct message {
  uint16_t stream;
  uint32_t number;
  int unordered, is_event;
  size_t length;
  uint8_t bytes[LARGEST];
};

/* One association as its receiving thread sees it. */
struct session {
  struct socket *socket;
  struct message message;
  struct tally tally;
  /* Chunks that the library gave up. */
  uint64_t abandoned;
};

static _Noreturn void fail(const char *what) {
  printf("failed %s: %s\n", what, strerror(errno));
  exit(1);
}

static struct session *new_session(struct socket *socket) {
  struct session *session = malloc(sizeof *session);
  session->socket = newest = socket;
  session->abandoned = 0;
  tally_start(&session->tally);
  return session;
}

static void set(struct socket *s, int name, const void *value, socklen_t length, const char *what) {
  if (usrsctp_setsockopt(s, IPPROTO_SCTP, name, value, length) < 0) fail(what);
}

/* Messages of several streams alternate, here and there. */
static void interleave(struct socket *s) {
  int streams_alternate = 2;
  struct sctp_assoc_value on = {.assoc_id = SCTP_FUTURE_ASSOC, .assoc_value = 1};
  set(s, SCTP_FRAGMENT_INTERLEAVE, &streams_alternate, sizeof streams_alternate, "fragment interleave");
  set(s, INTERLEAVING_SUPPORTED, &on, sizeof on, "interleaving");
}

static void tell_of_what_is_given_up(struct socket *s) {
  struct sctp_event event = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = SCTP_SEND_FAILED_EVENT, .se_on = 1};
  set(s, SCTP_EVENT, &event, sizeof event, "failed sends");
}

static struct socket *open_socket(int port) {
  struct socket *s = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  if (!s) fail("socket");
  int one = 1;
  struct sctp_initmsg init = {.sinit_num_ostreams = (uint16_t)streams, .sinit_max_instreams = 65535};
  set(s, SCTP_INITMSG, &init, sizeof init, "streams");
  set(s, SCTP_NODELAY, &one, sizeof one, "no delay");
  set(s, SCTP_RECVRCVINFO, &one, sizeof one, "receive information");
  if (remote_udp_port) {
    struct sctp_udpencaps udp = {.sue_port = htons((uint16_t)remote_udp_port)};
    udp.sue_address.ss_family = AF_INET;
    set(s, SCTP_REMOTE_UDP_ENCAPS_PORT, &udp, sizeof udp, "encapsulation");
  }
  if (secret && authenticate(s, secret)) fail("authentication");
  if (interleaving) interleave(s);
  if (giving_up.pr_policy) tell_of_what_is_given_up(s);
  if (enable_stream_changes(s)) fail("stream changes");
  if (bind_to(s, local, port)) fail("bind");
  return s;
}

static void take_event(struct session *session) {
  const union sctp_notification *event = (const union sctp_notification *)session->message.bytes;
  session->abandoned += event->sn_header.sn_type == SCTP_SEND_FAILED_EVENT;
  if (event->sn_header.sn_type == SCTP_AUTHENTICATION_EVENT) print_key_event(&event->sn_auth_event);
  else print_event(event);
}

/* One whole message, or the next event: 1, or 0 at the graceful end, or -1. */
static int receive(struct session *session) {
  struct message *m = &session->message;
  int flags = 0;
  m->length = 0;
  while (!(flags & MSG_EOR)) {
    struct sctp_rcvinfo info = {0};
    socklen_t info_length = sizeof info;
    unsigned kind = 0;
    if (m->length == LARGEST) { errno = EMSGSIZE; return -1; }
    flags = 0;
    ssize_t got = usrsctp_recvv(session->socket, m->bytes + m->length, LARGEST - m->length, NULL, NULL,
                                &info, &info_length, &kind, &flags);
    if (got <= 0) return got < 0 ? -1 : 0;
    if (kind == SCTP_RECVV_RCVINFO) {
      m->stream = info.rcv_sid;
      m->number = ntohl(info.rcv_ppid);
      m->unordered = !!(info.rcv_flags & SCTP_UNORDERED);
    }
    m->length += (size_t)got;
  }
  m->is_event = !!(flags & MSG_NOTIFICATION);
  if (m->is_event) take_event(session);
  else tally_add(&session->tally, m->stream, m->number, m->unordered, m->bytes, m->length);
  return 1;
}

static int transmit(struct socket *s, uint16_t stream, uint32_t number, int free_order, const void *bytes,
                    size_t length) {
  struct sctp_sendv_spa how = {.sendv_flags = SCTP_SEND_SNDINFO_VALID | SCTP_SEND_PRINFO_VALID};
  how.sendv_sndinfo.snd_sid = stream;
  how.sendv_sndinfo.snd_ppid = htonl(number);
  how.sendv_sndinfo.snd_flags = free_order ? SCTP_UNORDERED : 0;
  if (number % 2 == 0) how.sendv_prinfo = giving_up;
  /* While a stream is being reset nothing can be sent on it. */
  for (int tries = 0; tries < 1000; tries++, usleep(5000)) {
    ssize_t sent = usrsctp_sendv(s, bytes, length, NULL, 0, &how, sizeof how, SCTP_SENDV_SPA, 0);
    if (sent == (ssize_t)length) return 0;
    if (sent >= 0 || errno != EAGAIN) return -1;
  }
  return -1;
}

static void report_end(const struct session *session, const char *how) {
  printf("%s odd %llu abandoned %llu\n", role, (unsigned long long)session->tally.odd,
         (unsigned long long)session->abandoned);
  printf("%s bytes %llu messages %llu wrong %llu end %s\n", role, (unsigned long long)session->tally.bytes,
         (unsigned long long)session->tally.messages, (unsigned long long)session->tally.wrong, how);
}

static void *send_all(void *argument) {
  struct session *session = argument;
  uint8_t *bytes = malloc(load_size);
  uint32_t i;
  for (i = 0; load_count ? i < load_count : !stopped; i++) {
    uint32_t n = FIRST_NUMBER + i;
    pattern_fill(n, bytes, load_size);
    if (transmit(session->socket, (uint16_t)(i % streams), n, unordered, bytes, load_size)) fail("send");
    if (gap) usleep(gap * 1000);
  }
  printf("sent %u\n", i);
  free(bytes);
  return NULL;
}

static void finish(struct session *session) {
  if (end_by_abort) {
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (usrsctp_setsockopt(session->socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once)) fail("linger");
    usrsctp_close(session->socket);
    report_end(session, "abort");
    return;
  }
  usrsctp_shutdown(session->socket, SHUT_WR);
  int more;
  while ((more = receive(session)) > 0) {}
  report_end(session, more ? strerror(errno) : "shutdown");
  usrsctp_close(session->socket);
}

static void *offer_one(void *argument) {
  send_all(argument);
  finish(argument);
  free(argument);
  return NULL;
}

static void *serve_one(void *argument) {
  struct session *session = argument;
  const struct message *m = &session->message;
  int more, echo = strcmp(role, "sink") && strcmp(role, "take");
  while ((more = receive(session)) > 0)
    if (echo && !m->is_event && transmit(session->socket, m->stream, m->number, m->unordered, m->bytes, m->length)) {
      more = -1;
      break;
    }
  report_end(session, more ? strerror(errno) : "shutdown");
  usrsctp_close(session->socket);
  free(session);
  return NULL;
}

static void *accept_all(void *listener) {
  for (;;) {
    struct socket *s = usrsctp_accept(listener, NULL, NULL);
    pthread_t thread;
    void *(*serve_it)(void *) = strcmp(role, "offer") ? serve_one : offer_one;
    if (!s || pthread_create(&thread, NULL, serve_it, new_session(s))) fail("accept");
    pthread_detach(thread);
  }
}

/* A peer may know of its association before accept does here. */
static void obey_all(void) {
  char line[512];
  while (fgets(line, sizeof line, stdin)) {
    for (int wait = 0; !newest && wait < 1000; wait++) usleep(5000);
    if (newest) obey(newest, line);
  }
}

static void serve(void) {
  if (strcmp(role, "offer")) streams = 2048;
  struct socket *listener = open_socket(PORT);
  pthread_t thread;
  if (usrsctp_listen(listener, 16) || pthread_create(&thread, NULL, accept_all, listener)) fail("listen");
  printf("ready\n");
  obey_all();
}

static struct session *connect_to_the_other(void) {
  struct session *session = new_session(open_socket(0));
  struct sockaddr_in remote = address_of(to.count ? to.list[0].sin_addr.s_addr : htonl(INADDR_LOOPBACK), PORT);
  if (usrsctp_connect(session->socket, (struct sockaddr *)&remote, sizeof remote)) fail("connect");
  return session;
}

/* Closing goes on in the background; the library says when nothing is left. */
static void await_the_end(void) {
  for (int wait = 0; usrsctp_finish() && wait < 100; wait++) usleep(50000);
}

static void *obey_in_the_background(void *unused) {
  (void)unused;
  obey_all();
  stopped = 1;
  /* Who has nothing to send waits for a peer that nobody controls any more. */
  if (!load_size) exit(1);
  return NULL;
}

static struct session *connect_and_obey(void) {
  struct session *session = connect_to_the_other();
  pthread_t commands;
  if (pthread_create(&commands, NULL, obey_in_the_background, NULL)) fail("thread");
  pthread_detach(commands);
  return session;
}

static void call(void) {
  struct session *session = connect_and_obey();
  if (!strcmp(role, "ping")) {
    pthread_t sender;
    if (pthread_create(&sender, NULL, send_all, session)) fail("thread");
    while (session->tally.messages < load_count)
      if (receive(session) <= 0) fail("receive");
    pthread_join(sender, NULL);
  } else {
    send_all(session);
  }
  finish(session);
  await_the_end();
}

static void join(void) {
  streams = 1000;
  struct session *session = connect_and_obey();
  serve_one(session);
  await_the_end();
}

static int policy_of(const char *word, const char *name, uint16_t policy) {
  size_t length = strlen(name);
  if (strncmp(word, name, length)) return 0;
  giving_up = (struct sctp_prinfo){.pr_policy = policy, .pr_value = (uint32_t)atol(word + length)};
  return 1;
}

static int is_policy(const char *word) {
  return policy_of(word, "lifetime=", SCTP_PR_SCTP_TTL) ||
         policy_of(word, "retransmissions=", SCTP_PR_SCTP_RTX);
}

static void parse_options(int count, char **words) {
  for (int i = 0; i < count; i++) {
    if (!strncmp(words[i], "streams=", 8)) streams = (unsigned)atoi(words[i] + 8);
    else if (!strncmp(words[i], "gap=", 4)) gap = (unsigned)atoi(words[i] + 4);
    else if (!strncmp(words[i], "key=", 4)) secret = words[i] + 4;
    else if (!strcmp(words[i], "unordered")) unordered = 1;
    else if (!strcmp(words[i], "end=abort")) end_by_abort = 1;
    else if (!strcmp(words[i], "drop-reports")) drop_reports = 1;
    else if (!strcmp(words[i], "nr-sack")) nr_sack = 1;
    else if (!strcmp(words[i], "interleaving")) interleaving = 1;
    else if (!strcmp(words[i], "quick-failover")) quick_failover = 1;
    else if (!strncmp(words[i], "local=", 6) && !add_named_address(&local, words[i] + 6)) continue;
    else if (!strncmp(words[i], "to=", 3) && !add_named_address(&to, words[i] + 3)) continue;
    else if (!is_policy(words[i]) && strcmp(words[i], "end=shutdown")) { printf("unknown option %s\n", words[i]); exit(2); }
  }
}

/* Milliseconds; the path is short, and tests should be. A shutdown may take as long as there is to send. */
static void use_quick_timers(void) {
  usrsctp_sysctl_set_sctp_shutdown_guard_time_default(BOUND_SECONDS);
  usrsctp_sysctl_set_sctp_rto_initial_default(200);
  usrsctp_sysctl_set_sctp_rto_min_default(120);
  usrsctp_sysctl_set_sctp_rto_max_default(1000);
  usrsctp_sysctl_set_sctp_init_rto_max_default(1000);
  usrsctp_sysctl_set_sctp_delayed_sack_time_default(40);
  if (quick_failover) {
    usrsctp_sysctl_set_sctp_rto_min_default(100);
    usrsctp_sysctl_set_sctp_rto_max_default(400);
    usrsctp_sysctl_set_sctp_heartbeat_interval_default(500);
    usrsctp_sysctl_set_sctp_path_rtx_max_default(2);
  }
}

static void start_library(int udp_port) {
  usrsctp_init((uint16_t)udp_port, NULL, NULL);
  usrsctp_sysctl_set_sctp_recvspace(LARGEST);
  usrsctp_sysctl_set_sctp_sendspace(LARGEST);
  /* What is damaged on the way between two loopback addresses is damaged. */
  usrsctp_sysctl_set_sctp_no_csum_on_loopback(0);
  usrsctp_sysctl_set_sctp_pktdrop_enable((uint32_t)drop_reports);
  usrsctp_sysctl_set_sctp_nrsack_enable((uint32_t)nr_sack);
  /* It says in its ABORTs why: as a protocol violation (RFC 9260 §3.3.10.13). */
  usrsctp_sysctl_set_sctp_diag_info_code(13);
  use_quick_timers();
}

/* Whether the role is one of those words. */
static int is_role(const char *all) {
  size_t length = strlen(role);
  for (const char *at = all; length && (at = strstr(at, role)); at++)
    if ((at == all || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return 1;
  return 0;
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  alarm(BOUND_SECONDS);
  /* Without the right to raw sockets the library keeps to UDP and answers nobody else's packets. */
  /* Root of a user namespace has nobody else to be (EINVAL), and a network where nobody else is. */
  if (!geteuid() && (setgid(65534) || setuid(65534)) && errno != EINVAL) fail("drop root");
  role = count > 1 ? words[1] : "";
  int calls = is_role("join take send ping"), sends = is_role("offer send ping");
  int given = 3 + calls + 2 * sends;
  if (count < given || !(calls || sends || is_role("echo sink"))) {
    printf("see the head of peer.c\n");
    return 2;
  }
  if (calls) remote_udp_port = (unsigned)atoi(words[3]);
  if (sends) {
    load_size = (size_t)atol(words[given - 2]);
    load_count = (uint32_t)atol(words[given - 1]);
  }
  parse_options(count - given, words + given);
  start_library(atoi(words[2]));
  if (!calls) serve();
  else if (sends) call();
  else join();
  return 0;
}
