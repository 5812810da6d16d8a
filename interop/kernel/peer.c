/* The program inside the kernel peer: SCTP as Linux speaks it, through its sockets.
 *
 *   peer echo PORT [OPTIONS]                       sends back whatever comes, as it came
 *   peer sink PORT [OPTIONS]                       checks and counts whatever comes
 *   peer send ADDRESS[,..] PORT SIZE COUNT [OPTIONS]   sends messages, then ends the association
 *   peer ping ADDRESS[,..] PORT SIZE COUNT [OPTIONS]   the same, and expects all of them back
 *   peer netem DEVICE LOSS% DELAY_MS               makes a device lose and delay what it sends
 *
 * OPTIONS: bind=ADDRESS,..  streams=N  unordered  gap=MS (between messages)  end=shutdown|abort
 *
 * Each association ends with one line: ROLE bytes N messages N wrong N end HOW.  A change of a path
 * is a line of its own: path ADDRESS STATE. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/sctp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../pattern.h"

enum { LARGEST = 4 << 20, MOST_ADDRESSES = 8 };

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

struct addresses {
  int count;
  int family; /* AF_INET6 as soon as one of them is */
  size_t length;
  uint8_t packed[MOST_ADDRESSES * sizeof(union address)];
};

struct options {
  const char *bind;
  unsigned streams;
  int unordered;
  unsigned gap_ms;
  int abort;
};

struct message {
  uint16_t stream;
  uint32_t number;
  int unordered;
  size_t length;
  uint8_t bytes[LARGEST];
};

static struct message incoming;
static struct tally tally;

static _Noreturn void fail(const char *what) {
  printf("failed %s: %s\n", what, strerror(errno));
  exit(1);
}

static struct options parse_options(int count, char **words) {
  struct options options = {.streams = 1};
  for (int i = 0; i < count; i++) {
    if (!strncmp(words[i], "bind=", 5)) options.bind = words[i] + 5;
    else if (!strncmp(words[i], "streams=", 8)) options.streams = (unsigned)atoi(words[i] + 8);
    else if (!strncmp(words[i], "gap=", 4)) options.gap_ms = (unsigned)atoi(words[i] + 4);
    else if (!strcmp(words[i], "unordered")) options.unordered = 1;
    else if (!strcmp(words[i], "end=abort")) options.abort = 1;
    else if (strcmp(words[i], "end=shutdown")) { printf("unknown option %s\n", words[i]); exit(2); }
  }
  return options;
}

static struct addresses parse_addresses(const char *list, int port) {
  struct addresses all = {.family = AF_INET};
  char *copy = strdup(list);
  for (char *word = strtok(copy, ","); word && all.count < MOST_ADDRESSES; word = strtok(NULL, ",")) {
    union address one = {0};
    size_t length = sizeof one.v4;
    if (inet_pton(AF_INET, word, &one.v4.sin_addr) == 1) {
      one.v4.sin_family = AF_INET;
      one.v4.sin_port = htons((uint16_t)port);
    } else if (inet_pton(AF_INET6, word, &one.v6.sin6_addr) == 1) {
      one.v6.sin6_family = all.family = AF_INET6;
      one.v6.sin6_port = htons((uint16_t)port);
      length = sizeof one.v6;
    } else {
      fail(word);
    }
    memcpy(all.packed + all.length, &one, length);
    all.length += length;
    all.count++;
  }
  free(copy);
  return all;
}

static void set(int s, int level, int name, const void *value, socklen_t length, const char *what) {
  if (setsockopt(s, level, name, value, length) < 0) fail(what); /* connect answers with an id */
}

static int open_socket(int family, struct options options) {
  int s = socket(family, SOCK_STREAM, IPPROTO_SCTP), one = 1, room = LARGEST;
  if (s < 0) fail("socket");
  struct sctp_initmsg init = {.sinit_num_ostreams = (uint16_t)options.streams, .sinit_max_instreams = 65535};
  struct sctp_event paths = {.se_type = SCTP_PEER_ADDR_CHANGE, .se_on = 1};
  set(s, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room, "receive buffer");
  set(s, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room, "send buffer");
  set(s, IPPROTO_SCTP, SCTP_INITMSG, &init, sizeof init, "streams");
  set(s, IPPROTO_SCTP, SCTP_NODELAY, &one, sizeof one, "no delay");
  set(s, IPPROTO_SCTP, SCTP_RECVRCVINFO, &one, sizeof one, "receive information");
  set(s, IPPROTO_SCTP, SCTP_EVENT, &paths, sizeof paths, "path events");
  return s;
}

static void bind_all(int s, int family, int port, struct options options) {
  if (options.bind) {
    struct addresses local = parse_addresses(options.bind, port);
    set(s, IPPROTO_SCTP, SCTP_SOCKOPT_BINDX_ADD, local.packed, (socklen_t)local.length, "bindx");
  } else if (port) {
    union address any = {0};
    any.any.sa_family = (sa_family_t)family;
    any.v4.sin_port = htons((uint16_t)port); /* the port stands at the same place in both */
    if (bind(s, &any.any, family == AF_INET ? sizeof any.v4 : sizeof any.v6)) fail("bind");
  }
}

static void report_path(const struct sctp_paddr_change *change) {
  static const char *const states[] = {"available", "unreachable", "removed", "added",
                                       "primary",   "confirmed",   "potentially-failed"};
  const union address *address = (const void *)&change->spc_aaddr;
  char text[INET6_ADDRSTRLEN] = "?";
  if (address->any.sa_family == AF_INET) inet_ntop(AF_INET, &address->v4.sin_addr, text, sizeof text);
  else inet_ntop(AF_INET6, &address->v6.sin6_addr, text, sizeof text);
  unsigned state = (unsigned)change->spc_state;
  printf("path %s %s\n", text, state < sizeof states / sizeof *states ? states[state] : "?");
}

/* One whole message into `incoming`: 1, or 0 at the graceful end, or -1. */
static int receive(int s) {
  incoming.length = 0;
  for (;;) {
    char control[256];
    struct iovec space = {incoming.bytes + incoming.length, LARGEST - incoming.length};
    struct msghdr header = {.msg_iov = &space, .msg_iovlen = 1, .msg_control = control,
                            .msg_controllen = sizeof control};
    ssize_t got = recvmsg(s, &header, 0);
    if (got <= 0) return got < 0 ? -1 : 0;
    if (header.msg_flags & MSG_NOTIFICATION) {
      const union sctp_notification *event = (const void *)(incoming.bytes + incoming.length);
      if (event->sn_header.sn_type == SCTP_PEER_ADDR_CHANGE) report_path(&event->sn_paddr_change);
      continue;
    }
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level != IPPROTO_SCTP || c->cmsg_type != SCTP_RCVINFO) continue;
      struct sctp_rcvinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof info);
      incoming.stream = info.rcv_sid;
      incoming.number = ntohl(info.rcv_ppid);
      incoming.unordered = !!(info.rcv_flags & SCTP_UNORDERED);
    }
    incoming.length += (size_t)got;
    if (header.msg_flags & MSG_EOR) {
      tally_add(&tally, incoming.stream, incoming.number, incoming.unordered, incoming.bytes,
                incoming.length);
      return 1;
    }
    if (incoming.length == LARGEST) { errno = EMSGSIZE; return -1; }
  }
}

static int transmit(int s, uint16_t stream, uint32_t number, int unordered, void *bytes, size_t length) {
  char control[CMSG_SPACE(sizeof(struct sctp_sndinfo))] = {0};
  struct iovec data = {bytes, length};
  struct msghdr header = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control,
                          .msg_controllen = sizeof control};
  struct cmsghdr *c = CMSG_FIRSTHDR(&header);
  struct sctp_sndinfo info = {.snd_sid = stream, .snd_ppid = htonl(number),
                              .snd_flags = unordered ? SCTP_UNORDERED : 0};
  c->cmsg_level = IPPROTO_SCTP;
  c->cmsg_type = SCTP_SNDINFO;
  c->cmsg_len = CMSG_LEN(sizeof info);
  memcpy(CMSG_DATA(c), &info, sizeof info);
  return sendmsg(s, &header, MSG_NOSIGNAL) == (ssize_t)length ? 0 : -1;
}

static void report_end(const char *role, const char *how) {
  printf("%s bytes %llu messages %llu wrong %llu end %s\n", role, (unsigned long long)tally.bytes,
         (unsigned long long)tally.messages, (unsigned long long)tally.wrong, how);
}

static void finish(int s, const char *role, struct options options) {
  if (options.abort) {
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

static void serve(int port, int echo, struct options options) {
  int family = options.bind ? parse_addresses(options.bind, port).family : AF_INET6;
  options.streams = 65535; /* whatever stream a message came on, its echo may take */
  int listener = open_socket(family, options);
  bind_all(listener, family, port, options);
  if (listen(listener, 64)) fail("listen");
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    int s = accept(listener, NULL, NULL), more;
    if (s < 0) fail("accept");
    if (fork()) { close(s); continue; }
    close(listener);
    tally_start(&tally);
    while ((more = receive(s)) > 0)
      if (echo && transmit(s, incoming.stream, incoming.number, incoming.unordered, incoming.bytes,
                           incoming.length)) { more = -1; break; }
    report_end(echo ? "echo" : "sink", more ? strerror(errno) : "shutdown");
    exit(0);
  }
}

static void send_all(int s, size_t size, uint32_t count, struct options options) {
  uint8_t *bytes = malloc(size);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t n = FIRST_NUMBER + i;
    pattern_fill(n, bytes, size);
    if (transmit(s, (uint16_t)(i % options.streams), n, options.unordered, bytes, size)) fail("send");
    if (options.gap_ms) usleep(options.gap_ms * 1000);
  }
  free(bytes);
}

static void call(const char *to, int port, size_t size, uint32_t count, int back, struct options options) {
  struct addresses remote = parse_addresses(to, port);
  int family = options.bind && parse_addresses(options.bind, 0).family == AF_INET6 ? AF_INET6 : remote.family;
  int s = open_socket(family, options);
  bind_all(s, family, 0, options);
  set(s, IPPROTO_SCTP, SCTP_SOCKOPT_CONNECTX, remote.packed, (socklen_t)remote.length, "connect");
  tally_start(&tally);
  pid_t sender = back ? fork() : 0;
  if (!sender) {
    send_all(s, size, count, options);
    if (back) exit(0);
  }
  while (back && tally.messages < count)
    if (receive(s) <= 0) fail("receive");
  if (back) waitpid(sender, NULL, 0);
  finish(s, back ? "ping" : "send", options);
}

static void add_attribute(struct nlmsghdr *message, uint16_t type, const void *value, size_t length) {
  struct rtattr *attribute = (void *)((char *)message + NLMSG_ALIGN(message->nlmsg_len));
  attribute->rta_type = type;
  attribute->rta_len = (uint16_t)RTA_LENGTH(length);
  memcpy(RTA_DATA(attribute), value, length);
  message->nlmsg_len = NLMSG_ALIGN(message->nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

static void netem(const char *device, double loss, double delay_ms) {
  struct { struct nlmsghdr header; struct tcmsg tc; char room[256]; } request = {0};
  struct { struct nlmsghdr header; struct nlmsgerr error; char room[256]; } answer = {0};
  struct tc_netem_qopt how = {.limit = 10000, .loss = (uint32_t)(loss / 100 * 4294967295.0),
                              .latency = (uint32_t)(delay_ms * 1000 * 15.625)}; /* 64 ns ticks */
  request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.tc);
  request.header.nlmsg_type = RTM_NEWQDISC;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_REPLACE | NLM_F_ACK;
  request.tc.tcm_family = AF_UNSPEC;
  request.tc.tcm_ifindex = (int)if_nametoindex(device);
  request.tc.tcm_parent = TC_H_ROOT;
  add_attribute(&request.header, TCA_KIND, "netem", sizeof "netem");
  add_attribute(&request.header, TCA_OPTIONS, &how, sizeof how);
  int s = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
  if (send(s, &request, request.header.nlmsg_len, 0) < 0 || recv(s, &answer, sizeof answer, 0) < 0) fail("netem");
  errno = -answer.error.error;
  if (errno) fail("netem");
}

int main(int count, char **words) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  const char *role = count > 1 ? words[1] : "";
  if (count > 2 && (!strcmp(role, "echo") || !strcmp(role, "sink")))
    serve(atoi(words[2]), !strcmp(role, "echo"), parse_options(count - 3, words + 3));
  else if (count > 5 && (!strcmp(role, "send") || !strcmp(role, "ping")))
    call(words[2], atoi(words[3]), (size_t)atol(words[4]), (uint32_t)atol(words[5]), !strcmp(role, "ping"),
         parse_options(count - 6, words + 6));
  else if (count > 4 && !strcmp(role, "netem"))
    netem(words[2], atof(words[3]), atof(words[4]));
  else { printf("see the head of peer.c\n"); return 2; }
  return 0;
}
