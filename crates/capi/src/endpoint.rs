//! Endpoints.

use std::ffi::{c_char, c_int};
use std::ptr;
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

/// The timeout of a close without a limit from the caller.
const FOR_EVER: Duration = Duration::from_secs(366 * 86_400);

/// An SCTP endpoint: its network sockets, ports and associations.
///
/// The endpoint lives as long as its handle or one of its listeners or associations.
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

/// Binds an endpoint: opens its network sockets and starts its thread.
///
/// `config` is a list KEY=VALUE,KEY=VALUE, or NULL for the default: UDP port 9899 on every usable
/// address. The keys: `local`, an IP address, repeatable; `carrier`, `udp` (RFC 6951) or `ip`
/// (protocol 132, needs CAP_NET_RAW); `udp_port`, 0 for any free port; `socket_buffer`, a size;
/// `backlog`; `workers`, a number of threads; `busy_poll`; `linger`, a time such as `2 s`, by
/// default 10 s; `offload`, `automatic` or `off`; and the endpoint limits in docs/options.md.
///
/// Packets of all associations are encrypted (experimental, docs/secure.md) with `cert` and `key`,
/// PEM files of the own certificate, and `ca`, a PEM file of authorities, or `fingerprint`, of the
/// peer's certificate, repeatable. With them go `peer_name`, a name that the peer's certificate must
/// hold, repeatable; `rekey`, a time, by default 1 h; `key_log`, a file; and `restart_keys`, a
/// folder. `psk_file`, a file with a secret that the peer has, too, takes the place of certificates.
/// A library built without the feature `secure` does not have these keys.
///
/// On success stores the endpoint in `*endpoint`; free it with sheave_endpoint_free().
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
pub extern "C" fn sheave_endpoint_udp_port(endpoint: Option<&Endpoint>) -> u16 {
    border::on_or(0, endpoint, "endpoint", |endpoint| {
        Ok(endpoint.endpoint.udp_port().unwrap_or(0))
    })
}

/// Accepts associations on SCTP port `port`. `options` is a list KEY=VALUE,KEY=VALUE with keys of
/// docs/options.md, such as `profile=telecom,rto_min=150 ms`, or NULL for the defaults.
///
/// On success stores the listener in `*listener`; free it with sheave_listener_free().
///
/// Errors: SHEAVE_STATUS_INVALID_ARGUMENT (port 0), SHEAVE_STATUS_IN_USE,
/// SHEAVE_STATUS_INVALID_OPTION, SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_listen(
    endpoint: Option<&Endpoint>,
    port: u16,
    options: *const c_char,
    listener: *mut *mut Listener,
) -> Status {
    // SAFETY: as the top of the header asks of the caller.
    unsafe { sheave_endpoint_listen_on(endpoint, port, ptr::null(), options, listener) }
}

/// Accepts associations like sheave_endpoint_listen(), but only at the addresses in `local`, a list
/// local=ADDRESS,local=ADDRESS; the peer learns only these. NULL means every address of the
/// endpoint. Listeners with different addresses may share a port.
///
/// Errors: also SHEAVE_STATUS_ADDRESS if the endpoint does not have an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_listen_on(
    endpoint: Option<&Endpoint>,
    port: u16,
    local: *const c_char,
    options: *const c_char,
    listener: *mut *mut Listener,
) -> Status {
    border::on(endpoint, "endpoint", |endpoint| {
        let endpoint = &endpoint.endpoint;
        // SAFETY: as the top of the header asks of the caller.
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

/// Starts to establish an association and returns at once. sheave_association_established() returns
/// the outcome; with SHEAVE_READY_ESTABLISHED among its conditions, the descriptor becomes
/// readable.
///
/// `target` is a list KEY=VALUE,KEY=VALUE: `remote`, an IP address of the peer, repeatable, the
/// preferred one first; `port`, the peer's SCTP port; `udp_port`, the peer's UDP port, by default
/// 9899, invalid over plain IP; `local`, a local address to use, repeatable, by default every
/// suitable one; `local_port`, the local SCTP port. `options` as in sheave_endpoint_listen().
///
/// On success stores the association in `*association`; free it with sheave_association_free(),
/// which also cancels an unfinished attempt.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), SHEAVE_STATUS_ADDRESS,
/// SHEAVE_STATUS_IN_USE, SHEAVE_STATUS_LIMIT, SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_start_connect(
    endpoint: Option<&Endpoint>,
    target: *const c_char,
    options: *const c_char,
    association: *mut *mut Association,
) -> Status {
    border::on(endpoint, "endpoint", |endpoint| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::new(association, "association") }?;
        // SAFETY: likewise.
        let target = unsafe { border::text(target, "target") }?;
        // SAFETY: likewise.
        let options = unsafe { border::text_or_empty(options, "options") }?;
        place.put(border::give(endpoint.start_connect(target, options)?));
        Ok(())
    })
}

/// Establishes an association like sheave_endpoint_start_connect(), and waits until the peer has
/// answered and data can be sent: one round trip, or two if the option early_data is off or chunks
/// must be authenticated. The next call on the association reports a later failure.
///
/// Errors: also SHEAVE_STATUS_AGAIN on timeout, and SHEAVE_STATUS_CONNECT_FAILED. In both cases the
/// attempt is cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_connect(
    endpoint: Option<&Endpoint>,
    target: *const c_char,
    options: *const c_char,
    timeout: c_int,
    association: *mut *mut Association,
) -> Status {
    border::on(endpoint, "endpoint", |endpoint| {
        // SAFETY: as the top of the header asks of the caller.
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

/// Starts to close the endpoint with its listeners and associations, and returns at once.
/// Associations shut down gracefully within `timeout` milliseconds; the remaining ones are aborted.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_endpoint_start_close(
    endpoint: Option<&Endpoint>,
    timeout: c_int,
) -> Status {
    border::on(endpoint, "endpoint", |endpoint| {
        let timeout = border::timeout(timeout).unwrap_or(FOR_EVER);
        endpoint.endpoint.start_close(timeout);
        endpoint.update();
        Ok(())
    })
}

/// Closes the endpoint like sheave_endpoint_start_close(), and waits until it is closed. Stores the
/// number of aborted associations in `*aborted`, which may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_close(
    endpoint: Option<&Endpoint>,
    timeout: c_int,
    aborted: *mut usize,
) -> Status {
    border::on(endpoint, "endpoint", |endpoint| {
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

/// A file descriptor for poll(2), readable once the endpoint is closed. Every call returns the same
/// descriptor, which belongs to the endpoint: neither read nor close it. -1 on errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_endpoint_fd(endpoint: Option<&Endpoint>) -> c_int {
    border::on_or(-1, endpoint, "endpoint", |endpoint| {
        let descriptor = endpoint.signal.open(0).map_err(no_pipe)?;
        endpoint.update();
        Ok(descriptor)
    })
}

/// Drops every packet from and to this local address from now on, as if its cable were unplugged;
/// for tests and demonstrations of failover. Does nothing for an address that the endpoint does not
/// have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_unplug(
    endpoint: Option<&Endpoint>,
    local: *const c_char,
) -> Status {
    border::on(endpoint, "endpoint", |endpoint| {
        // SAFETY: as the top of the header asks of the caller.
        let local = settings::ip(unsafe { border::text(local, "local") }?)?;
        endpoint.endpoint.unplug(local);
        Ok(())
    })
}

/// Undoes sheave_endpoint_unplug().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_plug_in(
    endpoint: Option<&Endpoint>,
    local: *const c_char,
) -> Status {
    border::on(endpoint, "endpoint", |endpoint| {
        // SAFETY: as the top of the header asks of the caller.
        let local = settings::ip(unsafe { border::text(local, "local") }?)?;
        endpoint.endpoint.plug_in(local);
        Ok(())
    })
}

/// Frees the handle; does nothing with NULL. Without remaining listeners and associations, the
/// endpoint shuts down gracefully, at most for the `linger` of its configuration. Handles may be
/// freed in any order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_endpoint_free(endpoint: *mut Endpoint) {
    // SAFETY: as the top of the header asks of the caller.
    unsafe { border::take_back(endpoint) };
}

/// Creating the descriptor's pipe failed.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn no_pipe(error: std::io::Error) -> Failure {
    Failure::new(Status::System, format_args!("cannot make a pipe: {error}"))
}
