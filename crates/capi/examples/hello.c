/* One message from one endpoint to another, both in this program. */
#include <stdio.h>
#include <stdlib.h>

#include <sheave.h>

static void check(enum sheave_status status, const char *call) {
    if (status != SHEAVE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", call, sheave_last_error());
        exit(1);
    }
}

int main(void) {
    struct sheave_endpoint *client = NULL, *server = NULL;
    struct sheave_listener *listener = NULL;
    struct sheave_association *near = NULL, *far = NULL;
    struct sheave_message *message = NULL;
    char target[64];

    check(sheave_endpoint_bind("local=127.0.0.1,udp_port=0", &server), "bind");
    check(sheave_endpoint_listen(server, 5001, NULL, &listener), "listen");
    check(sheave_endpoint_bind("local=127.0.0.1,udp_port=0", &client), "bind");
    snprintf(target, sizeof target, "remote=127.0.0.1,udp_port=%u,port=5001",
             sheave_endpoint_udp_port(server));
    check(sheave_endpoint_connect(client, target, "profile=telecom", 10000, &near), "connect");
    check(sheave_listener_accept(listener, 10000, &far), "accept");

    struct sheave_send_info info = {.size = sizeof info, .stream = 3, .ppid = 46};
    check(sheave_association_send(near, "hello", 5, &info, -1), "send");
    check(sheave_association_receive_message(far, 1 << 16, &message, 10000), "receive");
    printf("%.*s on stream %u, ppid %u\n", (int)sheave_message_length(message),
           (const char *)sheave_message_bytes(message), sheave_message_stream(message),
           sheave_message_ppid(message));
    sheave_message_free(message);

    check(sheave_association_shutdown(near, 10000), "shutdown");
    sheave_association_free(near);
    sheave_association_free(far);
    sheave_listener_free(listener);
    sheave_endpoint_free(client);
    sheave_endpoint_free(server);
    return 0;
}
