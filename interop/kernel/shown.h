// The bytes that calls return, printed so that two systems can be compared: ids of associations, ports
// and TSNs, which differ, are masked.
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NOWHERE = 65535 };

// Places in a structure that differ from system to system.
struct mask {
  int kind;                // option or notification
  uint16_t id, id_again;   // offsets of ids of associations
  uint16_t address;        // offset of a socket address
  uint16_t from, upto;     // bytes that measure something
  uint16_t more, end;      // further such bytes
};

static const struct mask option_masks[] = {
    {1, 0, NOWHERE, NOWHERE, 8, 16, 0, 0},          // SCTP_ASSOCINFO: windows
    {2, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_INITMSG
    {3, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_NODELAY
    {4, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_AUTOCLOSE
    {6, 0, NOWHERE, 4, 0, 0, 0, 0},                 // SCTP_PRIMARY_ADDR
    {7, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_ADAPTATION_LAYER
    {8, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_DISABLE_FRAGMENTS
    {9, 0, NOWHERE, 4, 138, 142, 0, 0},             // SCTP_PEER_ADDR_PARAMS: path MTU
    {10, 28, NOWHERE, NOWHERE, 0, 0, 0, 0},         // SCTP_DEFAULT_SEND_PARAM
    {11, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_EVENTS
    {12, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_I_WANT_MAPPED_V4_ADDR
    {14, 0, 24, 28, 160, 176, 8, 14},               // SCTP_STATUS: windows, times, path MTU
    {15, 0, NOWHERE, 4, 136, 152, 0, 0},            // SCTP_GET_PEER_ADDR_INFO
    {18, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_FRAGMENT_INTERLEAVE
    {19, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_PARTIAL_DELIVERY_POINT
    {28, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_GET_ASSOC_NUMBER
    {29, 4, 8, NOWHERE, 0, 0, 0, 0},                // SCTP_GET_ASSOC_ID_LIST
    {30, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_AUTO_ASCONF
    {31, 0, NOWHERE, 8, 0, 0, 0, 0},                // SCTP_PEER_ADDR_THLDS
    {32, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_RECVRCVINFO
    {33, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_RECVNXTINFO
    {34, 12, NOWHERE, NOWHERE, 0, 0, 0, 0},         // SCTP_DEFAULT_SNDINFO
    {36, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0},    // SCTP_REUSE_PORT
    {37, 0, NOWHERE, 8, 0, 0, 0, 0},                // SCTP_PEER_ADDR_THLDS_V2
    {112, 0, NOWHERE, 8, 4, 256, 0, 0},             // SCTP_GET_ASSOC_STATS
    {132, 0, NOWHERE, 8, 136, 138, 0, 0},           // SCTP_REMOTE_UDP_ENCAPS_PORT
    {133, 0, NOWHERE, 8, 0, 0, 0, 0},               // SCTP_PLPMTUD_PROBE_INTERVAL
    {-1, 0, NOWHERE, NOWHERE, 0, 0, 0, 0},          // all others
};

static const struct mask event_masks[] = {
    {0x8001, 16, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_ASSOC_CHANGE
    {0x8002, 144, NOWHERE, 8, 0, 0, 0, 0},          // SCTP_PEER_ADDR_CHANGE
    {0x8003, 40, 44, NOWHERE, 0, 0, 0, 0},          // SCTP_SEND_FAILED
    {0x8004, 12, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_REMOTE_ERROR
    {0x8005, 8, NOWHERE, NOWHERE, 0, 0, 0, 0},      // SCTP_SHUTDOWN_EVENT
    {0x8006, 12, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_PARTIAL_DELIVERY_EVENT
    {0x8007, 12, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_ADAPTATION_INDICATION
    {0x8008, 16, NOWHERE, NOWHERE, 0, 0, 0, 0},     // SCTP_AUTHENTICATION_EVENT
    {0x800b, 8, NOWHERE, NOWHERE, 12, 20, 0, 0},    // SCTP_ASSOC_RESET_EVENT: TSNs
    {0x800d, 24, 28, NOWHERE, 0, 0, 0, 0},          // SCTP_SEND_FAILED_EVENT
    {-1, 8, NOWHERE, NOWHERE, 0, 0, 0, 0},          // all others
};

static const struct mask *mask_of(const struct mask *masks, int kind) {
  while (masks->kind != kind && masks->kind != -1) masks++;
  return masks;
}

// Ids below 3 stand for no association.
static int is_id(const unsigned char *bytes, int length, int at) {
  int32_t id;
  if (at + 4 > length) return 0;
  memcpy(&id, bytes + at, 4);
  return id >= 3;
}

static void print_masked(const struct mask *mask, const unsigned char *bytes, int length, int most) {
  printf(" ");
  for (int at = 0; at < length && at < most;) {
    if ((at == mask->id || at == mask->id_again) && is_id(bytes, length, at)) {
      printf("@");
      at += 4;
    } else if (at == mask->address + 2 && (bytes[at] || bytes[at + 1])) {
      printf("port");
      at += 2;
    } else if (at == mask->address + 24 && bytes[mask->address] == 10) {
      printf("scope");
      at += 4;
    } else if (at >= mask->from && at < mask->upto) {
      printf("*");
      at = mask->upto;
    } else if (at >= mask->more && at < mask->end) {
      printf("*");
      at = mask->end;
    } else {
      printf("%02x", bytes[at++]);
    }
  }
}

static void print_option(int level, int name, const unsigned char *value, int length) {
  static const struct mask none = {-1, NOWHERE, NOWHERE, NOWHERE, 0, 0, 0, 0};
  print_masked(level == 132 ? mask_of(option_masks, name) : &none, value, length, 400);
}

// A notification that was read in parts is not taken apart.
static void print_notification(const unsigned char *bytes, int got) {
  uint16_t type;
  uint32_t length = 0;
  if (got < 8) return;
  memcpy(&type, bytes, 2);
  memcpy(&length, bytes + 4, 4);
  if (length != (uint32_t)got) return;
  print_masked(mask_of(event_masks, type), bytes, got, 160);
}

// All bytes of a message are the same.
static void print_payload(const unsigned char *bytes, int got) {
  if (got == 0) return;
  for (int at = 1; at < got; at++)
    if (bytes[at] != bytes[0]) {
      printf(" mixed");
      return;
    }
  printf(" '%c'", bytes[0]);
}

static void print_control(int type, const unsigned char *body, int length) {
  static const struct mask sndrcv = {0, 28, NOWHERE, NOWHERE, 20, 28, 0, 0};
  static const struct mask rcvinfo = {0, 24, NOWHERE, NOWHERE, 12, 20, 0, 0};
  static const struct mask nxtinfo = {0, 12, NOWHERE, NOWHERE, 0, 0, 0, 0};
  const struct mask *mask = type == 1 ? &sndrcv : type == 3 ? &rcvinfo : &nxtinfo;
  print_masked(mask, body, length, 100);
}
