#!/usr/bin/env bash
# usrsctp 0.9.5 (Debian): `usrsctp_connect` on a socket that is connected fails and ends the association.
#
# Guess: a second connect fails with EISCONN and changes nothing, as on the sockets of a system, whose calls the library
#   repeats (POSIX, connect; RFC 6458 §4.1.5 has connect on one-to-one sockets like TCP's).
# Seen: the error is EADDRINUSE, a SHUTDOWN goes out, and the association is gone: sending fails with ENOENT, the peer reads
#   what was under way and then the end. While the handshake runs a second connect is harmless (EALREADY), so that a
#   program that tries once more after a timeout loses its association only if the first attempt worked in between.
# Source: usrsctplib/user_socket.c, soconnect, which disconnects a connected socket first, as UDP's sockets have it.
# Output seen: "in progress: EALREADY", "connected: EADDRINUSE, sent chunk 7", "send: ENOENT", "peer reads 5, then 0 bytes"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libusrsctp2=0.9.5.0-2 libusrsctp-dev=0.9.5.0-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >main.c <<'C'
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <usrsctp.h>

static struct packet { char *to; size_t length; struct packet *next; unsigned char bytes[]; } *first, **last = &first;
static char ends[2];
static int chunk_type;

static int put(void *end, void *bytes, size_t length, uint8_t tos, uint8_t df) {
    struct packet *packet = malloc(sizeof *packet + length);
    (void)tos, (void)df;
    packet->to = end == &ends[0] ? &ends[1] : &ends[0];
    packet->length = length;
    packet->next = NULL;
    memcpy(packet->bytes, bytes, length);
    chunk_type = packet->bytes[12];
    *last = packet;
    last = &packet->next;
    return 0;
}

static void run(void) {
    for (int step = 0; step < 20; step++) {
        for (struct packet *packet; (packet = first) != NULL; free(packet)) {
            if ((first = packet->next) == NULL) last = &first;
            usrsctp_conninput(packet->to, packet->bytes, packet->length, 0);
        }
        usrsctp_handle_timers(10);
    }
}

static struct sockaddr_conn at(int end, int port) {
    struct sockaddr_conn address = {.sconn_family = AF_CONN, .sconn_port = htons(port), .sconn_addr = &ends[end]};
    return address;
}

static struct socket *opened(int end) {
    struct socket *socket_ = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
    struct sockaddr_conn address = at(end, 5000);
    usrsctp_set_non_blocking(socket_, 1);
    if (usrsctp_bind(socket_, (struct sockaddr *)&address, sizeof address)) exit(1);
    return socket_;
}

static const char *connected(struct socket *socket_) {
    struct sockaddr_conn peer = at(0, 5000);
    return usrsctp_connect(socket_, (struct sockaddr *)&peer, sizeof peer) ? strerrorname_np(errno) : "no error";
}

int main(void) {
    usrsctp_init_nothreads(0, put, NULL);
    usrsctp_register_address(&ends[0]);
    usrsctp_register_address(&ends[1]);
    struct socket *caller = opened(0), *listener = opened(1);
    usrsctp_listen(listener, 1);
    printf("first: %s\n", connected(caller));
    printf("in progress: %s\n", connected(caller));
    run();
    struct socket *peer = usrsctp_accept(listener, NULL, NULL);
    usrsctp_set_non_blocking(peer, 1);
    ssize_t sent = usrsctp_sendv(caller, "hello", 5, NULL, 0, NULL, 0, SCTP_SENDV_NOINFO, 0);
    run();
    printf("sent %zd\n", sent);
    const char *error = connected(caller);
    printf("connected: %s, sent chunk %d\n", error, chunk_type);
    run();
    sent = usrsctp_sendv(caller, "hello", 5, NULL, 0, NULL, 0, SCTP_SENDV_NOINFO, 0);
    printf("send: %s\n", sent < 0 ? strerrorname_np(errno) : "no error");
    ssize_t read[2];
    for (int call = 0; call < 2; call++) {
        char bytes[10];
        socklen_t length = 0, info = 0;
        unsigned type = 0;
        int flags = 0;
        read[call] = usrsctp_recvv(peer, bytes, sizeof bytes, NULL, &length, NULL, &info, &type, &flags);
    }
    printf("peer reads %zd, then %zd bytes\n", read[0], read[1]);
}
C
cc -D_GNU_SOURCE -I root/usr/include main.c -o main -L root/usr/lib/x86_64-linux-gnu -lusrsctp -lpthread || exit 2
seen=$(LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu timeout 60 ./main)
echo "$seen"
[ "$seen" = "first: EINPROGRESS
in progress: EALREADY
sent 5
connected: EADDRINUSE, sent chunk 7
send: ENOENT
peer reads 5, then 0 bytes" ] || { echo "changed" >&2; exit 1; }
