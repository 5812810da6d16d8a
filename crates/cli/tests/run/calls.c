/* The calls of libsctp that ncat, iperf3 and Python leave out, each compared with the rule it has
 * (RFC 6458, sctp_peeloff(3) and others).
 *
 *   calls peeloff PORT     leaves a one-to-many socket, with and without O_NONBLOCK
 *   calls addresses PORT   sctp_bindx, sctp_connectx, sctp_getladdrs, sctp_getpaddrs, both families
 *   calls vectors PORT     sctp_sendv and sctp_recvv, sendmmsg and recvmmsg, MSG_PEEK, short buffers
 *   calls sendfile PORT    a file into a socket, by sendfile
 *   calls many PORT N      N connections at a time, through select or poll
 *   calls threads PORT     a socket that another thread closes, shuts down or sends on
 *   calls outlives PORT    a socket that is closed while another thread waits for a message
 *   calls numbers PORT     descriptors of sockets and of files, made by threads at a time
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/sctp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ends.h"

static int is_ready(int fd, short events) {
    struct pollfd polled = {.fd = fd, .events = events};
    CHECK(poll(&polled, 1, 2000) >= 0);
    return polled.revents & events;
}

/* The association from which the next message on a one-to-many socket comes. */
static sctp_assoc_t hear_from(int fd, const char *text) {
    struct sctp_sndrcvinfo info = {0};
    char got[256] = "";
    int flags = 0;
    CHECK(sctp_recvmsg(fd, got, sizeof got - 1, NULL, NULL, &info, &flags) == (int)strlen(text));
    CHECK(strcmp(got, text) == 0);
    CHECK(flags & MSG_EOR);
    return info.sinfo_assoc_id;
}

/* sctp_peeloff_flags(), which Debian's libsctp declares and does not have. */
static int peeloff_flags(int fd, sctp_assoc_t assoc, unsigned flags) {
    sctp_peeloff_flags_arg_t arg = {.p_arg = {.associd = assoc}, .flags = flags};
    socklen_t length = sizeof arg;
    int made = getsockopt(fd, IPPROTO_SCTP, SCTP_SOCKOPT_PEELOFF_FLAGS, &arg, &length);
    CHECK(made < 0 || made == arg.p_arg.sd);
    return made;
}

static void peeloff(int port) {
    struct sctp_event_subscribe events = {.sctp_data_io_event = 1};
    int many = listener(SOCK_SEQPACKET, port);
    CHECK(setsockopt(many, IPPROTO_SCTP, SCTP_EVENTS, &events, sizeof events) == 0);
    int first = connected(port), second = connected(port), third = connected(port);

    say(first, "one");
    sctp_assoc_t one = hear_from(many, "one");
    say(second, "two");
    sctp_assoc_t two = hear_from(many, "two");
    say(third, "three");
    sctp_assoc_t three = hear_from(many, "three");
    CHECK(one != two && two != three);

    /* What waits at the time of the call moves, too. */
    say(first, "early");
    CHECK(is_ready(many, POLLIN));
    int left = sctp_peeloff(many, one);
    CHECK(left >= 0 && left != many);
    hear(left, "early");
    say(left, "answer");
    hear(first, "answer");

    CHECK(sctp_peeloff(many, one) == -1 && errno == EINVAL);
    CHECK(sctp_peeloff(many, 987654) == -1 && errno == EINVAL);

    int apart = peeloff_flags(many, two, SOCK_NONBLOCK | SOCK_CLOEXEC);
    CHECK(apart >= 0);
    CHECK(fcntl(apart, F_GETFL) & O_NONBLOCK);
    CHECK(fcntl(apart, F_GETFD) & FD_CLOEXEC);
    char room[8];
    CHECK(recv(apart, room, sizeof room, 0) == -1 && errno == EAGAIN);
    say(second, "late");
    CHECK(is_ready(apart, POLLIN));
    hear(apart, "late");

    /* The rest stays. */
    say(third, "still");
    CHECK(hear_from(many, "still") == three);
    close(many);
    say(first, "after");
    hear(left, "after");
    close(left);
    CHECK(is_ready(first, POLLIN));
    hear(first, "");
}

static void addresses(int port) {
    int server = socket(AF_INET6, SOCK_STREAM, IPPROTO_SCTP);
    CHECK(server >= 0);
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    CHECK(bind(server, (struct sockaddr *)&any, sizeof any) == 0);
    CHECK(listen(server, 8) == 0);

    int client = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    struct sockaddr_in ours[2] = {here(port + 1), here(port + 1)};
    ours[1].sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    CHECK(sctp_bindx(client, (struct sockaddr *)ours, 2, SCTP_BINDX_ADD_ADDR) == 0);
    struct sockaddr_in theirs = here(port);
    sctp_assoc_t id = 0;
    CHECK(sctp_connectx(client, (struct sockaddr *)&theirs, 1, &id) == 0);
    CHECK(id != 0);
    int accepted = accept(server, NULL, NULL);
    CHECK(accepted >= 0);

    struct sockaddr *list = NULL;
    int count = sctp_getladdrs(client, 0, &list);
    CHECK(count == 2);
    struct sockaddr_in *first = (struct sockaddr_in *)list;
    CHECK(first->sin_family == AF_INET && ntohs(first->sin_port) == port + 1);
    sctp_freeladdrs(list);
    count = sctp_getpaddrs(accepted, 0, &list);
    CHECK(count == 2);
    /* A socket of IPv6 sees addresses of IPv4 mapped. */
    struct sockaddr_in6 *mapped = (struct sockaddr_in6 *)list;
    CHECK(mapped->sin6_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&mapped->sin6_addr));
    sctp_freepaddrs(list);

    struct sctp_status status = {0};
    socklen_t length = sizeof status;
    CHECK(sctp_opt_info(client, id, SCTP_STATUS, &status, &length) == 0);
    CHECK(status.sstat_state == SCTP_ESTABLISHED);
    say(client, "hello");
    hear(accepted, "hello");
    CHECK(sctp_bindx(client, (struct sockaddr *)&theirs, 1, SCTP_BINDX_ADD_ADDR) == -1);
}

static void vectors(int port) {
    int server = listener(SOCK_STREAM, port), client = connected(port);
    int fd = accept(server, NULL, NULL);
    CHECK(fd >= 0);
    int on = 1;
    CHECK(setsockopt(fd, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on) == 0);

    struct iovec parts[2] = {{"scat", 4}, {"tered", 5}};
    struct sctp_sndinfo out = {.snd_sid = 3, .snd_ppid = htonl(42)};
    CHECK(sctp_sendv(client, parts, 2, NULL, 0, &out, sizeof out, SCTP_SENDV_SNDINFO, 0) == 9);
    char left[4], right[64] = "";
    struct iovec room[2] = {{left, 4}, {right, sizeof right}};
    struct sctp_rcvinfo in = {0};
    struct sockaddr_in from;
    socklen_t from_length = sizeof from, in_length = sizeof in;
    unsigned kind = 0;
    int flags = 0;
    CHECK(sctp_recvv(fd, room, 2, (struct sockaddr *)&from, &from_length, &in, &in_length, &kind,
                     &flags) == 9);
    CHECK(memcmp(left, "scat", 4) == 0 && strcmp(right, "tered") == 0);
    CHECK(kind == SCTP_RECVV_RCVINFO && in.rcv_sid == 3 && in.rcv_ppid == htonl(42));
    CHECK(flags & MSG_EOR);

    /* A message that is longer than the buffer comes in parts, the last of which ends it. */
    say(client, "0123456789");
    char part[6] = "";
    struct iovec small = {part, 5};
    struct msghdr header = {.msg_iov = &small, .msg_iovlen = 1};
    CHECK(recvmsg(fd, &header, MSG_PEEK) == 5 && memcmp(part, "01234", 5) == 0);
    CHECK(recvmsg(fd, &header, 0) == 5 && memcmp(part, "01234", 5) == 0);
    CHECK(!(header.msg_flags & MSG_EOR));
    CHECK(recvmsg(fd, &header, 0) == 5 && memcmp(part, "56789", 5) == 0);
    CHECK(header.msg_flags & MSG_EOR);

    struct iovec two[2] = {{"first", 5}, {"second", 6}};
    struct mmsghdr several[2] = {{.msg_hdr = {.msg_iov = &two[0], .msg_iovlen = 1}},
                                 {.msg_hdr = {.msg_iov = &two[1], .msg_iovlen = 1}}};
    for (int sent = 0; sent < 2;) {
        int now = sendmmsg(client, several + sent, 2 - sent, 0);
        CHECK(now > 0);
        sent += now;
    }
    char text[2][16] = {"", ""};
    struct iovec into[2] = {{text[0], 15}, {text[1], 15}};
    struct mmsghdr got[2] = {{.msg_hdr = {.msg_iov = &into[0], .msg_iovlen = 1}},
                             {.msg_hdr = {.msg_iov = &into[1], .msg_iovlen = 1}}};
    for (int received = 0; received < 2;) {
        int now = recvmmsg(fd, got + received, 2 - received, 0, NULL);
        CHECK(now > 0);
        received += now;
    }
    CHECK(got[0].msg_len == 5 && strcmp(text[0], "first") == 0);
    CHECK(got[1].msg_len == 6 && strcmp(text[1], "second") == 0);
}

enum place { OFFSET, POSITION };

/* Sends a file from an offset of the caller's, or from the file's own position. */
static void sends_file(int port, enum place from) {
    enum { LENGTH = 300000 };
    FILE *file = tmpfile();
    CHECK(file != NULL);
    unsigned char *bytes = malloc(LENGTH), *back = malloc(LENGTH);
    for (int at = 0; at < LENGTH; at++) {
        bytes[at] = (unsigned char)((unsigned)at * 7919U >> 8);
    }
    CHECK(fwrite(bytes, 1, LENGTH, file) == LENGTH && fflush(file) == 0);
    int server = listener(SOCK_STREAM, port), client = connected(port);
    int fd = accept(server, NULL, NULL);
    CHECK(fd >= 0);
    pid_t child = fork();
    if (child == 0) {
        off_t offset = 0;
        CHECK(lseek(fileno(file), 0, SEEK_SET) == 0);
        off_t *at = from == OFFSET ? &offset : NULL;
        ssize_t sent;
        while ((sent = sendfile(client, fileno(file), at, LENGTH)) > 0) {
        }
        CHECK(sent == 0);
        CHECK(lseek(fileno(file), 0, SEEK_CUR) == (from == OFFSET ? 0 : LENGTH));
        CHECK(offset == (from == OFFSET ? LENGTH : 0));
        CHECK(sendfile(client, 400, NULL, 10) == -1 && errno == EBADF);
        exit(0);
    }
    close(client);
    for (int length = 0; length < LENGTH;) {
        ssize_t now = recv(fd, back + length, LENGTH - length, 0);
        CHECK(now > 0);
        length += (int)now;
    }
    CHECK(memcmp(bytes, back, LENGTH) == 0);
    hear(fd, "");
    int status = 0;
    CHECK(wait(&status) == child && status == 0);
}

static void many(int port, int count) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    int server = listener(SOCK_STREAM, port);
    int *clients = calloc(count, sizeof *clients), *accepted = calloc(count, sizeof *accepted);
    struct pollfd *polled = calloc(count, sizeof *polled);
    for (int at = 0; at < count; at++) {
        clients[at] = connected(port);
        accepted[at] = accept(server, NULL, NULL);
        CHECK(accepted[at] >= 0);
    }
    for (int at = 0; at < count; at++) {
        char text[32];
        snprintf(text, sizeof text, "number %d", at);
        say(clients[at], text);
    }
    int heard = 0;
    while (heard < count) {
        for (int at = 0; at < count; at++) {
            polled[at] = (struct pollfd){.fd = accepted[at], .events = POLLIN};
        }
        CHECK(poll(polled, count, 10000) > 0);
        for (int at = 0; at < count; at++) {
            if (polled[at].revents & POLLIN) {
                char text[32];
                snprintf(text, sizeof text, "number %d", at);
                hear(accepted[at], text);
                say(accepted[at], text);
                heard++;
            }
        }
    }
    for (int at = 0; at < count; at++) {
        char text[32];
        snprintf(text, sizeof text, "number %d", at);
        hear(clients[at], text);
        close(clients[at]);
        hear(accepted[at], "");
        close(accepted[at]);
    }
}

static void *closes(void *fd) {
    usleep(100000);
    close(*(int *)fd);
    return NULL;
}

static void *shuts(void *fd) {
    usleep(100000);
    shutdown(*(int *)fd, SHUT_RDWR);
    return NULL;
}

static void *speaks(void *fd) {
    usleep(100000);
    say(*(int *)fd, "spoken");
    return NULL;
}

static volatile int waiter;

static void *waits(void *fd) {
    int number = *(int *)fd;
    char got[16] = "";
    waiter = (int)syscall(SYS_gettid);
    CHECK(recv(number, got, sizeof got - 1, 0) == 6 && strcmp(got, "spoken") == 0);
    return NULL;
}

/* Begins to wait for a message in another thread; whatever call the host hears later, this one it has
 * heard. */
static pthread_t begin_to_wait(int *fd, int other) {
    pthread_t thread;
    char name[64], line[256] = "";
    waiter = 0;
    CHECK(pthread_create(&thread, NULL, waits, fd) == 0);
    while (waiter == 0) {
        usleep(1000);
    }
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", waiter);
    while (strstr(line, ") S ") == NULL) {
        FILE *stat = fopen(name, "r");
        CHECK(stat != NULL && fgets(line, sizeof line, stat) != NULL);
        fclose(stat);
    }
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    CHECK(getsockname(other, (struct sockaddr *)&address, &length) == 0);
    return thread;
}

/* A call that waits has its socket, whatever becomes of the descriptor. */
static void outlives(int port) {
    int server = listener(SOCK_STREAM, port), client = connected(port);
    int fd = accept(server, NULL, NULL);
    CHECK(fd >= 0);
    int copy = dup(fd);
    pthread_t thread = begin_to_wait(&fd, client);
    /* The number is another socket's. */
    CHECK(dup2(connected(port), fd) == fd);
    say(client, "spoken");
    CHECK(pthread_join(thread, NULL) == 0);

    thread = begin_to_wait(&copy, client);
    CHECK(close(copy) == 0);
    /* No copy is left, and the association stays until the call is done. */
    char room[8];
    CHECK(recv(client, room, sizeof room, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    say(client, "spoken");
    CHECK(pthread_join(thread, NULL) == 0);
    hear(client, "");
}

static void threads(int port) {
    int server = listener(SOCK_STREAM, port), client = connected(port);
    int fd = accept(server, NULL, NULL);
    CHECK(fd >= 0);
    pthread_t thread;
    /* A call that waits gets what another thread of the program sends. */
    CHECK(pthread_create(&thread, NULL, speaks, &client) == 0);
    hear(fd, "spoken");
    CHECK(pthread_join(thread, NULL) == 0);
    /* The end of the association wakes it, whoever began it. */
    CHECK(pthread_create(&thread, NULL, shuts, &client) == 0);
    hear(fd, "");
    CHECK(pthread_join(thread, NULL) == 0);
    close(client);
    close(fd);
    /* The number of a socket that was closed is free, and the next socket is another. */
    client = connected(port);
    fd = accept(server, NULL, NULL);
    CHECK(pthread_create(&thread, NULL, closes, &client) == 0);
    hear(fd, "");
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(send(client, "x", 1, MSG_NOSIGNAL) == -1 && errno == EBADF);
    CHECK(connected(port) == client);
}

static volatile int stop;

/* Makes and closes files, each of which must stay the file that it is. */
static void *files(void *unused) {
    (void)unused;
    while (!stop) {
        int ends[2];
        CHECK(pipe(ends) == 0);
        CHECK(write(ends[1], "p", 1) == 1);
        char room = 0;
        CHECK(read(ends[0], &room, 1) == 1 && room == 'p');
        CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    }
    return NULL;
}

static void numbers(void) {
    enum { THREADS = 3, ROUNDS = 300, AT_ONCE = 4 };
    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; at++) {
        CHECK(pthread_create(&threads[at], NULL, files, NULL) == 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int made[AT_ONCE];
        for (int at = 0; at < AT_ONCE; at++) {
            made[at] = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
            CHECK(made[at] >= 3);
        }
        for (int at = 0; at < AT_ONCE; at++) {
            int protocol = 0;
            socklen_t length = sizeof protocol;
            CHECK(getsockopt(made[at], SOL_SOCKET, SO_PROTOCOL, &protocol, &length) == 0);
            CHECK(protocol == IPPROTO_SCTP);
            CHECK(close(made[at]) == 0);
        }
    }
    stop = 1;
    for (int at = 0; at < THREADS; at++) {
        CHECK(pthread_join(threads[at], NULL) == 0);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) {
        return 2;
    }
    int port = atoi(argv[2]);
    alarm(60);
    if (strcmp(argv[1], "peeloff") == 0) {
        peeloff(port);
    } else if (strcmp(argv[1], "addresses") == 0) {
        addresses(port);
    } else if (strcmp(argv[1], "vectors") == 0) {
        vectors(port);
    } else if (strcmp(argv[1], "sendfile") == 0) {
        sends_file(port, OFFSET);
    } else if (strcmp(argv[1], "sendfile-position") == 0) {
        sends_file(port, POSITION);
    } else if (strcmp(argv[1], "many") == 0) {
        many(port, atoi(argv[3]));
    } else if (strcmp(argv[1], "threads") == 0) {
        threads(port);
    } else if (strcmp(argv[1], "outlives") == 0) {
        outlives(port);
    } else if (strcmp(argv[1], "numbers") == 0) {
        numbers();
    } else {
        return 2;
    }
    puts("as it should be");
    return 0;
}
