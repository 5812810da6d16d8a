// calls: makes the socket calls that standard input lists, one a line, and prints each line with its
// answer behind it. Of the answers only those are printed that every system should give alike:
// error names, lengths, and bytes that a line asks for.
//
//   socket A stream|seqpacket 4|6       close A             wait MILLISECONDS
//   bind A ADDRESS PORT                 listen A BACKLOG    accept A B
//   bindx A add|remove PORT ADDRESS...  connect A ADDRESS PORT
//   send A LENGTH [to ADDRESS PORT] [flags N] [control TYPE HEX]...
//   receive A LENGTH [room N] [flags N]
//   set A LEVEL NAME HEX                get A LEVEL NAME HEX [FROM UPTO]...
//   lengths set|get A LEVEL NAME MOST BYTE     all lengths from 0 to MOST of that byte
//   shutdown A HOW   name A   peer A   pending A   ready A   error A
//
// For scripts that nobody wrote (see `scripts` below), with more of the answers:
//   dup A B             nonblock A 0|1      timeouts A MILLISECONDS
//   read A LENGTH       write A LENGTH      poll A
//   hear A LENGTH ROOM FLAGS                as receive
//   hearall A COUNT LENGTH ROOM FLAGS       as many of these by one recvmmsg
//   sendall A COUNT LENGTH ...              as send, that many messages by one sendmmsg
//   ask A LEVEL NAME HEX                    as get
//   addresses A peer|local @A               peeloff A B @A
//   connectx A PORT ADDRESS...
//
//   fault A CALL PLACE [LEVEL NAME]         with an address at which nothing is: null, hole or edge
//   acceptflags A B FLAGS                   peeloffflags A B @A FLAGS
//   connectx3 A PORT ADDRESS...             dup2 A B            dupfd A B FROM
//   child CALL...                           made by a child
//   alarm MILLISECONDS CALL...              with a signal after that time
//   watch               from now on a line "seen A" after each call for each socket, with what poll shows
//                       of it and, behind "edge", what is new of that where epoll has told of the socket
//   during A LENGTH CALL...                 while another thread waits for a message on A
//
// In HEX, "@A" stands for the id of the first association of socket A, "%A" for that of the second,
// "#N" for N zero bytes, and "^N" for port N.
//
// calls scripts PAUSE reads scripts, each of which ends with a line "=== NAME", runs each in a process
// of its own, and ends its answers with that line. Ports below 10 are then other ones in each script.
// It waits PAUSE microseconds after each call, and no call waits longer than two seconds. Where there is
// a link for it (network.h), scripts run beside each other, and some words are for its far end.
//
// calls scripts PAUSE WAYS makes the calls of "send", "hear", "read" and "write" in other ways, which
// have to give the same answers: "m" by sendmmsg and recvmmsg, "v" with the bytes in several parts (read
// and write by readv and writev), "d" on a copy of the descriptor, "p" after a look by MSG_PEEK, "s" by
// send, sendto and recvfrom where these can say the same.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"
#include "network.h"
#include "sharing.h"
#include "shown.h"
#include "ways.h"

#ifndef IPPROTO_SCTP
#define IPPROTO_SCTP 132
#endif
enum { STATUS = 14, ASSOC_IDS = 29, BINDX_ADD = 100, BINDX_REMOVE = 101, PEELOFF = 102 };
enum { PEER_ADDRESSES = 108, LOCAL_ADDRESSES = 109, CONNECTX = 110 };

static int sockets[256];
static int first_port; // of the script at hand
static int sent;       // messages so far

#include "seen.h"

static int socket_of(const char *word) { return word && *word ? sockets[(unsigned char)*word] : -1; }

static int *place_of_socket(const char *word) { return &sockets[(unsigned char)*word]; }

static void answer(long value) {
  if (value < 0)
    printf(" = %s\n", strerrorname_np(errno));
  else
    printf(" = %ld\n", value);
}

static uint16_t port_of(const char *word) {
  int port = atoi(word);
  return port > 0 && port < 10 && first_port ? first_port + port : port;
}

static socklen_t address_of(const char *ip, const char *port, struct sockaddr_storage *out) {
  memset(out, 0, sizeof *out);
  struct sockaddr_in *v4 = (void *)out;
  struct sockaddr_in6 *v6 = (void *)out;
  if (strchr(ip, ':')) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port_of(port));
    inet_pton(AF_INET6, ip, &v6->sin6_addr);
    return sizeof *v6;
  }
  v4->sin_family = AF_INET;
  v4->sin_port = htons(port_of(port));
  inet_pton(AF_INET, ip, &v4->sin_addr);
  return sizeof *v4;
}

static int32_t assoc_of(int fd, int place) {
  unsigned char status[256] = {0};
  uint32_t ids[64] = {0};
  socklen_t length = 176, room = sizeof ids;
  int32_t id = 0;
  if (place == 0 && getsockopt(fd, IPPROTO_SCTP, STATUS, status, &length) == 0)
    memcpy(&id, status, 4);
  else if (getsockopt(fd, IPPROTO_SCTP, ASSOC_IDS, ids, &room) == 0 && ids[0] > (uint32_t)place)
    id = (int32_t)ids[1 + place];
  return id;
}

// Bytes that a word of hexadecimal digits stands for.
static size_t bytes_of(const char *word, unsigned char *out) {
  size_t length = 0;
  while (word && *word && length < 4000) {
    if (*word == '-') {
      word++;
    } else if (*word == '@' || *word == '%') {
      int32_t id = assoc_of(socket_of(word + 1), *word == '%');
      memcpy(out + length, &id, 4);
      length += 4;
      word += 2;
    } else if (*word == '^') {
      char digit[2] = {word[1], 0};
      uint16_t port = htons(port_of(digit));
      memcpy(out + length, &port, 2);
      length += 2;
      word += 2;
    } else if (*word == '#') {
      char *end;
      long zeros = strtol(word + 1, &end, 10);
      memset(out + length, 0, zeros);
      length += zeros;
      word = end;
    } else {
      unsigned value = 0;
      sscanf(word, "%2x", &value);
      out[length++] = value;
      word += word[1] ? 2 : 1;
    }
  }
  return length;
}

static void print_address(const struct sockaddr_storage *address, socklen_t length) {
  char text[64] = "none";
  int port = 0;
  if (length >= 16 && address->ss_family == AF_INET) {
    const struct sockaddr_in *v4 = (const void *)address;
    inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
    port = ntohs(v4->sin_port);
  } else if (length >= 28 && address->ss_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const void *)address;
    inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
    port = ntohs(v6->sin6_port);
  }
  // Ephemeral ports differ.
  printf(" %s %s", text, port == 0 ? "none" : port < 32768 ? "fixed" : "any");
}

static void make_socket(char **word) {
  int domain = word[3] && *word[3] == '6' ? AF_INET6 : AF_INET;
  int type = strcmp(word[2], "stream") == 0 ? SOCK_STREAM : SOCK_SEQPACKET;
  int fd = socket(domain, type | SOCK_NONBLOCK, IPPROTO_SCTP);
  sockets[(unsigned char)*word[1]] = fd;
  answer(fd < 0 ? -1 : 0);
}

static void change_addresses(char **word, int count) {
  unsigned char list[1024];
  size_t length = 0;
  for (int at = 4; at < count; at++) {
    struct sockaddr_storage one;
    socklen_t size = address_of(word[at], word[3], &one);
    memcpy(list + length, &one, size);
    length += size;
  }
  int name = strcmp(word[2], "add") == 0 ? BINDX_ADD : BINDX_REMOVE;
  answer(setsockopt(socket_of(word[1]), IPPROTO_SCTP, name, list, length));
}

// Reads what a message is sent with into its header, and returns the flags.
static int read_terms(struct msghdr *message, char **word, int count) {
  static unsigned char control[1024];
  static struct sockaddr_storage to;
  int flags = MSG_NOSIGNAL;
  size_t used = 0;
  memset(control, 0, sizeof control);
  message->msg_control = control;
  for (int at = 0; at < count; at++) {
    if (strcmp(word[at], "to") == 0) {
      message->msg_namelen = address_of(word[at + 1], word[at + 2], &to);
      message->msg_name = &to;
      at += 2;
    } else if (strcmp(word[at], "flags") == 0) {
      flags |= strtol(word[++at], NULL, 0);
    } else if (strcmp(word[at], "control") == 0) {
      struct cmsghdr *header = (void *)(control + used);
      size_t length = bytes_of(word[at + 2], CMSG_DATA(header));
      header->cmsg_level = IPPROTO_SCTP;
      header->cmsg_type = atoi(word[at + 1]);
      header->cmsg_len = CMSG_LEN(length);
      used += CMSG_SPACE(length);
      at += 2;
    }
  }
  message->msg_controllen = used;
  return flags;
}

static char next_letter(void) { return first_port ? 'a' + sent++ % 26 : 'x'; }

static void send_message(char **word, int count) {
  static unsigned char payload[300000];
  struct iovec part = {payload, strtoul(word[2], NULL, 10)};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  memset(payload, next_letter(), sizeof payload);
  int flags = read_terms(&message, word + 3, count - 3);
  int fd = begin(socket_of(word[1]));
  answer(end(fd, send_so(fd, message, flags)));
}

enum { MOST_OF_BATCH = 8, BATCH_ROOM = 10000 };

static void send_batch(char **word, int count) {
  static unsigned char payloads[MOST_OF_BATCH][BATCH_ROOM];
  struct iovec parts[MOST_OF_BATCH];
  struct mmsghdr all[MOST_OF_BATCH] = {0};
  size_t length = strtoul(word[3], NULL, 10);
  int wanted = atoi(word[2]), flags = 0;
  for (int at = 0; at < wanted && at < MOST_OF_BATCH; at++) {
    parts[at] = (struct iovec){payloads[at], length < BATCH_ROOM ? length : BATCH_ROOM};
    memset(payloads[at], next_letter(), BATCH_ROOM);
    all[at].msg_hdr = (struct msghdr){.msg_iov = &parts[at], .msg_iovlen = 1};
    flags = read_terms(&all[at].msg_hdr, word + 4, count - 4);
  }
  int done = sendmmsg(socket_of(word[1]), all, wanted, flags);
  if (done < 0) return answer(-1);
  printf(" = %d", done);
  for (int at = 0; at < done && at < MOST_OF_BATCH; at++) printf(" %u", all[at].msg_len);
  printf("\n");
}

static void receive_message(char **word, int count) {
  static unsigned char payload[300000];
  unsigned char control[1024];
  struct sockaddr_storage from;
  struct iovec part = {payload, strtoul(word[2], NULL, 10)};
  struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &part,
                           .msg_iovlen = 1, .msg_control = control, .msg_controllen = 0};
  int flags = 0;
  for (int at = 3; at + 1 < count; at += 2) {
    if (strcmp(word[at], "room") == 0) message.msg_controllen = strtoul(word[at + 1], NULL, 10);
    if (strcmp(word[at], "flags") == 0) flags = strtol(word[at + 1], NULL, 0);
  }
  ssize_t got = recvmsg(socket_of(word[1]), &message, flags);
  if (got < 0) return answer(-1);
  printf(" = %zd flags %#x from", got, message.msg_flags & ~MSG_CMSG_CLOEXEC);
  print_address(&from, message.msg_namelen);
  if (message.msg_flags & 0x8000 && got >= 10) {
    uint16_t type, state;
    memcpy(&type, payload, 2);
    memcpy(&state, payload + 8, 2);
    printf(" event %#x", type);
    if (type == 0x8001) printf(" state %u", state);
  }
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  for (; header; header = CMSG_NXTHDR(&message, header))
    printf(" control %d/%zu", header->cmsg_type, (size_t)header->cmsg_len);
  printf("\n");
}

// Prints a message that was received, with its bytes.
static void print_heard(const struct msghdr *message, ssize_t got) {
  const unsigned char *payload = message->msg_iov->iov_base;
  printf(" = %zd flags %#x", got, message->msg_flags & ~MSG_CMSG_CLOEXEC);
  if (message->msg_namelen > 0) print_address(message->msg_name, message->msg_namelen);
  if (message->msg_flags & 0x8000)
    print_notification(payload, got);
  else
    print_payload(payload, got);
  struct cmsghdr *header = CMSG_FIRSTHDR(message);
  for (; header; header = CMSG_NXTHDR((struct msghdr *)message, header)) {
    printf(" control %d", header->cmsg_type);
    print_control(header->cmsg_type, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  }
}

// As receive_message, with the bytes.
static void hear(char **word) {
  static unsigned char payload[300000];
  unsigned char control[1024];
  struct sockaddr_storage from = {0};
  struct iovec part = {payload, strtoul(word[2], NULL, 10)};
  struct msghdr message = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &part, .msg_iovlen = 1,
                           .msg_control = control, .msg_controllen = strtoul(word[3], NULL, 10)};
  int fd = begin(socket_of(word[1]));
  ssize_t got = end(fd, receive_so(fd, &message, strtol(word[4], NULL, 0)));
  if (got < 0) return answer(-1);
  print_heard(&message, got);
  printf("\n");
}

static void hear_batch(char **word) {
  static unsigned char payloads[MOST_OF_BATCH][BATCH_ROOM];
  static unsigned char controls[MOST_OF_BATCH][256];
  static struct sockaddr_storage froms[MOST_OF_BATCH];
  struct iovec parts[MOST_OF_BATCH];
  struct mmsghdr all[MOST_OF_BATCH] = {0};
  size_t length = strtoul(word[3], NULL, 10), room = strtoul(word[4], NULL, 10);
  int wanted = atoi(word[2]);
  for (int at = 0; at < MOST_OF_BATCH; at++) {
    parts[at] = (struct iovec){payloads[at], length < BATCH_ROOM ? length : BATCH_ROOM};
    all[at].msg_hdr = (struct msghdr){.msg_name = &froms[at], .msg_namelen = sizeof froms[at], .msg_iov = &parts[at],
                                      .msg_iovlen = 1, .msg_control = controls[at], .msg_controllen = room};
  }
  int done = recvmmsg(socket_of(word[1]), all, wanted, strtol(word[5], NULL, 0), NULL);
  if (done < 0) return answer(-1);
  printf(" = %d", done);
  for (int at = 0; at < done && at < MOST_OF_BATCH; at++) print_heard(&all[at].msg_hdr, all[at].msg_len);
  printf("\n");
}

static void ask(char **word) {
  unsigned char value[4096] = {0};
  socklen_t length = bytes_of(word[4], value);
  int level = atoi(word[2]), name = atoi(word[3]);
  if (getsockopt(socket_of(word[1]), level, name, value, &length) < 0) return answer(-1);
  printf(" = %u", length);
  print_option(level, name, value, length);
  printf("\n");
}

// Prints a list of addresses in an order of its own.
static void list_addresses(char **word) {
  unsigned char list[4096] = {0};
  char lines[32][64];
  uint32_t count = 0;
  socklen_t length = sizeof list;
  int name = strcmp(word[2], "peer") == 0 ? PEER_ADDRESSES : LOCAL_ADDRESSES;
  bytes_of(word[3], list);
  if (getsockopt(socket_of(word[1]), IPPROTO_SCTP, name, list, &length) < 0) return answer(-1);
  memcpy(&count, list + 4, 4);
  printf(" = %u", count);
  const unsigned char *next = list + 8;
  for (uint32_t at = 0; at < count && at < 32; at++) {
    struct sockaddr_storage one = {0};
    memcpy(&one, next, sizeof(struct sockaddr_in6));
    int is_v6 = one.ss_family == AF_INET6;
    const void *ip = is_v6 ? (void *)&((struct sockaddr_in6 *)&one)->sin6_addr : (void *)&((struct sockaddr_in *)&one)->sin_addr;
    inet_ntop(one.ss_family, ip, lines[at], sizeof lines[at]);
    next += is_v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
  }
  qsort(lines, count < 32 ? count : 32, sizeof lines[0], (int (*)(const void *, const void *))strcmp);
  for (uint32_t at = 0; at < count && at < 32; at++) printf(" %s", lines[at]);
  printf("\n");
}

static void peel_off(char **word) {
  struct {
    int32_t id;
    int fd;
  } request = {0, -1};
  socklen_t length = sizeof request;
  unsigned char id[16] = {0};
  bytes_of(word[3], id);
  memcpy(&request.id, id, 4);
  int outcome = getsockopt(socket_of(word[1]), IPPROTO_SCTP, PEELOFF, &request, &length);
  sockets[(unsigned char)*word[2]] = outcome < 0 ? -1 : request.fd;
  answer(outcome < 0 ? -1 : 0);
}

static void connect_to_several(char **word, int count) {
  unsigned char list[1024];
  socklen_t length = 0;
  for (int at = 3; at < count; at++) {
    struct sockaddr_storage one;
    socklen_t size = address_of(word[at], word[2], &one);
    memcpy(list + length, &one, size);
    length += size;
  }
  int outcome = setsockopt(socket_of(word[1]), IPPROTO_SCTP, CONNECTX, list, length);
  if (outcome > 0)
    printf(" = @\n");
  else
    answer(outcome);
}

static void set_timeouts(int fd, long millis) {
  struct timeval time = {millis / 1000, millis % 1000 * 1000};
  int outcome = setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  if (outcome == 0) outcome = setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  answer(outcome);
}

static void get_option(char **word, int count) {
  unsigned char value[4096] = {0};
  socklen_t length = bytes_of(word[4], value);
  int level = atoi(word[2]), name = atoi(word[3]);
  if (getsockopt(socket_of(word[1]), level, name, value, &length) < 0) return answer(-1);
  printf(" = %u", length);
  for (int at = 5; at + 1 < count; at += 2) {
    printf(" ");
    for (int byte = atoi(word[at]); byte < atoi(word[at + 1]); byte++) printf("%02x", value[byte]);
  }
  printf("\n");
}

// Prints each answer once for all lengths in a row that have it.
static void try_lengths(char **word) {
  int sets = strcmp(word[1], "set") == 0;
  int fd = socket_of(word[2]), level = atoi(word[3]), name = atoi(word[4]), most = atoi(word[5]);
  char last[64] = "";
  printf(" =");
  for (int length = 0; length <= most + 1; length++) {
    unsigned char value[4096];
    char text[64] = "";
    memset(value, strtol(word[6], NULL, 16), sizeof value);
    socklen_t size = length;
    if (length <= most) {
      int outcome = sets ? setsockopt(fd, level, name, value, size) : getsockopt(fd, level, name, value, &size);
      if (outcome < 0)
        snprintf(text, sizeof text, "%s", strerrorname_np(errno));
      else if (sets)
        snprintf(text, sizeof text, "0");
      else if ((int)size == length)
        snprintf(text, sizeof text, "whole");
      else
        snprintf(text, sizeof text, "%u", size);
    }
    if (strcmp(text, last) != 0) {
      if (length <= most) printf(" %d:%s", length, text);
      strcpy(last, text);
    }
  }
  printf("\n");
}

static void print_name(int outcome, const struct sockaddr_storage *address, socklen_t length) {
  if (outcome < 0) return answer(-1);
  printf(" =");
  print_address(address, length);
  printf("\n");
}

static void run_more(char **word, int count) {
  const char *verb = word[0];
  int fd = count > 1 ? socket_of(word[1]) : -1;
  if (strcmp(verb, "dup") == 0) {
    int copy = dup(fd);
    sockets[(unsigned char)*word[2]] = copy;
    answer(copy < 0 ? -1 : 0);
  } else if (strcmp(verb, "nonblock") == 0) {
    int flags = fcntl(fd, F_GETFL);
    answer(fcntl(fd, F_SETFL, *word[2] == '1' ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
  } else if (strcmp(verb, "timeouts") == 0) {
    set_timeouts(fd, atoi(word[2]));
  } else if (strcmp(verb, "read") == 0) {
    static unsigned char room[300000];
    int copy = begin(fd);
    ssize_t got = end(copy, read_so(copy, room, strtoul(word[2], NULL, 10)));
    if (got < 0) return answer(-1);
    printf(" = %zd\n", got);
  } else if (strcmp(verb, "write") == 0) {
    static unsigned char text[300000];
    memset(text, 'a' + sent++ % 26, sizeof text);
    int copy = begin(fd);
    answer(end(copy, write_so(copy, text, strtoul(word[2], NULL, 10))));
  } else if (strcmp(verb, "hear") == 0) {
    hear(word);
  } else if (strcmp(verb, "hearall") == 0) {
    hear_batch(word);
  } else if (strcmp(verb, "sendall") == 0) {
    send_batch(word, count);
  } else if (strcmp(verb, "ask") == 0) {
    ask(word);
  } else if (strcmp(verb, "addresses") == 0) {
    list_addresses(word);
  } else if (strcmp(verb, "peeloff") == 0) {
    peel_off(word);
  } else if (strcmp(verb, "connectx") == 0) {
    connect_to_several(word, count);
  } else if (strcmp(verb, "poll") == 0) {
    show_poll(fd);
  } else if (strcmp(verb, "fault") == 0) {
    run_fault(fd, word, count);
  } else if (strcmp(verb, "acceptflags") == 0) {
    accept_with(word);
  } else if (strcmp(verb, "peeloffflags") == 0) {
    peel_off_with(word);
  } else if (strcmp(verb, "connectx3") == 0) {
    connect_to_some(word, count);
  } else if (strcmp(verb, "dup2") == 0) {
    duplicate_at(word);
  } else if (strcmp(verb, "dupfd") == 0) {
    duplicate_from(word);
  } else if (strcmp(verb, "child") == 0) {
    run_in_child(word, count);
  } else if (strcmp(verb, "during") == 0) {
    run_during(word, count);
  } else if (strcmp(verb, "alarm") == 0) {
    struct itimerval soon = {{0, 0}, {0, 1000 * atoi(word[1])}};
    setitimer(ITIMER_REAL, &soon, NULL);
    run(word + 2, count - 2);
  } else if (strcmp(verb, "watch") == 0) {
    watcher = epoll_create1(EPOLL_CLOEXEC);
    printf("\n");
  } else if (strcmp(verb, "network") == 0 || strcmp(verb, "answers") == 0 || strcmp(verb, "tell") == 0) {
    if (tun < 0) errno = ENODEV;
    else wish_for(word, count);
    answer(tun < 0 ? -1 : 0);
  } else {
    printf(" = ?\n");
  }
}

static void run(char **word, int count) {
  const char *verb = word[0];
  int fd = count > 1 ? socket_of(word[1]) : -1;
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  unsigned char value[4096];
  memset(&address, 0, sizeof address);
  if (strcmp(verb, "socket") == 0) {
    make_socket(word);
  } else if (strcmp(verb, "close") == 0) {
    answer(close(fd));
    // Another socket may get its number.
    if (first_port) sockets[(unsigned char)*word[1]] = -1;
  } else if (strcmp(verb, "wait") == 0) {
    usleep(1000 * atoi(word[1]));
    printf("\n");
  } else if (strcmp(verb, "bind") == 0) {
    length = address_of(word[2], word[3], &address);
    answer(bind(fd, (void *)&address, length));
  } else if (strcmp(verb, "bindx") == 0) {
    change_addresses(word, count);
  } else if (strcmp(verb, "listen") == 0) {
    answer(listen(fd, atoi(word[2])));
  } else if (strcmp(verb, "accept") == 0) {
    int new = accept4(fd, (void *)&address, &length, SOCK_NONBLOCK);
    sockets[(unsigned char)*word[2]] = new;
    print_name(new, &address, length);
  } else if (strcmp(verb, "connect") == 0) {
    length = address_of(word[2], word[3], &address);
    answer(connect(fd, (void *)&address, length));
  } else if (strcmp(verb, "send") == 0) {
    send_message(word, count);
  } else if (strcmp(verb, "receive") == 0) {
    receive_message(word, count);
  } else if (strcmp(verb, "set") == 0) {
    size_t size = bytes_of(word[4], value);
    answer(setsockopt(fd, atoi(word[2]), atoi(word[3]), value, size));
  } else if (strcmp(verb, "get") == 0) {
    get_option(word, count);
  } else if (strcmp(verb, "lengths") == 0) {
    try_lengths(word);
  } else if (strcmp(verb, "shutdown") == 0) {
    answer(shutdown(fd, atoi(word[2])));
  } else if (strcmp(verb, "name") == 0) {
    int outcome = getsockname(fd, (void *)&address, &length);
    print_name(outcome, &address, length);
  } else if (strcmp(verb, "peer") == 0) {
    int outcome = getpeername(fd, (void *)&address, &length);
    print_name(outcome, &address, length);
  } else if (strcmp(verb, "pending") == 0) {
    int bytes = 0;
    int outcome = ioctl(fd, FIONREAD, &bytes);
    answer(outcome < 0 ? -1 : bytes);
  } else if (strcmp(verb, "ready") == 0) {
    struct pollfd one = {.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP};
    poll(&one, 1, 0);
    printf(" =%s%s%s%s\n", one.revents & POLLIN ? " in" : "", one.revents & POLLOUT ? " out" : "",
           one.revents & POLLERR ? " error" : "", one.revents & POLLHUP ? " hangup" : "");
  } else if (strcmp(verb, "error") == 0) {
    int code = 0;
    socklen_t size = sizeof code;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) < 0) return answer(-1);
    printf(" = %s\n", code == 0 ? "0" : strerrorname_np(code));
  } else {
    run_more(word, count);
  }
}

static void run_line(char *line) {
  fputs(line, stdout);
  fflush(stdout);
  char *word[64] = {0};
  int count = 0;
  for (char *next = strtok(line, " "); next && count < 63; next = strtok(NULL, " ")) word[count++] = next;
  run(word, count);
}

#include "scripts.h"

int main(int argc, char **argv) {
  static char line[16384];
  setlinebuf(stdout);
  if (argc == 4) ways = argv[3];
  if (argc == 2 && strcmp(argv[1], "link") == 0) return make_link();
  if (argc >= 3 && strcmp(argv[1], "scripts") == 0) return scripts(atoi(argv[2]));
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\r\n")] = 0;
    if (*line == 0 || *line == '#') {
      puts(line);
      continue;
    }
    run_line(line);
  }
  return 0;
}
