/* Both ends of associations on 127.0.0.1, for programs that end with a line where something is not as it
 * should be. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHECK(fact)                                                                          \
    do {                                                                                     \
        if (!(fact)) {                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #fact, strerror(errno));  \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

static struct sockaddr_in here(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int listener(int type, int port) {
    struct sockaddr_in address = here(port);
    int fd = socket(AF_INET, type, IPPROTO_SCTP);
    CHECK(fd >= 0);
    CHECK(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(listen(fd, 1024) == 0);
    return fd;
}

static int connected(int port) {
    struct sockaddr_in address = here(port);
    int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
    CHECK(fd >= 0);
    CHECK(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

/* Both ends of one association. Not every program has a use for it. */
static inline void pair(int port, int ends[2]) {
    int listening = listener(SOCK_STREAM, port);
    ends[0] = connected(port);
    ends[1] = accept(listening, NULL, NULL);
    CHECK(ends[1] >= 0);
    close(listening);
}

static void say(int fd, const char *text) {
    CHECK(send(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
}

static void hear(int fd, const char *text) {
    char got[256] = "";
    ssize_t length = recv(fd, got, sizeof got - 1, 0);
    if (length != (ssize_t)strlen(text) || strcmp(got, text) != 0) {
        fprintf(stderr, "heard %zd bytes, \"%s\", not \"%s\"\n", length, got, text);
        exit(1);
    }
}
