/* Draws scripts: sockets that talk, mostly, and any calls then. */
#include "search.h"

static uint64_t state;

static uint64_t random_number(void) {
  state += 0x9e3779b97f4a7c15ull;
  uint64_t z = state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

static long below(long most) { return (long)(random_number() % (uint64_t)most); }
static int one_in(long n) { return below(n) == 0; }
#define OF(...) of((long[]){__VA_ARGS__}, sizeof((long[]){__VA_ARGS__}) / sizeof(long))
static long of(const long *list, size_t count) { return list[below((long)count)]; }

/* Sockets that are bound to one connection and call another one are not compared. */
static long side_of(long slot) { return ~slot & 1; }

static void option(long slot, const char *how) {
  long value = OF(0, 1, 2, 3, 5, 100, 1000, 1200, 4096, 65535, 1 << 20, below(1 << 16), -1);
  const char *name = option_name(below(1000));
  /* What changes when packets leave is not compared, nor what is authenticated. */
  static const char *const timing[] = {"AUTOCLOSE", "SO_RCVBUF", "PLUGGABLE_SS", "DELAYED_SACK", "EXPLICIT_EOR", "MAX_CWND", "AUTH_SUPPORTED", "ASCONF_SUPPORTED", "MAXSEG", "RESET_ASSOC"};
  for (size_t i = 0; i < sizeof timing / sizeof timing[0]; i++)
    if (!strcmp(name, timing[i])) how = "get";
  printf("%s %ld %s %ld %ld %ld %ld %ld\n", how, slot, name, OF(0, 0, 0, 3, 3, 1, 2, 4), one_in(6) ? OF(-4, -1, 1, 4, -400, 100) : 0, value,
         OF(0, 1, 1, 2, 200, 2000, below(1 << 16)), OF(0, 0, 1, 2, 300, 65536));
}

static void events(long slot) {
  long all = one_in(2);
  /* When a sender is dry is not compared, nor what is authenticated. */
  for (long type = 1; type <= 14; type++)
    if (type != SCTP_SENDER_DRY_EVENT && type != SCTP_AUTHENTICATION_EVENT && (all || one_in(4))) printf("set %ld EVENT 0 0 %ld 1\n", slot, type);
}

static void open_one(long slot, long type, long callbacks) {
  printf("socket %ld 0 %ld %ld\n", slot, type, callbacks);
  if (one_in(2)) events(slot);
  if (one_in(3)) printf("set %ld RECVRCVINFO 0 0 1\n", slot);
  if (one_in(6)) printf("set %ld RECVNXTINFO 0 0 1\n", slot);
  if (one_in(3)) printf("set %ld NODELAY 0 0 1\n", slot);
  if (one_in(3)) printf("set %ld ENABLE_STREAM_RESET 0 0 7\n", slot);
  if (one_in(3)) printf("upcall %ld 1\n", slot);
  while (one_in(3)) option(slot, "set");
}

/* A listener, a caller, and what comes of them. */
static void called(void) {
  long type = one_in(3), callbacks = OF(0, 0, 0, 1, 2);
  open_one(0, type, callbacks);
  open_one(1, one_in(4) ? !type : type, OF(0, callbacks, callbacks));
  printf("bind 0 1 5000\nlisten 0 %ld\n", OF(1, 1, 5, 0));
  if (!one_in(3)) printf("bind 1 0 %ld\n", OF(5000, 5001, 0));
  printf("connect 1 0 5000\n");
  if (!one_in(8)) printf("pass 300\n");
  if (type == 0) printf("accept 0 2\n");
}

/* Two that call each other at once. */
static void both(void) {
  long callbacks = OF(0, 1);
  open_one(0, 0, callbacks);
  open_one(1, 0, callbacks);
  printf("bind 0 1 5000\nbind 1 0 5000\nconnect 0 1 5000\nconnect 1 0 5000\npass 300\n");
}

static void send_something(long slot) {
  long kind = OF(0, 1, 1, 1, 2, 4, 4, 3, 5), to = OF(0, 0, 0, 1, 1, 3, 4);
  long length = OF(1, 1, 10, 100, 1000, 1200, 3000, 20000, 50000, 0, one_in(6) ? 300000 : below(60000));
  long sid = OF(0, 0, 1, 2, 9, 10, 65535);
  /* usrsctp begins an association with a message that it then refuses. */
  if (to == 1) sid = below(3), length += !length;
  printf("send %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", slot, length, below(256), kind, one_in(20) ? OF(-1, 1, 4) : 0, sid,
         one_in(2) ? 0 : OF(0x400, 0x400, 0x4000, 0x100, 0x200, 0x800, 0x2000, 1, 2, 0x8000, 0x10), below(100),
         one_in(2) ? 0 : OF(0, 2, 3, 4, 16), OF(0, 1, 3, 100, 10000), to, one_in(10) ? OF(0x40, 0x80, 0x2000) : 0);
  printf("pass 2000\n");
}

static void anything(void) {
  long slot = below(one_in(8) ? 8 : 3);
  /* Whether acknowledgements wait is not compared. */
  if (!one_in(4)) printf("pass 300\n");
  switch (below(30)) {
  case 0: printf("socket %ld %ld %ld %ld\n", slot, one_in(10) ? below(4) : 0, OF(0, 0, 1, 2), below(4)); break;
  case 1: printf("bind %ld %ld %ld %ld\n", slot, side_of(slot), OF(0, 5000, 5001), one_in(4) ? OF(1, 12, -16) : 0); break;
  case 2: printf("listen %ld %ld\n", slot, OF(0, 1, 5)); break;
  case 3: printf("connect %ld %ld %ld %ld\n", slot, side_of(slot), OF(0, 5000, 5000, 5001), one_in(8) ? OF(1, 12, -16) : 0); break;
  case 4: printf("accept %ld %ld\n", slot, below(8)); break;
  case 5: case 6: case 7: case 8: case 9: send_something(slot); break;
  case 10: printf("receive %ld %ld %ld %ld\n", slot, OF(0, 1, 100, 500), one_in(3) ? OF(2, 0x40, 0x80, 2) : 0, OF(0, 28, 44, 16, 100)); break;
  case 11: case 12: printf("drain %ld\n", slot); break;
  case 13: case 14: case 15: option(slot, "set"); break;
  case 16: case 17: case 18: option(slot, one_in(6) ? "info" : "get"); break;
  case 19: printf("shutdown %ld %ld\n", slot, OF(1, 1, 1, 3)); break;
  case 20: if (one_in(2)) printf("set %ld SO_LINGER 0 0 1 %ld\n", slot, OF(0, 0, 5)); if (one_in(2)) printf("close %ld\n", slot); break;
  case 21: printf("events %ld\n", slot); break;
  case 22: printf("upcall %ld %d\n", slot, one_in(4)); break;
  case 23: printf("peeloff %ld %ld %ld\n", slot, OF(3, 3, 0, 4), below(8)); break;
  case 24: printf("%s %ld %ld\n", one_in(2) ? "own" : "peers", slot, OF(0, 3, 3, 4)); break;
  case 25: printf("id %ld %ld 5000\n", slot, side_of(slot)); break;
  case 26: printf("%s %ld %ld 5000 %ld %ld\n", one_in(2) ? "bindx" : "connectx", slot, side_of(slot), OF(0, 1), OF(0x8001, 0x8002, 1)); break;
  case 27:
    switch (below(3)) {
    case 0: printf("junk %ld %ld %ld\n", below(8), below(256), below(1 << 20)); break;
    case 1: printf("dump %ld %ld %ld\n", below(64), below(256), below(2)); break;
    default: printf("setting %ld %ld\n", below(68), OF(0, 1, 2, 3, 100, 5000, 65535, 65536, -1)); break;
    }
    break;
  default: printf("pass %ld\n", OF(10, 300, 300, 1000, 1000, 10000));
  }
}

void draw(uint64_t seed) {
  state = seed;
  random_number();
  if (one_in(10)) printf("setting %ld %ld\n", below(68), OF(0, 1, 2, 100, 5000));
  switch (below(8)) {
  case 0: break;
  case 1: case 2: both(); break;
  default: called(); break;
  }
  for (long n = OF(3, 10, 20, 40); n > 0; n--) anything();
  printf("pass 1000\ndrain 0\ndrain 1\ndrain 2\n");
}
