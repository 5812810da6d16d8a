/* The program inside the kernel peer: SCTP as Linux speaks it, through its sockets.
 *
 *   peer echo PORT [OPTIONS]                       sends back whatever comes, as it came
 *   peer sink PORT [OPTIONS]                       checks and counts whatever comes
 *   peer offer PORT SIZE COUNT [OPTIONS]           sends messages to whoever calls, then ends the association
 *   peer join ADDRESS[,..] PORT [OPTIONS]          calls, and then does as sink
 *   peer send ADDRESS[,..] PORT SIZE COUNT [OPTIONS]   sends messages, then ends the association
 *   peer ping ADDRESS[,..] PORT SIZE COUNT [OPTIONS]   the same, and expects all of them back
 *
 * OPTIONS: bind=ADDRESS,..  streams=N  unordered  gap=MS (between messages)  end=shutdown|abort
 *   room=BYTES (of the send buffer)  control=NAME (obeys /tmp/NAME.control, see control.h)
 *   auth=CHUNK-TYPE,..  keys=ID:SECRET,..  active=ID  hmac=1|3  adaptation=N
 *   policy=ttl:MS|rtx:N|prio:N (messages may be given up)  reliable-stream=N (but those of that one)
 *   interleave  scheduler=0|1|2 (first come, priority, round robin)
 *   priorities=N,.. (of streams 0, 1, ..)  first=SIZE (so long is the first message)  reset (streams may be reset and added)
 *
 * Each association ends with one line: ROLE bytes N messages N wrong N end HOW.  Where it used few
 * streams, one with the messages of each precedes it: counts STREAM:N ..  What the association tells
 * besides is a line each, see events.h.  SIGTERM aborts. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/wait.h>

#include "../pattern.h"
#include "control.h"
#include "events.h"

enum { MOST_MESSAGES = 16, FEW_STREAMS = 16 };

/* A message, or what there is of it so far: parts of several may come in turns. */
struct message {
  uint16_t stream;
  uint32_t number;
  int unordered;
  int begun;
  size_t length;
  uint8_t *bytes;
};

static struct message messages[MOST_MESSAGES];
static struct message *incoming;
static uint8_t scratch[LARGEST];
static struct tally tally;
static unsigned long counts[FEW_STREAMS + 1];
static volatile int association = -1;

/* Ends without a trace at the other end either. */
static void on_sigterm(int signal) {
  struct linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(association, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  _exit(signal);
}

/* Where the message of that stream is gathered. */
static struct message *message_of(const struct sctp_rcvinfo *info) {
  int unordered = !!(info->rcv_flags & SCTP_UNORDERED);
  struct message *unused = NULL;
  for (struct message *one = messages; one < messages + MOST_MESSAGES; one++) {
    if (one->begun && one->stream == info->rcv_sid && one->unordered == unordered) return one;
    if (!one->begun && (!unused || (one->bytes && !unused->bytes))) unused = one;
  }
  if (!unused) fail("too many messages at a time");
  if (!unused->bytes && !(unused->bytes = malloc(LARGEST))) fail("memory");
  *unused = (struct message){.stream = info->rcv_sid, .number = ntohl(info->rcv_ppid),
                             .unordered = unordered, .begun = 1, .bytes = unused->bytes};
  return unused;
}

/* The rest of a message that was begun will not come. */
static void forget(uint32_t stream) {
  for (struct message *one = messages; one < messages + MOST_MESSAGES; one++)
    if (one->stream == stream) one->begun = 0;
}

static void on_event(const union sctp_notification *event) {
  if (event->sn_header.sn_type == SCTP_PARTIAL_DELIVERY_EVENT) forget(event->sn_pdapi_event.pdapi_stream);
  else print_event(event);
}

/* One whole message into `incoming`: 1, or 0 at the graceful end, or -1. */
static int receive(int s) {
  for (;;) {
    _Alignas(struct cmsghdr) char control[256];
    struct iovec space = {scratch, sizeof scratch};
    struct msghdr header = {.msg_iov = &space, .msg_iovlen = 1, .msg_control = control,
                            .msg_controllen = sizeof control};
    struct sctp_rcvinfo info = {0};
    ssize_t got = recvmsg(s, &header, 0);
    if (got <= 0) return got < 0 ? -1 : 0;
    if (header.msg_flags & MSG_NOTIFICATION) { on_event((const void *)scratch); continue; }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c))
      if (c->cmsg_level == IPPROTO_SCTP && c->cmsg_type == SCTP_RCVINFO) memcpy(&info, CMSG_DATA(c), sizeof info);
    struct message *one = message_of(&info);
    if (one->length + (size_t)got > LARGEST) { errno = EMSGSIZE; return -1; }
    memcpy(one->bytes + one->length, scratch, (size_t)got);
    one->length += (size_t)got;
    if (!(header.msg_flags & MSG_EOR)) continue;
    one->begun = 0;
    incoming = one;
    tally_add(&tally, one->stream, one->number, one->unordered, one->bytes, one->length);
    counts[one->stream < FEW_STREAMS ? one->stream : FEW_STREAMS]++;
    return 1;
  }
}

/* Room for one more ancillary item of `header`. */
static void *attach(struct msghdr *header, int type, size_t length) {
  struct cmsghdr *item = (void *)((char *)header->msg_control + header->msg_controllen);
  item->cmsg_level = IPPROTO_SCTP;
  item->cmsg_type = type;
  item->cmsg_len = CMSG_LEN(length);
  header->msg_controllen += CMSG_SPACE(length);
  return CMSG_DATA(item);
}

static int transmit(int s, uint16_t stream, uint32_t number, int unordered, void *bytes, size_t length,
                    const struct options *options) {
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct sctp_sndinfo)) + CMSG_SPACE(sizeof(struct sctp_prinfo))] = {0};
  struct iovec data = {bytes, length};
  struct msghdr header = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control};
  struct sctp_sndinfo info = {.snd_sid = stream, .snd_ppid = htonl(number),
                              .snd_flags = unordered ? SCTP_UNORDERED : 0};
  memcpy(attach(&header, SCTP_SNDINFO, sizeof info), &info, sizeof info);
  if (options->policy && stream != options->reliable_stream) {
    struct sctp_prinfo how = {.pr_policy = options->policy, .pr_value = options->policy_value};
    memcpy(attach(&header, SCTP_PRINFO, sizeof how), &how, sizeof how);
  }
  return sendmsg(s, &header, MSG_NOSIGNAL) == (ssize_t)length ? 0 : -1;
}

static void report_end(const char *role, const char *how) {
  if (tally.messages && !counts[FEW_STREAMS]) {
    printf("counts");
    for (int stream = 0; stream < FEW_STREAMS; stream++)
      if (counts[stream]) printf(" %d:%lu", stream, counts[stream]);
    printf("\n");
  }
  printf("%s bytes %llu messages %llu wrong %llu end %s\n", role, (unsigned long long)tally.bytes,
         (unsigned long long)tally.messages, (unsigned long long)tally.wrong, how);
}

static void finish(int s, const char *role, const struct options *options) {
  if (options->abort) {
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    set(s, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once, "linger");
    close(s);
    report_end(role, "abort");
    return;
  }
  shutdown(s, SHUT_WR);
  int more;
  while ((more = receive(s)) > 0) {}
  /* Once the association is gone the socket is merely not connected. */
  report_end(role, more && errno != ENOTCONN ? strerror(errno) : "shutdown");
  close(s);
}

/* What each association is for. */
struct work {
  const char *role;
  size_t size;
  uint32_t count;
};

/* Takes what comes to the end of an association, and sends it back where that is the role. */
static void attend(int s, const char *role, const struct options *options) {
  int more, echo = !strcmp(role, "echo");
  association = s;
  tally_start(&tally);
  pid_t control = start_control(s, options);
  while ((more = receive(s)) > 0)
    if (echo && transmit(s, incoming->stream, incoming->number, incoming->unordered, incoming->bytes,
                         incoming->length, options)) { more = -1; break; }
  stop_control(control);
  report_end(role, more ? strerror(errno) : "shutdown");
}

static void send_all(int s, size_t size, uint32_t count, const struct options *options) {
  size_t longest = options->first > size ? options->first : size;
  uint8_t *bytes = malloc(longest);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t n = FIRST_NUMBER + i;
    size_t length = i || !options->first ? size : options->first;
    pattern_fill(n, bytes, length);
    int last = shared->stop || i + 1 == count;
    if (last) shared->sent = i + 1;
    if (transmit(s, (uint16_t)(i % options->streams), n, options->unordered, bytes, length, options)) fail("send");
    if (last) break;
    if (options->gap_ms) usleep(options->gap_ms * 1000);
  }
  free(bytes);
}

/* Sends all messages, expects them back where that is the role, and ends the association. */
static void converse(int s, const struct work *work, const struct options *options) {
  int back = !strcmp(work->role, "ping");
  association = s;
  set_priorities(s, options);
  pid_t control = start_control(s, options);
  tally_start(&tally);
  pid_t sender = back ? fork() : 0;
  if (!sender) {
    send_all(s, work->size, work->count, options);
    if (back) exit(0);
  }
  while (back && (!shared->sent || tally.messages < shared->sent))
    if (receive(s) <= 0) fail("receive");
  if (back) waitpid(sender, NULL, 0);
  stop_control(control);
  finish(s, work->role, options);
}

static void serve(int port, const struct work *work, struct options options) {
  int family = options.bind ? parse_addresses(options.bind, port).family : AF_INET6;
  int offers = !strcmp(work->role, "offer");
  /* An echo may take whatever stream the message came on. */
  if (!options.streams) options.streams = offers ? 1 : 65535;
  int listener = open_socket(family, &options);
  bind_all(listener, family, port, &options);
  if (listen(listener, 64)) fail("listen");
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    int s = accept(listener, NULL, NULL);
    if (s < 0) fail("accept");
    if (fork()) { close(s); continue; }
    close(listener);
    if (offers) converse(s, work, &options);
    else attend(s, work->role, &options);
    exit(0);
  }
}

static void call(const char *to, int port, const struct work *work, struct options options) {
  struct addresses remote = parse_addresses(to, port);
  int family = options.bind && parse_addresses(options.bind, 0).family == AF_INET6 ? AF_INET6 : remote.family;
  if (!options.streams) options.streams = 1;
  int s = open_socket(family, &options);
  association = s;
  bind_all(s, family, 0, &options);
  set(s, IPPROTO_SCTP, SCTP_SOCKOPT_CONNECTX, remote.packed, remote.length, "connect");
  if (!strcmp(work->role, "join")) attend(s, work->role, &options);
  else converse(s, work, &options);
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGTERM, on_sigterm);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("shared memory");
  struct work work = {.role = count > 1 ? words[1] : ""};
  int serves = !strcmp(work.role, "echo") || !strcmp(work.role, "sink"), offers = !strcmp(work.role, "offer");
  int joins = !strcmp(work.role, "join"), sends = !strcmp(work.role, "send") || !strcmp(work.role, "ping");
  int at = offers ? 3 : 4; /* of the size */
  if ((offers || sends) && count > at + 1) {
    work.size = (size_t)atol(words[at]);
    work.count = (uint32_t)atol(words[at + 1]);
  }
  if (serves && count > 2) serve(atoi(words[2]), &work, parse_options(count - 3, words + 3));
  else if (offers && count > 4) serve(atoi(words[2]), &work, parse_options(count - 5, words + 5));
  else if (joins && count > 3) call(words[2], atoi(words[3]), &work, parse_options(count - 4, words + 4));
  else if (sends && count > 5) call(words[2], atoi(words[3]), &work, parse_options(count - 6, words + 6));
  else { printf("see the head of peer.c\n"); return 2; }
  return 0;
}
