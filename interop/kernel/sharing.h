// Copies of sockets, and their use by children and other threads.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PEELOFF_FLAGS = 122, CONNECTX3 = 111 };

static int *place_of_socket(const char *word);
static void answer(long value);
static void run(char **word, int count);
static size_t bytes_of(const char *word, unsigned char *out);
static socklen_t address_of(const char *ip, const char *port, struct sockaddr_storage *out);

// Answers with the flags of a new descriptor, which does not wait from then on.
static void keep_new(const char *word, int fd) {
  *place_of_socket(word) = fd;
  if (fd < 0) return answer(-1);
  int flags = fcntl(fd, F_GETFL), own = fcntl(fd, F_GETFD);
  printf(" = 0%s%s\n", flags & O_NONBLOCK ? " nonblock" : "", own & FD_CLOEXEC ? " cloexec" : "");
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static void accept_with(char **word) {
  keep_new(word[2], accept4(*place_of_socket(word[1]), NULL, NULL, strtol(word[3], NULL, 0)));
}

static void peel_off_with(char **word) {
  struct {
    int32_t id;
    int fd;
    uint32_t flags;
  } request = {0, -1, strtoul(word[4], NULL, 0)};
  socklen_t length = sizeof request;
  unsigned char id[16] = {0};
  bytes_of(word[3], id);
  memcpy(&request.id, id, 4);
  int outcome = getsockopt(*place_of_socket(word[1]), IPPROTO_SCTP, PEELOFF_FLAGS, &request, &length);
  keep_new(word[2], outcome < 0 ? -1 : request.fd);
}

static void connect_to_some(char **word, int count) {
  unsigned char list[1024];
  struct {
    int32_t id;
    int length;
    void *list;
  } request = {0, 0, list};
  socklen_t length = sizeof request;
  for (int at = 3; at < count; at++) {
    struct sockaddr_storage one;
    socklen_t size = address_of(word[at], word[2], &one);
    memcpy(list + request.length, &one, size);
    request.length += size;
  }
  int outcome = getsockopt(*place_of_socket(word[1]), IPPROTO_SCTP, CONNECTX3, &request, &length);
  int code = errno;
  if (outcome < 0)
    printf(" = %s", strerrorname_np(code));
  else
    printf(" = 0");
  printf(" %s\n", request.id ? "@" : "none");
}

static void duplicate_at(char **word) {
  int to = *place_of_socket(word[2]);
  int copy = dup2(*place_of_socket(word[1]), to);
  answer(copy < 0 ? -1 : copy == to ? 0 : 1);
}

static void duplicate_from(char **word) {
  int copy = fcntl(*place_of_socket(word[1]), F_DUPFD_CLOEXEC, atoi(word[3]));
  keep_new(word[2], copy);
}

// Makes a call in a child of its own.
static void run_in_child(char **word, int count) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    struct itimerval bound = {{0, 0}, {2, 0}};
    setitimer(ITIMER_REAL, &bound, NULL);
    run(word + 1, count - 1);
    fflush(stdout);
    _exit(0);
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
}

struct hearing {
  int fd;
  size_t length;
  ssize_t heard;
  int code;
};

static void *hear_meanwhile(void *of) {
  static unsigned char room[300000];
  struct hearing *hearing = of;
  hearing->heard = recv(hearing->fd, room, hearing->length, 0);
  hearing->code = errno;
  return NULL;
}

// during A LENGTH CALL: another thread waits for a message on A meanwhile.
static void run_during(char **word, int count) {
  int fd = *place_of_socket(word[1]);
  struct hearing hearing = {fd, strtoul(word[2], NULL, 10), -1, 0};
  int flags = fcntl(fd, F_GETFL);
  pthread_t thread;
  if (fd >= 0) fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
  pthread_create(&thread, NULL, hear_meanwhile, &hearing);
  usleep(20000);
  run(word + 3, count - 3);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  if (pthread_timedjoin_np(thread, NULL, &until) != 0) {
    pthread_kill(thread, SIGALRM);
    pthread_join(thread, NULL);
  }
  if (hearing.heard < 0)
    printf("heard = %s\n", strerrorname_np(hearing.code));
  else
    printf("heard = %zd\n", hearing.heard);
  if (fd >= 0 && *place_of_socket(word[1]) == fd) fcntl(fd, F_SETFL, flags);
}
