/* What a preloaded library must bear that a seccomp listener never sees.
 *
 *   preload cancel PORT    threads that are cancelled while they wait; the message is for the next
 *   preload handler PORT   a handler of signals makes calls while the call of its thread waits
 *   preload exec PORT      a socket is inherited by a program, which goes on with it
 *   preload daemon PORT    all descriptors are closed, one by one and in one go, and sockets made
 *   preload user PORT      becomes another user, and makes sockets
 *   preload hammer PORT    calls of many threads and processes at once, with signals all the time
 *   preload closed PORT    the library's descriptors are closed behind its back
 *   preload numbers PORT   numbers of sockets become those of others behind the library's back
 *   preload scribble PORT  another program writes anything into the memory that it shares with the host
 *   preload memory PORT    what is lent of memory: parts of any place and length, and what is not there
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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
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

/* Calls whose answers are known, ROUNDS times, on both ends of an association that listened on PORT. */
static void ask(int port, int ends[2], int rounds) {
    for (int round = 0; round < rounds; round++) {
        struct sockaddr_in name;
        socklen_t length = sizeof name;
        CHECK(getsockname(ends[1], (struct sockaddr *)&name, &length) == 0);
        CHECK(length == sizeof name && name.sin_port == htons(port));
        CHECK(recv(ends[0], &name, sizeof name, MSG_DONTWAIT) == -1 && errno == EAGAIN);
        int back = round % 2;
        char text[64];
        sprintf(text, "%d says %d", port, round);
        say(ends[back], text);
        hear(ends[!back], text);
    }
}

enum { THREADS = 3, ROUNDS = 300, CHILDREN = 6 };

static void *hammering(void *given) {
    int port = *(int *)given;
    int ends[2];
    pair(port, ends);
    ask(port, ends, ROUNDS);
    close(ends[0]);
    close(ends[1]);
    return NULL;
}

static void hammer(int port) {
    pair(port, handlers);
    every_ms(SA_RESTART);
    pthread_t threads[THREADS];
    int ports[THREADS];
    for (int thread = 0; thread < THREADS; thread++) {
        ports[thread] = port + 1 + thread;
        CHECK(pthread_create(&threads[thread], NULL, hammering, &ports[thread]) == 0);
    }
    for (int number = 0; number < CHILDREN; number++) {
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            int ends[2], childs = port + 10 + number;
            pair(childs, ends);
            ask(childs, ends, ROUNDS / 10);
            exit(0);
        }
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    for (int thread = 0; thread < THREADS; thread++) {
        CHECK(pthread_join(threads[thread], NULL) == 0);
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
}

static void closed(int port) {
    int ends[2];
    pair(port, ends);
    for (int round = 0; round < 200; round++) {
        for (int fd = 960; fd < 970; fd++) {
            syscall(SYS_close, fd);
        }
        ask(port, ends, round % 3);
    }
}

static int port_of(int fd) {
    struct sockaddr_in name = {0};
    socklen_t length = sizeof name;
    CHECK(getsockname(fd, (struct sockaddr *)&name, &length) == 0);
    return ntohs(name.sin_port);
}

static void numbers(int port) {
    int one = listener(SOCK_STREAM, port), other = listener(SOCK_STREAM, port + 1);
    int kept = dup(one);
    for (int round = 0; round < 3; round++) {
        CHECK(port_of(one) == port && port_of(other) == port + 1 && port_of(kept) == port);
    }
    CHECK(syscall(SYS_dup3, other, one, 0) == one);
    CHECK(port_of(one) == port + 1 && port_of(other) == port + 1 && port_of(kept) == port);
    /* All descriptors of a socket wait, or none does. */
    CHECK(syscall(SYS_fcntl, one, F_SETFL, O_NONBLOCK) == 0);
    CHECK(accept(other, NULL, NULL) == -1 && errno == EAGAIN);
    CHECK(syscall(SYS_fcntl, one, F_SETFL, 0) == 0);
    struct timeval soon = {.tv_usec = 100000};
    CHECK(setsockopt(other, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon) == 0);
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    CHECK(accept(other, NULL, NULL) == -1 && errno == EAGAIN);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    CHECK((ended.tv_sec - began.tv_sec) * 1000000000L + ended.tv_nsec - began.tv_nsec > 90000000L);
    /* A child has the sockets, and its numbers are its own. */
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK(port_of(one) == port + 1);
        CHECK(syscall(SYS_dup3, kept, one, 0) == one);
        CHECK(port_of(one) == port);
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(port_of(one) == port + 1);
    int ends[2];
    char got = 0;
    CHECK(pipe(ends) == 0);
    CHECK(syscall(SYS_dup3, ends[1], one, 0) == one);
    CHECK(write(one, "x", 1) == 1 && read(ends[0], &got, 1) == 1 && got == 'x');
    struct sockaddr_in name;
    socklen_t length = sizeof name;
    CHECK(getsockname(one, (struct sockaddr *)&name, &length) == -1 && errno == ENOTSOCK);
    CHECK(syscall(SYS_close, other) == 0);
    CHECK(getsockname(other, (struct sockaddr *)&name, &length) == -1 && errno == EBADF);
    CHECK(port_of(kept) == port);
}

static void *calling(void *ends) {
    for (;;) {
        struct sockaddr_in name;
        socklen_t length = sizeof name;
        getsockname(*(int *)ends, (struct sockaddr *)&name, &length);
    }
    return NULL;
}

/* Writes into all regions, as it likes. */
static void overwrite(unsigned seed) {
    unsigned long *regions[8];
    int count = 0;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long at;
        if (strstr(line, "sheave-region") && sscanf(line, "%lx-", &at) == 1 && count < 8) {
            regions[count++] = (unsigned long *)at;
        }
    }
    fclose(maps);
    CHECK(count > 0);
    srandom(seed);
    for (int number = 0; number < 300000; number++) {
        unsigned long word = random() % 4 ? (unsigned long)random() % 70 : (unsigned long)random() << 33;
        regions[number % count][random() % 48] = word;
        if (number % 64 == 0) {
            char packet[24] = {2};
            send(960 + random() % 8, packet, random() % 3 * 8, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    }
}

static void scribbler(int port) {
    int ends[2];
    pair(port, ends);
    for (int thread = 0; thread < 3; thread++) {
        pthread_t caller;
        CHECK(pthread_create(&caller, NULL, calling, &ends[0]) == 0);
    }
    pause_ms(20);
    overwrite(port);
    _exit(0);
}

static void scribble(int port, const char *self) {
    int ends[2];
    pair(port, ends);
    for (int theirs = port + 1; theirs < port + 5; theirs++) {
        /* A child alone would have the memory of its parent. */
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            char number[16];
            sprintf(number, "%d", theirs);
            execl("/proc/self/exe", self, "scribbler", number, NULL);
            _exit(1);
        }
        int status = 0;
        while (waitpid(child, &status, WNOHANG) == 0) {
            ask(port, ends, 5);
        }
        /* What it does to itself is its own affair. */
        ask(port, ends, 50);
    }
}

#define FAILS(call, code) CHECK((call) == -1 && errno == (code))
#define PAGE sysconf(_SC_PAGESIZE)

/* A page that can be written to, one that can be read, and one that is not there. */
static char *three_pages(void) {
    char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    memset(pages + PAGE, 'r', PAGE);
    CHECK(mprotect(pages + PAGE, PAGE, PROT_READ) == 0);
    CHECK(munmap(pages + 2 * PAGE, PAGE) == 0);
    return pages;
}

static void faults(int port, int ends[2]) {
    char *volatile pages = three_pages();
    char *volatile readable = pages + PAGE, *volatile absent = pages + 2 * PAGE;
    char got[64];
    /* Sent from: all of it must be there. */
    CHECK(send(ends[0], readable - 8, 16, 0) == 16);
    CHECK(send(ends[0], absent - 16, 16, 0) == 16);
    FAILS(send(ends[0], absent - 8, 16, 0), EFAULT);
    FAILS(send(ends[0], absent, 16, 0), EFAULT);
    /* Received into: as much as the message needs. */
    FAILS(recv(ends[1], readable, 64, 0), EFAULT);
    FAILS(recv(ends[1], readable - 15, 64, 0), EFAULT);
    CHECK(recv(ends[1], readable - 16, 64, 0) == 16);
    CHECK(memcmp(readable - 8, "rrrrrrrr", 8) == 0);
    CHECK(recv(ends[1], got, sizeof got, 0) == 16 && memcmp(got, "rrrrrrrrrrrrrrrr", 16) == 0);

    struct sockaddr_in address = here(port);
    socklen_t *length = (void *)pages, *constant = (void *)readable;
    *length = sizeof address;
    FAILS(getsockname(ends[0], (void *)readable, length), EFAULT);
    FAILS(getsockname(ends[0], (void *)absent, length), EFAULT);
    FAILS(getsockname(ends[0], (void *)(pages + 64), (void *)absent), EFAULT);
    *length = sizeof address;
    CHECK(getsockname(ends[0], (void *)(readable - sizeof address), length) == 0);
    FAILS(getsockname(ends[0], (void *)&address, constant), EFAULT);
    FAILS(setsockopt(ends[0], IPPROTO_SCTP, SCTP_NODELAY, absent - 2, 4), EFAULT);
    CHECK(setsockopt(ends[0], IPPROTO_SCTP, SCTP_NODELAY, absent - 4, 4) == 0);
    *length = 4;
    FAILS(getsockopt(ends[0], IPPROTO_SCTP, SCTP_NODELAY, readable, length), EFAULT);
    *length = 4;
    CHECK(getsockopt(ends[0], IPPROTO_SCTP, SCTP_NODELAY, readable - 4, length) == 0);
    CHECK(*length == 4 && readable[-4] == 1);
    int other = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    FAILS(bind(other, (void *)(absent - 8), sizeof address), EFAULT);
    close(other);

    /* A header from which all can be read, and to which nothing can be written. */
    say(ends[0], "stays");
    struct iovec part = {got, sizeof got};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1}, *fixed = (void *)(readable + 64);
    CHECK(mprotect(readable, PAGE, PROT_READ | PROT_WRITE) == 0);
    *fixed = header;
    CHECK(mprotect(readable, PAGE, PROT_READ) == 0);
    FAILS(recvmsg(ends[1], fixed, 0), EFAULT);
    hear(ends[1], "stays");
    part = (struct iovec){"sent", 4};
    CHECK(mprotect(readable, PAGE, PROT_READ | PROT_WRITE) == 0);
    *fixed = (struct msghdr){.msg_iov = &part, .msg_iovlen = 1};
    CHECK(mprotect(readable, PAGE, PROT_READ) == 0);
    CHECK(sendmsg(ends[0], fixed, 0) == 4);
    hear(ends[1], "sent");
}

/* Messages of many lengths, from and to odd places, in one part and in several. */
static void lengths(int ends[2]) {
    static char out[16384], in[16384];
    for (size_t byte = 0; byte < sizeof out; byte++) {
        out[byte] = (char)(byte * 7 + byte / 256);
    }
    static const size_t some[] = {1, 7, 8, 9, 63, 64, 65, 1023, 2040, 2047, 2048, 2049, 2559, 2560, 2561, 6000};
    for (size_t each = 0; each < sizeof some / sizeof *some; each++) {
        for (size_t place = 0; place < 9; place++) {
            size_t length = some[each], first = length / 3, second = length / 2;
            memset(in, 0, sizeof in);
            CHECK(send(ends[0], out + place, length, 0) == (ssize_t)length);
            CHECK(recv(ends[1], in + 5 * place, 8192, 0) == (ssize_t)length);
            CHECK(memcmp(in + 5 * place, out + place, length) == 0 && in[5 * place + length] == 0);

            struct iovec from[3] = {{out + place, first}, {out + 100, 0}, {out + place + first, length - first}};
            struct iovec to[2] = {{in + 8192, second}, {in + 9 + place, 8000}};
            struct sockaddr_in name = {0};
            char control[256];
            struct msghdr header = {.msg_name = &name, .msg_namelen = sizeof name, .msg_iov = to, .msg_iovlen = 2};
            header.msg_control = control;
            header.msg_controllen = sizeof control;
            memset(in, 0, sizeof in);
            CHECK(writev(ends[0], from, 3) == (ssize_t)length);
            CHECK(recvmsg(ends[1], &header, 0) == (ssize_t)length);
            CHECK(header.msg_flags & MSG_EOR && header.msg_controllen == 0);
            CHECK(header.msg_namelen == sizeof name && name.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
            CHECK(memcmp(in + 8192, out + place, second) == 0);
            CHECK(memcmp(in + 9 + place, out + place + second, length - second) == 0);
            CHECK(in[8192 + second] == 0 && in[9 + place + length - second] == 0);
        }
    }
}

static void memory(int port) {
    int ends[2];
    pair(port, ends);
    faults(port, ends);
    lengths(ends);
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
    } else if (strcmp(what, "hammer") == 0) {
        hammer(number);
    } else if (strcmp(what, "closed") == 0) {
        closed(number);
    } else if (strcmp(what, "numbers") == 0) {
        numbers(number);
    } else if (strcmp(what, "scribble") == 0) {
        scribble(number, argv[0]);
    } else if (strcmp(what, "scribbler") == 0) {
        scribbler(number);
        return 0;
    } else if (strcmp(what, "memory") == 0) {
        memory(number);
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
