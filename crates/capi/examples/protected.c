/* An association whose packets are encrypted, between two ends with the same authority. */
#include <stdio.h>
#include <stdlib.h>

#include <sheave.h>

static void check(enum sheave_status status, const char *call) {
    if (status != SHEAVE_STATUS_OK) {
        fprintf(stderr, "%s: %s\n", call, sheave_last_error());
        exit(1);
    }
}

/* An endpoint at that address with the certificate, key and trust of the command line. */
static struct sheave_endpoint *bind_to(const char *local, char **words) {
    struct sheave_endpoint *endpoint = NULL;
    char config[4096];

    snprintf(config, sizeof config, "local=%s,udp_port=0,cert=%s,key=%s,%s", local, words[0], words[1], words[2]);
    check(sheave_endpoint_bind(config, &endpoint), "bind");
    return endpoint;
}

/* protected CERT KEY TRUST CERT KEY TRUST: the client's, then the server's; TRUST is ca=FILE or fingerprint=SHA256. */
int main(int count, char **words) {
    struct sheave_endpoint *client, *server;
    struct sheave_listener *listener = NULL;
    struct sheave_association *near = NULL, *far = NULL;
    struct sheave_receive_info info;
    char target[128], text[64];

    if (count != 7)
        return 2;
    client = bind_to("127.0.0.1", words + 1);
    server = bind_to("127.0.0.2", words + 4);
    check(sheave_endpoint_listen(server, 5001, NULL, &listener), "listen");
    snprintf(target, sizeof target, "remote=127.0.0.2,udp_port=%u,port=5001", sheave_endpoint_udp_port(server));
    check(sheave_endpoint_connect(client, target, NULL, 10000, &near), "connect");
    check(sheave_listener_accept(listener, 10000, &far), "accept");
    check(sheave_association_send(near, "hello", 5, NULL, 10000), "send");
    check(sheave_association_receive(far, text, sizeof text, &info, 10000), "receive");
    printf("%.*s, protected\n", (int)info.length, text);
    check(sheave_association_shutdown(near, 10000), "shutdown");
    sheave_association_free(near);
    sheave_association_free(far);
    sheave_listener_free(listener);
    sheave_endpoint_free(client);
    sheave_endpoint_free(server);
    return 0;
}
