/* What a preloaded library must bear that a seccomp listener never sees.
 *
 *   preload cancel PORT    threads that are cancelled while they wait; the message is for the next
 *   preload handler PORT   a handler of signals makes calls while the call of its thread waits
 *   preload exec PORT      a socket is inherited by a program, which goes on with it
 *   preload daemon PORT    all descriptors are closed, one by one and in one go, and sockets made
 *   preload user PORT      becomes another user, and makes sockets
 *   preload patience PORT  waiting calls and handlers with and without SA_RESTART, SO_RCVTIMEO
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/sctp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ends.h"

static void pause_ms(int ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    while (nanosleep(&time, &time) != 0) {
    }
}

static void *receiver(void *fd) {
    char got[64];
    recv(*(int *)fd, got, sizeof got, 0);
    return NULL;
}

static void cancel(int port) {
    int ends[2];
    pair(port, ends);
    for (int round = 0; round < 50; round++) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, receiver, &ends[1]) == 0);
        pause_ms(round % 3 * 5);
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0);
        CHECK(result == PTHREAD_CANCELED);
        say(ends[0], "for the next");
        hear(ends[1], "for the next");
    }
    /* The connections of the cancelled threads are closed. */
    int next = dup(0);
    CHECK(next >= 0 && next < 64);
}

static int handlers[2];
static volatile sig_atomic_t handled;

static void on_signal(int signal) {
    (void)signal;
    int before = errno;
    char got[64];
    if (send(handlers[0], "from a handler", 14, MSG_DONTWAIT) == 14 &&
        recv(handlers[1], got, sizeof got, 0) == 14) {
        handled++;
    }
    errno = before;
}

static void every_ms(int flags) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    struct itimerval often = {{0, 1000}, {0, 1000}};
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
}

static void handler(int port) {
    int ends[2];
    pair(port, ends);
    pair(port + 1, handlers);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(handlers[0]);
        close(handlers[1]);
        for (int round = 0; round < 300; round++) {
            char text[32];
            sprintf(text, "number %d", round);
            hear(ends[1], text);
            pause_ms(2);
            say(ends[1], text);
        }
        exit(0);
    }
    every_ms(SA_RESTART);
    for (int round = 0; round < 300; round++) {
        char text[32];
        sprintf(text, "number %d", round);
        say(ends[0], text);
        hear(ends[0], text);
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    fprintf(stderr, "%d handlers\n", (int)handled);
    CHECK(handled > 50);
}

static void patience(int port) {
    int ends[2];
    pair(port, ends);
    pair(port + 1, handlers);
    char got[64];
    every_ms(0);
    CHECK(recv(ends[0], got, sizeof got, 0) == -1 && errno == EINTR);
    every_ms(SA_RESTART);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        pause_ms(300);
        say(ends[1], "late");
        exit(0);
    }
    hear(ends[0], "late");
    struct itimerval never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    struct timeval short_time = {.tv_usec = 50000};
    CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof short_time) == 0);
    CHECK(recv(ends[0], got, sizeof got, 0) == -1 && errno == EAGAIN);
    CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    CHECK(recv(ends[0], got, sizeof got, 0) == -1 && errno == EAGAIN);
}

static void heir(int fd) {
    int type = 0;
    socklen_t length = sizeof type;
    CHECK(getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &type, &length) == 0 && type == IPPROTO_SCTP);
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 20);
    CHECK(copy >= 20);
    close(fd);
    hear(copy, "to an heir");
    say(copy, "from an heir");
}

static void execute(int port, const char *self) {
    int ends[2];
    pair(port, ends);
    pid_t child = vfork();
    CHECK(child >= 0);
    if (child == 0) {
        char number[16];
        sprintf(number, "%d", ends[1]);
        execl("/proc/self/exe", self, "heir", number, NULL);
        _exit(1);
    }
    close(ends[1]);
    say(ends[0], "to an heir");
    hear(ends[0], "from an heir");
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    /* Its end is gone. */
    hear(ends[0], "");
}

static void serve(int port) {
    if (fork() != 0) {
        exit(0);
    }
    setsid();
    for (int fd = 3; fd < 1100; fd++) {
        close(fd);
    }
    closefrom(3);
    pause_ms(200);
    int ends[2];
    pair(port, ends);
    say(ends[0], "from a servant");
    hear(ends[1], "from a servant");
    printf("as it should be\n");
}

static void become(int port) {
    int ends[2];
    pair(port, ends);
    CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    say(ends[0], "as before");
    hear(ends[1], "as before");
    pair(port + 1, ends);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        say(ends[0], "of a child");
        exit(0);
    }
    hear(ends[1], "of a child");
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    const char *what = argv[1];
    int number = atoi(argv[2]);
    if (strcmp(what, "cancel") == 0) {
        cancel(number);
    } else if (strcmp(what, "handler") == 0) {
        handler(number);
    } else if (strcmp(what, "patience") == 0) {
        patience(number);
    } else if (strcmp(what, "user") == 0) {
        become(number);
    } else if (strcmp(what, "exec") == 0) {
        execute(number, argv[0]);
    } else if (strcmp(what, "heir") == 0) {
        heir(number);
        return 0;
    } else if (strcmp(what, "daemon") == 0) {
        serve(number);
        return 0;
    } else {
        return 2;
    }
    printf("as it should be\n");
    return 0;
}
