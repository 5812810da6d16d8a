/* Calls that a program should not make: the library answers each with an error, and lives on. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <usrsctp.h>

static int faults, packets;

#define EXPECT(condition) \
  do { \
    if (!(condition)) { printf("line %d: %s (errno %d)\n", __LINE__, #condition, errno); faults++; } \
  } while (0)

static int carry(void *address, void *buffer, size_t length, uint8_t tos, uint8_t set_df) {
  (void)tos; (void)set_df;
  packets++;
  /* Back into the library from within it: the packet is for the connection's other end. */
  usrsctp_conninput((void *)((uintptr_t)address ^ 1), buffer, length, 0);
  return 0;
}

static struct sockaddr_conn name_of(uintptr_t address) {
  struct sockaddr_conn name = {.sconn_family = AF_CONN, .sconn_port = htons(5000), .sconn_addr = (void *)address};
  return name;
}

static void without_library(void) {
  EXPECT(!usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL) && errno == EPROTONOSUPPORT);
  usrsctp_conninput((void *)1, "abc", 3, 0);
  usrsctp_register_address((void *)1);
  usrsctp_deregister_address((void *)1);
  usrsctp_handle_timers(10);
  EXPECT(usrsctp_finish() == 0);
}

static void with_no_socket(struct socket *s) {
  char bytes[64];
  socklen_t length = sizeof bytes;
  unsigned kind;
  int flags = 0;
  struct sockaddr *list;
  EXPECT(usrsctp_bind(s, (struct sockaddr *)bytes, sizeof bytes) < 0);
  EXPECT(usrsctp_listen(s, 1) < 0 && errno == EBADF);
  EXPECT(!usrsctp_accept(s, NULL, NULL) && errno == EBADF);
  EXPECT(!usrsctp_peeloff(s, 3) && errno == EBADF);
  EXPECT(usrsctp_sendv(s, bytes, 1, NULL, 0, NULL, 0, SCTP_SENDV_NOINFO, 0) < 0 && errno == EBADF);
  EXPECT(usrsctp_recvv(s, bytes, 1, NULL, NULL, NULL, &length, &kind, &flags) < 0 && errno == EBADF);
  EXPECT(usrsctp_setsockopt(s, IPPROTO_SCTP, SCTP_NODELAY, bytes, 4) < 0 && errno == EBADF);
  length = sizeof bytes;
  EXPECT(usrsctp_getsockopt(s, IPPROTO_SCTP, SCTP_NODELAY, bytes, &length) < 0 && errno == EBADF);
  EXPECT(usrsctp_shutdown(s, SHUT_WR) < 0 && errno == EBADF);
  EXPECT(usrsctp_get_events(s) < 0 && errno == EBADF);
  EXPECT(usrsctp_set_upcall(s, NULL, NULL) < 0 && errno == EBADF);
  EXPECT(usrsctp_set_non_blocking(s, 1) < 0 && errno == EBADF);
  EXPECT(usrsctp_getpaddrs(s, 0, &list) < 0 && errno == EBADF);
  EXPECT(usrsctp_getassocid(s, NULL) == 0);
  usrsctp_close(s);
}

/* Any option with any length, of values that say anything. */
static void with_wild_options(struct socket *s) {
  unsigned char value[512];
  for (int name = 0; name < 0x1300; name++) {
    /* What is set there is not undone, and concerns the next calls. */
    if (name == SCTP_RECVRCVINFO) continue;
    for (socklen_t length = 0; length < 300; length += 1 + length / 3) {
      memset(value, name * 7 + (int)length, sizeof value);
      usrsctp_setsockopt(s, IPPROTO_SCTP, name, value, length);
      socklen_t room = length;
      usrsctp_getsockopt(s, IPPROTO_SCTP, name, value, &room);
      EXPECT(room <= length);
      room = length;
      usrsctp_opt_info(s, 77, name, value, &room);
    }
  }
  EXPECT(usrsctp_setsockopt(s, IPPROTO_SCTP, SCTP_NODELAY, value, UINT32_MAX) < 0);
  EXPECT(usrsctp_setsockopt(s, 4711, 1, value, 4) < 0 && errno == ENOPROTOOPT);
  EXPECT(usrsctp_setsockopt(s, SOL_SOCKET, SO_SNDBUF, value, 3) < 0 && errno == EINVAL);
}

static void with_wild_messages(struct socket *s) {
  struct sctp_sendv_spa how;
  char byte = 0;
  for (unsigned kind = 0; kind < 8; kind++)
    for (socklen_t length = 0; length <= sizeof how; length++) {
      memset(&how, (int)(kind * 31 + length), sizeof how);
      EXPECT(usrsctp_sendv(s, &byte, 1, NULL, 0, &how, length, kind, 0) < 0);
    }
  EXPECT(usrsctp_sendv(s, NULL, 1, NULL, 0, NULL, 0, SCTP_SENDV_NOINFO, 0) < 0 && errno == EFAULT);
  EXPECT(usrsctp_sendv(s, &byte, SIZE_MAX, NULL, 0, NULL, 0, SCTP_SENDV_NOINFO, 0) < 0 && errno == EINVAL);
  EXPECT(usrsctp_sendv(s, &byte, 1, NULL, 2, NULL, 0, SCTP_SENDV_NOINFO, 0) < 0 && errno == EINVAL);
}

/* An association whose packets cross within the callback, and what arrives on it besides. */
static void over_connections(void) {
  struct sockaddr_conn here = name_of(0x1000), there = name_of(0x1001), other = name_of(0x1000);
  usrsctp_register_address((void *)0x1000);
  usrsctp_register_address((void *)0x1001);
  struct socket *listener = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  struct socket *caller = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  EXPECT(!usrsctp_bind(listener, (struct sockaddr *)&there, sizeof there));
  EXPECT(!usrsctp_listen(listener, 1));
  EXPECT(!usrsctp_bind(caller, (struct sockaddr *)&here, sizeof here));
  EXPECT(!usrsctp_connect(caller, (struct sockaddr *)&other, sizeof other));
  struct socket *served = usrsctp_accept(listener, NULL, NULL);
  EXPECT(served != NULL);
  EXPECT(usrsctp_sendv(caller, "hello", 5, NULL, 0, NULL, 0, SCTP_SENDV_NOINFO, 0) == 5);
  char bytes[16];
  int flags = 0;
  EXPECT(usrsctp_recvv(served, bytes, sizeof bytes, NULL, NULL, NULL, NULL, NULL, &flags) == 5);
  EXPECT(!memcmp(bytes, "hello", 5) && flags & MSG_EOR);
  unsigned seed = 1;
  for (int i = 0; i < 20000; i++) {
    unsigned char junk[100];
    for (size_t j = 0; j < sizeof junk; j++) {
      seed = seed * 1103515245 + 12345;
      junk[j] = (unsigned char)(seed >> 16);
    }
    usrsctp_conninput((void *)0x1001, junk, seed % sizeof junk, (uint8_t)i);
  }
  EXPECT(usrsctp_sendv(served, "still", 5, NULL, 0, NULL, 0, SCTP_SENDV_NOINFO, 0) == 5);
  EXPECT(usrsctp_recvv(caller, bytes, sizeof bytes, NULL, NULL, NULL, NULL, NULL, NULL) == 5);
  EXPECT(usrsctp_finish() < 0);
  usrsctp_close(served);
  usrsctp_close(caller);
  usrsctp_close(listener);
  with_no_socket(caller);
  EXPECT(packets > 6);
}

int main(void) {
  without_library();
  with_no_socket(NULL);
  usrsctp_init_nothreads(0, carry, NULL);
  with_no_socket((struct socket *)(uintptr_t)0xdeadbee0);
  EXPECT(!usrsctp_socket(AF_CONN, 4711, IPPROTO_SCTP, NULL, NULL, 0, NULL));
  EXPECT(!usrsctp_socket(4711, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL) && errno == EINVAL);
  struct socket *s = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
  EXPECT(s != NULL);
  EXPECT(usrsctp_bindx(s, NULL, 1, SCTP_BINDX_ADD_ADDR) < 0 && errno == EINVAL);
  EXPECT(usrsctp_connectx(s, NULL, 1, NULL) < 0 && errno == EINVAL);
  with_wild_messages(s);
  with_wild_options(s);
  usrsctp_close(s);
  over_connections();
  for (int i = 0; usrsctp_finish() && i < 1000; i++) usrsctp_handle_timers(1000);
  EXPECT(usrsctp_finish() == 0);
  with_no_socket(s);
  without_library();
  usrsctp_init(0, carry, NULL);
  with_no_socket(s);
  EXPECT(usrsctp_finish() == 0);
  printf("%d faults\n", faults);
  return faults != 0;
}
