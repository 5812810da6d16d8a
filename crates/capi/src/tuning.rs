//! Options of an association that lives.

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
    /// Goes on with other options where they can change; the first that cannot is an error.
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

/// Changes options of the association while it lives: a list KEY=VALUE,KEY=VALUE of those in
/// docs/options.md. Others stay as they are. These can change: the bounds and gains of the
/// retransmission timeout, heartbeats, the thresholds of failover, the lifetime of cookies, delay and
/// frequency of SACKs, `coalescing`, `max_burst`, `max_message_size`, `dscp`, `flow_label`, and the sizes
/// of the buffers: `send_buffer`, a larger `receive_buffer`, `buffers`, `partial_delivery_point`.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key), also for an option that cannot
/// change now: then those that can have changed; SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_retune(
    association: *const Association,
    options: *const c_char,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
        association.retune(unsafe { border::text(options, "options") }?)
    })
}

/// Gives the path to one address of the peer settings of its own, in place of those that the options
/// give all paths; the settings that it had before are gone, and NULL or an empty text leaves none.
/// `settings` is a list KEY=VALUE,KEY=VALUE: `heartbeats`, `path_max_retrans`,
/// `potentially_failed_max_retrans`, `primary_switchover_max_retrans`, `dscp` and `flow_label`, as in
/// docs/options.md, and `pmtu`, the path MTU in bytes, which then is not looked for.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION (the message names the key); SHEAVE_STATUS_ADDRESS, when the
/// peer has no such address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_retune_path(
    association: *const Association,
    remote: *const c_char,
    settings: *const c_char,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
        let remote = settings::ip(unsafe { border::text(remote, "remote") }?)?;
        // SAFETY: likewise.
        let settings = unsafe { border::text_or_empty(settings, "settings") }?;
        let tuning = settings::path_tuning(settings)?;
        Ok(association.association.retune_path(remote, tuning)?)
    })
}

/// Puts the value that an option has now, as text, into `value`, which has room for `capacity` bytes,
/// the zero among them. `name` is a key of docs/options.md.
///
/// Errors: SHEAVE_STATUS_INVALID_OPTION, when there is no such option; SHEAVE_STATUS_TOO_LARGE, when
/// there is too little room; SHEAVE_STATUS_CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_option(
    association: *const Association,
    name: *const c_char,
    value: *mut c_char,
    capacity: usize,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
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

/// Puts the addresses that the peer knows us by, as texts, into the array `addresses`. `*count` is the
/// number of elements that there is room for, and afterwards that of addresses, which may be larger:
/// then the array holds the first ones. `addresses` may be NULL if `*count` is 0. Once the association
/// is closed there is none.
///
/// Errors: SHEAVE_STATUS_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_local_addresses(
    association: *const Association,
    addresses: *mut [c_char; SHEAVE_ADDRESS_LENGTH],
    count: *mut usize,
) -> Status {
    border::call(|| {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        // SAFETY: likewise.
        let room = *unsafe { border::borrow(count.cast_const(), "count") }?;
        if addresses.is_null() && room > 0 {
            return Err(Failure::argument("addresses is NULL"));
        }
        let all = association.association.local_addresses();
        let some: Vec<_> = all.iter().take(room).map(|ip| address_text(*ip)).collect();
        // SAFETY: the caller has room for `room` elements, and there are no more than that.
        unsafe { border::copy(&some, addresses) };
        // SAFETY: as above; nobody borrows it any more.
        unsafe { Place::new(count, "count") }?.put(all.len());
        Ok(())
    })
}

/// The number of DATA chunks that were sent and not yet acknowledged; 0 once the association is closed,
/// and on errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_unacknowledged(
    association: *const Association,
) -> usize {
    border::call_or(0, || {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        Ok(association.association.unacknowledged())
    })
}

/// The number of messages of which nothing was sent yet; 0 once the association is closed, and on
/// errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_waiting(association: *const Association) -> usize {
    border::call_or(0, || {
        // SAFETY: as the top of the header asks of the caller.
        let association = unsafe { border::borrow(association, "association") }?;
        Ok(association.association.waiting())
    })
}
