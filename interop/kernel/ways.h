// Ways to make the calls of "send", "hear", "read" and "write", all of which have to give the same answers.
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *ways = "";

static int goes(char way) { return strchr(ways, way) != NULL; }

// The descriptor to make a call on, and the end of that call.
static int begin(int fd) { return goes('d') ? dup(fd) : fd; }

static ssize_t end(int fd, ssize_t outcome) {
  int code = errno;
  if (goes('d') && fd >= 0) close(fd);
  errno = code;
  return outcome;
}

// Cuts a buffer into parts, one of which is empty.
static int parts_of(const struct iovec *whole, struct iovec *parts) {
  size_t first = whole->iov_len / 3;
  parts[0] = (struct iovec){whole->iov_base, first};
  parts[1] = (struct iovec){NULL, 0};
  parts[2] = (struct iovec){(char *)whole->iov_base + first, whole->iov_len - first};
  return 3;
}

static ssize_t send_so(int fd, struct msghdr message, int flags) {
  struct iovec parts[3];
  if (goes('s') && message.msg_controllen == 0) {
    void *at = message.msg_iov->iov_base;
    size_t length = message.msg_iov->iov_len;
    if (message.msg_namelen == 0) return send(fd, at, length, flags);
    return sendto(fd, at, length, flags, message.msg_name, message.msg_namelen);
  }
  if (goes('v')) {
    message.msg_iovlen = parts_of(message.msg_iov, parts);
    message.msg_iov = parts;
  }
  if (!goes('m')) return sendmsg(fd, &message, flags);
  struct mmsghdr one = {.msg_hdr = message};
  return sendmmsg(fd, &one, 1, flags) == 1 ? (ssize_t)one.msg_len : -1;
}

static ssize_t receive_so(int fd, struct msghdr *message, int flags) {
  struct iovec parts[3], *whole = message->msg_iov;
  if (goes('p') && !(flags & (MSG_PEEK | MSG_ERRQUEUE))) {
    struct msghdr look = *message;
    if (recvmsg(fd, &look, flags | MSG_PEEK) < 0) return -1;
  }
  if (goes('v')) {
    message->msg_iovlen = parts_of(whole, parts);
    message->msg_iov = parts;
  }
  if (!goes('m')) return recvmsg(fd, message, flags);
  struct mmsghdr one = {.msg_hdr = *message};
  int count = recvmmsg(fd, &one, 1, flags, NULL);
  *message = one.msg_hdr;
  return count == 1 ? (ssize_t)one.msg_len : -1;
}

static ssize_t read_so(int fd, void *room, size_t length) {
  struct iovec whole = {room, length}, parts[3];
  if (goes('s')) return length == 0 ? read(fd, room, length) : recvfrom(fd, room, length, 0, NULL, NULL);
  return goes('v') ? readv(fd, parts, parts_of(&whole, parts)) : read(fd, room, length);
}

static ssize_t write_so(int fd, void *text, size_t length) {
  struct iovec whole = {text, length}, parts[3];
  if (goes('s')) return send(fd, text, length, 0);
  // Several buffers without a byte are nothing to send.
  return goes('v') && length > 0 ? writev(fd, parts, parts_of(&whole, parts)) : write(fd, text, length);
}
