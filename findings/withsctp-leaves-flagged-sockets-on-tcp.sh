#!/usr/bin/env bash
# lksctp-tools 1.0.19 (Debian): under `withsctp` a socket that is made with SOCK_CLOEXEC or SOCK_NONBLOCK is TCP.
#
# Guess: `withsctp program` (man withsctp: calls for TCP sockets become calls for SCTP sockets) changes each stream socket
#   of the program; the two flags, or'ed into the type (socket(2)), are no types of their own.
# Seen: the type is compared whole, so that a type with a flag passes unchanged and the program runs over TCP, without a
#   word. Python, Go and the standard library of Rust make all their sockets with SOCK_CLOEXEC: for them the tool
#   does nothing. Two such programs even talk to each other, so that only a capture shows it.
# Source: src/withsctp/sctp_socket.c of lksctp-tools. A kernel without SCTP refuses the socket that is changed
#   ("refused" here; with SCTP it is protocol 132); the script loads the library itself, past withsctp's own check.
# Output seen: "SOCK_STREAM: refused", "SOCK_STREAM | SOCK_CLOEXEC: 6", "SOCK_STREAM | SOCK_NONBLOCK: 6", "python: 6"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq lksctp-tools=1.0.19+dfsg-2 libsctp1=1.0.19+dfsg-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
cat >sockets.c <<'C'
#define _GNU_SOURCE
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

static void show(const char *name, int type) {
    int socket_ = socket(AF_INET, type, 0), protocol = 0;
    socklen_t length = sizeof protocol;
    if (socket_ < 0) {
        printf("%s: refused\n", name);
        return;
    }
    getsockopt(socket_, SOL_SOCKET, SO_PROTOCOL, &protocol, &length);
    printf("%s: %d\n", name, protocol);
}

int main(void) {
    show("SOCK_STREAM", SOCK_STREAM);
    show("SOCK_STREAM | SOCK_CLOEXEC", SOCK_STREAM | SOCK_CLOEXEC);
    show("SOCK_STREAM | SOCK_NONBLOCK", SOCK_STREAM | SOCK_NONBLOCK);
}
C
cc sockets.c -o sockets || exit 2
export LD_LIBRARY_PATH=$libraries LD_PRELOAD=$libraries/lksctp-tools/libwithsctp.so.1.0.19
seen=$(./sockets && python3 -c '
import socket
print("python:", socket.socket().getsockopt(socket.SOL_SOCKET, socket.SO_PROTOCOL))')
unset LD_PRELOAD
echo "$seen"
[ "${seen/SOCK_STREAM: 132/SOCK_STREAM: refused}" = "SOCK_STREAM: refused
SOCK_STREAM | SOCK_CLOEXEC: 6
SOCK_STREAM | SOCK_NONBLOCK: 6
python: 6" ] || { echo "changed" >&2; exit 1; }
