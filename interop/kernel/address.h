/* Addresses of both families, as SCTP's socket options take them: packed, one behind the other. */
#ifndef SHEAVE_ADDRESS_H
#define SHEAVE_ADDRESS_H
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { MOST_ADDRESSES = 8 };

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

struct addresses {
  int count;
  int family; /* AF_INET6 as soon as one of them is */
  size_t length;
  uint8_t packed[MOST_ADDRESSES * sizeof(union address)];
};

static inline _Noreturn void fail(const char *what) {
  printf("failed %s: %s\n", what, strerror(errno));
  exit(1);
}

/* Bytes of an address. */
static inline size_t address_length(const union address *one) {
  return one->any.sa_family == AF_INET6 ? sizeof one->v6 : sizeof one->v4;
}

static inline struct addresses parse_addresses(const char *list, int port) {
  struct addresses all = {.family = AF_INET};
  char *copy = strdup(list), *rest;
  for (char *word = strtok_r(copy, ",", &rest); word && all.count < MOST_ADDRESSES;
       word = strtok_r(NULL, ",", &rest)) {
    union address one = {0};
    if (inet_pton(AF_INET, word, &one.v4.sin_addr) == 1) {
      one.v4.sin_family = AF_INET;
      one.v4.sin_port = htons((uint16_t)port);
    } else if (inet_pton(AF_INET6, word, &one.v6.sin6_addr) == 1) {
      one.v6.sin6_family = all.family = AF_INET6;
      one.v6.sin6_port = htons((uint16_t)port);
    } else {
      fail(word);
    }
    memcpy(all.packed + all.length, &one, address_length(&one));
    all.length += address_length(&one);
    all.count++;
  }
  free(copy);
  return all;
}

/* The address as text; an IPv4 address that stands in an IPv6 one as what it is. */
static inline const char *address_text(const union address *one) {
  static char text[INET6_ADDRSTRLEN];
  const struct in6_addr *six = &one->v6.sin6_addr;
  if (one->any.sa_family == AF_INET) inet_ntop(AF_INET, &one->v4.sin_addr, text, sizeof text);
  else if (IN6_IS_ADDR_V4MAPPED(six)) inet_ntop(AF_INET, &six->s6_addr[12], text, sizeof text);
  else inet_ntop(AF_INET6, six, text, sizeof text);
  return text;
}
#endif
