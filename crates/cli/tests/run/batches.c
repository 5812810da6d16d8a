/* Several messages in one call, compared with sendmmsg(2) and recvmmsg(2).
 *
 *   batches counts PORT    as many messages as there are, or as there is room for
 *   batches times PORT     the last argument of recvmmsg, and MSG_WAITFORONE
 *   batches faults PORT    messages that cannot be sent or received behind some that can
 *   batches signals PORT   handlers run all the time, and each message comes once
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ends.h"

enum { MOST = 1500, ROOM = 2000 };

static struct mmsghdr batch[MOST];
static struct iovec parts[MOST];
static char rooms[MOST][ROOM];

/* Messages with their numbers from `first` on, or room for some. */
static struct mmsghdr *messages(int count, int first, size_t length) {
    memset(batch, 0, sizeof batch);
    for (int at = 0; at < count; at++) {
        memset(rooms[at], 0, ROOM);
        snprintf(rooms[at], ROOM, "%d", first + at);
        parts[at] = (struct iovec){rooms[at], length};
        batch[at].msg_hdr = (struct msghdr){.msg_iov = &parts[at], .msg_iovlen = 1};
    }
    return batch;
}

static struct mmsghdr *room(int count) { return messages(count, 0, ROOM); }

/* The messages that came have the numbers from `first` on. */
static void are(int count, int first, size_t length) {
    for (int at = 0; at < count; at++) {
        if (atoi(rooms[at]) != first + at || batch[at].msg_len != length) {
            fprintf(stderr, "%d of %d: \"%s\", %u bytes\n", first + at, count, rooms[at], batch[at].msg_len);
            exit(1);
        }
        CHECK(batch[at].msg_hdr.msg_flags & MSG_EOR);
    }
}

/* The same with room for a few messages at the first end. */
static void narrow_pair(int port, int ends[2]) {
    int listening = listener(SOCK_STREAM, port), small = 20000;
    struct sockaddr_in address = here(port);
    ends[0] = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    CHECK(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
    CHECK(connect(ends[0], (struct sockaddr *)&address, sizeof address) == 0);
    ends[1] = accept(listening, NULL, NULL);
    CHECK(ends[1] >= 0);
    close(listening);
}

static void succeeds(pid_t child) {
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void nonblock(int fd, int on) { CHECK(fcntl(fd, F_SETFL, on ? O_NONBLOCK : 0) == 0); }

/* Receives all messages up to a number, and sees that each comes once. */
static void receives(int fd, int upto, size_t length) {
    for (int next = 0; next < upto;) {
        int got = recvmmsg(fd, room(7), 7, MSG_WAITFORONE, NULL);
        CHECK(got > 0);
        are(got, next, length);
        next += got;
    }
}

static void counts(int port) {
    int ends[2];
    pair(port, ends);
    CHECK(sendmmsg(ends[0], messages(10, 0, 8), 10, 0) == 10);
    for (int at = 0; at < 10; at++) {
        CHECK(batch[at].msg_len == 8);
    }
    CHECK(recvmmsg(ends[1], room(10), 10, 0, NULL) == 10);
    are(10, 0, 8);

    /* It waits for as many as it wants. */
    pid_t child = fork();
    if (child == 0) {
        for (int at = 0; at < 6; at++) {
            CHECK(send(ends[0], rooms[at], snprintf(rooms[at], ROOM, "%d", at), 0) == 1);
            usleep(10000);
        }
        exit(0);
    }
    CHECK(recvmmsg(ends[1], room(6), 6, 0, NULL) == 6);
    are(6, 0, 1);
    succeeds(child);

    /* What there is, to one that does not wait. */
    nonblock(ends[1], 1);
    CHECK(recvmmsg(ends[1], room(3), 3, 0, NULL) == -1 && errno == EAGAIN);
    CHECK(sendmmsg(ends[0], messages(3, 0, 8), 3, 0) == 3);
    int most = 0;
    for (int got = 0; got < 3;) {
        struct pollfd polled = {.fd = ends[1], .events = POLLIN};
        CHECK(poll(&polled, 1, -1) == 1);
        int now = recvmmsg(ends[1], room(MOST), MOST, 0, NULL);
        CHECK(now > 0);
        are(now, got, 8);
        got += now;
        most = now > most ? now : most;
    }
    CHECK(most <= 3);
    nonblock(ends[1], 0);

    /* A look shows the first message again and again. */
    CHECK(sendmmsg(ends[0], messages(2, 5, 8), 2, 0) == 2);
    CHECK(recvmmsg(ends[1], room(3), 3, MSG_PEEK, NULL) == 3);
    CHECK(atoi(rooms[0]) == 5 && atoi(rooms[1]) == 5 && atoi(rooms[2]) == 5);
    CHECK(recvmmsg(ends[1], room(2), 2, 0, NULL) == 2);
    are(2, 5, 8);

    say(ends[0], "by itself");
    hear(ends[1], "by itself");
    CHECK(sendmmsg(ends[0], NULL, 0, 0) == 0);
    CHECK(recvmmsg(ends[1], NULL, 0, 0, NULL) == 0);

    /* No call sends more than 1024; one that waits sends all of them. */
    child = fork();
    if (child == 0) {
        receives(ends[1], MOST, 8);
        exit(0);
    }
    CHECK(sendmmsg(ends[0], messages(MOST, 0, 8), MOST, 0) == 1024);
    CHECK(sendmmsg(ends[0], batch + 1024, MOST - 1024, 0) == MOST - 1024);
    succeeds(child);

    /* Room for some: one that does not wait sends these, and one that waits all. */
    close(ends[0]);
    close(ends[1]);
    narrow_pair(port, ends);
    child = fork();
    if (child == 0) {
        receives(ends[1], 50, ROOM);
        exit(0);
    }
    int sent = sendmmsg(ends[0], messages(50, 0, ROOM), 50, MSG_DONTWAIT);
    CHECK(sent >= 1 && sent < 50);
    CHECK(sendmmsg(ends[0], batch + sent, 50 - sent, 0) == 50 - sent);
    succeeds(child);

    /* The end of the association is one empty message after the other. */
    close(ends[0]);
    CHECK(recvmmsg(ends[1], room(3), 3, 0, NULL) == 3);
    CHECK(batch[0].msg_len == 0 && batch[2].msg_len == 0);
}

static void times(int port) {
    int ends[2];
    pair(port, ends);
    /* MSG_WAITFORONE waits for the first. */
    CHECK(sendmmsg(ends[0], messages(3, 0, 8), 3, 0) == 3);
    receives(ends[1], 3, 8);

    /* The time is looked at behind each message. */
    struct timespec none = {0, 0};
    CHECK(sendmmsg(ends[0], messages(3, 0, 8), 3, 0) == 3);
    CHECK(recvmmsg(ends[1], room(3), 3, 0, &none) == 1);
    are(1, 0, 8);
    CHECK(none.tv_sec == 0 && none.tv_nsec == 0);
    struct timespec short_one = {0, 1};
    CHECK(recvmmsg(ends[1], room(3), 3, 0, &short_one) == 1);
    are(1, 1, 8);
    CHECK(short_one.tv_sec == 0 && short_one.tv_nsec == 0);
    struct timespec left = {1000, 0};
    CHECK(recvmmsg(ends[1], room(1), 1, 0, &left) == 1);
    are(1, 2, 8);
    CHECK(left.tv_sec < 1000 && left.tv_sec > 900 && left.tv_nsec >= 0);

    struct timespec wrong[] = {{-1, 0}, {0, 1000000000}, {0, -1}};
    for (int at = 0; at < 3; at++) {
        CHECK(recvmmsg(ends[1], room(1), 1, MSG_DONTWAIT, &wrong[at]) == -1 && errno == EINVAL);
    }
    CHECK(recvmmsg(ends[1], room(1), 1, MSG_DONTWAIT, (void *)8) == -1 && errno == EFAULT);
    left.tv_sec = 1000;
    CHECK(recvmmsg(ends[1], room(1), 1, MSG_DONTWAIT, &left) == -1 && errno == EAGAIN);
    CHECK(left.tv_sec == 1000);

    /* SO_RCVTIMEO ends the wait for each. */
    struct timeval patience = {0, 50000};
    CHECK(setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    CHECK(recvmmsg(ends[1], room(2), 2, 0, NULL) == -1 && errno == EAGAIN);
    patience.tv_sec = 5;
    CHECK(setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    CHECK(sendmmsg(ends[0], messages(2, 0, 8), 2, 0) == 2);
    CHECK(recvmmsg(ends[1], room(3), 3, 0, NULL) == 2);
    are(2, 0, 8);
}

static void faults(int port) {
    int ends[2];
    pair(port, ends);
    /* Those before are sent. */
    messages(3, 0, 8);
    parts[1].iov_base = (void *)8;
    CHECK(sendmmsg(ends[0], batch, 3, 0) == 1);
    CHECK(sendmmsg(ends[0], batch + 1, 2, 0) == -1 && errno == EFAULT);
    parts[1].iov_base = rooms[1];
    batch[2].msg_hdr.msg_iovlen = 1025;
    CHECK(sendmmsg(ends[0], batch + 1, 2, 0) == 1);
    CHECK(sendmmsg(ends[0], batch + 2, 1, 0) == -1 && errno == EMSGSIZE);
    CHECK(sendmmsg(ends[0], (void *)8, 1, 0) == -1 && errno == EFAULT);
    CHECK(sendmmsg(ends[0], batch, 1, 1U << 31) == -1 && errno == EINVAL);

    /* Those before are received; the error is told once, by SO_ERROR or the next call of the kind. */
    room(2);
    parts[1].iov_len = (size_t)-1;
    CHECK(recvmmsg(ends[1], batch, 2, 0, NULL) == 1);
    are(1, 0, 8);
    CHECK(recvmmsg(ends[1], room(1), 1, 0, NULL) == -1 && errno == EINVAL);
    CHECK(recvmmsg(ends[1], room(1), 1, 0, NULL) == 1);
    are(1, 1, 8);
    CHECK(recvmmsg(ends[1], (void *)8, 1, 0, NULL) == -1 && errno == EFAULT);
    CHECK(recvmmsg(ends[1], room(1), 1, 1U << 31, NULL) == -1 && errno == EINVAL);

    /* Memory that ends behind the second header. */
    long page = sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && munmap(memory + page, page) == 0);
    struct mmsghdr *last = (void *)(memory + page - 2 * sizeof(struct mmsghdr));
    messages(2, 7, 8);
    memcpy(last, batch, 2 * sizeof *last);
    CHECK(sendmmsg(ends[0], last, 5, 0) == 2);
    CHECK(recvmmsg(ends[1], room(2), 2, 0, NULL) == 2);
    are(2, 7, 8);

    /* One for all associations goes nowhere where there is none, and is the last. */
    int lonely = socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP);
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(32)];
    } to_all = {{.cmsg_len = CMSG_LEN(32), .cmsg_level = IPPROTO_SCTP, .cmsg_type = 1}};
    CMSG_DATA(&to_all.header)[4] = 64;
    messages(2, 0, 8);
    for (int at = 0; at < 2; at++) {
        batch[at].msg_hdr.msg_control = &to_all;
        batch[at].msg_hdr.msg_controllen = sizeof to_all;
    }
    CHECK(sendmmsg(lonely, batch, 2, 0) == 1 && batch[0].msg_len == 0);
    close(lonely);

    /* SIGPIPE comes with the first message that cannot be sent. */
    signal(SIGPIPE, SIG_IGN);
    CHECK(shutdown(ends[0], SHUT_WR) == 0);
    CHECK(sendmmsg(ends[0], messages(2, 0, 8), 2, 0) == -1 && errno == EPIPE);
}

static void on_timer(int signal) { (void)signal; }

static void interrupted(int restarts) {
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = restarts ? SA_RESTART : 0};
    struct itimerval often = {{0, 3000}, {0, 3000}};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

static void undisturbed(void) {
    struct itimerval never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static void signals(int port) {
    enum { COUNT = 200, LENGTH = 500 };
    for (int restarts = 0; restarts < 2; restarts++) {
        int ends[2];
        narrow_pair(port, ends);
        pid_t child = fork();
        if (child == 0) {
            interrupted(restarts);
            for (int sent = 0; sent < COUNT;) {
                int now = sendmmsg(ends[0], messages(15, sent, LENGTH), 15, 0);
                CHECK(now > 0 || errno == EINTR);
                sent += now > 0 ? now : 0;
                if (sent % 4 == 0) {
                    usleep(500);
                }
            }
            exit(0);
        }
        interrupted(restarts);
        for (int next = 0; next < COUNT;) {
            int wanted = COUNT - next < 9 ? COUNT - next : 9;
            int got = recvmmsg(ends[1], room(wanted), wanted, 0, NULL);
            CHECK(got > 0 || errno == EINTR);
            if (got > 0) {
                are(got, next, LENGTH);
                next += got;
            }
        }
        undisturbed();
        succeeds(child);
        close(ends[0]);
        close(ends[1]);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    int port = atoi(argv[2]);
    if (strcmp(argv[1], "counts") == 0) {
        alarm(60);
        counts(port);
    } else if (strcmp(argv[1], "times") == 0) {
        alarm(60);
        times(port);
    } else if (strcmp(argv[1], "faults") == 0) {
        alarm(60);
        faults(port);
    } else if (strcmp(argv[1], "signals") == 0) {
        signals(port);
    } else {
        return 2;
    }
    puts("as it should be");
    return 0;
}
