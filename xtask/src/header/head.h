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
