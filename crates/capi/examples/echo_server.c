/* Sends every message back, to any number of peers, in one thread around poll(2).
 *
 *     echo_server UDP_PORT SCTP_PORT [PEERS]
 *
 * ends when so many peers have come and gone; without PEERS it goes on. UDP port 0 takes a free one. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include <sheave.h>

#define MOST 64

static void check(enum sheave_status status, const char *call) {
    if (status != SHEAVE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", call, sheave_last_error());
        exit(1);
    }
}

/* Echoes what waits; 0 once the association is at its end. */
static int echo(struct sheave_association *peer) {
    for (;;) {
        struct sheave_message *message = NULL;
        enum sheave_status status = sheave_association_receive_message(peer, 1 << 20, &message, 0);
        if (status == SHEAVE_STATUS_AGAIN)
            return 1;
        if (status != SHEAVE_STATUS_OK)
            return 0;
        struct sheave_send_info info = {.size = sizeof info,
                                        .stream = sheave_message_stream(message),
                                        .ppid = sheave_message_ppid(message)};
        status = sheave_association_send(peer, sheave_message_bytes(message),
                                         sheave_message_length(message), &info, 1000);
        sheave_message_free(message);
        if (status != SHEAVE_STATUS_OK)
            return 0;
    }
}

int main(int argc, char **argv) {
    struct sheave_endpoint *endpoint = NULL;
    struct sheave_listener *listener = NULL;
    struct sheave_association *peers[MOST];
    struct pollfd waiting[MOST + 1];
    int count = 0, gone = 0, most = argc > 3 ? atoi(argv[3]) : 0;
    char config[64];

    if (argc < 3) {
        fprintf(stderr, "usage: %s UDP_PORT SCTP_PORT [PEERS]\n", argv[0]);
        return 2;
    }
    snprintf(config, sizeof config, "local=127.0.0.1,udp_port=%s,linger=2 s", argv[1]);
    check(sheave_endpoint_bind(config, &endpoint), "bind");
    check(sheave_endpoint_listen(endpoint, (uint16_t)atoi(argv[2]), NULL, &listener), "listen");
    printf("UDP port %u\n", sheave_endpoint_udp_port(endpoint));
    fflush(stdout);
    while (most == 0 || gone < most) {
        waiting[count] = (struct pollfd){sheave_listener_fd(listener), POLLIN, 0};
        for (int i = 0; i < count; i++)
            waiting[i] =
                (struct pollfd){sheave_association_fd(peers[i], SHEAVE_READY_READABLE), POLLIN, 0};
        poll(waiting, (nfds_t)count + 1, -1);
        if (waiting[count].revents && count < MOST &&
            sheave_listener_accept(listener, 0, &peers[count]) == SHEAVE_STATUS_OK)
            waiting[count++].revents = 0;
        for (int i = count; i-- > 0;)
            if (waiting[i].revents && !echo(peers[i])) {
                sheave_association_free(peers[i]);
                peers[i] = peers[--count];
                gone++;
            }
    }
    sheave_listener_free(listener);
    sheave_endpoint_free(endpoint);
    return 0;
}
