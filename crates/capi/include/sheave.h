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
 * A receive call would return a message, part of one, or the end.
 */
#define SHEAVE_READY_READABLE 1

/**
 * A send call may have room: no message was refused since room last became free.
 */
#define SHEAVE_READY_WRITABLE 2

/**
 * An event is pending, or the last event was taken.
 */
#define SHEAVE_READY_EVENT 4

/**
 * The association is established, or establishing it failed.
 */
#define SHEAVE_READY_ESTABLISHED 8

/**
 * The message may overtake earlier ones of its stream (RFC 9260 §6.6).
 */
#define SHEAVE_SEND_UNORDERED 1

/**
 * Asks the peer to acknowledge the message at once (RFC 7053).
 */
#define SHEAVE_SEND_ACKNOWLEDGE_NOW 2

/**
 * Authenticates the message with the key `key` instead of the active key (RFC 4895), if the peer
 * requires authenticated DATA.
 */
#define SHEAVE_SEND_WITH_KEY 4

/**
 * The message leaves on every active path at once, and the first copy to arrive counts.
 */
#define SHEAVE_SEND_ON_EVERY_PATH 8

/**
 * The message is retransmitted until it is delivered or the association ends.
 */
#define SHEAVE_RELIABLE 0

/**
 * The message is abandoned after `reliability_value` milliseconds (RFC 3758).
 */
#define SHEAVE_LIFETIME 1

/**
 * The message is abandoned after `reliability_value` retransmissions of one of its parts, at most
 * 255 (RFC 7496).
 */
#define SHEAVE_RETRANSMISSIONS 2

/**
 * The message may be abandoned in favour of messages with a smaller `reliability_value` (RFC
 * 7496).
 */
#define SHEAVE_PRIORITY 3

/**
 * The message was sent unordered.
 */
#define SHEAVE_RECEIVED_UNORDERED 1

/**
 * More of the message follows in later calls.
 */
#define SHEAVE_RECEIVED_MORE 2

/**
 * Streams of this end.
 */
#define SHEAVE_OUTGOING 0

/**
 * Streams of the peer.
 */
#define SHEAVE_INCOMING 1

/**
 * Size of a buffer for an IP address as text with its NUL, bytes.
 */
#define SHEAVE_ADDRESS_LENGTH 46

/**
 * The result of a call.
 */
enum sheave_status {
  /**
   * Success.
   */
  SHEAVE_STATUS_OK = 0,
  /**
   * Timeout: no data arrived or no room became free; another call may succeed.
   */
  SHEAVE_STATUS_AGAIN = 1,
  /**
   * End of stream: every message of the peer has been received.
   */
  SHEAVE_STATUS_END = 2,
  /**
   * The association ended without a graceful shutdown, or its endpoint was closed.
   */
  SHEAVE_STATUS_CLOSED = 3,
  /**
   * A shutdown has begun at either end: no new data can be sent.
   */
  SHEAVE_STATUS_SHUTTING_DOWN = 4,
  /**
   * The association was not established: no answer, or refused.
   */
  SHEAVE_STATUS_CONNECT_FAILED = 5,
  /**
   * An argument is NULL, out of range, or has a wrong size.
   */
  SHEAVE_STATUS_INVALID_ARGUMENT = 6,
  /**
   * A text with options, a configuration or a target is invalid; sheave_last_error() names the
   * key.
   */
  SHEAVE_STATUS_INVALID_OPTION = 7,
  /**
   * The stream does not exist.
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
   * The port or the key is in use.
   */
  SHEAVE_STATUS_IN_USE = 11,
  /**
   * Raw IP needs root or CAP_NET_RAW.
   */
  SHEAVE_STATUS_NO_PERMISSION = 12,
  /**
   * An end lacks the extension.
   */
  SHEAVE_STATUS_NOT_AGREED = 13,
  /**
   * The association is not established.
   */
  SHEAVE_STATUS_NOT_ESTABLISHED = 14,
  /**
   * Another request of this kind is in progress.
   */
  SHEAVE_STATUS_BUSY = 15,
  /**
   * A limit of the endpoint was reached.
   */
  SHEAVE_STATUS_LIMIT = 16,
  /**
   * A system call failed.
   */
  SHEAVE_STATUS_SYSTEM = 17,
  /**
   * Internal error: the library panicked. The handle may only be freed.
   */
  SHEAVE_STATUS_PANIC = 18,
};

/**
 * The reason why an association ended.
 */
enum sheave_close_reason {
  /**
   * The association has not ended.
   */
  SHEAVE_CLOSE_REASON_NONE = 0,
  /**
   * Graceful shutdown; all data was delivered.
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
   * The peer rejected a stale cookie.
   */
  SHEAVE_CLOSE_REASON_STALE_COOKIE = 6,
  /**
   * Another reason.
   */
  SHEAVE_CLOSE_REASON_OTHER = 7,
  /**
   * ICMP reports that nobody is at the peer's UDP port.
   */
  SHEAVE_CLOSE_REASON_NO_SUCH_PORT = 8,
  /**
   * ICMP reports that the peer's host has no SCTP.
   */
  SHEAVE_CLOSE_REASON_NO_SUCH_PROTOCOL = 9,
};

/**
 * The kind of an event.
 */
enum sheave_event_kind {
  /**
   * A kind that this header does not know; see sheave_event_text().
   */
  SHEAVE_EVENT_KIND_OTHER = 0,
  /**
   * The association is established; the first event of each association.
   */
  SHEAVE_EVENT_KIND_ESTABLISHED = 1,
  /**
   * The peer lost its state and restarted the association; sequence numbers start over.
   */
  SHEAVE_EVENT_KIND_RESTARTED = 2,
  /**
   * A path changed: sheave_event_path_change(), sheave_event_address().
   */
  SHEAVE_EVENT_KIND_PATH = 3,
  /**
   * A message was not delivered: sheave_event_context(), sheave_event_was_sent(), and the
   * message in sheave_event_bytes().
   */
  SHEAVE_EVENT_KIND_SEND_FAILED = 4,
  /**
   * A message was abandoned by its reliability policy; data as for
   * SHEAVE_EVENT_KIND_SEND_FAILED.
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
   * Streams restart with sequence number 0: sheave_event_streams(), none meaning every stream,
   * and sheave_event_is_outgoing().
   */
  SHEAVE_EVENT_KIND_STREAMS_RESET = 9,
  /**
   * Streams were added: sheave_association_streams().
   */
  SHEAVE_EVENT_KIND_STREAMS_CHANGED = 10,
  /**
   * A request of this end to reset or add streams failed.
   */
  SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED = 11,
  /**
   * The peer is shutting down: no new data can be sent.
   */
  SHEAVE_EVENT_KIND_PEER_SHUTDOWN = 12,
  /**
   * The association has ended: sheave_event_close_reason(). The last event.
   */
  SHEAVE_EVENT_KIND_CLOSED = 13,
  /**
   * Both ends restart with new TSNs, and every stream with sequence number 0.
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
   * Not an event about a path.
   */
  SHEAVE_PATH_EVENT_NONE = 0,
  /**
   * The peer proved that it owns the address.
   */
  SHEAVE_PATH_EVENT_CONFIRMED = 1,
  /**
   * Several sends are unanswered: new data uses other paths (RFC 7829).
   */
  SHEAVE_PATH_EVENT_POTENTIALLY_FAILED = 2,
  /**
   * The path is considered dead.
   */
  SHEAVE_PATH_EVENT_DOWN = 3,
  /**
   * The path answers again.
   */
  SHEAVE_PATH_EVENT_UP = 4,
  /**
   * The path became the primary path.
   */
  SHEAVE_PATH_EVENT_PRIMARY = 5,
  /**
   * The peer added this address.
   */
  SHEAVE_PATH_EVENT_ADDED = 6,
  /**
   * The peer removed this address.
   */
  SHEAVE_PATH_EVENT_REMOVED = 7,
};

/**
 * A change of authentication.
 */
enum sheave_authentication_event {
  /**
   * Not an event about authentication.
   */
  SHEAVE_AUTHENTICATION_EVENT_NONE = 0,
  /**
   * The peer does not authenticate; its chunks are accepted without it.
   */
  SHEAVE_AUTHENTICATION_EVENT_UNAVAILABLE = 1,
  /**
   * The peer now sends with the key.
   */
  SHEAVE_AUTHENTICATION_EVENT_NEW_KEY = 2,
  /**
   * The key was deactivated, and no data sent with it is in flight.
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
   * Several sends are unanswered: new data uses other paths while this one is probed.
   */
  SHEAVE_PATH_CONDITION_POTENTIALLY_FAILED = 2,
  /**
   * Considered dead.
   */
  SHEAVE_PATH_CONDITION_INACTIVE = 3,
};

/**
 * An association: sends and receives messages on streams, over one path or several.
 *
 * Several threads may use an association at the same time.
 */
struct sheave_association;

/**
 * An SCTP endpoint: its network sockets, ports and associations.
 *
 * The endpoint lives as long as its handle or one of its listeners or associations.
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
 * A received message.
 */
struct sheave_message;

/**
 * Options of one message. Zero in every field but `size` means the defaults.
 */
struct sheave_send_info {
  /**
   * sizeof(struct sheave_send_info).
   */
  size_t size;
  /**
   * Returned in the event that reports the message as undelivered.
   */
  uint64_t context;
  /**
   * The payload protocol identifier, in host byte order.
   */
  uint32_t ppid;
  /**
   * A sum of SHEAVE_SEND_ constants.
   */
  uint32_t flags;
  /**
   * SHEAVE_RELIABLE, SHEAVE_LIFETIME, SHEAVE_RETRANSMISSIONS or SHEAVE_PRIORITY. Without partial
   * reliability at both ends, every message is reliable.
   */
  uint32_t reliability;
  /**
   * Milliseconds, a number of retransmissions, or a priority.
   */
  uint32_t reliability_value;
  /**
   * The stream number, from 0.
   */
  uint16_t stream;
  /**
   * The key id, with SHEAVE_SEND_WITH_KEY.
   */
  uint16_t key;
  /**
   * The peer's address to use while it is reachable, as text (RFC 9260 §11.1.5); NULL for the
   * primary one.
   */
  const char *destination;
};

/**
 * A received message, or part of one.
 */
struct sheave_receive_info {
  /**
   * Bytes copied to the buffer.
   */
  size_t length;
  /**
   * The payload protocol identifier, in host byte order.
   */
  uint32_t ppid;
  /**
   * A sum of SHEAVE_RECEIVED_ constants.
   */
  uint32_t flags;
  /**
   * The stream number, from 0.
   */
  uint16_t stream;
};

/**
 * Source and sequence numbers of a received message.
 */
struct sheave_origin {
  /**
   * The peer's address from which the message, or its first part, came, as text; empty if the
   * peer no longer has the address or the association is closed.
   */
  char source[SHEAVE_ADDRESS_LENGTH];
  /**
   * The stream sequence number (16 bits) or, with interleaving (RFC 8260), the message
   * identifier. Undefined for unordered messages without interleaving.
   */
  uint32_t ssn_or_mid;
  /**
   * The TSN of the message's first chunk.
   */
  uint32_t tsn;
  /**
   * The cumulative TSN at the time of the call; 0 for a closed association.
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
   * User bytes sent, without retransmissions.
   */
  uint64_t bytes_sent;
  /**
   * User bytes retransmitted, counted each time.
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
   * Messages abandoned by this end.
   */
  uint64_t messages_abandoned;
  /**
   * The peer's receiver window: last advertised value minus data in flight, bytes.
   */
  uint32_t peer_rwnd;
  /**
   * The receiver window that this end would advertise now, bytes.
   */
  uint32_t rwnd;
  /**
   * Local SCTP port.
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
   * Local address, as text.
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
   * 1 if this is the primary path, else 0.
   */
  uint16_t is_primary;
  /**
   * Whether the path can carry data.
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
 * The library's version, such as "0.2.0". The text is constant.
 */
const char *sheave_version(void);

/**
 * A short description of a status; unknown numbers also have one. The text is constant.
 */
const char *sheave_strerror(int status);

/**
 * The error message of this thread's last failed call (status other than SHEAVE_STATUS_OK, NULL or
 * -1): a sentence that names the option, address or reason. Empty before the first failure. Valid
 * until the thread's next failure.
 */
const char *sheave_last_error(void);

/**
 * Binds an endpoint: opens its network sockets and starts its thread.
 *
 * `config` is a list KEY=VALUE,KEY=VALUE, or NULL for the default: UDP port 9899 on every usable
 * address. The keys: `local`, an IP address, repeatable; `carrier`, `udp` (RFC 6951) or `ip`
 * (protocol 132, needs CAP_NET_RAW); `udp_port`, 0 for any free port; `socket_buffer`, a size;
 * `backlog`; `workers`, a number of threads; `busy_poll`; `linger`, a time such as `2 s`, by
 * default 10 s; `offload`, `automatic` or `off`; and the endpoint limits in docs/options.md.
 *
 * Packets of all associations are encrypted (experimental, docs/secure.md) with `cert` and `key`,
 * PEM files of the own certificate, and `ca`, a PEM file of authorities, or `fingerprint`, of the
 * peer's certificate, repeatable. With them go `peer_name`, a name that the peer's certificate must
 * hold, repeatable; `rekey`, a time, by default 1 h; `key_log`, a file; and `restart_keys`, a
 * folder. `psk_file`, a file with a secret that the peer has, too, takes the place of certificates.
 * A library built without the feature `secure` does not have these keys.
 *
 * On success stores the endpoint in `*endpoint`; free it with sheave_endpoint_free().
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
 * Accepts associations on SCTP port `port`. `options` is a list KEY=VALUE,KEY=VALUE with keys of
 * docs/options.md, such as `profile=telecom,rto_min=150 ms`, or NULL for the defaults.
 *
 * On success stores the listener in `*listener`; free it with sheave_listener_free().
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT (port 0), SHEAVE_STATUS_IN_USE,
 * SHEAVE_STATUS_INVALID_OPTION, SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_endpoint_listen(const struct sheave_endpoint *endpoint,
                                          uint16_t port,
                                          const char *options,
                                          struct sheave_listener **listener);

/**
 * Accepts associations like sheave_endpoint_listen(), but only at the addresses in `local`, a list
 * local=ADDRESS,local=ADDRESS; the peer learns only these. NULL means every address of the
 * endpoint. Listeners with different addresses may share a port.
 *
 * Errors: also SHEAVE_STATUS_ADDRESS if the endpoint does not have an address.
 */
enum sheave_status sheave_endpoint_listen_on(const struct sheave_endpoint *endpoint,
                                             uint16_t port,
                                             const char *local,
                                             const char *options,
                                             struct sheave_listener **listener);

/**
 * Starts to establish an association and returns at once. sheave_association_established() returns
 * the outcome; with SHEAVE_READY_ESTABLISHED among its conditions, the descriptor becomes
 * readable.
 *
 * `target` is a list KEY=VALUE,KEY=VALUE: `remote`, an IP address of the peer, repeatable, the
 * preferred one first; `port`, the peer's SCTP port; `udp_port`, the peer's UDP port, by default
 * 9899, invalid over plain IP; `local`, a local address to use, repeatable, by default every
 * suitable one; `local_port`, the local SCTP port. `options` as in sheave_endpoint_listen().
 *
 * On success stores the association in `*association`; free it with sheave_association_free(),
 * which also cancels an unfinished attempt.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), SHEAVE_STATUS_ADDRESS,
 * SHEAVE_STATUS_IN_USE, SHEAVE_STATUS_LIMIT, SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_endpoint_start_connect(const struct sheave_endpoint *endpoint,
                                                 const char *target,
                                                 const char *options,
                                                 struct sheave_association **association);

/**
 * Establishes an association like sheave_endpoint_start_connect(), and waits until the peer has
 * answered and data can be sent: one round trip, or two if the option early_data is off or chunks
 * must be authenticated. The next call on the association reports a later failure.
 *
 * Errors: also SHEAVE_STATUS_AGAIN on timeout, and SHEAVE_STATUS_CONNECT_FAILED. In both cases the
 * attempt is cancelled.
 */
enum sheave_status sheave_endpoint_connect(const struct sheave_endpoint *endpoint,
                                           const char *target,
                                           const char *options,
                                           int timeout,
                                           struct sheave_association **association);

/**
 * Starts to close the endpoint with its listeners and associations, and returns at once.
 * Associations shut down gracefully within `timeout` milliseconds; the remaining ones are aborted.
 */
enum sheave_status sheave_endpoint_start_close(const struct sheave_endpoint *endpoint, int timeout);

/**
 * Closes the endpoint like sheave_endpoint_start_close(), and waits until it is closed. Stores the
 * number of aborted associations in `*aborted`, which may be NULL.
 */
enum sheave_status sheave_endpoint_close(const struct sheave_endpoint *endpoint,
                                         int timeout,
                                         size_t *aborted);

/**
 * A file descriptor for poll(2), readable once the endpoint is closed. Every call returns the same
 * descriptor, which belongs to the endpoint: neither read nor close it. -1 on errors.
 */
int sheave_endpoint_fd(const struct sheave_endpoint *endpoint);

/**
 * Drops every packet from and to this local address from now on, as if its cable were unplugged;
 * for tests and demonstrations of failover. Does nothing for an address that the endpoint does not
 * have.
 */
enum sheave_status sheave_endpoint_unplug(const struct sheave_endpoint *endpoint,
                                          const char *local);

/**
 * Undoes sheave_endpoint_unplug().
 */
enum sheave_status sheave_endpoint_plug_in(const struct sheave_endpoint *endpoint,
                                           const char *local);

/**
 * Frees the handle; does nothing with NULL. Without remaining listeners and associations, the
 * endpoint shuts down gracefully, at most for the `linger` of its configuration. Handles may be
 * freed in any order.
 */
void sheave_endpoint_free(struct sheave_endpoint *endpoint);

/**
 * Accepts the next association within `timeout` milliseconds and stores it in `*association`; free
 * it with sheave_association_free(). Several threads may accept from one listener.
 *
 * Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_CLOSED after the endpoint was closed.
 */
enum sheave_status sheave_listener_accept(const struct sheave_listener *listener,
                                          int timeout,
                                          struct sheave_association **association);

/**
 * The listener's SCTP port.
 */
uint16_t sheave_listener_port(const struct sheave_listener *listener);

/**
 * A file descriptor for poll(2), readable while an association can be accepted and after the
 * endpoint was closed. Every call returns the same descriptor, which belongs to the listener:
 * neither read nor close it. -1 on errors.
 */
int sheave_listener_fd(const struct sheave_listener *listener);

/**
 * Stops listening and frees the handle; does nothing with NULL. Associations in the accept queue
 * are aborted; accepted ones continue.
 */
void sheave_listener_free(struct sheave_listener *listener);

/**
 * Waits at most `timeout` milliseconds until the association is established.
 *
 * Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_CONNECT_FAILED, with the reason in the
 * message.
 */
enum sheave_status sheave_association_established(const struct sheave_association *association,
                                                  int timeout);

/**
 * A file descriptor for poll(2), readable while one of `conditions` holds, a sum of SHEAVE_READY_
 * constants. The descriptor stays readable until a call that takes the pending items finds nothing
 * more; it may be readable once too often, and the call then returns SHEAVE_STATUS_AGAIN.
 *
 * Every call returns the same descriptor, with the conditions of the last call. The descriptor
 * belongs to the association: neither read nor close it. -1 on errors.
 */
int sheave_association_fd(const struct sheave_association *association, uint32_t conditions);

/**
 * The conditions that hold now, a sum of SHEAVE_READY_ constants, out of every condition. 0 on
 * errors.
 */
uint32_t sheave_association_ready(const struct sheave_association *association);

/**
 * Makes this peer address the primary one while it is reachable (RFC 9260 §11.1.4).
 *
 * Errors: SHEAVE_STATUS_ADDRESS if the peer does not have this address or has not confirmed it.
 */
enum sheave_status sheave_association_set_primary(const struct sheave_association *association,
                                                  const char *remote);

/**
 * Sends a heartbeat to this peer address now (RFC 9260 §11.1.8).
 *
 * Errors: SHEAVE_STATUS_ADDRESS if the peer does not have this address.
 */
enum sheave_status sheave_association_request_heartbeat(const struct sheave_association *association,
                                                        const char *remote);

/**
 * Starts a graceful shutdown and waits at most `timeout` milliseconds for its end: the peer then
 * has received everything. Messages from the peer can still be received. If the peer sends more
 * than the receive buffer holds, the program must keep receiving.
 *
 * Errors: SHEAVE_STATUS_AGAIN on timeout: the shutdown continues, and the program may call this
 * function again, or sheave_association_abort(); SHEAVE_STATUS_CLOSED if the association ended
 * otherwise.
 */
enum sheave_status sheave_association_shutdown(const struct sheave_association *association,
                                               int timeout);

/**
 * Aborts the association and sends `length` bytes of `reason` to the peer (RFC 9260 §9.1);
 * `reason` may be NULL. Undelivered data is lost.
 */
enum sheave_status sheave_association_abort(const struct sheave_association *association,
                                            const uint8_t *reason,
                                            size_t length);

/**
 * Frees the handle; does nothing with NULL. An open association shuts down gracefully in the
 * background: sent data is delivered, received data is discarded. Freeing the last handle of an
 * endpoint waits for that, at most for the endpoint's `linger`.
 */
void sheave_association_free(struct sheave_association *association);

/**
 * Sends a message of `length` bytes. Waits at most `timeout` milliseconds while the send buffer is
 * full. The bytes are copied; `info` may be NULL for an ordered, reliable message on stream 0. The
 * message has been delivered when sheave_association_shutdown() succeeds or
 * SHEAVE_EVENT_KIND_DRAINED arrives.
 *
 * On errors, nothing was sent: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_INVALID_ARGUMENT,
 * also for an empty message; SHEAVE_STATUS_INVALID_STREAM; SHEAVE_STATUS_TOO_LARGE;
 * SHEAVE_STATUS_SHUTTING_DOWN; SHEAVE_STATUS_CLOSED; SHEAVE_STATUS_ADDRESS if the peer does not
 * have the address `info->destination`; SHEAVE_STATUS_NOT_AGREED without keys.
 */
enum sheave_status sheave_association_send(const struct sheave_association *association,
                                           const void *bytes,
                                           size_t length,
                                           const struct sheave_send_info *info,
                                           int timeout);

/**
 * Receives the next message, or part of it, into `buffer`, which has room for `capacity` bytes, at
 * least 1. Waits at most `timeout` milliseconds. `info` must not be NULL. If the message does not
 * fit, or exceeds the receive buffer of the association, later calls return the rest, and
 * `info->flags` says so. Parts of messages on different streams may alternate if interleaving (RFC
 * 8260) is on.
 *
 * Several threads may receive; the parts of one message may then go to different threads.
 *
 * Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_END; SHEAVE_STATUS_CLOSED. The last two
 * are returned only after every received message.
 */
enum sheave_status sheave_association_receive(const struct sheave_association *association,
                                              void *buffer,
                                              size_t capacity,
                                              struct sheave_receive_info *info,
                                              int timeout);

/**
 * Receives like sheave_association_receive(), and copies the message's source and sequence numbers
 * to `*origin`; `size` is sizeof(struct sheave_origin).
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
 * Receives the next complete message of at most `limit` bytes, without a copy if it arrived in one
 * part. Waits at most `timeout` milliseconds. Stores the message in `*message`; free it with
 * sheave_message_free(). Do not mix with sheave_association_receive(): after a partly received
 * message, this function returns its rest.
 * Errors: as sheave_association_receive(), and SHEAVE_STATUS_TOO_LARGE for a message of more than
 * `limit` bytes, which is discarded.
 */
enum sheave_status sheave_association_receive_message(const struct sheave_association *association,
                                                      size_t limit,
                                                      struct sheave_message **message,
                                                      int timeout);

/**
 * The payload, valid until the message is freed; NULL on errors.
 */
const uint8_t *sheave_message_bytes(const struct sheave_message *message);

/**
 * Size of the payload, bytes.
 */
size_t sheave_message_length(const struct sheave_message *message);

/**
 * The stream of the message.
 */
uint16_t sheave_message_stream(const struct sheave_message *message);

/**
 * The payload protocol identifier, in host byte order.
 */
uint32_t sheave_message_ppid(const struct sheave_message *message);

/**
 * SHEAVE_RECEIVED_UNORDERED for an unordered message, else 0.
 */
uint32_t sheave_message_flags(const struct sheave_message *message);

/**
 * Copies the message's source and sequence numbers at the time of reception to `*origin`; `size`
 * is sizeof(struct sheave_origin).
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
 * Takes the next event within `timeout` milliseconds and stores it in `*event`; free it with
 * sheave_event_free(). At most 1024 events are queued; further ones are lost and counted
 * (sheave_association_lost_events()).
 *
 * Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_END after the event
 * SHEAVE_EVENT_KIND_CLOSED was taken.
 */
enum sheave_status sheave_association_next_event(const struct sheave_association *association,
                                                 struct sheave_event **event,
                                                 int timeout);

/**
 * The number of events lost because 1024 were already queued.
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
 * The event as one line of readable text, valid until the event is freed; NULL on errors.
 */
const char *sheave_event_text(const struct sheave_event *event);

/**
 * The event's IP address as text, or an empty text; valid until the event is freed; NULL on
 * errors.
 */
const char *sheave_event_address(const struct sheave_event *event);

/**
 * The change of a path; SHEAVE_PATH_EVENT_NONE for other events.
 */
enum sheave_path_event sheave_event_path_change(const struct sheave_event *event);

/**
 * The context of the undelivered message; 0 for other events.
 */
uint64_t sheave_event_context(const struct sheave_event *event);

/**
 * 1 if some or all of the undelivered message may have reached the peer, else 0.
 */
int sheave_event_was_sent(const struct sheave_event *event);

/**
 * The bytes of the undelivered message, of the peer's error, or of the reason in its ABORT; stores
 * their number in `*length`. Valid until the event is freed; NULL if there are none.
 */
const uint8_t *sheave_event_bytes(const struct sheave_event *event, size_t *length);

/**
 * The cause code of an error, an ABORT or a fault of the peer (RFC 9260 §3.3.10); 0 for other
 * events.
 */
uint16_t sheave_event_cause(const struct sheave_event *event);

/**
 * The event's stream; 0 for other events.
 */
uint16_t sheave_event_stream(const struct sheave_event *event);

/**
 * The reset streams in ascending order; stores their number in `*count`, 0 meaning every stream.
 * Valid until the event is freed; NULL if there are none.
 */
const uint16_t *sheave_event_streams(const struct sheave_event *event, size_t *count);

/**
 * 1 if the reset streams are outgoing, 0 if incoming.
 */
int sheave_event_is_outgoing(const struct sheave_event *event);

/**
 * The change of authentication; SHEAVE_AUTHENTICATION_EVENT_NONE for other events.
 */
enum sheave_authentication_event sheave_event_authentication(const struct sheave_event *event);

/**
 * The event's key id; 0 for other events.
 */
uint16_t sheave_event_key(const struct sheave_event *event);

/**
 * The reason why the association ended; SHEAVE_CLOSE_REASON_NONE for other events.
 */
enum sheave_close_reason sheave_event_close_reason(const struct sheave_event *event);

/**
 * Frees the event; does nothing with NULL.
 */
void sheave_event_free(struct sheave_event *event);

/**
 * The numbers of outgoing and incoming streams, which count from 0. Both are 0 before the
 * association is established. Either pointer may be NULL.
 */
enum sheave_status sheave_association_streams(const struct sheave_association *association,
                                              uint16_t *outbound,
                                              uint16_t *inbound);

/**
 * Restarts `count` streams with sequence number 0, 0 meaning every stream: outgoing ones
 * (SHEAVE_OUTGOING) or, by a request to the peer, incoming ones (SHEAVE_INCOMING). Returns at
 * once; SHEAVE_EVENT_KIND_STREAMS_RESET or SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED reports the
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
 * Requests `count` more outgoing streams (SHEAVE_OUTGOING), or asks the peer to add incoming ones
 * (SHEAVE_INCOMING). Returns at once; SHEAVE_EVENT_KIND_STREAMS_CHANGED or
 * SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED reports the outcome.
 *
 * Errors: see sheave_association_reset_streams().
 */
enum sheave_status sheave_association_add_streams(const struct sheave_association *association,
                                                  uint16_t count,
                                                  int direction);

/**
 * Copies counters to `*stats`; `size` is sizeof(struct sheave_association_stats).
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT; SHEAVE_STATUS_CLOSED after the association has ended.
 */
enum sheave_status sheave_association_stats(const struct sheave_association *association,
                                            struct sheave_association_stats *stats,
                                            size_t size);

/**
 * Copies the paths to the array `paths`, whose elements have `size` bytes, sizeof(struct
 * sheave_path). `*count` is the capacity of the array on input and the number of paths on output.
 * If the output is larger than the capacity, the array holds the first paths. `paths` may be NULL
 * if `*count` is 0. A closed association has no path.
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
 */
enum sheave_status sheave_association_paths(const struct sheave_association *association,
                                            struct sheave_path *paths,
                                            size_t size,
                                            size_t *count);

/**
 * Adds a shared key of `length` bytes, or replaces the secret of the key with this id. The peer
 * may use the key at once; this end uses it after sheave_association_activate_key(). Initial keys
 * are options: `authentication_key` and others in docs/options.md.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED if the association does not authenticate; SHEAVE_STATUS_IN_USE
 * if messages sent with this key are not acknowledged yet.
 */
enum sheave_status sheave_association_insert_key(const struct sheave_association *association,
                                                 uint16_t id,
                                                 const void *secret,
                                                 size_t length);

/**
 * Sends with this key from now on.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT if the key does not exist or
 * was deactivated.
 */
enum sheave_status sheave_association_activate_key(const struct sheave_association *association,
                                                   uint16_t id);

/**
 * Stops sending with this key for good; chunks that the peer sends with it stay valid.
 * SHEAVE_EVENT_KIND_AUTHENTICATION reports when no data sent with the key is in flight.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT if the key does not exist;
 * SHEAVE_STATUS_IN_USE if it is the active key.
 */
enum sheave_status sheave_association_deactivate_key(const struct sheave_association *association,
                                                     uint16_t id);

/**
 * Removes a key: chunks that the peer sends with it are dropped from now on.
 *
 * Errors: SHEAVE_STATUS_NOT_AGREED; SHEAVE_STATUS_INVALID_ARGUMENT if the key does not exist;
 * SHEAVE_STATUS_IN_USE if it is the active key, or if messages sent with it are not acknowledged
 * yet.
 */
enum sheave_status sheave_association_delete_key(const struct sheave_association *association,
                                                 uint16_t id);

/**
 * Changes options of a running association: a list KEY=VALUE,KEY=VALUE with keys of
 * docs/options.md. Other options keep their values. The options that can change: bounds and gains
 * of the retransmission timeout, heartbeats, failover thresholds, cookie lifetime, SACK delay and
 * frequency, `coalescing`, `max_burst`, `max_message_size`, `dscp`, `flow_label`, and the buffer
 * sizes `send_buffer`, a larger `receive_buffer`, `buffers`, `partial_delivery_point`.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), also for an option that cannot
 * change; the other options have then changed. SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_association_retune(const struct sheave_association *association,
                                             const char *options);

/**
 * Sets options of the path to one peer address, which override those of the association. Earlier
 * settings of the path are replaced; NULL or an empty text removes them. `settings` is a list
 * KEY=VALUE,KEY=VALUE of `heartbeats`, `path_max_retrans`, `potentially_failed_max_retrans`,
 * `primary_switchover_max_retrans`, `dscp` and `flow_label`, as in docs/options.md, and `pmtu`, a
 * fixed path MTU in bytes, which disables discovery.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key); SHEAVE_STATUS_ADDRESS, when the
 * peer has no such address.
 */
enum sheave_status sheave_association_retune_path(const struct sheave_association *association,
                                                  const char *remote,
                                                  const char *settings);

/**
 * Copies the current value of an option, as text, to `value`, which has room for `capacity` bytes
 * including the NUL. `name` is a key of docs/options.md.
 *
 * Errors: SHEAVE_STATUS_INVALID_OPTION for an unknown option; SHEAVE_STATUS_TOO_LARGE if
 * `capacity` is too small; SHEAVE_STATUS_CLOSED.
 */
enum sheave_status sheave_association_option(const struct sheave_association *association,
                                             const char *name,
                                             char *value,
                                             size_t capacity);

/**
 * Copies the local addresses that the peer knows, as texts, to the array `addresses`. `*count` is
 * the capacity of the array on input and the number of addresses on output. If the output is
 * larger than the capacity, the array holds the first addresses. `addresses` may be NULL if
 * `*count` is 0. A closed association has no addresses.
 *
 * Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
 */
enum sheave_status sheave_association_local_addresses(const struct sheave_association *association,
                                                      char (*addresses)[SHEAVE_ADDRESS_LENGTH],
                                                      size_t *count);

/**
 * The number of DATA chunks sent and not yet acknowledged; 0 for a closed association and on
 * errors.
 */
size_t sheave_association_unacknowledged(const struct sheave_association *association);

/**
 * The number of messages not sent at all yet; 0 for a closed association and on errors.
 */
size_t sheave_association_waiting(const struct sheave_association *association);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SHEAVE_H */
