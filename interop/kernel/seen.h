// The state of sockets as poll and epoll show it.
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>

enum { SHOWN = POLLIN | POLLOUT | POLLPRI | POLLRDHUP };

static int poll_of(int fd) {
  struct pollfd one = {.fd = fd, .events = SHOWN};
  poll(&one, 1, 0);
  return one.revents;
}

static void print_bits(int shown) {
  static const struct {
    int bit;
    const char *name;
  } bits[] = {{POLLIN, "in"}, {POLLOUT, "out"}, {POLLERR, "error"}, {POLLHUP, "hangup"}, {POLLRDHUP, "no-more"}, {POLLPRI, "urgent"}, {POLLNVAL, "none"}};
  for (size_t at = 0; at < sizeof bits / sizeof *bits; at++)
    if (shown & bits[at].bit) printf(" %s", bits[at].name);
}

static void show_poll(int fd) {
  printf(" =");
  print_bits(poll_of(fd));
  printf("\n");
}

static int watcher = -1;

// Prints a line about each socket. Edges tell what is new, or "again".
static void watch(void) {
  static int before[256];
  struct epoll_event edges[64];
  int told_of[256] = {0};
  for (int letter = 0; letter < 256; letter++) {
    struct epoll_event event = {.events = SHOWN | EPOLLET, .data.u32 = letter};
    if (sockets[letter] >= 0) epoll_ctl(watcher, EPOLL_CTL_ADD, sockets[letter], &event);
  }
  int count = epoll_wait(watcher, edges, 64, 0);
  for (int at = 0; at < count; at++) told_of[edges[at].data.u32] |= edges[at].events;
  for (int letter = 0; letter < 256; letter++) {
    int shown = sockets[letter] < 0 ? 0 : poll_of(sockets[letter]);
    int news = shown & told_of[letter] & ~before[letter];
    before[letter] = shown;
    if (sockets[letter] < 0) continue;
    printf("seen %c =", letter);
    print_bits(shown);
    if (told_of[letter]) printf(" edge%s", news ? "" : " again");
    print_bits(news);
    printf("\n");
  }
}
