/* Sets up several associations with an echo server at once, sends messages on each and waits for them
 * to come back, in one thread around poll(2).
 *
 *     client ADDRESS UDP_PORT SCTP_PORT ASSOCIATIONS MESSAGES */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sheave.h>

#define MOST 64

static void check(enum sheave_status status, const char *call) {
    if (status != SHEAVE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", call, sheave_last_error());
        exit(1);
    }
}

static void send_number(struct sheave_association *association, int number) {
    struct sheave_send_info info = {.size = sizeof info, .stream = (uint16_t)(number % 10)};
    char text[32];
    int length = snprintf(text, sizeof text, "message %d", number);
    check(sheave_association_send(association, text, (size_t)length, &info, -1), "send");
}

int main(int argc, char **argv) {
    struct sheave_endpoint *endpoint = NULL;
    struct sheave_association *associations[MOST];
    struct pollfd waiting[MOST];
    int sent[MOST] = {0}, echoes = 0;
    char target[128];

    if (argc < 6 || atoi(argv[4]) < 1 || atoi(argv[4]) > MOST || atoi(argv[5]) < 1) {
        fprintf(stderr, "usage: %s ADDRESS UDP_PORT SCTP_PORT ASSOCIATIONS MESSAGES\n", argv[0]);
        return 2;
    }
    int count = atoi(argv[4]), messages = atoi(argv[5]);
    check(sheave_endpoint_bind("local=127.0.0.1,udp_port=0,linger=2 s", &endpoint), "bind");
    snprintf(target, sizeof target, "remote=%s,udp_port=%s,port=%s", argv[1], argv[2], argv[3]);
    for (int i = 0; i < count; i++) {
        check(sheave_endpoint_start_connect(endpoint, target, NULL, &associations[i]), "connect");
        int fd = sheave_association_fd(associations[i], SHEAVE_READY_ESTABLISHED);
        waiting[i] = (struct pollfd){fd, POLLIN, 0};
    }
    while (echoes < count * messages) {
        if (poll(waiting, (nfds_t)count, 30000) < 1)
            return 1;
        for (int i = 0; i < count; i++) {
            struct sheave_receive_info info;
            char buffer[64], expected[64];
            if (!waiting[i].revents)
                continue;
            if (sent[i] == 0) {
                check(sheave_association_established(associations[i], 0), "connect");
                sheave_association_fd(associations[i], SHEAVE_READY_READABLE);
                send_number(associations[i], sent[i]++);
            }
            while (sheave_association_receive(associations[i], buffer, sizeof buffer, &info, 0) ==
                   SHEAVE_STATUS_OK) {
                snprintf(expected, sizeof expected, "message %d", sent[i] - 1);
                if (info.length != strlen(expected) || memcmp(buffer, expected, info.length) != 0)
                    return 1;
                echoes++;
                if (sent[i] < messages)
                    send_number(associations[i], sent[i]++);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        check(sheave_association_shutdown(associations[i], 10000), "shutdown");
        sheave_association_free(associations[i]);
    }
    sheave_endpoint_free(endpoint);
    printf("%d echoes\n", echoes);
    return 0;
}
