/* Ends of sockets as poll, accept and connect show them.
 *
 *   ends fresh PORT     no new one-to-one socket can be written to
 *   ends polls PORT     what poll shows of shutdowns, and of the last close behind them
 *   ends accepts PORT   calls of accept that wait, when their listener is shut down or closed
 *   ends connects PORT  a second connect while the first one waits, and what is not to be asked of a socket
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/sctp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>

#include "ends.h"

static short shown(int fd) {
    struct pollfd polled = {.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP};
    CHECK(poll(&polled, 1, 0) >= 0);
    return polled.revents;
}

/* Waits until poll shows that, and no more. */
static void shows(int fd, short wanted) {
    for (int i = 0; i < 10000 && shown(fd) != wanted; i++) usleep(1000);
    if (shown(fd) != wanted) {
        fprintf(stderr, "poll shows %#x, not %#x\n", shown(fd), wanted);
        exit(1);
    }
}

static void *makes(void *unused) {
    for (int i = 0; i < 400; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
        CHECK(shown(fd) == 0);
        close(fd);
    }
    return unused;
}

/* By several threads: the host looks for closed sockets while new ones are on their way. */
static void fresh(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, makes, NULL) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

static void polls(int port) {
    int ends[2];
    pair(port, ends);
    shows(ends[0], POLLOUT);
    shows(ends[1], POLLOUT);
    int edges = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET};
    CHECK(epoll_ctl(edges, EPOLL_CTL_ADD, ends[1], &event) == 0);
    say(ends[0], "last");
    shows(ends[1], POLLIN | POLLOUT);
    CHECK(shutdown(ends[0], SHUT_WR) == 0);
    shows(ends[1], POLLIN | POLLOUT | POLLRDHUP);
    CHECK(epoll_wait(edges, &event, 1, 10000) == 1 && event.events & EPOLLRDHUP);
    hear(ends[1], "last");
    hear(ends[1], "");
    shows(ends[1], POLLIN | POLLOUT | POLLRDHUP);
    /* Who has shut writing reads to the end as well. */
    shows(ends[0], POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
    char room[8];
    CHECK(recv(ends[0], room, sizeof room, MSG_DONTWAIT) == 0);
    CHECK(recv(ends[0], room, sizeof room, 0) == -1 && errno == ENOTCONN);
    CHECK(shutdown(ends[1], SHUT_WR) == 0);
    shows(ends[1], POLLIN | POLLOUT | POLLRDHUP | POLLHUP);
    /* Sockets that hang up are closed as others are: their ports are free again. */
    for (int i = 0; i < 2; i++) CHECK(close(ends[i]) == 0);
    pair(port, ends);
}

static void *accepts(void *fd) {
    int got = accept(*(int *)fd, NULL, NULL);
    CHECK(got == -1 && errno == EINVAL);
    return NULL;
}

static void stops(int port) {
    int fd = listener(SOCK_STREAM, port);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, accepts, &fd) == 0);
    usleep(100000);
    CHECK(shutdown(fd, SHUT_RDWR) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(accept(fd, NULL, NULL) == -1 && errno == EINVAL);
    CHECK(close(fd) == 0);
    fd = listener(SOCK_STREAM, port);
    CHECK(pthread_create(threads, NULL, accepts, &fd) == 0);
    usleep(100000);
    int number = fd;
    CHECK(close(number) == 0);
    CHECK(pthread_join(*threads, NULL) == 0);
    close(listener(SOCK_STREAM, port));
}

/* A one-to-one socket whose peers are at a UDP port where nobody reads. */
static int unanswered(void) {
    struct sockaddr_in address = here(0);
    socklen_t length = sizeof address;
    int silent = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK(bind(silent, (struct sockaddr *)&address, length) == 0);
    CHECK(getsockname(silent, (struct sockaddr *)&address, &length) == 0);
    int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    struct sctp_udpencaps port = {.sue_address.ss_family = AF_INET, .sue_port = address.sin_port};
    CHECK(setsockopt(fd, IPPROTO_SCTP, SCTP_REMOTE_UDP_ENCAPS_PORT, &port, sizeof port) == 0);
    return fd;
}

static void *connects(void *fd) {
    struct sockaddr_in address = here(9);
    CHECK(connect(*(int *)fd, (struct sockaddr *)&address, sizeof address) == -1);
    return NULL;
}

static void connects_twice(int port) {
    int fd = unanswered();
    struct timeval patience = {.tv_sec = 30};
    CHECK(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, connects, &fd) == 0);
    usleep(100000);
    struct sockaddr_in address = here(9);
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == -1 && errno == EALREADY);
    CHECK(pthread_cancel(thread) == 0);
    int waits;
    fd = listener(SOCK_STREAM, port);
    CHECK(ioctl(fd, SIOCOUTQ, &waits) == -1 && errno == ENOTCONN);
    fd = connected(port);
    CHECK(ioctl(fd, SIOCOUTQ, &waits) == -1 && errno == ENOTTY);
}

int main(int count, char **words) {
    CHECK(count == 3);
    int port = atoi(words[2]);
    if (!strcmp(words[1], "fresh")) fresh();
    else if (!strcmp(words[1], "polls")) polls(port);
    else if (!strcmp(words[1], "accepts")) stops(port);
    else connects_twice(port);
    puts("as it should be");
    return 0;
}
