//! Stream reconfiguration (RFC 6525).

use std::ffi::c_int;

use sheave::StreamId;
use sheave::streams::StreamDirection;

use crate::association::Association;
use crate::border::{self, Outcome, Place};
use crate::failure::Failure;
use crate::status::Status;

/// Streams of this end.
pub const SHEAVE_OUTGOING: c_int = 0;
/// Streams of the peer.
pub const SHEAVE_INCOMING: c_int = 1;

fn direction(number: c_int) -> Outcome<StreamDirection> {
    match number {
        SHEAVE_OUTGOING => Ok(StreamDirection::Outgoing),
        SHEAVE_INCOMING => Ok(StreamDirection::Incoming),
        other => Err(Failure::argument(format_args!(
            "direction {other}: there is no such one"
        ))),
    }
}

/// The numbers of outgoing and incoming streams, which count from 0. Both are 0 before the
/// association is established. Either pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_streams(
    association: Option<&Association>,
    outbound: *mut u16,
    inbound: *mut u16,
) -> Status {
    border::on(association, "association", |association| {
        let association = &association.association;
        // SAFETY: as the top of the header asks of the caller; the caller may leave it out.
        if let Ok(place) = unsafe { Place::new(outbound, "outbound") } {
            place.put(association.outbound_streams());
        }
        // SAFETY: likewise.
        if let Ok(place) = unsafe { Place::new(inbound, "inbound") } {
            place.put(association.inbound_streams());
        }
        Ok(())
    })
}

/// Restarts `count` streams with sequence number 0, 0 meaning every stream: outgoing ones
/// (SHEAVE_OUTGOING) or, by a request to the peer, incoming ones (SHEAVE_INCOMING). Returns at
/// once; SHEAVE_EVENT_KIND_STREAMS_RESET or SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED reports the
/// outcome. Needs the option `reconfiguration` at both ends.
///
/// Errors: SHEAVE_STATUS_NOT_AGREED, SHEAVE_STATUS_NOT_ESTABLISHED, SHEAVE_STATUS_BUSY,
/// SHEAVE_STATUS_INVALID_STREAM, SHEAVE_STATUS_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_reset_streams(
    association: Option<&Association>,
    streams: *const u16,
    count: usize,
    direction: c_int,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let streams = unsafe { border::array(streams, count, "streams") }?;
        let streams: Vec<StreamId> = streams.iter().copied().map(StreamId).collect();
        let direction = self::direction(direction)?;
        Ok(association.association.reset_streams(&streams, direction)?)
    })
}

/// Requests `count` more outgoing streams (SHEAVE_OUTGOING), or asks the peer to add incoming ones
/// (SHEAVE_INCOMING). Returns at once; SHEAVE_EVENT_KIND_STREAMS_CHANGED or
/// SHEAVE_EVENT_KIND_RECONFIGURATION_FAILED reports the outcome.
///
/// Errors: see sheave_association_reset_streams().
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_add_streams(
    association: Option<&Association>,
    count: u16,
    direction: c_int,
) -> Status {
    border::on(association, "association", |association| {
        let direction = self::direction(direction)?;
        Ok(association.association.add_streams(count, direction)?)
    })
}
