// A link whose far end is this program: packets that leave by the TUN device "far0" are answered as scripts say.
//
//   network 4|6 ip|udp                      begins
//   answers peer|silence|abort              the far end's answer to packets from now on: a peer's own,
//   answers icmp TYPE CODE                  none, an ABORT, or an ICMP message about the packet
//   tell abort|shutdown|forget|restart      the far end does this now: with each of its associations,
//   tell data LENGTH                        which it forgets, or sets up anew
//   tell call PORT                          sets up an association with that port
//   tell icmp TYPE CODE                     reports the last packet
//
// The far end is 10.98.0.2 and fd98::2, at all ports of a script. One thread answers for all scripts, which
// tell it their wishes through a pipe. SCTP comes in IP, or in UDP at port 9899: the answer goes as the packet came.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SCRIPTS = 3001, MOST_FAR = 8, ROOM = 1500, UDP_PORT = 9899 };
enum { DATA, INIT, INIT_ACK, SACK, HEARTBEAT, HEARTBEAT_ACK, ABORT, SHUTDOWN, SHUTDOWN_ACK, FAR_ERROR, COOKIE_ECHO, COOKIE_ACK };
enum { SHUTDOWN_COMPLETE = 14 };

// The carrier of a packet, which the answer has, too.
struct carrier {
  uint8_t is_v6, is_udp;
};

// An association of the far end.
struct far {
  struct carrier carrier;
  uint16_t port, near_port;
  uint32_t tag, near_tag; // of packets that come, and that go
  uint32_t tsn, near_tsn; // the last one of each
  uint16_t ssn;           // the next one
};

// The far end of one script.
struct script {
  char answers[32];
  struct carrier carrier;
  struct far all[MOST_FAR];
  uint8_t last[ROOM]; // packet
  int last_length;
};

// What a script wants, and what it is told of it.
struct wish {
  int script;
  char words[64];
};
static volatile struct told {
  unsigned done;
  long long busy; // when the last packet came
} *told;

static struct script *far_ends;
static int tun = -1, wishes[2];

static int script_number(void);
static int first_port_of(int script);
static void answer(long value);

static uint16_t get16(const uint8_t *at) { return at[0] << 8 | at[1]; }
static uint32_t get32(const uint8_t *at) { return (uint32_t)get16(at) << 16 | get16(at + 2); }
static void put16(uint8_t *at, uint16_t value) { at[0] = value >> 8, at[1] = value; }
static void put32(uint8_t *at, uint32_t value) { put16(at, value >> 16), put16(at + 2, value); }

static long long now_micros(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static uint32_t crc32c(const uint8_t *bytes, int length) {
  uint32_t crc = ~0u;
  for (int at = 0; at < length; at++) {
    crc ^= bytes[at];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

static uint32_t sum_of(uint32_t sum, const uint8_t *bytes, int length) {
  for (int at = 0; at < length; at++) sum += at % 2 ? bytes[at] : bytes[at] << 8;
  return sum;
}

static uint16_t folded(uint32_t sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum;
}

// Sends a payload of that protocol from the far end; a checksum at `sum_at` covers the addresses, too.
static void emit(int is_v6, int protocol, const uint8_t *payload, int length, int sum_at) {
  uint8_t packet[ROOM + 100] = {0}, addresses[32] = {0};
  int head = is_v6 ? 40 : 20, each = is_v6 ? 16 : 4;
  inet_pton(is_v6 ? AF_INET6 : AF_INET, is_v6 ? "fd98::2" : "10.98.0.2", addresses);
  inet_pton(is_v6 ? AF_INET6 : AF_INET, is_v6 ? "fd98::1" : "10.98.0.1", addresses + each);
  memcpy(packet + head - 2 * each, addresses, 2 * each);
  memcpy(packet + head, payload, length);
  if (sum_at >= 0)
    put16(packet + head + sum_at, folded(sum_of(sum_of(length + protocol, addresses, 2 * each), payload, length)));
  if (is_v6) {
    packet[0] = 0x60, packet[6] = protocol, packet[7] = 64;
    put16(packet + 4, length);
  } else {
    packet[0] = 0x45, packet[8] = 64, packet[9] = protocol;
    put16(packet + 2, head + length);
    put16(packet + 10, folded(sum_of(0, packet, head)));
  }
  (void)!write(tun, packet, head + length);
}

// Sends one chunk.
static void say(const struct far *far, uint32_t tag, int type, int flags, const uint8_t *body, int length) {
  uint8_t packet[ROOM] = {0}, *sctp = packet + 8;
  int padded = 16 + (length + 3) / 4 * 4;
  put16(sctp, far->port), put16(sctp + 2, far->near_port), put32(sctp + 4, tag);
  sctp[12] = type, sctp[13] = flags;
  put16(sctp + 14, 4 + length);
  if (length > 0) memcpy(sctp + 16, body, length);
  uint32_t crc = crc32c(sctp, padded);
  memcpy(sctp + 8, &crc, 4); // little-endian, as its polynomial is reflected
  if (!far->carrier.is_udp) return emit(far->carrier.is_v6, 132, sctp, padded, -1);
  put16(packet, UDP_PORT), put16(packet + 2, UDP_PORT), put16(packet + 4, 8 + padded);
  emit(far->carrier.is_v6, 17, packet, 8 + padded, 6);
}

static void say_init(struct far *far, int type) {
  uint8_t body[28] = {0};
  put32(body, far->tag), put32(body + 4, 100000), put16(body + 8, 10), put16(body + 10, 10), put32(body + 12, far->tsn + 1);
  put16(body + 16, 7), put16(body + 18, 12); // a cookie of eight bytes
  say(far, type == INIT ? 0 : far->near_tag, type, 0, body, type == INIT ? 16 : 28);
}

// Reports a packet by ICMP.
static void report(const struct script *script, int type, int code) {
  uint8_t body[ROOM] = {type, code};
  int is_v6 = script->last[0] >> 4 == 6, most = is_v6 ? 1200 : 540;
  int length = script->last_length < most ? script->last_length : most;
  if (length == 0) return;
  // A larger MTU would be no news; a parameter's place is the protocol.
  if (is_v6 ? type == 2 : type == 3 && code == 4) put16(body + 6, 1280);
  if (is_v6 && type == 4) body[7] = 6;
  if (!is_v6 && type == 12) body[4] = 9;
  memcpy(body + 8, script->last, length);
  if (!is_v6) put16(body + 2, folded(sum_of(0, body, 8 + length)));
  emit(is_v6, is_v6 ? 58 : 1, body, 8 + length, is_v6 ? 2 : -1);
}

static void on_data(struct far *far, const uint8_t *chunk) {
  if (get32(chunk + 4) == far->near_tsn + 1) far->near_tsn++;
  uint8_t body[12] = {0};
  put32(body, far->near_tsn), put32(body + 4, 100000);
  say(far, far->near_tag, SACK, 0, body, sizeof body);
}

// Answers one chunk as a peer does.
static void on_chunk(struct far *far, const uint8_t *chunk, int length) {
  uint8_t tsn[4];
  put32(tsn, far->near_tsn);
  switch (chunk[0]) {
    case INIT:
    case INIT_ACK:
      far->near_tag = get32(chunk + 4);
      far->near_tsn = get32(chunk + 16) - 1;
      if (chunk[0] == INIT) say_init(far, INIT_ACK);
      // The cookie is the first of its parameters, or behind others.
      for (int at = 20; chunk[0] == INIT_ACK && at + 4 <= length; at += (get16(chunk + at + 2) + 3) / 4 * 4) {
        if (get16(chunk + at) == 7) say(far, far->near_tag, COOKIE_ECHO, 0, chunk + at + 4, get16(chunk + at + 2) - 4);
        if (get16(chunk + at + 2) < 4) break;
      }
      break;
    case DATA: on_data(far, chunk); break;
    case HEARTBEAT: say(far, far->near_tag, HEARTBEAT_ACK, 0, chunk + 4, length - 4); break;
    case SHUTDOWN: say(far, far->near_tag, SHUTDOWN_ACK, 0, NULL, 0); break;
    case COOKIE_ECHO: say(far, far->near_tag, COOKIE_ACK, 0, NULL, 0); break;
    case SHUTDOWN_ACK: say(far, far->near_tag, SHUTDOWN_COMPLETE, 0, NULL, 0); // fall through
    case ABORT:
    case SHUTDOWN_COMPLETE: far->near_tag = 0; break;
  }
}

// The association of that packet; a new one where it asks for one, or a note of the ports.
static struct far *far_of(struct script *script, struct carrier carrier, const uint8_t *sctp) {
  static struct far nobody;
  for (struct far *far = script->all; far < script->all + MOST_FAR; far++)
    if (far->tag && far->near_port == get16(sctp) && far->port == get16(sctp + 2) && far->carrier.is_v6 == carrier.is_v6) return far;
  struct far *far = script->all;
  while (far < script->all + MOST_FAR && far->near_tag) far++;
  if (far == script->all + MOST_FAR || sctp[12] != INIT) far = &nobody;
  *far = (struct far){.carrier = carrier, .near_port = get16(sctp), .port = get16(sctp + 2), .tsn = 100};
  if (far != &nobody) far->tag = 7000 + (far - script->all);
  return far;
}

// Answers a packet, whose bytes from `at` on are SCTP.
static void on_packet(struct script *script, struct carrier carrier, const uint8_t *packet, int at, int length) {
  const uint8_t *sctp = packet + at;
  int type = 0, code = 0;
  memcpy(script->last, packet, length);
  script->last_length = length;
  if (strcmp(script->answers, "silence") == 0) return;
  if (sscanf(script->answers, "icmp %d %d", &type, &code) == 2) return report(script, type, code);
  struct far *far = far_of(script, carrier, sctp);
  int is_lost = !far->tag || (far->near_tag == 0 && sctp[12] != INIT && sctp[12] != INIT_ACK);
  if (strcmp(script->answers, "abort") == 0 || is_lost) {
    far->near_tag = 0;
    // RFC 9260 section 8.4: with the tag that came, or with the one of an INIT.
    int is_init = sctp[12] == INIT;
    if (sctp[12] != ABORT && sctp[12] != SHUTDOWN_COMPLETE) say(far, get32(sctp + (is_init ? 16 : 4)), ABORT, !is_init, NULL, 0);
    return;
  }
  for (int chunk = at + 12; chunk + 4 <= length && get16(packet + chunk + 2) >= 4; chunk += (get16(packet + chunk + 2) + 3) / 4 * 4)
    on_chunk(far, packet + chunk, get16(packet + chunk + 2));
}

// A packet that has left: whose it is, by the far end's port.
static void hear_packet(const uint8_t *packet, int length) {
  struct carrier carrier = {packet[0] >> 4 == 6, 0};
  int at = carrier.is_v6 ? 40 : 20, protocol = packet[carrier.is_v6 ? 6 : 9];
  carrier.is_udp = protocol == 17 && get16(packet + at + 2) == UDP_PORT;
  if (carrier.is_udp) at += 8;
  if ((protocol != 132 && !carrier.is_udp) || length < at + 16) return;
  int number = (get16(packet + at + 2) - first_port_of(0)) / 10;
  if (number < 0 || number >= MOST_SCRIPTS) return;
  told[number].busy = now_micros();
  on_packet(&far_ends[number], carrier, packet, at, length);
}

// Does with an association what a script wants.
static void do_with(struct far *far, const char *verb, int length) {
  static uint8_t body[ROOM];
  if (strcmp(verb, "restart") == 0) {
    far->tag += 100, far->ssn = 0;
    return say_init(far, INIT);
  }
  if (strcmp(verb, "shutdown") == 0) {
    put32(body, far->near_tsn);
    say(far, far->near_tag, SHUTDOWN, 0, body, 4);
  } else if (strcmp(verb, "data") == 0) {
    memset(body, 'f', sizeof body);
    put32(body, ++far->tsn), put32(body + 4, far->ssn++), put32(body + 8, 7); // stream 0, in order
    say(far, far->near_tag, DATA, 3, body, 12 + (length < 1400 ? length : 1400));
  } else {
    if (strcmp(verb, "abort") == 0) say(far, far->near_tag, ABORT, 0, NULL, 0);
    far->near_tag = 0;
  }
}

static void grant(const struct wish *wish) {
  struct script *script = &far_ends[wish->script];
  char verb[16] = "";
  int number = 0, code = 0;
  if (strncmp(wish->words, "answers ", 8) == 0) {
    strcpy(script->answers, wish->words + 8);
  } else if (strncmp(wish->words, "network ", 8) == 0) {
    *script = (struct script){.answers = "peer", .carrier = {wish->words[8] == '6', wish->words[10] == 'u'}};
  } else if (sscanf(wish->words, "tell icmp %d %d", &number, &code) == 2) {
    report(script, number, code);
  } else if (sscanf(wish->words, "tell call %d", &number) == 1) {
    struct far *far = &script->all[MOST_FAR - 1];
    int first = first_port_of(wish->script);
    *far = (struct far){.carrier = script->carrier, .port = first + 9, .near_port = first + number, .tag = 7777, .tsn = 100};
    say_init(far, INIT);
  } else if (sscanf(wish->words, "tell %15s %d", verb, &number) >= 1) {
    for (struct far *far = script->all; far < script->all + MOST_FAR; far++)
      if (far->near_tag) do_with(far, verb, number);
  }
}

static void *serve(void *unused) {
  (void)unused;
  static uint8_t packet[65536];
  struct wish wish;
  for (;;) {
    struct pollfd both[] = {{tun, POLLIN, 0}, {wishes[0], POLLIN, 0}};
    poll(both, 2, -1);
    // All packets that left before a wish are answered first.
    ssize_t length = read(tun, packet, sizeof packet);
    if (length > 0 && length <= ROOM) hear_packet(packet, length);
    if (length < 0 && read(wishes[0], &wish, sizeof wish) == sizeof wish) {
      grant(&wish);
      told[wish.script].done++;
    }
  }
  return NULL;
}

static int open_link(void) {
  struct ifreq request = {.ifr_name = "far0", .ifr_flags = IFF_TUN | IFF_NO_PI};
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return ioctl(fd, TUNSETIFF, &request) < 0 ? -1 : fd;
}

// Makes the device, which stays.
static int make_link(void) { return ioctl(open_link(), TUNSETPERSIST, 1) < 0; }

// Waits until the near end answers to an echo request: it takes a while to see that the link is up.
static void await_near(void) {
  static uint8_t request[8] = {128}, answer[2048];
  for (int turn = 0; turn < 500; turn++) {
    emit(1, 58, request, sizeof request, 2);
    usleep(10000);
    for (ssize_t length; (length = read(tun, answer, sizeof answer)) > 0;)
      if (length > 40 && answer[6] == 58 && answer[40] == 129) return;
  }
}

// Begins to answer, where there is such a device.
static void serve_network(void) {
  pthread_t thread;
  if (!if_nametoindex("far0") || (tun = open_link()) < 0 || pipe2(wishes, O_NONBLOCK | O_CLOEXEC) < 0) return;
  far_ends = calloc(MOST_SCRIPTS, sizeof *far_ends);
  told = mmap(NULL, MOST_SCRIPTS * sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  await_near();
  pthread_create(&thread, NULL, serve, NULL);
}

// Tells the far end of a wish, and waits until it is granted.
static void wish_for(char **words, int count) {
  struct wish wish = {script_number(), ""};
  unsigned before = told[wish.script].done;
  for (int at = 0; at < count; at++) {
    if (at > 0) strcat(wish.words, " ");
    strncat(wish.words, words[at], 20);
  }
  if (write(wishes[1], &wish, sizeof wish) != sizeof wish) return;
  while (told[wish.script].done == before) usleep(100);
}

// Waits until nothing has come for that time.
static void settle(useconds_t pause) {
  char *look[] = {"look"};
  long long since;
  do {
    usleep(pause);
    wish_for(look, 1);
    since = now_micros() - told[script_number()].busy;
  } while (pause > 0 && since < pause);
}
