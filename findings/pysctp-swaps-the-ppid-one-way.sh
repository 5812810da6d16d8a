#!/usr/bin/env bash
# pysctp 0.7.3 (PyPI): the payload protocol is converted to network order in sending and left as it is in receiving.
#
# Guess: the number is opaque in both directions, as in C (RFC 6458 §5.3.2: the stack changes no byte of sinfo_ppid, the
#   application does), or is converted in both: sctp_send(ppid=3) from one end is notification.ppid == 3 at the other.
# Seen: a message sent with ppid=3 has 3 (M3UA) in its DATA chunk and arrives as 50331648. A script that answers with the
#   ppid that it received sends 50331648; one that compares it with IANA's number never finds it, unless it was written for C's
#   habit, and then its sending is wrong. Big-endian machines see nothing of it.
# How seen: a library before libc gives Python a socket of UDP for one of SCTP, keeps the ancillary data of sendmsg and hands it out
#   in recvmsg, as the kernel of the other end would.
# Source: sctp.py, sctp_send: `ntohl(ppid)`; _sctp.c, the dictionary of sctp_recv_msg has sinfo_ppid unchanged.
# Output seen: "sent 3", "in the chunk 3", "received 50331648, answered with it", "in the chunk 50331648"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
[ "$(printf '\1' | od -An -td2 -N2 | tr -d ' ')" = 1 ] || { echo "needs a little-endian machine" >&2; exit 2; }
apt-get download -qq {libsctp1,libsctp-dev}=1.0.19+dfsg-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
python3 -m venv venv
CFLAGS=-I$folder/root/usr/include LDFLAGS=-L$libraries \
    venv/bin/pip --quiet --disable-pip-version-check install pysctp==0.7.3 >/dev/null 2>&1 || exit 2
cat >loop.c <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static struct {
    uint16_t stream, ssn, flags;
    uint32_t ppid, context, timetolive, tsn, cumtsn;
    int32_t assoc_id;
} sent;

int socket(int domain, int type, int protocol) {
    int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
    return protocol == 132 ? next(domain, SOCK_DGRAM, 0) : next(domain, type, protocol);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length) {
    int (*next)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");
    return level == 132 ? 0 : next(fd, level, name, value, length);
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *length) {
    int (*next)(int, int, int, void *, socklen_t *) = dlsym(RTLD_NEXT, "getsockopt");
    return level == 132 ? 0 : next(fd, level, name, value, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    (void)fd, (void)flags;
    memcpy(&sent, CMSG_DATA(CMSG_FIRSTHDR(message)), sizeof sent);
    printf("in the chunk %u\n", ntohl(sent.ppid));
    fflush(stdout);
    return message->msg_iov[0].iov_len;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags) {
    (void)fd, (void)flags;
    struct cmsghdr *control = message->msg_control;
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_port = htons(2905), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    control->cmsg_level = 132;
    control->cmsg_type = 1;
    control->cmsg_len = CMSG_LEN(sizeof sent);
    memcpy(CMSG_DATA(control), &sent, sizeof sent);
    memcpy(message->msg_name, &from, sizeof from);
    memcpy(message->msg_iov[0].iov_base, "data", 4);
    message->msg_namelen = sizeof from;
    message->msg_controllen = CMSG_SPACE(sizeof sent);
    message->msg_flags = MSG_EOR;
    return 4;
}
C
gcc -shared -fPIC -o loop.so loop.c -ldl || exit 2
cat >run.py <<'PY'
import socket

import sctp

end = sctp.sctpsocket_udp(socket.AF_INET)
print("sent 3", flush=True)
end.sctp_send(b"data", to=("127.0.0.1", 2905), ppid=3)
_, _, data, notification = end.sctp_recv(100)
print(f"received {notification.ppid}, answered with it", flush=True)
end.sctp_send(data, to=("127.0.0.1", 2905), ppid=notification.ppid)
PY
seen=$(LD_LIBRARY_PATH=$libraries LD_PRELOAD=$folder/loop.so venv/bin/python run.py) || exit 2
echo "$seen"
[ "$seen" = "sent 3
in the chunk 3
received 50331648, answered with it
in the chunk 50331648" ] || { echo "changed" >&2; exit 1; }
