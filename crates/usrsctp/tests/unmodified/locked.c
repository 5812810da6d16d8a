/* A program that holds a lock of its own over a call, and takes it in its callbacks. */

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <usrsctp.h>

/* Longest time that it takes, seconds. */
#define LIMIT 60
/* The server's SCTP port. */
#define PORT 5001

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int is_dry;

static int on_message(struct socket *socket, union sctp_sockstore from, void *bytes, size_t length,
                      struct sctp_rcvinfo info, int flags, void *ulp_info) {
  const union sctp_notification *notification = bytes;

  (void)socket, (void)from, (void)length, (void)info, (void)ulp_info;
  pthread_mutex_lock(&lock);
  if (bytes != NULL && (flags & MSG_NOTIFICATION) &&
      notification->sn_header.sn_type == SCTP_SENDER_DRY_EVENT) {
    is_dry = 1;
    pthread_cond_signal(&told);
  }
  pthread_mutex_unlock(&lock);
  free(bytes);
  return 1;
}

static void check(int is_so, const char *call) {
  if (!is_so) {
    perror(call);
    exit(1);
  }
}

int main(int count, char **words) {
  struct sctp_event event = {.se_type = SCTP_SENDER_DRY_EVENT, .se_on = 1};
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  struct socket *server, *client;

  alarm(LIMIT);
  usrsctp_init(count > 1 ? (uint16_t)atoi(words[1]) : 9899, NULL, NULL);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  server = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  client = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, on_message, NULL, 0, NULL);
  check(server != NULL && client != NULL, "socket");
  check(usrsctp_bind(server, (struct sockaddr *)&address, sizeof(address)) == 0, "bind");
  check(usrsctp_listen(server, 1) == 0, "listen");
  check(usrsctp_connect(client, (struct sockaddr *)&address, sizeof(address)) == 0, "connect");

  /* Nothing waits to be sent, of which the call itself tells. */
  pthread_mutex_lock(&lock);
  check(usrsctp_setsockopt(client, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof(event)) == 0, "event");
  while (!is_dry) pthread_cond_wait(&told, &lock);
  pthread_mutex_unlock(&lock);

  usrsctp_close(client);
  usrsctp_close(server);
  while (usrsctp_finish() != 0) usleep(10000);
  puts("called back");
  return 0;
}
