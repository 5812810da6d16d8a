/* Messages under changing keys (RFC 4895), over a path of choice, and where they came from. */
#include <stdio.h>
#include <stdlib.h>

#include <sheave.h>

static void check(enum sheave_status status, const char *call) {
    if (status != SHEAVE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", call, sheave_last_error());
        exit(1);
    }
}

/* Sends a message with that key to that address, and prints what the other end learns of it. */
static void pass(struct sheave_association *from, struct sheave_association *to, unsigned key,
                 const char *destination) {
    struct sheave_send_info send = {.size = sizeof send, .stream = 2, .key = (uint16_t)key};
    struct sheave_receive_info info;
    struct sheave_origin origin;
    char text[64];

    send.flags = key ? SHEAVE_SEND_WITH_KEY : 0;
    send.destination = destination;
    check(sheave_association_send(from, "hello", 5, &send, 10000), "send");
    check(sheave_association_receive_from(to, text, sizeof text, &info, &origin, sizeof origin, 10000),
          "receive");
    printf("%.*s from %s, number %u of stream %u\n", (int)info.length, text, origin.source,
           origin.ssn_or_mid, info.stream);
}

/* Waits until the peer sends with a key. */
static unsigned new_key(struct sheave_association *association) {
    struct sheave_event *event = NULL;
    unsigned key = 0;

    while (key == 0) {
        check(sheave_association_next_event(association, &event, 10000), "next_event");
        if (sheave_event_authentication(event) == SHEAVE_AUTHENTICATION_EVENT_NEW_KEY)
            key = sheave_event_key(event);
        sheave_event_free(event);
    }
    return key;
}

int main(void) {
    const char *options = "profile=datacenter,authentication_key=first";
    struct sheave_endpoint *client = NULL, *server = NULL;
    struct sheave_listener *listener = NULL;
    struct sheave_association *near = NULL, *far = NULL;
    char target[128], value[32];

    check(sheave_endpoint_bind("local=127.0.0.1,local=127.0.0.2,udp_port=0", &client), "bind");
    check(sheave_endpoint_bind("local=127.0.0.3,local=127.0.0.4,udp_port=0", &server), "bind");
    check(sheave_endpoint_listen(server, 5001, options, &listener), "listen");
    snprintf(target, sizeof target, "remote=127.0.0.3,udp_port=%u,port=5001",
             sheave_endpoint_udp_port(server));
    check(sheave_endpoint_connect(client, target, options, 10000, &near), "connect");
    check(sheave_listener_accept(listener, 10000, &far), "accept");
    pass(near, far, 0, NULL);

    check(sheave_association_insert_key(near, 7, "second", 6), "insert_key");
    check(sheave_association_insert_key(far, 7, "second", 6), "insert_key");
    pass(near, far, 7, "127.0.0.3");
    check(sheave_association_activate_key(near, 7), "activate_key");
    check(sheave_association_activate_key(far, 7), "activate_key");
    printf("the peer sends with key %u\n", new_key(far));
    /* Only now: what the peer sends with it is dropped from here on. */
    check(sheave_association_delete_key(far, 1), "delete_key");

    check(sheave_association_retune(near, "rto_min=300 ms"), "retune");
    check(sheave_association_option(near, "rto_min", value, sizeof value), "option");
    printf("rto_min = %s\n", value);
    check(sheave_association_shutdown(near, 10000), "shutdown");
    sheave_association_free(near);
    sheave_association_free(far);
    sheave_listener_free(listener);
    sheave_endpoint_free(client);
    sheave_endpoint_free(server);
    return 0;
}
