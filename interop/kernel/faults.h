// Calls with an address at which the program has no memory.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void answer(long value);

// "null", "hole" for a page that nobody has, or "edge" for the last two bytes before one.
static void *place_of(const char *word) {
  static char *page;
  long size = sysconf(_SC_PAGESIZE);
  if (!page) {
    page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page + size, size);
  }
  if (strcmp(word, "null") == 0) return NULL;
  return page + size - (strcmp(word, "edge") == 0 ? 2 : 0);
}


// Lays out a message of ten bytes, one part of which lies at `bad`; the message's address.
static struct msghdr *lay_out(struct mmsghdr *all, struct iovec *part, const char *which, void *bad) {
  static char text[10];
  static uint64_t control[32];
  struct msghdr *message = &all->msg_hdr;
  memset(text, 'f', sizeof text);
  memset(control, 0, sizeof control);
  *part = (struct iovec){strcmp(which, "bytes") == 0 ? bad : text, sizeof text};
  *message = (struct msghdr){.msg_iov = strcmp(which, "parts") == 0 ? bad : part, .msg_iovlen = 1};
  if (strcmp(which, "name") == 0) {
    message->msg_name = bad;
    message->msg_namelen = 16;
  }
  if (strcmp(which, "control") == 0) {
    message->msg_control = bad;
    message->msg_controllen = 200;
  }
  return strcmp(which, "header") == 0 ? bad : message;
}

static long faulty_message(int fd, const char *verb, const char *which, void *bad) {
  struct mmsghdr all[2];
  struct iovec parts[2];
  memset(all, 0, sizeof all);
  void *message = lay_out(&all[0], &parts[0], which, bad);
  if (strcmp(verb, "sendmsg") == 0) return sendmsg(fd, message, MSG_NOSIGNAL);
  if (strcmp(verb, "recvmsg") == 0) return recvmsg(fd, message, 0);
  // A good one before it.
  void *first = lay_out(&all[0], &parts[0], "", NULL);
  message = lay_out(&all[1], &parts[1], which, bad);
  if (message == bad) first = bad;
  if (strcmp(verb, "sendmmsg") == 0) return sendmmsg(fd, first, 2, MSG_NOSIGNAL);
  return recvmmsg(fd, first, 2, MSG_DONTWAIT, NULL);
}

// fault A CALL PLACE [LEVEL NAME]
static void run_fault(int fd, char **word, int count) {
  const char *call = word[2];
  void *bad = place_of(word[3]);
  char room[128] = {0};
  socklen_t length = sizeof room;
  int level = count > 5 ? atoi(word[4]) : 132, name = count > 5 ? atoi(word[5]) : 14;
  const char *dash = strchr(call, '-');
  long outcome = -1;
  errno = ENOSYS;
  if (dash && strstr(call, "msg-")) {
    char verb[16] = {0};
    memcpy(verb, call, dash - call);
    outcome = faulty_message(fd, verb, dash + 1, bad);
  } else if (strcmp(call, "send") == 0) {
    outcome = send(fd, bad, 10, MSG_NOSIGNAL);
  } else if (strcmp(call, "sendto") == 0) {
    outcome = sendto(fd, room, 10, MSG_NOSIGNAL, bad, 16);
  } else if (strcmp(call, "write") == 0) {
    outcome = write(fd, bad, 10);
  } else if (strcmp(call, "writev") == 0) {
    outcome = writev(fd, bad, 1);
  } else if (strcmp(call, "recv") == 0) {
    outcome = recv(fd, bad, 10, 0);
  } else if (strcmp(call, "read") == 0) {
    outcome = read(fd, bad, 10);
  } else if (strcmp(call, "readv") == 0) {
    outcome = readv(fd, bad, 1);
  } else if (strcmp(call, "recvfrom") == 0) {
    outcome = recvfrom(fd, room, sizeof room, 0, bad, &length);
  } else if (strcmp(call, "recvfrom-length") == 0) {
    outcome = recvfrom(fd, room, sizeof room, 0, (void *)room, bad);
  } else if (strcmp(call, "bind") == 0) {
    outcome = bind(fd, bad, 16);
  } else if (strcmp(call, "connect") == 0) {
    outcome = connect(fd, bad, 16);
  } else if (strcmp(call, "accept") == 0) {
    outcome = accept4(fd, bad, &length, SOCK_NONBLOCK);
  } else if (strcmp(call, "accept-length") == 0) {
    outcome = accept4(fd, (void *)room, bad, SOCK_NONBLOCK);
  } else if (strcmp(call, "name") == 0) {
    outcome = getsockname(fd, bad, &length);
  } else if (strcmp(call, "name-length") == 0) {
    outcome = getsockname(fd, (void *)room, bad);
  } else if (strcmp(call, "peer") == 0) {
    outcome = getpeername(fd, bad, &length);
  } else if (strcmp(call, "peer-length") == 0) {
    outcome = getpeername(fd, (void *)room, bad);
  } else if (strcmp(call, "set") == 0) {
    outcome = setsockopt(fd, level, name, bad, 200);
  } else if (strcmp(call, "ask") == 0) {
    length = 200;
    outcome = getsockopt(fd, level, name, bad, &length);
  } else if (strcmp(call, "ask-length") == 0) {
    outcome = getsockopt(fd, level, name, room, bad);
  } else if (strcmp(call, "pending") == 0) {
    outcome = ioctl(fd, FIONREAD, bad);
  } else if (strcmp(call, "nonblock") == 0) {
    outcome = ioctl(fd, FIONBIO, bad);
  }
  // A descriptor's number differs.
  answer(outcome > 0 && strncmp(call, "accept", 6) == 0 ? 0 : outcome);
}
