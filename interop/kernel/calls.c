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
// In HEX, "@A" stands for the id of the association of socket A, and "#N" for N zero bytes.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef IPPROTO_SCTP
#define IPPROTO_SCTP 132
#endif
enum { STATUS = 14, BINDX_ADD = 100, BINDX_REMOVE = 101 };

static int sockets[256];

static int socket_of(const char *word) { return word && *word ? sockets[(unsigned char)*word] : -1; }

static void answer(long value) {
  if (value < 0)
    printf(" = %s\n", strerrorname_np(errno));
  else
    printf(" = %ld\n", value);
}

static socklen_t address_of(const char *ip, const char *port, struct sockaddr_storage *out) {
  memset(out, 0, sizeof *out);
  struct sockaddr_in *v4 = (void *)out;
  struct sockaddr_in6 *v6 = (void *)out;
  if (strchr(ip, ':')) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(atoi(port));
    inet_pton(AF_INET6, ip, &v6->sin6_addr);
    return sizeof *v6;
  }
  v4->sin_family = AF_INET;
  v4->sin_port = htons(atoi(port));
  inet_pton(AF_INET, ip, &v4->sin_addr);
  return sizeof *v4;
}

static int32_t assoc_of(int fd) {
  unsigned char status[256] = {0};
  socklen_t length = 176;
  int32_t id = 0;
  if (getsockopt(fd, IPPROTO_SCTP, STATUS, status, &length) == 0) memcpy(&id, status, 4);
  return id;
}

// Bytes that a word of hexadecimal digits stands for.
static size_t bytes_of(const char *word, unsigned char *out) {
  size_t length = 0;
  while (word && *word && length < 4000) {
    if (*word == '-') {
      word++;
    } else if (*word == '@') {
      int32_t id = assoc_of(socket_of(word + 1));
      memcpy(out + length, &id, 4);
      length += 4;
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

static void send_message(char **word, int count) {
  static unsigned char payload[300000];
  unsigned char control[1024];
  struct sockaddr_storage to;
  struct iovec part = {payload, strtoul(word[2], NULL, 10)};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control};
  int flags = MSG_NOSIGNAL;
  size_t used = 0;
  memset(control, 0, sizeof control);
  memset(payload, 'x', sizeof payload);
  for (int at = 3; at < count; at++) {
    if (strcmp(word[at], "to") == 0) {
      message.msg_namelen = address_of(word[at + 1], word[at + 2], &to);
      message.msg_name = &to;
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
  message.msg_controllen = used;
  answer(sendmsg(socket_of(word[1]), &message, flags));
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
    printf(" = ?\n");
  }
}

int main(void) {
  static char line[16384];
  setlinebuf(stdout);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\r\n")] = 0;
    if (*line == 0 || *line == '#') {
      puts(line);
      continue;
    }
    fputs(line, stdout);
    fflush(stdout);
    char *word[64] = {0};
    int count = 0;
    for (char *next = strtok(line, " "); next && count < 63; next = strtok(NULL, " ")) word[count++] = next;
    run(word, count);
  }
  return 0;
}
