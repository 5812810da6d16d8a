/* The links between connections: each address has a peer, in order and without loss unless it is cut. */
#include "search.h"

struct packet {
  struct packet *next;
  long to;
  size_t length;
  unsigned char bytes[];
};

static struct packet *first, **last = &first;
static int is_cut[ADDRESSES], is_registered[ADDRESSES];
/* Things for pointers to point at. */
static char places[ADDRESSES];

void *address_of(long index) { return &places[(unsigned long)index % ADDRESSES]; }

static size_t longest = SIZE_MAX;
void limit(long length) { longest = (size_t)length; }

void ask_for(long index) { is_registered[(unsigned long)index % ADDRESSES] = 1; }

void register_address(long index, int on) {
  is_registered[(unsigned long)index % ADDRESSES] = on;
  if (on) usrsctp_register_address(address_of(index));
  else usrsctp_deregister_address(address_of(index));
}

void cut(long index, int on) { is_cut[(unsigned long)index % ADDRESSES] = on; }

int carry(void *address, void *buffer, size_t length, uint8_t tos, uint8_t set_df) {
  (void)tos; (void)set_df;
  long from = (char *)address - places;
  if (from < 0 || from >= ADDRESSES) { say("packet to nowhere"); return EHOSTUNREACH; }
  if (length > longest) say("FAULT packet of %zu bytes", length);
  /* Unless the program asks for it again. */
  if (!is_registered[from]) say("FAULT packet of an address that is not registered");
  if (is_cut[from]) return 0;
  struct packet *packet = malloc(sizeof *packet + length);
  *packet = (struct packet){.to = from ^ 1, .length = length};
  memcpy(packet->bytes, buffer, length);
  *last = packet;
  last = &packet->next;
  return 0;
}

/* Delivers all packets, and those that answer them. */
void flow(void) {
  for (long n = 0; first; n++) {
    struct packet *packet = first;
    first = packet->next;
    if (!first) last = &first;
    /* Ends that never fall silent are a fault of their own. */
    if (n < 100000) usrsctp_conninput(address_of(packet->to), packet->bytes, packet->length, 0);
    else if (n == 100000) say("FAULT the ends never fall silent");
    free(packet);
  }
}

void pass(long milliseconds) {
  /* A tick: short ones for short times. */
  long tick = milliseconds > 5000 ? 100 : 10;
  for (long at = 0; at < milliseconds; at += tick) {
    usrsctp_handle_timers((uint32_t)tick);
    flow();
  }
}
