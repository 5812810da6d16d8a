/* An end of a pair: it sends numbered messages, and knows which are due. */
#include "load.h"

struct message { uint32_t number, stream, kind; };
enum { ORDERED, UNORDERED, MAY_VANISH };

/* Whether a message of its kind is new, and due on its stream. */
static void check(struct talker *talker, const unsigned char *data, size_t length, unsigned sid) {
  struct message message;
  if (length < sizeof message) FAULT("pair %ld: a message of %zu bytes", talker->pair, length);
  memcpy(&message, data, sizeof message);
  for (size_t i = sizeof message; i < length; i++)
    if (data[i] != (unsigned char)message.number) FAULT("pair %ld: message %u is damaged at %zu of %zu", talker->pair, message.number, i, length);
  if (message.stream != sid) FAULT("pair %ld: message %u of stream %u on %u", talker->pair, message.number, message.stream, sid);
  pthread_mutex_lock(&talker->lock);
  size_t place = message.number * STREAMS + message.stream;
  if (place >= talker->seen_room) FAULT("pair %ld: message %u was never sent", talker->pair, message.number);
  if (talker->seen[place]++) FAULT("pair %ld: message %u of stream %u came twice", talker->pair, message.number, sid);
  /* Those before it may have vanished, or be unordered and late, but never come behind it in order. */
  if (message.kind != UNORDERED && message.number < talker->due[sid])
    FAULT("pair %ld: message %u of stream %u came behind %u", talker->pair, message.number, sid, talker->due[sid]);
  if (message.kind != UNORDERED) talker->due[sid] = message.number + 1;
  talker->came++;
  if (message.kind == MAY_VANISH) talker->missing--;
  pthread_mutex_unlock(&talker->lock);
}

/* Calls that a program may make from within a callback. */
static void meddle(struct talker *talker) {
  struct sctp_status status = {0};
  socklen_t length = sizeof status;
  int on = 1;
  usrsctp_get_events(talker->socket);
  usrsctp_getsockopt(talker->socket, IPPROTO_SCTP, SCTP_STATUS, &status, &length);
  usrsctp_setsockopt(talker->socket, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on);
  usrsctp_getassocid(talker->socket, (struct sockaddr *)&(struct sockaddr_conn){.sconn_family = AF_CONN, .sconn_addr = end_of(talker->pair, talker->side)});
}

static unsigned char *parts[MOST_PAIRS * 2];
static size_t part_lengths[MOST_PAIRS * 2];

static void take(struct talker *talker, const void *data, size_t length, unsigned sid, int flags) {
  long at = talker->pair * 2 + talker->side;
  parts[at] = realloc(parts[at], part_lengths[at] + length);
  memcpy(parts[at] + part_lengths[at], data, length);
  part_lengths[at] += length;
  if (!(flags & MSG_EOR)) return;
  check(talker, parts[at], part_lengths[at], sid);
  part_lengths[at] = 0;
}

static int on_message(struct socket *socket, union sctp_sockstore from, void *data, size_t length,
                      struct sctp_rcvinfo info, int flags, void *ulp_info) {
  (void)from;
  struct talker *talker = ulp_info;
  if (talker->is_closed) FAULT("pair %ld: a callback for a closed socket", talker->pair);
  if (socket != talker->socket) FAULT("pair %ld: a callback for another socket", talker->pair);
  if (!data) talker->ended = 1;
  else if (!(flags & MSG_NOTIFICATION)) take(talker, data, length, info.rcv_sid, flags);
  free(data);
  if (talker->is_busy_inside && !talker->ended) meddle(talker);
  return 1;
}

static void on_change(struct socket *socket, void *argument, int flags) {
  (void)flags;
  struct talker *talker = argument;
  if (talker->is_closed) FAULT("pair %ld: an upcall for a closed socket", talker->pair);
  if (talker->is_busy_inside && socket == talker->socket) meddle(talker);
}

void open_talker(struct talker *talker) {
  pthread_mutex_init(&talker->lock, NULL);
  talker->seen_room = (size_t)(talker->peer->wanted + 1) * STREAMS;
  talker->seen = calloc(talker->seen_room, 1);
  talker->socket = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, talker->calls_back ? on_message : NULL, NULL, 0, talker->calls_back ? talker : NULL);
  if (!talker->socket) FAULT("no socket: %d", errno);
  int on = 1;
  usrsctp_set_non_blocking(talker->socket, 1);
  usrsctp_setsockopt(talker->socket, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on);
  usrsctp_set_upcall(talker->socket, on_change, talker);
  struct sockaddr_conn name = {.sconn_family = AF_CONN, .sconn_port = htons(5000), .sconn_addr = end_of(talker->pair, talker->side)};
  if (usrsctp_bind(talker->socket, (struct sockaddr *)&name, sizeof name)) FAULT("bind: %d", errno);
  if (usrsctp_connect(talker->socket, (struct sockaddr *)&name, sizeof name) && errno != EINPROGRESS) FAULT("connect: %d", errno);
}

static int send_one(struct talker *talker) {
  static _Thread_local unsigned char bytes[40000];
  static const size_t lengths[] = {0, 1, 100, 1000, 1200, 5000, 30000};
  long kind = below(4) ? ORDERED : below(2) ? UNORDERED : MAY_VANISH;
  unsigned sid = (unsigned)below(STREAMS);
  struct message message = {.number = talker->next[sid], .stream = sid, .kind = (uint32_t)kind};
  size_t length = sizeof message + lengths[below(7)];
  memset(bytes, (unsigned char)message.number, length);
  memcpy(bytes, &message, sizeof message);
  struct sctp_sendv_spa how = {.sendv_flags = SCTP_SEND_SNDINFO_VALID, .sendv_sndinfo = {.snd_sid = (uint16_t)sid}};
  if (kind == UNORDERED) how.sendv_sndinfo.snd_flags = SCTP_UNORDERED;
  if (kind == MAY_VANISH) {
    how.sendv_flags |= SCTP_SEND_PRINFO_VALID;
    how.sendv_prinfo = (struct sctp_prinfo){.pr_policy = SCTP_PR_SCTP_RTX, .pr_value = (uint32_t)below(2)};
  }
  pthread_mutex_lock(&talker->peer->lock);
  if (kind == MAY_VANISH) talker->peer->missing++;
  pthread_mutex_unlock(&talker->peer->lock);
  ssize_t sent = usrsctp_sendv(talker->socket, bytes, length, NULL, 0, &how, sizeof how, SCTP_SENDV_SPA, 0);
  if (sent == (ssize_t)length) { talker->next[sid]++; talker->sent++; return 1; }
  if (sent >= 0) FAULT("%zd of %zu bytes taken", sent, length);
  if (errno != EAGAIN && errno != ENOTCONN) FAULT("pair %ld: send: %d", talker->pair, errno);
  pthread_mutex_lock(&talker->peer->lock);
  if (kind == MAY_VANISH) talker->peer->missing--;
  pthread_mutex_unlock(&talker->peer->lock);
  return 0;
}

static int read_one(struct talker *talker) {
  static _Thread_local unsigned char bytes[50000];
  struct sctp_rcvinfo info;
  struct sockaddr_conn from;
  socklen_t from_length = sizeof from, info_length = sizeof info;
  unsigned kind;
  int flags = 0;
  ssize_t got = usrsctp_recvv(talker->socket, bytes, below(2) ? sizeof bytes : 700, (struct sockaddr *)&from, &from_length, &info, &info_length, &kind, &flags);
  if (got < 0 && errno != EAGAIN) FAULT("pair %ld: receive: %d", talker->pair, errno);
  if (got == 0) talker->ended = 1;
  if (got <= 0) return 0;
  if (kind != SCTP_RECVV_RCVINFO) FAULT("pair %ld: no description", talker->pair);
  take(talker, bytes, (size_t)got, info.rcv_sid, flags);
  return 1;
}

int step_talker(struct talker *talker) {
  int did = 0;
  if (talker->sent < talker->wanted) did |= send_one(talker);
  while (!talker->calls_back && read_one(talker)) did = 1;
  return did;
}

int is_done(struct talker *talker) {
  pthread_mutex_lock(&talker->lock);
  long all = talker->peer->sent, least = all - talker->missing;
  int done = talker->sent == talker->wanted && all == talker->peer->wanted && talker->came >= least;
  pthread_mutex_unlock(&talker->lock);
  return done;
}

void close_talker(struct talker *talker) {
  usrsctp_close(talker->socket);
  talker->is_closed = 1;
}
