/* Over plain IP: binds a port, or connects to ports at which nobody listens. */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

/* Longest time that it takes, seconds. */
#define LIMIT 60

static struct sockaddr_in here(uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static struct socket *open_one(void) {
  struct socket *made = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  if (!made) {
    perror("socket");
    exit(1);
  }
  return made;
}

static void bind_at(uint16_t port) {
  struct sockaddr_in address = here(port);
  int result = usrsctp_bind(open_one(), (struct sockaddr *)&address, sizeof(address));
  printf("%s\n", result ? strerror(errno) : "bound");
}

static void connect_to(uint16_t port) {
  struct sockaddr_in address = here(port);
  struct socket *client = open_one();
  int result = usrsctp_connect(client, (struct sockaddr *)&address, sizeof(address));
  printf("%u: %s\n", port, result ? strerror(errno) : "connected");
  usrsctp_close(client);
}

/* Words: `bind`, `connect`, `wait`, and ports. */
int main(int count, char **words) {
  void (*call)(uint16_t) = bind_at;

  alarm(LIMIT);
  setvbuf(stdout, NULL, _IOLBF, 0);
  usrsctp_init(0, NULL, NULL);
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "bind")) call = bind_at;
    else if (!strcmp(words[i], "connect")) call = connect_to;
    else if (!strcmp(words[i], "wait")) pause();
    else call((uint16_t)atoi(words[i]));
  }
  return 0;
}
