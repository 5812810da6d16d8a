/* Both ends of an association of libusrsctp in one process and one thread, packets in memory (AF_CONN).
 *
 * Each line "SIZE COUNT LANE" of the standard input moves COUNT messages of SIZE bytes and is answered by a line
 * "SECONDS PACKETS": CPU time of the process, and packets that carried them. In the lane "fresh" each message is
 * written before it is sent, in the lane "shared" one is sent again and again. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <usrsctp.h>

enum { PACKET = 1472, BUFFER = 1 << 20, SLOTS = 1 << 13, LARGEST = 1 << 20, SERVER_PORT = 5000, CLIENT_PORT = 5001 };

/* An end is known to the library by its address in memory. */
struct end {
  struct socket *socket;
  /* Packets that this end has sent and the other has not yet seen. */
  struct { uint32_t length; uint8_t bytes[PACKET]; } queue[SLOTS];
  uint32_t first, last;
  uint64_t sent;
};

static struct end client, server;
static uint8_t payload[LARGEST], arrived[LARGEST];

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "usrsctp: %s: %s\n", what, strerror(errno));
  exit(1);
}

/* The library calls this with the address that the packet goes to, which is named after its sender. */
static int output(void *address, void *packet, size_t length, uint8_t tos, uint8_t set_df) {
  (void)tos, (void)set_df;
  struct end *from = address;
  if (length > PACKET || from->last - from->first == SLOTS) fail("a packet too large, or too many");
  from->queue[from->last % SLOTS].length = (uint32_t)length;
  memcpy(from->queue[from->last++ % SLOTS].bytes, packet, length);
  return 0;
}

static unsigned carry(struct end *from, struct end *to) {
  unsigned carried = 0;
  for (; from->first != from->last; from->first++, carried++) {
    uint32_t slot = from->first % SLOTS;
    usrsctp_conninput(to, from->queue[slot].bytes, from->queue[slot].length, 0);
  }
  from->sent += carried;
  return carried;
}

/* Timers see virtual time where nothing else is left to do, real time otherwise. */
static void run_timers(int idle) {
  static uint64_t last;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t millis = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
  uint32_t passed = last ? (uint32_t)(millis - last) : 0;
  last = millis;
  if (idle && passed < 10) passed = 10;
  if (passed) usrsctp_handle_timers(passed);
}

static void set(struct socket *s, int level, int name, const void *value, socklen_t length, const char *what) {
  if (usrsctp_setsockopt(s, level, name, value, length)) fail(what);
}

static struct sockaddr_conn address(struct end *end, int port) {
  struct sockaddr_conn address = {.sconn_family = AF_CONN, .sconn_port = htons((uint16_t)port), .sconn_addr = end};
  return address;
}

static void configure(struct socket *s) {
  int on = 1, buffer = BUFFER;
  /* It adds the 12 bytes of the common header. */
  struct sctp_paddrparams path = {.spp_flags = SPP_PMTUD_DISABLE | SPP_HB_DISABLE, .spp_pathmtu = PACKET - 12};
  path.spp_address.ss_family = AF_CONN;
  set(s, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer, "send buffer");
  set(s, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer, "receive buffer");
  set(s, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on, "no delay");
  set(s, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path, sizeof path, "path MTU");
  if (usrsctp_set_non_blocking(s, 1)) fail("non-blocking");
}

static void open_end(struct end *end, int port) {
  usrsctp_register_address(end);
  end->socket = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  if (!end->socket) fail("socket");
  configure(end->socket);
  struct sockaddr_conn local = address(end, port);
  if (usrsctp_bind(end->socket, (struct sockaddr *)&local, sizeof local)) fail("bind");
}

static void associate(void) {
  open_end(&server, SERVER_PORT);
  open_end(&client, CLIENT_PORT);
  if (usrsctp_listen(server.socket, 1)) fail("listen");
  struct sockaddr_conn remote = address(&client, SERVER_PORT);
  if (usrsctp_connect(client.socket, (struct sockaddr *)&remote, sizeof remote) && errno != EINPROGRESS) fail("connect");
  struct socket *accepted = NULL;
  for (int turn = 0; turn < 1000 && !accepted; turn++) {
    unsigned carried = carry(&client, &server) + carry(&server, &client);
    accepted = usrsctp_accept(server.socket, NULL, NULL);
    if (!carried && !accepted) run_timers(1);
  }
  if (!accepted) fail("accept");
  usrsctp_close(server.socket);
  server.socket = accepted;
  configure(accepted);
}

static uint64_t offer(size_t size, uint64_t most, int fresh) {
  static int waits, byte;
  struct sctp_sndinfo info = {0};
  uint64_t taken = 0;
  while (taken < most) {
    if (fresh && !waits) memset(payload, ++byte, size);
    ssize_t sent = usrsctp_sendv(client.socket, payload, size, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0);
    if (sent < 0 && errno != EWOULDBLOCK) fail("send");
    waits = sent < 0;
    if (waits) break;
    taken++;
  }
  return taken;
}

static uint64_t receive(void) {
  uint64_t bytes = 0;
  for (;;) {
    /* The library writes to all of these, wanted or not. */
    struct sctp_rcvinfo info;
    socklen_t info_length = sizeof info;
    unsigned kind = 0;
    int flags = 0;
    ssize_t got = usrsctp_recvv(server.socket, arrived, sizeof arrived, NULL, NULL, &info, &info_length, &kind, &flags);
    if (got < 0 && errno != EWOULDBLOCK) fail("receive");
    if (got <= 0) return bytes;
    bytes += (uint64_t)got;
  }
}

static void transfer(size_t size, uint64_t count, int fresh) {
  uint64_t missing = size * count;
  while (missing) {
    uint64_t taken = offer(size, count, fresh);
    count -= taken;
    unsigned carried = carry(&client, &server);
    uint64_t got = receive();
    missing -= got;
    carried += carry(&server, &client);
    run_timers(!taken && !got && !carried);
  }
}

static double spent(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

int main(void) {
  usrsctp_init_nothreads(0, output, NULL);
  usrsctp_sysctl_set_sctp_ecn_enable(0);
  associate();
  unsigned long size, count;
  char lane[16];
  while (scanf("%lu %lu %15s", &size, &count, lane) == 3) {
    if (!size || size > LARGEST) fail("size");
    double begin = spent();
    uint64_t packets = client.sent;
    transfer(size, count, !strcmp(lane, "fresh"));
    printf("%.9f %llu\n", spent() - begin, (unsigned long long)(client.sent - packets));
    fflush(stdout);
  }
  return 0;
}
