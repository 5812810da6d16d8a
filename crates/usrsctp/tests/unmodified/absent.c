/* Connects to a UDP port where nobody is. */

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

/* Longest time that it takes, seconds. */
#define LIMIT 60

static void check(int is_so, const char *call) {
  if (!is_so) {
    perror(call);
    exit(1);
  }
}

int main(int count, char **words) {
  struct sctp_initmsg init = {.sinit_max_attempts = 2, .sinit_max_init_timeo = 200};
  struct sctp_udpencaps encaps = {.sue_address.ss_family = AF_INET};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(5001)};
  struct socket *client;

  alarm(LIMIT);
  check(count == 3, "ports");
  usrsctp_init((uint16_t)atoi(words[1]), NULL, NULL);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  client = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  check(client != NULL, "socket");
  encaps.sue_port = htons((uint16_t)atoi(words[2]));
  check(usrsctp_setsockopt(client, IPPROTO_SCTP, SCTP_REMOTE_UDP_ENCAPS_PORT, &encaps,
                           sizeof(encaps)) == 0, "port of the peer");
  check(usrsctp_setsockopt(client, IPPROTO_SCTP, SCTP_INITMSG, &init, sizeof(init)) == 0, "init");
  check(usrsctp_connect(client, (struct sockaddr *)&address, sizeof(address)) < 0, "connect");
  printf("%s\n", errno == ETIMEDOUT ? "timed out" : strerror(errno));
  usrsctp_close(client);
  return 0;
}
