/* A program whose C library finds no functions for others, as those before glibc 2.34 without libdl: the
 * preloaded library hands calls that are not its own to the kernel.
 *
 *   bare PORT
 */
#define _GNU_SOURCE
#include <fcntl.h>

#include "ends.h"

void *dlsym(void *handle, const char *name);
void *dlsym(void *handle, const char *name) {
    (void)handle;
    (void)name;
    return NULL;
}

/* The same functions, with something in the registers of arguments that they do not have. */
ssize_t full_send(int fd, const void *at, size_t length, int flags, long fifth, long sixth) __asm__("send");
ssize_t full_recv(int fd, void *at, size_t length, int flags, long fifth, long sixth) __asm__("recv");
int full_dup2(int fd, int to, long third) __asm__("dup2");

int main(int argc, char **argv) {
    CHECK(argc == 2);
    int ends[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    for (int round = 0; round < 3; round++) {
        char got[16] = "";
        CHECK(full_send(ends[0], "whole", 5, 0, 1, 1) == 5);
        CHECK(full_recv(ends[1], got, sizeof got, 0, 1, 1) == 5);
        CHECK(strcmp(got, "whole") == 0);
        CHECK(full_dup2(ends[0], 100, 1) == 100);
        CHECK(full_dup2(100, 100, 1) == 100);
        CHECK(full_dup2(101, 101, 1) == -1 && errno == EBADF);
        CHECK(fcntl(100, F_GETFD) == 0);
    }
    int sctp[2];
    pair(atoi(argv[1]), sctp);
    say(sctp[0], "to the host");
    hear(sctp[1], "to the host");
    printf("as it should be\n");
    return 0;
}
