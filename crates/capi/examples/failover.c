/* Two endpoints with two addresses each; the cable of the first path is pulled, and the events tell how
 * the association goes on over the second. */
#include <stdio.h>
#include <stdlib.h>

#include <sheave.h>

static void check(enum sheave_status status, const char *call) {
    if (status != SHEAVE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", call, sheave_last_error());
        exit(1);
    }
}

/* Prints events until a path has changed like that. */
static void await(struct sheave_association *association, enum sheave_path_event change) {
    for (;;) {
        struct sheave_event *event = NULL;
        check(sheave_association_next_event(association, &event, 30000), "event");
        printf("%s\n", sheave_event_text(event));
        enum sheave_path_event seen = sheave_event_path_change(event);
        sheave_event_free(event);
        if (seen == change)
            return;
    }
}

static void exchange(struct sheave_association *from, struct sheave_association *to) {
    struct sheave_receive_info info;
    char buffer[16];
    check(sheave_association_send(from, "still here", 10, NULL, 1000), "send");
    check(sheave_association_receive(to, buffer, sizeof buffer, &info, 30000), "receive");
    printf("received: %.*s\n", (int)info.length, buffer);
}

int main(void) {
    const char *options = "profile=datacenter,path_max_retrans=1,heartbeats=100 ms";
    struct sheave_endpoint *client = NULL, *server = NULL;
    struct sheave_listener *listener = NULL;
    struct sheave_association *near = NULL, *far = NULL;
    struct sheave_path paths[4];
    size_t count = 4;
    char target[128];

    check(sheave_endpoint_bind("local=127.0.0.1,local=127.0.0.2,udp_port=0", &client), "bind");
    check(sheave_endpoint_bind("local=127.0.0.3,local=127.0.0.4,udp_port=0", &server), "bind");
    check(sheave_endpoint_listen(server, 5001, options, &listener), "listen");
    snprintf(target, sizeof target, "remote=127.0.0.3,remote=127.0.0.4,udp_port=%u,port=5001",
             sheave_endpoint_udp_port(server));
    check(sheave_endpoint_connect(client, target, options, 10000, &near), "connect");
    check(sheave_listener_accept(listener, 10000, &far), "accept");
    check(sheave_association_set_primary(near, "127.0.0.3"), "set_primary");
    exchange(near, far);

    check(sheave_endpoint_unplug(server, "127.0.0.3"), "unplug");
    exchange(near, far);
    await(near, SHEAVE_PATH_EVENT_DOWN);
    check(sheave_association_paths(near, paths, sizeof paths[0], &count), "paths");
    for (size_t i = 0; i < count && i < 4; i++)
        printf("%s to %s: %s\n", paths[i].local, paths[i].remote,
               paths[i].state == SHEAVE_PATH_CONDITION_ACTIVE ? "active" : "not active");
    check(sheave_endpoint_plug_in(server, "127.0.0.3"), "plug_in");
    await(near, SHEAVE_PATH_EVENT_UP);

    check(sheave_association_shutdown(near, 10000), "shutdown");
    sheave_association_free(near);
    sheave_association_free(far);
    sheave_listener_free(listener);
    sheave_endpoint_free(client);
    sheave_endpoint_free(server);
    return 0;
}
