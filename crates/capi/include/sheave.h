/* libsheave: SCTP in user space (RFC 9260), over UDP and over plain IP.
 *
 * Written by `cargo xtask header` from the sources in crates/capi; change those instead.
 *
 * Handles. An endpoint has listeners and associations. Each handle is made by one call and freed by
 * the function with its name and _free, which does nothing with NULL. The order does not matter.
 *
 * Outcomes. Most functions return a status, SHEAVE_STATUS_OK being 0; sheave_strerror() describes it,
 * and sheave_last_error() says more about the last failure of the calling thread. A call that fails
 * leaves the places for its results as they are, unless it says otherwise.
 *
 * Time. A timeout is a number of milliseconds, as for poll(2): a negative one waits for as long as
 * it takes, 0 does not wait. Nothing calls back: an event loop waits for the file descriptor of each
 * handle, which is readable while something waits there. It is not for reading, but for poll(2),
 * select(2) and their like.
 *
 * Threads. Any thread may use any handle at any time, and several may use one at once; only freeing
 * is for a thread that knows that nobody else uses the handle. Messages and events that were
 * received are plain memory, for any number of readers. A child of fork() finds all handles closed.
 *
 * Pointers. A pointer to a handle is NULL or came from this library and was not freed. A text ends
 * in a zero and is UTF-8. A pointer to a place for a result leads to memory for it, which nobody
 * else uses during the call. Where an argument is NULL that must not be, the call returns
 * SHEAVE_STATUS_INVALID_ARGUMENT, or NULL, 0 or -1.
 */

#ifndef SHEAVE_H
#define SHEAVE_H

#include <stddef.h>
#include <stdint.h>

/**
 * A call to receive has a message, part of one, or the end.
 */
#define SHEAVE_READY_READABLE 1

/**
 * A call to send may have room: none was refused for lack of it, or room has come since.
 */
#define SHEAVE_READY_WRITABLE 2

/**
 * An event waits, or the last one was taken.
 */
#define SHEAVE_READY_EVENT 4

/**
 * The association is established, or has failed to be.
 */
#define SHEAVE_READY_ESTABLISHED 8

/**
 * The message may overtake earlier ones of its stream (RFC 9260 §6.6).
 */
#define SHEAVE_SEND_UNORDERED 1

/**
 * The peer is asked to acknowledge the message at once (RFC 7053).
 */
#define SHEAVE_SEND_ACKNOWLEDGE_NOW 2

/**
 * The message is authenticated with the key `key` in place of the active one (RFC 4895), where the peer
 * asks for DATA to be authenticated.
 */
#define SHEAVE_SEND_WITH_KEY 4

/**
 * The message leaves on every active path at once, and the first copy to arrive counts.
 */
#define SHEAVE_SEND_ON_EVERY_PATH 8

/**
 * The message is sent until it is delivered or the association ends.
 */
#define SHEAVE_RELIABLE 0

/**
 * The message is given up after `reliability_value` milliseconds (RFC 3758).
 */
#define SHEAVE_LIFETIME 1

/**
 * The message is given up when a part of it would be sent again more than `reliability_value`
 * times, at most 255 (RFC 7496).
 */
#define SHEAVE_RETRANSMISSIONS 2

/**
 * The message makes room for others whose `reliability_value` is smaller (RFC 7496).
 */
#define SHEAVE_PRIORITY 3

/**
 * The message was sent unordered.
 */
#define SHEAVE_RECEIVED_UNORDERED 1

/**
 * More of the message follows, in another call.
 */
#define SHEAVE_RECEIVED_MORE 2

/**
 * The streams that we send on.
 */
#define SHEAVE_OUTGOING 0

/**
 * The streams that the peer sends on.
 */
#define SHEAVE_INCOMING 1

/**
 * Room for an IP address as text, and its zero.
 */
#define SHEAVE_ADDRESS_LENGTH 46

/**
 * The outcome of a call.
 */
enum sheave_status {
  /**
   * Done.
   */
  SHEAVE_STATUS_OK = 0,
  /**
   * Nothing came, or no room, within the time allowed; another call may succeed.
   */
  SHEAVE_STATUS_AGAIN = 1,
  /**
   * The graceful end: everything that the peer sent has been received.
   */
  SHEAVE_STATUS_END = 2,
  /**
   * The association ended otherwise, or its endpoint was closed.
   */
  SHEAVE_STATUS_CLOSED = 3,
  /**
   * A shutdown has begun, here or at the peer: nothing new can be sent.
   */
  SHEAVE_STATUS_SHUTTING_DOWN = 4,
  /**
   * The association was not set up: no answer, or refused.
   */
  SHEAVE_STATUS_CONNECT_FAILED = 5,
  /**
   * An argument is NULL where it must not be, out of range, or has a wrong size.
   */
  SHEAVE_STATUS_INVALID_ARGUMENT = 6,
  /**
   * A text with options, a configuration or a target cannot be read; the message of
   * sheave_last_error() names the key.
   */
  SHEAVE_STATUS_INVALID_OPTION = 7,
  /**
   * There is no such stream.
   */
  SHEAVE_STATUS_INVALID_STREAM = 8,
  /**
   * The message is larger than allowed.
   */
  SHEAVE_STATUS_TOO_LARGE = 9,
  /**
   * An address cannot be used, or the peer has no such address.
   */
  SHEAVE_STATUS_ADDRESS = 10,
  /**
   * The port is taken, or the key in use.
   */
  SHEAVE_STATUS_IN_USE = 11,
  /**
   * Raw IP needs root or CAP_NET_RAW.
   */
  SHEAVE_STATUS_NO_PERMISSION = 12,
  /**
   * One of the two ends does not have the extension.
   */
  SHEAVE_STATUS_NOT_AGREED = 13,
  /**
   * The association is not established yet, or no longer.
   */
  SHEAVE_STATUS_NOT_ESTABLISHED = 14,
  /**
   * Another request of that kind is under way.
   */
  SHEAVE_STATUS_BUSY = 15,
  /**
   * A limit of the endpoint is reached.
   */
  SHEAVE_STATUS_LIMIT = 16,
  /**
   * A request to the operating system failed.
   */
  SHEAVE_STATUS_SYSTEM = 17,
  /**
   * An error of the library: it panicked. The handle may only be freed.
   */
  SHEAVE_STATUS_PANIC = 18,
};

/**
 * The reason why an association ended.
 */
enum sheave_close_reason {
  /**
   * It has not ended.
   */
  SHEAVE_CLOSE_REASON_NONE = 0,
  /**
   * Both ends agreed; everything was delivered.
   */
  SHEAVE_CLOSE_REASON_GRACEFUL = 1,
  /**
   * This end aborted it.
   */
  SHEAVE_CLOSE_REASON_ABORTED = 2,
  /**
   * The peer aborted it.
   */
  SHEAVE_CLOSE_REASON_ABORTED_BY_PEER = 3,
  /**
   * The peer broke the protocol.
   */
  SHEAVE_CLOSE_REASON_PEER_FAULT = 4,
  /**
   * The peer does not answer.
   */
  SHEAVE_CLOSE_REASON_TIMED_OUT = 5,
  /**
   * The peer's cookie went stale.
   */
  SHEAVE_CLOSE_REASON_STALE_COOKIE = 6,
  /**
   * Another one.
   */
  SHEAVE_CLOSE_REASON_OTHER = 7,
};

/**
 * The kind of an event.
 */
enum sheave_event_kind {
  /**
   * Of a kind that this header does not know; its text says more.
   */
  SHEAVE_EVENT_KIND_OTHER = 0,
  /**
   * The association is established: the first event of each.
   */
  SHEAVE_EVENT_KIND_ESTABLISHED = 1,
  /**
   * The peer lost its state and set the association up afresh; sequence numbers start over.
   */
  SHEAVE_EVENT_KIND_RESTARTED = 2,
  /**
   * A path changed: sheave_event_path_change(), sheave_event_address().
   */
  SHEAVE_EVENT_KIND_PATH = 3,
  /**
   * A message of ours was not delivered: sheave_event_context(), sheave_event_was_sent(), and the
   * message in sheave_event_bytes().
   */
  SHEAVE_EVENT_KIND_SEND_FAILED = 4,
  /**
   * A message of ours was given up, as its reliability says; else as SHEAVE_EVENT_KIND_SEND_FAILED.
   */
  SHEAVE_EVENT_KIND_ABANDONED = 5,
  /**
   * Everything sent so far has been acknowledged.
   */
  SHEAVE_EVENT_KIND_DRAINED = 6,
  /**
   * The peer reported an error that did not end the association: sheave_event_cause(),
   * sheave_event_bytes().
   */
  SHEAVE_EVENT_KIND_PEER_ERROR = 7,
  /**
   * No further part of a message on sheave_event_stream() follows.
   */
  SHEAVE_EVENT_KIND_PARTIAL_DELIVERY_ABORTED = 8,
  /**
   * Streams begin with sequence number 0 again: sheave_event_streams(), none for all of them, and
   * sheave_event_is_outgoing().
   */
  SHEAVE_EVENT_KIND_STREAMS_RESET = 9,
  /**
   * Streams were added: sheave_association_streams().
   */
  SHEAVE_EVENT_KIND_STREAMS_CHANGED = 10,
  /**
   * A request of ours to reset or add streams came to nothing.
   */
  SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED = 11,
  /**
   * The peer wants to close: nothing new can be sent.
   */
  SHEAVE_EVENT_KIND_PEER_SHUTDOWN = 12,
  /**
   * The association is gone: sheave_event_close_reason(). The last event.
   */
  SHEAVE_EVENT_KIND_CLOSED = 13,
  /**
   * All TSNs begin with other numbers, and all streams, both ways, with sequence number 0.
   */
  SHEAVE_EVENT_KIND_ASSOCIATION_RESET = 14,
  /**
   * The use of keys changed (RFC 4895): sheave_event_authentication(), sheave_event_key().
   */
  SHEAVE_EVENT_KIND_AUTHENTICATION = 15,
};

/**
 * A change of a path.
 */
enum sheave_path_event {
  /**
   * The event is about no path.
   */
  SHEAVE_PATH_EVENT_NONE = 0,
  /**
   * The peer proved that it owns the address.
   */
  SHEAVE_PATH_EVENT_CONFIRMED = 1,
  /**
   * Several sends went unanswered: new data goes elsewhere (RFC 7829).
   */
  SHEAVE_PATH_EVENT_POTENTIALLY_FAILED = 2,
  /**
   * The path is taken for dead.
   */
  SHEAVE_PATH_EVENT_DOWN = 3,
  /**
   * The path answers again.
   */
  SHEAVE_PATH_EVENT_UP = 4,
  /**
   * The path is the primary path now.
   */
  SHEAVE_PATH_EVENT_PRIMARY = 5,
  /**
   * The peer has this address, too.
   */
  SHEAVE_PATH_EVENT_ADDED = 6,
  /**
   * The peer has this address no longer.
   */
  SHEAVE_PATH_EVENT_REMOVED = 7,
};

/**
 * A change of authentication.
 */
enum sheave_authentication_event {
  /**
   * The event is about no such change.
   */
  SHEAVE_AUTHENTICATION_EVENT_NONE = 0,
  /**
   * The peer does not authenticate: what it sends is taken as it comes.
   */
  SHEAVE_AUTHENTICATION_EVENT_UNAVAILABLE = 1,
  /**
   * The peer now sends with the key.
   */
  SHEAVE_AUTHENTICATION_EVENT_NEW_KEY = 2,
  /**
   * The key was deactivated, and nothing that was sent with it is on the way any more.
   */
  SHEAVE_AUTHENTICATION_EVENT_FREE_KEY = 3,
};

/**
 * Whether a path can carry data.
 */
enum sheave_path_condition {
  /**
   * The peer has not yet proved that it owns the address.
   */
  SHEAVE_PATH_CONDITION_UNCONFIRMED = 0,
  /**
   * Reachable.
   */
  SHEAVE_PATH_CONDITION_ACTIVE = 1,
  /**
   * Several sends went unanswered: new data goes elsewhere while the path is probed.
   */
  SHEAVE_PATH_CONDITION_POTENTIALLY_FAILED = 2,
  /**
   * Taken for dead.
   */
  SHEAVE_PATH_CONDITION_INACTIVE = 3,
};

/**
 * An association: sends and receives messages on streams, over one path or several.
 *
 * Any number of threads may use it at a time.
 */
struct sheave_association;

/**
 * An SCTP endpoint: its sockets, its ports and all associations on them.
 *
 * The endpoint lives as long as its handle or one of its listeners and associations does.
 */
struct sheave_endpoint;

/**
 * An event of an association.
 */
struct sheave_event;

/**
 * Accepts associations on one SCTP port.
 */
struct sheave_listener;

/**
 * A message that was received.
 */
struct sheave_message;

/**
 * Options of one message. All zero but `size` are the default ones.
 */
struct sheave_send_info {
  /**
   * sizeof(struct sheave_send_info).
   */
  size_t size;
  /**
   * Comes back in the event that the message was not delivered.
   */
  uint64_t context;
  /**
   * The payload protocol identifier, in the machine's byte order.
   */
  uint32_t ppid;
  /**
   * A sum of SHEAVE_SEND_ constants.
   */
  uint32_t flags;
  /**
   * SHEAVE_RELIABLE, SHEAVE_LIFETIME, SHEAVE_RETRANSMISSIONS or SHEAVE_PRIORITY. All are reliable
   * where the two ends did not agree on partial reliability.
   */
  uint32_t reliability;
  /**
   * Milliseconds, a number of retransmissions, or a priority.
   */
  uint32_t reliability_value;
  /**
   * The stream; they count from 0.
   */
  uint16_t stream;
  /**
   * The id of the key, with SHEAVE_SEND_WITH_KEY.
   */
  uint16_t key;
  /**
   * The address of the peer, as text, to send the message to while it is reachable (RFC 9260
   * §11.1.5); NULL for the primary one.
   */
  const char *destination;
};

/**
 * A message, or a part of one, that was received.
 */
struct sheave_receive_info {
  /**
   * Bytes put into the buffer.
   */
  size_t length;
  /**
   * The payload protocol identifier, in the machine's byte order.
   */
  uint32_t ppid;
  /**
   * A sum of SHEAVE_RECEIVED_ constants.
   */
  uint32_t flags;
  /**
   * The stream; they count from 0.
   */
  uint16_t stream;
};

/**
 * The place of a received message among what the peer sends.
 */
struct sheave_origin {
  /**
   * The peer's address that the message, or its first part, came from, as text; empty where the peer
   * has it no longer, and once the association is closed.
   */
  char source[SHEAVE_ADDRESS_LENGTH];
  /**
   * The stream sequence number, 16 bits, or where messages are interleaved (RFC 8260) the message
   * identifier. Means nothing for unordered messages without interleaving.
   */
  uint32_t ssn_or_mid;
  /**
   * The TSN of the message's first chunk.
   */
  uint32_t tsn;
  /**
   * The last TSN before which none is missing, at the time of the call; 0 once the association is
   * closed.
   */
  uint32_t cumulative_tsn;
};

/**
 * Counters of an association.
 */
struct sheave_association_stats {
  /**
   * Bytes accepted by send and not yet acknowledged.
   */
  uint64_t send_buffered;
  /**
   * Bytes charged to the receive buffer.
   */
  uint64_t receive_buffered;
  /**
   * Messages sent (first transmission of their last chunk).
   */
  uint64_t messages_sent;
  /**
   * Messages received.
   */
  uint64_t messages_received;
  /**
   * User bytes sent, retransmissions not counted.
   */
  uint64_t bytes_sent;
  /**
   * User bytes sent again, as often as they were.
   */
  uint64_t bytes_retransmitted;
  /**
   * User bytes received.
   */
  uint64_t bytes_received;
  /**
   * Packets sent on all paths.
   */
  uint64_t packets_sent;
  /**
   * Packets received on all paths.
   */
  uint64_t packets_received;
  /**
   * DATA chunks retransmitted.
   */
  uint64_t retransmissions;
  /**
   * T3-rtx expirations on all paths.
   */
  uint64_t timeouts;
  /**
   * Messages of ours that were given up.
   */
  uint64_t messages_abandoned;
  /**
   * The peer's last advertised receiver window, less what is in flight, bytes.
   */
  uint32_t peer_rwnd;
  /**
   * The receiver window that we would advertise now, bytes.
   */
  uint32_t rwnd;
  /**
   * Our SCTP port.
   */
  uint16_t local_port;
  /**
   * The peer's SCTP port.
   */
  uint16_t remote_port;
};

/**
 * Counters and state of one path.
 */
struct sheave_path {
  /**
   * Our address, as text.
   */
  char local[SHEAVE_ADDRESS_LENGTH];
  /**
   * The peer's address, as text.
   */
  char remote[SHEAVE_ADDRESS_LENGTH];
  /**
   * The peer's UDP port; 0 over plain IP.
   */
  uint16_t udp_port;
  /**
   * 1 if new data goes here first, else 0.
   */
  uint16_t is_primary;
  /**
   * Whether it can carry data.
   */
  enum sheave_path_condition state;
  /**
   * Path MTU, bytes of IP packet.
   */
  uint32_t pmtu;
  /**
   * Consecutive unanswered sends.
   */
  uint32_t errors;
  /**
   * Congestion window, bytes.
   */
  uint64_t cwnd;
  /**
   * Slow-start threshold, bytes.
   */
  uint64_t ssthresh;
  /**
   * User data and chunk headers in flight, bytes.
   */
  uint64_t flight;
  /**
   * Smoothed round-trip time, microseconds; 0 before the first measurement.
   */
  uint64_t srtt;
  /**
   * Round-trip time variation, microseconds; 0 before the first measurement.
   */
  uint64_t rttvar;
  /**
   * Retransmission timeout, microseconds.
   */
  uint64_t rto;
  /**
   * Packets sent.
   */
  uint64_t packets_sent;
  /**
   * Packets received.
   */
  uint64_t packets_received;
  /**
   * DATA chunks retransmitted.
   */
  uint64_t retransmissions;
  /**
   * T3-rtx expirations.
   */
  uint64_t timeouts;
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The library's version, such as "0.1.0". The text is constant.
 */
const char *sheave_version(void);

/**
 * A description of a status in a few words; of a number that is none, too. The text is constant.
 */
const char *sheave_strerror(int status);

/**
 * The message of the last call of this thread that returned another status than
 * SHEAVE_STATUS_OK, or NULL or -1: a sentence that names the option, address or reason. Empty
 * before the first. The text is the calling thread's and holds until its next such call.
 */
const char *sheave_last_error(void);

/**
 * Binds an endpoint: opens its sockets and starts its thread.
 *
 * `config` is a list KEY=VALUE,KEY=VALUE or NULL for the default, which is UDP port 9899 of all
 * usable addresses. The keys: `local`, an IP address, once for each; `carrier`, `udp` (RFC 6951) or
 * `ip` (protocol 132, needs CAP_NET_RAW); `udp_port`, 0 for any free one; `socket_buffer`, a size;
 * `backlog`; `workers`, a number of threads; `busy_poll`; `linger`, a time such as `2 s`, 10 s
 * unless set; `offload`, `automatic` or `off`; and the limits of an endpoint in docs/options.md.
 *
 * On success the endpoint is in `*endpoint` and has to be freed with sheave_endpoint_free().
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), SHEAVE_STATUS_ADDRESS,
 * SHEAVE_STATUS_IN_USE, SHEAVE_STATUS_NO_PERMISSION, SHEAVE_STATUS_SYSTEM.
 */
enum sheave_status sheave_endpoint_bind(const char *config, struct sheave_endpoint **endpoint);

/**
 * The local UDP port; 0 over plain IP.
 */
uint16_t sheave_endpoint_udp_port(const struct sheave_endpoint *endpoint);

/**
 * Accepts associations on SCTP port `port`, with these options: a list KEY=VALUE,KEY=VALUE of those
 * in docs/options.md, such as `profile=telecom,rto_min=150 ms`, or NULL for the default.
 *
 * On success the listener is in `*listener` and has to be freed with sheave_listener_free().
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT (port 0), SHEAVE_STATUS_IN_USE,
 * SHEAVE_STATUS_INVALID_OPTION, SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_endpoint_listen(const struct sheave_endpoint *endpoint,
                                          uint16_t port,
                                          const char *options,
                                          struct sheave_listener **listener);

/**
 * Accepts associations like sheave_endpoint_listen(), but only those that begin at the addresses of
 * `local`, a list local=ADDRESS,local=ADDRESS, which are all that the peer is told of; NULL means all
 * of the endpoint's. Listeners with different addresses may share a port.
 *
 * Errors: also SHEAVE_STATUS_ADDRESS, when the endpoint does not have an address.
 */
enum sheave_status sheave_endpoint_listen_on(const struct sheave_endpoint *endpoint,
                                             uint16_t port,
                                             const char *local,
                                             const char *options,
                                             struct sheave_listener **listener);

/**
 * Starts to set up an association and returns at once. sheave_association_established() tells the
 * outcome; the descriptor is readable then if SHEAVE_READY_ESTABLISHED is among its conditions.
 *
 * `target` is a list KEY=VALUE,KEY=VALUE: `remote`, an IP address of the peer, once for each that is
 * known, the one to try first in front; `port`, the peer's SCTP port; `udp_port`, the peer's UDP
 * port, 9899 unless set, and none over plain IP; `local`, an address of ours to use, once for each,
 * all that fit unless set; `local_port`, our SCTP port. `options` as in sheave_endpoint_listen().
 *
 * On success the association is in `*association` and has to be freed with
 * sheave_association_free(), which gives the attempt up if it is not established.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), SHEAVE_STATUS_ADDRESS,
 * SHEAVE_STATUS_IN_USE, SHEAVE_STATUS_LIMIT, SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_endpoint_start_connect(const struct sheave_endpoint *endpoint,
                                                 const char *target,
                                                 const char *options,
                                                 struct sheave_association **association);

/**
 * Sets up an association like sheave_endpoint_start_connect(), and waits until the peer has answered
 * and messages can leave: after one round trip, or, where the option early_data is off or chunks
 * are to be authenticated, after two, when it is established. What fails in between is told by the next
 * call on the association.
 *
 * Errors: also SHEAVE_STATUS_AGAIN, when it is not within `timeout` milliseconds, and
 * SHEAVE_STATUS_CONNECT_FAILED. In both cases the attempt is given up.
 */
enum sheave_status sheave_endpoint_connect(const struct sheave_endpoint *endpoint,
                                           const char *target,
                                           const char *options,
                                           int timeout,
                                           struct sheave_association **association);

/**
 * Starts to close the endpoint with all its listeners and associations and returns at once:
 * gracefully within `timeout` milliseconds, what remains then is aborted.
 */
enum sheave_status sheave_endpoint_start_close(const struct sheave_endpoint *endpoint, int timeout);

/**
 * Closes the endpoint like sheave_endpoint_start_close(), and waits until it is closed. The number
 * of associations that were aborted goes to `*aborted`, which may be NULL.
 */
enum sheave_status sheave_endpoint_close(const struct sheave_endpoint *endpoint,
                                         int timeout,
                                         size_t *aborted);

/**
 * A file descriptor for poll(2), readable once the endpoint is closed. The same one at every call;
 * it belongs to the endpoint: neither read nor close it. -1 on errors.
 */
int sheave_endpoint_fd(const struct sheave_endpoint *endpoint);

/**
 * Loses every packet from and to that local address from now on, as if its cable were pulled: for
 * tests and demonstrations of failover. Does nothing where the address is not the endpoint's.
 */
enum sheave_status sheave_endpoint_unplug(const struct sheave_endpoint *endpoint,
                                          const char *local);

/**
 * Undoes sheave_endpoint_unplug().
 */
enum sheave_status sheave_endpoint_plug_in(const struct sheave_endpoint *endpoint,
                                           const char *local);

/**
 * Frees the handle; does nothing with NULL. When no listener and no association of the endpoint is
 * left either, it closes them gracefully and waits for that, at most for the time `linger` of its
 * configuration. The other handles are freed after it or before it.
 */
void sheave_endpoint_free(struct sheave_endpoint *endpoint);

/**
 * Accepts the next association, within `timeout` milliseconds; it goes to `*association` and has to
 * be freed with sheave_association_free(). Several threads may accept from one listener.
 *
 * Errors: SHEAVE_STATUS_AGAIN, when none came in time; SHEAVE_STATUS_CLOSED once the endpoint is
 * closed.
 */
enum sheave_status sheave_listener_accept(const struct sheave_listener *listener,
                                          int timeout,
                                          struct sheave_association **association);

/**
 * The SCTP port that is listened on.
 */
uint16_t sheave_listener_port(const struct sheave_listener *listener);

/**
 * A file descriptor for poll(2), readable while an association waits to be accepted, and once the
 * endpoint is closed. The same one at every call; it belongs to the listener: neither read nor close
 * it. -1 on errors.
 */
int sheave_listener_fd(const struct sheave_listener *listener);

/**
 * Stops listening and frees the handle; does nothing with NULL. Associations that nobody accepted
 * are aborted, the others live on.
 */
void sheave_listener_free(struct sheave_listener *listener);

/**
 * Waits until the association is established, at most `timeout` milliseconds.
 *
 * Errors: SHEAVE_STATUS_AGAIN, when it is not in time; SHEAVE_STATUS_CONNECT_FAILED, with the reason
 * in the message.
 */
enum sheave_status sheave_association_established(const struct sheave_association *association,
                                                  int timeout);

/**
 * A file descriptor for poll(2), readable while one of the conditions in `conditions` holds, a sum
 * of SHEAVE_READY_ constants. It stays readable until the calls that take what waits find nothing
 * more, and may be readable once too often: then such a call returns SHEAVE_STATUS_AGAIN.
 *
 * The same descriptor at every call, with the conditions of the last one. It belongs to the
 * association: neither read nor close it. -1 on errors.
 */
int sheave_association_fd(const struct sheave_association *association, uint32_t conditions);

/**
 * The conditions that hold now, a sum of SHEAVE_READY_ constants; all of them are looked at. 0 on
 * errors.
 */
uint32_t sheave_association_ready(const struct sheave_association *association);

/**
 * Sends new data to that address of the peer while it is reachable (RFC 9260 §11.1.4).
 *
 * Errors: SHEAVE_STATUS_ADDRESS, when the peer has no such address or has not confirmed it.
 */
enum sheave_status sheave_association_set_primary(const struct sheave_association *association,
                                                  const char *remote);

/**
 * Sends a heartbeat to that address of the peer now (RFC 9260 §11.1.8).
 *
 * Errors: SHEAVE_STATUS_ADDRESS, when the peer has no such address.
 */
enum sheave_status sheave_association_request_heartbeat(const struct sheave_association *association,
                                                        const char *remote);

/**
 * Starts to close gracefully and waits until it is done, at most `timeout` milliseconds: the peer
 * has everything that was sent. Messages from the peer can still be received. Where the peer sends
 * more than the receive buffer holds, somebody must receive meanwhile.
 *
 * Errors: SHEAVE_STATUS_AGAIN, when it is not done in time: it goes on, and the call may be made
 * again, or sheave_association_abort(); SHEAVE_STATUS_CLOSED, when it ended in another way.
 */
enum sheave_status sheave_association_shutdown(const struct sheave_association *association,
                                               int timeout);

/**
 * Closes at once, with `length` bytes of `reason` told to the peer (RFC 9260 §9.1); `reason` may be
 * NULL. What was not yet delivered is lost.
 */
enum sheave_status sheave_association_abort(const struct sheave_association *association,
                                            const uint8_t *reason,
                                            size_t length);

/**
 * Frees the handle; does nothing with NULL. An association that is not closed yet is closed
 * gracefully in the background: what was sent is delivered, what arrives is discarded. With the last
 * handle of an endpoint it waits for that, at most for the endpoint's time `linger`.
 */
void sheave_association_free(struct sheave_association *association);

/**
 * Sends a message of `length` bytes; waits while the send buffer is full, at most `timeout`
 * milliseconds. The bytes are copied; `info` may be NULL, for an ordered, reliable message on stream
 * 0. The message has been delivered when sheave_association_shutdown() succeeds or
 * SHEAVE_EVENT_KIND_DRAINED comes.
 *
 * Errors, with which nothing was sent: SHEAVE_STATUS_AGAIN, when no room came in time;
 * SHEAVE_STATUS_INVALID_ARGUMENT, also for an empty message; SHEAVE_STATUS_INVALID_STREAM;
 * SHEAVE_STATUS_TOO_LARGE; SHEAVE_STATUS_SHUTTING_DOWN; SHEAVE_STATUS_CLOSED; SHEAVE_STATUS_ADDRESS,
 * when the peer has no address `info->destination`; SHEAVE_STATUS_NOT_AGREED, when there are no keys.
 */
enum sheave_status sheave_association_send(const struct sheave_association *association,
                                           const void *bytes,
                                           size_t length,
                                           const struct sheave_send_info *info,
                                           int timeout);

/**
 * Receives the next message, or part of it, into `buffer`, which has room for `capacity` bytes, at
 * least 1; waits for it at most `timeout` milliseconds. `info` must not be NULL. Where the message
 * does not fit, or is larger than the receive buffer of the association, more of it comes with the
 * next call, and `info->flags` says so; parts of messages on different streams may alternate if
 * interleaving (RFC 8260) is on.
 *
 * Several threads may receive, each other messages; but parts of one then go to whoever comes.
 *
 * Errors: SHEAVE_STATUS_AGAIN, when nothing came in time; SHEAVE_STATUS_END; SHEAVE_STATUS_CLOSED.
 * With the last two, everything that had arrived was returned before.
 */
enum sheave_status sheave_association_receive(const struct sheave_association *association,
                                              void *buffer,
                                              size_t capacity,
                                              struct sheave_receive_info *info,
                                              int timeout);

/**
 * Receives like sheave_association_receive(), and puts the place of the message among what the peer
 * sends into `*origin`; `size` is sizeof(struct sheave_origin).
 *
 * Errors: as sheave_association_receive().
 */
enum sheave_status sheave_association_receive_from(const struct sheave_association *association,
                                                   void *buffer,
                                                   size_t capacity,
                                                   struct sheave_receive_info *info,
                                                   struct sheave_origin *origin,
                                                   size_t size,
                                                   int timeout);

/**
 * Receives the next whole message, of at most `limit` bytes, without a copy where it came in one
 * part; waits for it at most `timeout` milliseconds. It goes to `*message` and has to be freed with
 * sheave_message_free(). Use either this or sheave_association_receive() on an association: of a
 * message that the latter has begun, this returns the rest.
 *
 * Errors: as sheave_association_receive(), and SHEAVE_STATUS_TOO_LARGE for a message of more than
 * `limit` bytes, which is discarded.
 */
enum sheave_status sheave_association_receive_message(const struct sheave_association *association,
                                                      size_t limit,
                                                      struct sheave_message **message,
                                                      int timeout);

/**
 * The message's bytes, which hold until it is freed; NULL on errors.
 */
const uint8_t *sheave_message_bytes(const struct sheave_message *message);

/**
 * The number of the message's bytes.
 */
size_t sheave_message_length(const struct sheave_message *message);

/**
 * The stream that the message came on.
 */
uint16_t sheave_message_stream(const struct sheave_message *message);

/**
 * The message's payload protocol identifier, in the machine's byte order.
 */
uint32_t sheave_message_ppid(const struct sheave_message *message);

/**
 * SHEAVE_RECEIVED_UNORDERED for a message that was sent unordered, else 0.
 */
uint32_t sheave_message_flags(const struct sheave_message *message);

/**
 * Puts the place of the message among what the peer sends into `*origin`, as it was when the message
 * was received; `size` is sizeof(struct sheave_origin).
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
 */
enum sheave_status sheave_message_origin(const struct sheave_message *message,
                                         struct sheave_origin *origin,
                                         size_t size);

/**
 * Frees the message; does nothing with NULL.
 */
void sheave_message_free(struct sheave_message *message);

/**
 * Takes the next event, within `timeout` milliseconds; it goes to `*event` and has to be freed with
 * sheave_event_free(). At most 1024 events are kept; further ones are lost and counted
 * (sheave_association_lost_events()).
 *
 * Errors: SHEAVE_STATUS_AGAIN, when none came in time; SHEAVE_STATUS_END, after the event
 * SHEAVE_EVENT_KIND_CLOSED was taken.
 */
enum sheave_status sheave_association_next_event(const struct sheave_association *association,
                                                 struct sheave_event **event,
                                                 int timeout);

/**
 * The number of events that were lost, since more than 1024 waited.
 */
uint64_t sheave_association_lost_events(const struct sheave_association *association);

/**
 * The reason why the association ended; SHEAVE_CLOSE_REASON_NONE while it exists.
 */
enum sheave_close_reason sheave_association_close_reason(const struct sheave_association *association);

/**
 * The event's kind.
 */
enum sheave_event_kind sheave_event_kind(const struct sheave_event *event);

/**
 * The event in a line, for people. Holds until the event is freed; NULL on errors.
 */
const char *sheave_event_text(const struct sheave_event *event);

/**
 * The IP address that the event is about, as text; empty if it is about none. Holds until the event
 * is freed; NULL on errors.
 */
const char *sheave_event_address(const struct sheave_event *event);

/**
 * The change of a path; SHEAVE_PATH_EVENT_NONE if the event is about something else.
 */
enum sheave_path_event sheave_event_path_change(const struct sheave_event *event);

/**
 * The context that was given to the message that was not delivered; else 0.
 */
uint64_t sheave_event_context(const struct sheave_event *event);

/**
 * 1 if part or all of the message that was not delivered may have reached the peer, else 0.
 */
int sheave_event_was_sent(const struct sheave_event *event);

/**
 * The bytes of the message that was not delivered, of the peer's error, or of the reason that it
 * gave for its ABORT; their number goes to `*length`. Hold until the event is freed; NULL if there
 * are none.
 */
const uint8_t *sheave_event_bytes(const struct sheave_event *event, size_t *length);

/**
 * The cause code of an error, of an ABORT or of a fault of the peer (RFC 9260 §3.3.10); else 0.
 */
uint16_t sheave_event_cause(const struct sheave_event *event);

/**
 * The stream that the event is about; else 0.
 */
uint16_t sheave_event_stream(const struct sheave_event *event);

/**
 * The streams that were reset, ascending; their number goes to `*count`, 0 meaning all. Hold until
 * the event is freed; NULL if there are none.
 */
const uint16_t *sheave_event_streams(const struct sheave_event *event, size_t *count);

/**
 * 1 if the streams that were reset are those that we send on, 0 if the peer does.
 */
int sheave_event_is_outgoing(const struct sheave_event *event);

/**
 * The change of authentication; SHEAVE_AUTHENTICATION_EVENT_NONE if the event is about none.
 */
enum sheave_authentication_event sheave_event_authentication(const struct sheave_event *event);

/**
 * The id of the key that the event is about; else 0.
 */
uint16_t sheave_event_key(const struct sheave_event *event);

/**
 * The reason why the association ended; SHEAVE_CLOSE_REASON_NONE if the event is another.
 */
enum sheave_close_reason sheave_event_close_reason(const struct sheave_event *event);

/**
 * Frees the event; does nothing with NULL.
 */
void sheave_event_free(struct sheave_event *event);

/**
 * The number of streams that we may send on, and that the peer may send on; they count from 0. Both
 * are 0 before the association is established. Either pointer may be NULL.
 */
enum sheave_status sheave_association_streams(const struct sheave_association *association,
                                              uint16_t *outbound,
                                              uint16_t *inbound);

/**
 * Lets `count` streams begin with sequence number 0 again, 0 for all: those that we send on
 * (SHEAVE_OUTGOING), or, by asking the peer, those that it sends on (SHEAVE_INCOMING). Returns at
 * once; SHEAVE_EVENT_KIND_STREAMS_RESET or SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED tells the
 * outcome. Needs the option `reconfiguration` at both ends.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED, SHEAVE_STATUS_NOT_ESTABLISHED, SHEAVE_STATUS_BUSY,
 * SHEAVE_STATUS_INVALID_STREAM, SHEAVE_STATUS_INVALID_ARGUMENT.
 */
enum sheave_status sheave_association_reset_streams(const struct sheave_association *association,
                                                    const uint16_t *streams,
                                                    size_t count,
                                                    int direction);

/**
 * Asks for `count` more streams to send on (SHEAVE_OUTGOING), or the peer to do so
 * (SHEAVE_INCOMING). Returns at once; SHEAVE_EVENT_KIND_STREAMS_CHANGED or
 * SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED tells the outcome.
 *
 * Errors: as sheave_association_reset_streams().
 */
enum sheave_status sheave_association_add_streams(const struct sheave_association *association,
                                                  uint16_t count,
                                                  int direction);

/**
 * Puts counters into `*stats`; `size` is sizeof(struct sheave_association_stats).
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT; SHEAVE_STATUS_CLOSED once the association is gone.
 */
enum sheave_status sheave_association_stats(const struct sheave_association *association,
                                            struct sheave_association_stats *stats,
                                            size_t size);

/**
 * Puts the paths into the array `paths`, whose elements have `size` bytes, sizeof(struct
 * sheave_path). `*count` is the number of elements that there is room for, and afterwards that of
 * paths, which may be larger: then the array holds the first ones. `paths` may be NULL if `*count`
 * is 0. Once the association is closed it has no path.
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
 */
enum sheave_status sheave_association_paths(const struct sheave_association *association,
                                            struct sheave_path *paths,
                                            size_t size,
                                            size_t *count);

/**
 * Gives the association another shared key of `length` bytes, or the key of that id another secret.
 * The peer may use it from now on; we do once sheave_association_activate_key() says so. The keys
 * that an association begins with are options: `authentication_key` and others of docs/options.md.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED, when the association does not authenticate; SHEAVE_STATUS_IN_USE,
 * when messages that were sent with the key of that id are not acknowledged yet.
 */
enum sheave_status sheave_association_insert_key(const struct sheave_association *association,
                                                 uint16_t id,
                                                 const void *secret,
                                                 size_t length);

/**
 * Sends with that key from now on.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT, when there is no key of that id,
 * or it was deactivated.
 */
enum sheave_status sheave_association_activate_key(const struct sheave_association *association,
                                                   uint16_t id);

/**
 * Promises not to send with that key again; what the peer sends with it still counts.
 * SHEAVE_EVENT_KIND_AUTHENTICATION tells when nothing that was sent with it is on the way any more.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT, when there is no key of that id;
 * SHEAVE_STATUS_IN_USE, when it is the active one.
 */
enum sheave_status sheave_association_deactivate_key(const struct sheave_association *association,
                                                     uint16_t id);

/**
 * Removes a key: what the peer sends with it is dropped from now on.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT, when there is no key of that id;
 * SHEAVE_STATUS_IN_USE, when it is the active one, or messages that were sent with it are not
 * acknowledged yet.
 */
enum sheave_status sheave_association_delete_key(const struct sheave_association *association,
                                                 uint16_t id);

/**
 * Changes options of the association while it lives: a list KEY=VALUE,KEY=VALUE of those in
 * docs/options.md. Others stay as they are. These can change: the bounds and gains of the
 * retransmission timeout, heartbeats, the thresholds of failover, the lifetime of cookies, delay and
 * frequency of SACKs, `coalescing`, `max_burst`, `max_message_size`, `dscp`, `flow_label`, and the sizes
 * of the buffers: `send_buffer`, a larger `receive_buffer`, `buffers`, `partial_delivery_point`.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), also for an option that cannot
 * change now: then those that can have changed; SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_association_retune(const struct sheave_association *association,
                                             const char *options);

/**
 * Gives the path to one address of the peer settings of its own, in place of those that the options
 * give all paths; the settings that it had before are gone, and NULL or an empty text leaves none.
 * `settings` is a list KEY=VALUE,KEY=VALUE: `heartbeats`, `path_max_retrans`,
 * `potentially_failed_max_retrans`, `primary_switchover_max_retrans`, `dscp` and `flow_label`, as in
 * docs/options.md, and `pmtu`, the path MTU in bytes, which then is not looked for.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key); SHEAVE_STATUS_ADDRESS, when the
 * peer has no such address.
 */
enum sheave_status sheave_association_retune_path(const struct sheave_association *association,
                                                  const char *remote,
                                                  const char *settings);

/**
 * Puts the value that an option has now, as text, into `value`, which has room for `capacity` bytes,
 * the zero among them. `name` is a key of docs/options.md.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION, when there is no such option; SHEAVE_STATUS_TOO_LARGE, when
 * there is too little room; SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_association_option(const struct sheave_association *association,
                                             const char *name,
                                             char *value,
                                             size_t capacity);

/**
 * Puts the addresses that the peer knows us by, as texts, into the array `addresses`. `*count` is the
 * number of elements that there is room for, and afterwards that of addresses, which may be larger:
 * then the array holds the first ones. `addresses` may be NULL if `*count` is 0. Once the association
 * is closed there is none.
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
 */
enum sheave_status sheave_association_local_addresses(const struct sheave_association *association,
                                                      char (*addresses)[SHEAVE_ADDRESS_LENGTH],
                                                      size_t *count);

/**
 * The number of DATA chunks that were sent and not yet acknowledged; 0 once the association is closed,
 * and on errors.
 */
size_t sheave_association_unacknowledged(const struct sheave_association *association);

/**
 * The number of messages of which nothing was sent yet; 0 once the association is closed, and on
 * errors.
 */
size_t sheave_association_waiting(const struct sheave_association *association);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SHEAVE_H */
