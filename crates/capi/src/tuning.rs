//! Options of an established association.

use std::ffi::c_char;

use crate::association::Association;
use crate::border::{self, Outcome, Place};
use crate::failure::Failure;
use crate::settings;
use crate::stats::{SHEAVE_ADDRESS_LENGTH, address_text};
use crate::status::Status;

fn closed() -> Failure {
    Failure::new(Status::Closed, "the association is closed")
}

impl Association {
    /// Changes options; fails at the first option that cannot change.
    fn retune(&self, text: &str) -> Outcome {
        let given = settings::pairs(text).collect::<Vec<_>>();
        let mut wanted = self.association.options().ok_or_else(closed)?;
        wanted.apply(&given)?;
        self.association.retune(&wanted)?;
        let now = self.association.options().ok_or_else(closed)?;
        let stuck = given
            .iter()
            .find(|(name, _)| now.get(name) != wanted.get(name));
        match stuck {
            Some((name, value)) => {
                let reason = "it cannot change while the association lives";
                Err(Failure::option(name, value, reason))
            }
            None => Ok(()),
        }
    }
}

/// Changes options of a running association: a list KEY=VALUE,KEY=VALUE with keys of
/// docs/options.md. Other options keep their values. The options that can change: bounds and gains
/// of the retransmission timeout, heartbeats, failover thresholds, cookie lifetime, SACK delay and
/// frequency, `coalescing`, `max_burst`, `max_message_size`, `dscp`, `flow_label`, and the buffer
/// sizes `send_buffer`, a larger `receive_buffer`, `buffers`, `partial_delivery_point`.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), also for an option that cannot
/// change; the other options have then changed. SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_retune(
    association: Option<&Association>,
    options: *const c_char,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        association.retune(unsafe { border::text(options, "options") }?)
    })
}

/// Sets options of the path to one peer address, which override those of the association. Earlier
/// settings of the path are replaced; NULL or an empty text removes them. `settings` is a list
/// KEY=VALUE,KEY=VALUE of `heartbeats`, `path_max_retrans`, `potentially_failed_max_retrans`,
/// `primary_switchover_max_retrans`, `dscp` and `flow_label`, as in docs/options.md, and `pmtu`, a
/// fixed path MTU in bytes, which disables discovery.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key); SHEAVE_STATUS_ADDRESS, when the
/// peer has no such address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_retune_path(
    association: Option<&Association>,
    remote: *const c_char,
    settings: *const c_char,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let remote = settings::ip(unsafe { border::text(remote, "remote") }?)?;
        // SAFETY: likewise.
        let settings = unsafe { border::text_or_empty(settings, "settings") }?;
        let tuning = settings::path_tuning(settings)?;
        Ok(association.association.retune_path(remote, tuning)?)
    })
}

/// Copies the current value of an option, as text, to `value`, which has room for `capacity` bytes
/// including the NUL. `name` is a key of docs/options.md.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION for an unknown option; SHEAVE_STATUS_TOO_LARGE if
/// `capacity` is too small; SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_option(
    association: Option<&Association>,
    name: *const c_char,
    value: *mut c_char,
    capacity: usize,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let name = unsafe { border::text(name, "name") }?;
        // SAFETY: likewise; the text is copied below, where there is room for all of it.
        unsafe { Place::new(value, "value") }?;
        let options = association.association.options().ok_or_else(closed)?;
        let unknown = || Failure::option(name, "?", "there is no such option");
        let mut text = options.get(name).ok_or_else(unknown)?.into_bytes();
        text.push(0);
        if text.len() > capacity {
            let message = format_args!("{name} takes {} bytes, of {capacity}", text.len());
            return Err(Failure::new(Status::TooLarge, message));
        }
        // SAFETY: the caller has room for `capacity` bytes, which the text does not exceed.
        unsafe { border::copy(&text, value.cast::<u8>()) };
        Ok(())
    })
}

/// Copies the local addresses that the peer knows, as texts, to the array `addresses`. `*count` is
/// the capacity of the array on input and the number of addresses on output. If the output is
/// larger than the capacity, the array holds the first addresses. `addresses` may be NULL if
/// `*count` is 0. A closed association has no addresses.
///
/// Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_local_addresses(
    association: Option<&Association>,
    addresses: *mut [c_char; SHEAVE_ADDRESS_LENGTH],
    count: Option<&mut usize>,
) -> Status {
    border::on(association, "association", |association| {
        let count = border::given(count, "count")?;
        let room = *count;
        if addresses.is_null() && room > 0 {
            return Err(Failure::argument("addresses is NULL"));
        }
        let all = association.association.local_addresses();
        let some: Vec<_> = all.iter().take(room).map(|ip| address_text(*ip)).collect();
        // SAFETY: the caller has room for `room` elements, and there are no more than that.
        unsafe { border::copy(&some, addresses) };
        *count = all.len();
        Ok(())
    })
}

/// The number of DATA chunks sent and not yet acknowledged; 0 for a closed association and on
/// errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_unacknowledged(association: Option<&Association>) -> usize {
    border::on_or(0, association, "association", |association| {
        Ok(association.association.unacknowledged())
    })
}

/// The number of messages not sent at all yet; 0 for a closed association and on errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_waiting(association: Option<&Association>) -> usize {
    border::on_or(0, association, "association", |association| {
        Ok(association.association.waiting())
    })
}
