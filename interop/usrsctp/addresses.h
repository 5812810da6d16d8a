/* IPv4 addresses of both ends: those that the options name, and those that come and go while an association
 * lives (RFC 5061). */
#ifndef SHEAVE_ADDRESSES_H
#define SHEAVE_ADDRESSES_H
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <usrsctp.h>

enum { MOST_ADDRESSES = 4 };

/* 127.0.0.1 where none is named. */
struct addresses {
  int count;
  struct sockaddr_in list[MOST_ADDRESSES];
};

static inline struct sockaddr_in address_of(in_addr_t ip, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = ip;
  return address;
}

static inline int parse_address(const char *text, struct sockaddr_in *address) {
  struct in_addr ip;
  errno = EINVAL;
  if (inet_pton(AF_INET, text, &ip) != 1) return -1;
  *address = address_of(ip.s_addr, 0);
  return 0;
}

static inline int add_named_address(struct addresses *all, const char *text) {
  if (all->count == MOST_ADDRESSES) return -1;
  return parse_address(text, &all->list[all->count++]);
}

/* Binds to all of them, at the port, which 0 leaves to the library. */
static inline int bind_to(struct socket *socket, struct addresses all, int port) {
  struct sockaddr_in loopback = address_of(htonl(INADDR_LOOPBACK), port);
  if (!all.count) return usrsctp_bind(socket, (struct sockaddr *)&loopback, sizeof loopback);
  for (int i = 0; i < all.count; i++) all.list[i].sin_port = htons((uint16_t)port);
  return usrsctp_bindx(socket, (struct sockaddr *)all.list, all.count, SCTP_BINDX_ADD_ADDR);
}

/* Adds or deletes one while the association lives. */
static inline int change_addresses(struct socket *socket, const char *text, int flags) {
  struct sockaddr_in address;
  if (parse_address(text, &address)) return -1;
  return usrsctp_bindx(socket, (struct sockaddr *)&address, 1, flags);
}

/* Asks the peer to send to that address of ours. */
static inline int set_peer_primary(struct socket *socket, const char *text) {
  struct sctp_setpeerprim option = {0};
  struct sockaddr_in address;
  if (parse_address(text, &address)) return -1;
  memcpy(&option.sspp_addr, &address, sizeof address);
  return usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_SET_PEER_PRIMARY_ADDR, &option, sizeof option);
}

static inline const char *state_of(struct socket *socket, const struct sockaddr *address) {
  struct sctp_paddrinfo option = {0};
  socklen_t length = sizeof option;
  memcpy(&option.spinfo_address, address, sizeof(struct sockaddr_in));
  if (usrsctp_getsockopt(socket, IPPROTO_SCTP, SCTP_GET_PEER_ADDR_INFO, &option, &length)) return "unknown";
  if (option.spinfo_state & SCTP_UNCONFIRMED) return "unconfirmed";
  return option.spinfo_state & SCTP_ACTIVE ? "active" : "inactive";
}

/* Prints the peer's addresses and what is known of each. */
static inline int print_paths(struct socket *socket) {
  struct sockaddr *all;
  char text[INET_ADDRSTRLEN];
  int count = usrsctp_getpaddrs(socket, 0, &all);
  if (count < 0) return -1;
  printf("paths");
  for (int i = 0; i < count; i++) {
    struct sockaddr *one = (struct sockaddr *)((struct sockaddr_in *)all + i);
    inet_ntop(AF_INET, &((struct sockaddr_in *)one)->sin_addr, text, sizeof text);
    printf(" %s %s", text, state_of(socket, one));
  }
  printf("\n");
  usrsctp_freepaddrs(all);
  return 0;
}
#endif
