/* Calls with several buffers, offsets or two descriptors, which programs make on any file.
 *
 *   buffers vectors PORT   no buffers, too many, too long ones, and some that nobody has
 *   buffers offsets PORT   preadv2, pwritev2, pread and others: a socket has no offset
 *   buffers files PORT     splice, sendfile, tee, vmsplice, copy_file_range: refused, and nothing is lost
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ends.h"

static int is_readable(int fd) {
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

/* A message waits at the other end. */
static void waits(int ends[2], const char *text) {
    struct pollfd polled = {.fd = ends[1], .events = POLLIN};
    say(ends[0], text);
    CHECK(poll(&polled, 1, -1) == 1);
}

/* Hidden from the compiler, which would refuse such calls. */
static void *volatile bad = (void *)8;
static volatile int negative = -1;
static volatile size_t endless_length = -1;

#define FAILS(call, code) CHECK((call) == -1 && errno == (code))

static void vectors(int port) {
    int ends[2];
    pair(port, ends);
    char text[16] = "text", got[16] = "";
    char *volatile anywhere = text;
    static struct iovec many[1025];
    struct iovec empty[2] = {{NULL, 0}, {text, 0}};
    struct iovec endless[2] = {{text, 4}, {text, (size_t)-1}};
    struct iovec far[1] = {{text, (size_t)1 << 62}};
    struct iovec nowhere[1] = {{bad, 4}};

    /* Nothing is read or written, and what waits stays. */
    waits(ends, "waits");
    CHECK(readv(ends[1], NULL, 0) == 0 && readv(ends[1], empty, 2) == 0);
    CHECK(writev(ends[0], NULL, 0) == 0 && writev(ends[0], empty, 2) == 0);
    CHECK(read(ends[1], got, 0) == 0);
    FAILS(write(ends[0], text, 0), EINVAL);
    /* As many as there may be together. */
    FAILS(readv(ends[1], many, 1025), EINVAL);
    FAILS(writev(ends[0], many, 1025), EINVAL);
    FAILS(readv(ends[1], many, negative), EINVAL);
    FAILS(writev(ends[0], many, negative), EINVAL);
    FAILS(readv(ends[1], endless, 2), EINVAL);
    FAILS(writev(ends[0], endless, 2), EINVAL);
    FAILS(readv(ends[1], far, 1), EFAULT);
    FAILS(writev(ends[0], far, 1), EFAULT);
    FAILS(readv(ends[1], bad, 1), EFAULT);
    FAILS(writev(ends[0], bad, 1), EFAULT);
    FAILS(readv(ends[1], nowhere, 1), EFAULT);
    FAILS(writev(ends[0], nowhere, 1), EFAULT);
    FAILS(read(ends[1], anywhere, endless_length), EFAULT);
    FAILS(write(ends[0], anywhere, endless_length), EFAULT);
    FAILS(read(ends[1], bad, 4), EFAULT);
    FAILS(write(ends[0], bad, 4), EFAULT);
    /* That such a socket has no such option (SCTP_AUTOCLOSE) is told first. */
    socklen_t length = 4;
    FAILS(getsockopt(ends[0], IPPROTO_SCTP, 4, bad, &length), EOPNOTSUPP);

    struct msghdr message = {.msg_iov = many, .msg_iovlen = 1025};
    FAILS(sendmsg(ends[0], &message, 0), EMSGSIZE);
    FAILS(recvmsg(ends[1], &message, 0), EMSGSIZE);
    message = (struct msghdr){.msg_iov = endless, .msg_iovlen = 2};
    FAILS(sendmsg(ends[0], &message, 0), EINVAL);
    FAILS(recvmsg(ends[1], &message, 0), EINVAL);
    struct sockaddr_in address = here(port);
    message = (struct msghdr){.msg_name = &address, .msg_namelen = (socklen_t)-1};
    FAILS(sendmsg(ends[0], &message, 0), EINVAL);
    FAILS(recvmsg(ends[1], &message, 0), EINVAL);
    FAILS(sendto(ends[0], text, 4, 0, (void *)&address, 0), EINVAL);
    FAILS(sendto(ends[0], text, 4, 0, (void *)&address, 129), EINVAL);
    struct iovec whole = {text, 4};
    message = (struct msghdr){.msg_iov = &whole, .msg_iovlen = 1, .msg_controllen = 24};
    FAILS(sendmsg(ends[0], &message, 0), EFAULT);
    /* More than a message can have. */
    size_t large = 5 << 20;
    char *bytes = calloc(1, large);
    FAILS(send(ends[0], bytes, large, 0), EMSGSIZE);
    free(bytes);

    hear(ends[1], "waits");
    CHECK(!is_readable(ends[1]));
}

static void offsets(int port) {
    int ends[2];
    pair(port, ends);
    char text[16] = "abcdef", left[3] = "", right[16] = "";
    struct iovec out[2] = {{text, 2}, {text + 2, 4}}, in[2] = {{left, 2}, {right, sizeof right}};
    CHECK(pwritev2(ends[0], out, 2, -1, 0) == 6);
    CHECK(preadv2(ends[1], in, 2, -1, 0) == 6);
    CHECK(strcmp(left, "ab") == 0 && strcmp(right, "cdef") == 0);
    FAILS(preadv2(ends[1], in, 2, -1, RWF_NOWAIT), EAGAIN);
    CHECK(pwritev2(ends[0], out, 2, -1, RWF_NOWAIT | RWF_DSYNC) == 6);
    CHECK(preadv2(ends[1], in, 2, -1, RWF_HIPRI) == 6);
    FAILS(preadv2(ends[1], in, 2, -1, 1 << 30), EOPNOTSUPP);
    FAILS(pwritev2(ends[0], out, 2, -1, 1 << 30), EOPNOTSUPP);

    waits(ends, "waits");
    FAILS(preadv2(ends[1], in, 2, 0, 0), ESPIPE);
    FAILS(pwritev2(ends[0], out, 2, 0, 0), ESPIPE);
    FAILS(preadv2(ends[1], in, 2, -2, 0), EINVAL);
    FAILS(pread(ends[1], right, 4, 0), ESPIPE);
    FAILS(pwrite(ends[0], text, 4, 0), ESPIPE);
    FAILS(preadv(ends[1], in, 2, 0), ESPIPE);
    FAILS(pwritev(ends[0], out, 2, 0), ESPIPE);
    FAILS(lseek(ends[1], 0, SEEK_CUR), ESPIPE);
    CHECK(is_readable(ends[1]));
    hear(ends[1], "waits");
    CHECK(!is_readable(ends[1]));
}

static void files(int port) {
    int ends[2], tube[2];
    pair(port, ends);
    CHECK(pipe(tube) == 0 && write(tube[1], "in the pipe", 11) == 11);
    FILE *file = tmpfile();
    CHECK(file != NULL && fwrite("in the file", 1, 11, file) == 11 && fflush(file) == 0);
    off_t start = 0;
    loff_t at = 0;
    struct iovec part = {&start, 1};

    waits(ends, "waits");
    FAILS(splice(tube[0], NULL, ends[0], NULL, 11, 0), EINVAL);
    FAILS(splice(ends[1], NULL, tube[1], NULL, 11, 0), EINVAL);
    FAILS(splice(ends[1], NULL, ends[0], NULL, 11, 0), EINVAL);
    FAILS(sendfile(tube[1], ends[1], NULL, 11), EINVAL);
    FAILS(sendfile(fileno(file), ends[1], NULL, 11), EINVAL);
    FAILS(sendfile(tube[1], ends[1], &start, 11), ESPIPE);
    FAILS(sendfile(ends[0], ends[1], NULL, 11), EINVAL);
    FAILS(copy_file_range(ends[1], NULL, fileno(file), NULL, 11, 0), EINVAL);
    FAILS(copy_file_range(fileno(file), &at, ends[0], NULL, 11, 0), EINVAL);
    FAILS(tee(ends[1], tube[1], 11, 0), EINVAL);
    FAILS(tee(tube[0], ends[0], 11, 0), EINVAL);
    FAILS(vmsplice(ends[0], &part, 1, 0), EBADF);
    FAILS(vmsplice(ends[1], &part, 1, 0), EBADF);
    CHECK(is_readable(ends[1]));
    hear(ends[1], "waits");
    CHECK(!is_readable(ends[1]));

    /* Others' are carried out. */
    int other[2];
    CHECK(pipe(other) == 0);
    CHECK(splice(tube[0], NULL, other[1], NULL, 100, 0) == 11);
    CHECK(sendfile(tube[1], fileno(file), &start, 11) == 11);
    CHECK(sendfile(ends[0], fileno(file), &at, 11) == 11);
    hear(ends[1], "in the file");
}

int main(int argc, char **argv) {
    if (argc != 3) {
        return 2;
    }
    int port = atoi(argv[2]);
    alarm(60);
    signal(SIGPIPE, SIG_IGN);
    if (strcmp(argv[1], "vectors") == 0) {
        vectors(port);
    } else if (strcmp(argv[1], "offsets") == 0) {
        offsets(port);
    } else if (strcmp(argv[1], "files") == 0) {
        files(port);
    } else {
        return 2;
    }
    puts("as it should be");
    return 0;
}
