//! Endpoints.

use std::ffi::{c_char, c_int};
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use sheave::Config;
use sheave::handle::wait_until;

use crate::association::Association;
use crate::border::{self, Outcome, Place};
use crate::failure::Failure;
use crate::listener::Listener;
use crate::settings::{self, Reach};
use crate::signal::Signal;
use crate::status::Status;

/// Longest time that closing may take: for callers who set no limit.
const FOR_EVER: Duration = Duration::from_secs(366 * 86_400);

/// An SCTP endpoint: its sockets, its ports and all associations on them.
///
/// The endpoint lives as long as its handle or one of its listeners and associations does.
pub struct Endpoint {
    endpoint: sheave::Endpoint,
    signal: Arc<Signal>,
}

impl Endpoint {
    fn start_connect(&self, target: &str, options: &str) -> Outcome<Association> {
        let reach = match self.endpoint.udp_port() {
            Some(_) => Reach::OverUdp,
            None => Reach::OverIp,
        };
        let target = settings::target(target, settings::options(options)?, reach)?;
        Ok(Association::new(self.endpoint.start_connect(target)?))
    }

    fn update(&self) {
        let closed = |context: &Context<'_>| self.endpoint.poll_closed(context).is_ready();
        self.signal.update(closed);
    }
}

/// Binds an endpoint: opens its sockets and starts its thread.
///
/// `config` is a list KEY=VALUE,KEY=VALUE or NULL for the default, which is UDP port 9899 of all
/// usable addresses. The keys: `local`, an IP address, once for each; `carrier`, `udp` (RFC 6951) or
/// `ip` (protocol 132, needs CAP_NET_RAW); `udp_port`, 0 for any free one; `socket_buffer`, a size;
/// `backlog`; `workers`, a number of threads; `busy_poll`; `linger`, a time such as `2 s`, 10 s
/// unless set; `offload`, `automatic` or `off`; and the limits of an endpoint in docs/options.md.
///
/// On success the endpoint is in `*endpoint` and has to be freed with sheave_endpoint_free().
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), SHEAVE_STATUS_ADDRESS,
/// SHEAVE_STATUS_IN_USE, SHEAVE_STATUS_NO_PERMISSION, SHEAVE_STATUS_SYSTEM.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_bind(
    config: *const c_char,
    endpoint: *mut *mut Endpoint,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::new(endpoint, "endpoint") }?;
        // SAFETY: likewise.
        let config: Config = unsafe { border::text_or_empty(config, "config") }?.parse()?;
        let endpoint = sheave::Endpoint::bind(config)?;
        place.put(border::give(Endpoint {
            endpoint,
            signal: Arc::default(),
        }));
        Ok(())
    })
}

/// The local UDP port; 0 over plain IP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_udp_port(endpoint: *const Endpoint) -> u16 {
    border::call_or(0, || {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        Ok(endpoint.endpoint.udp_port().unwrap_or(0))
    })
}

/// Accepts associations on SCTP port `port`, with these options: a list KEY=VALUE,KEY=VALUE of those
/// in docs/options.md, such as `profile=telecom,rto_min=150 ms`, or NULL for the default.
///
/// On success the listener is in `*listener` and has to be freed with sheave_listener_free().
///
/// Errors: SHEAVE_STATUS_INVALID_ARGUMENT (port 0), SHEAVE_STATUS_IN_USE,
/// SHEAVE_STATUS_INVALID_OPTION, SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_listen(
    endpoint: *const Endpoint,
    port: u16,
    options: *const c_char,
    listener: *mut *mut Listener,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        // SAFETY: likewise.
        let place = unsafe { Place::new(listener, "listener") }?;
        // SAFETY: likewise.
        let options = unsafe { border::text_or_empty(options, "options") }?;
        let listener = endpoint
            .endpoint
            .listen(port, settings::options(options)?)?;
        place.put(border::give(Listener::new(listener)));
        Ok(())
    })
}

/// Accepts associations like sheave_endpoint_listen(), but only those that begin at the addresses of
/// `local`, a list local=ADDRESS,local=ADDRESS, which are all that the peer is told of; NULL means all
/// of the endpoint's. Listeners with different addresses may share a port.
///
/// Errors: also SHEAVE_STATUS_ADDRESS, when the endpoint does not have an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_listen_on(
    endpoint: *const Endpoint,
    port: u16,
    local: *const c_char,
    options: *const c_char,
    listener: *mut *mut Listener,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = &unsafe { border::borrow(endpoint, "endpoint") }?.endpoint;
        // SAFETY: likewise.
        let place = unsafe { Place::new(listener, "listener") }?;
        // SAFETY: likewise.
        let local = settings::local(unsafe { border::text_or_empty(local, "local") }?)?;
        // SAFETY: likewise.
        let options = unsafe { border::text_or_empty(options, "options") }?;
        let listener = endpoint.listen_on(port, local, settings::options(options)?)?;
        place.put(border::give(Listener::new(listener)));
        Ok(())
    })
}

/// Starts to set up an association and returns at once. sheave_association_established() tells the
/// outcome; the descriptor is readable then if SHEAVE_READY_ESTABLISHED is among its conditions.
///
/// `target` is a list KEY=VALUE,KEY=VALUE: `remote`, an IP address of the peer, once for each that is
/// known, the one to try first in front; `port`, the peer's SCTP port; `udp_port`, the peer's UDP
/// port, 9899 unless set, and none over plain IP; `local`, an address of ours to use, once for each,
/// all that fit unless set; `local_port`, our SCTP port. `options` as in sheave_endpoint_listen().
///
/// On success the association is in `*association` and has to be freed with
/// sheave_association_free(), which gives the attempt up if it is not established.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), SHEAVE_STATUS_ADDRESS,
/// SHEAVE_STATUS_IN_USE, SHEAVE_STATUS_LIMIT, SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_start_connect(
    endpoint: *const Endpoint,
    target: *const c_char,
    options: *const c_char,
    association: *mut *mut Association,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        // SAFETY: likewise.
        let place = unsafe { Place::new(association, "association") }?;
        // SAFETY: likewise.
        let target = unsafe { border::text(target, "target") }?;
        // SAFETY: likewise.
        let options = unsafe { border::text_or_empty(options, "options") }?;
        place.put(border::give(endpoint.start_connect(target, options)?));
        Ok(())
    })
}

/// Sets up an association like sheave_endpoint_start_connect(), and waits until the peer has answered
/// and messages can leave: after one round trip, or, where the option early_data is off or chunks
/// are to be authenticated, after two, when it is established. What fails in between is told by the next
/// call on the association.
///
/// Errors: also SHEAVE_STATUS_AGAIN, when it is not within `timeout` milliseconds, and
/// SHEAVE_STATUS_CONNECT_FAILED. In both cases the attempt is given up.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_connect(
    endpoint: *const Endpoint,
    target: *const c_char,
    options: *const c_char,
    timeout: c_int,
    association: *mut *mut Association,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        // SAFETY: likewise.
        let place = unsafe { Place::new(association, "association") }?;
        // SAFETY: likewise.
        let target = unsafe { border::text(target, "target") }?;
        // SAFETY: likewise.
        let options = unsafe { border::text_or_empty(options, "options") }?;
        let association = endpoint.start_connect(target, options)?;
        association.answered(border::timeout(timeout))?;
        place.put(border::give(association));
        Ok(())
    })
}

/// Starts to close the endpoint with all its listeners and associations and returns at once:
/// gracefully within `timeout` milliseconds, what remains then is aborted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_start_close(
    endpoint: *const Endpoint,
    timeout: c_int,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        let timeout = border::timeout(timeout).unwrap_or(FOR_EVER);
        endpoint.endpoint.start_close(timeout);
        endpoint.update();
        Ok(())
    })
}

/// Closes the endpoint like sheave_endpoint_start_close(), and waits until it is closed. The number
/// of associations that were aborted goes to `*aborted`, which may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_close(
    endpoint: *const Endpoint,
    timeout: c_int,
    aborted: *mut usize,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        let timeout = border::timeout(timeout).unwrap_or(FOR_EVER);
        endpoint.endpoint.start_close(timeout);
        let count = wait_until(None, |context| endpoint.endpoint.poll_closed(context));
        endpoint.update();
        // SAFETY: as above; the caller may leave it out.
        if let Ok(place) = unsafe { Place::new(aborted, "aborted") } {
            place.put(count.unwrap_or(0));
        }
        Ok(())
    })
}

/// A file descriptor for poll(2), readable once the endpoint is closed. The same one at every call;
/// it belongs to the endpoint: neither read nor close it. -1 on errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_fd(endpoint: *const Endpoint) -> c_int {
    border::call_or(-1, || {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        let descriptor = endpoint.signal.open(0).map_err(no_pipe)?;
        endpoint.update();
        Ok(descriptor)
    })
}

/// Loses every packet from and to that local address from now on, as if its cable were pulled: for
/// tests and demonstrations of failover. Does nothing where the address is not the endpoint's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_unplug(
    endpoint: *const Endpoint,
    local: *const c_char,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        // SAFETY: likewise.
        let local = settings::ip(unsafe { border::text(local, "local") }?)?;
        endpoint.endpoint.unplug(local);
        Ok(())
    })
}

/// Undoes sheave_endpoint_unplug().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_plug_in(
    endpoint: *const Endpoint,
    local: *const c_char,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let endpoint = unsafe { border::borrow(endpoint, "endpoint") }?;
        // SAFETY: likewise.
        let local = settings::ip(unsafe { border::text(local, "local") }?)?;
        endpoint.endpoint.plug_in(local);
        Ok(())
    })
}

/// Frees the handle; does nothing with NULL. When no listener and no association of the endpoint is
/// left either, it closes them gracefully and waits for that, at most for the time `linger` of its
/// configuration. The other handles are freed after it or before it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_free(endpoint: *mut Endpoint) {
    // SAFETY: as the top of the header asks of the caller.
    unsafe { border::take_back(endpoint) };
}

/// The system has no pipe for the descriptor.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn no_pipe(error: std::io::Error) -> Failure {
    Failure::new(Status::System, format_args!("cannot make a pipe: {error}"))
}
