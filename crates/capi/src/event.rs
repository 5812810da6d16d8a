//! Events of an association other than messages.

use std::ffi::{CString, c_char, c_int};
use std::net::IpAddr;
use std::task::{Context, Poll};

use sheave::events::{AddressChange, AuthenticationChange, PathChange, SendFailure};
use sheave::handle::wait_until;

use crate::association::Association;
use crate::border::{self, Place};
use crate::failure::Failure;
use crate::last_error::c_text;
use crate::status::Status;

/// The kind of an event.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A kind that this header does not know; see sheave_event_text().
    Other = 0,
    /// The association is established; the first event of each association.
    Established = 1,
    /// The peer lost its state and restarted the association; sequence numbers start over.
    Restarted = 2,
    /// A path changed: sheave_event_path_change(), sheave_event_address().
    Path = 3,
    /// A message was not delivered: sheave_event_context(), sheave_event_was_sent(), and the
    /// message in sheave_event_bytes().
    SendFailed = 4,
    /// A message was abandoned by its reliability policy; data as for
    /// SHEAVE_EVENT_KIND_SEND_FAILED.
    Abandoned = 5,
    /// Everything sent so far has been acknowledged.
    Drained = 6,
    /// The peer reported an error that did not end the association: sheave_event_cause(),
    /// sheave_event_bytes().
    PeerError = 7,
    /// No further part of a message on sheave_event_stream() follows.
    PartialDeliveryAborted = 8,
    /// Streams restart with sequence number 0: sheave_event_streams(), none meaning every stream,
    /// and sheave_event_is_outgoing().
    StreamsReset = 9,
    /// Streams were added: sheave_association_streams().
    StreamsChanged = 10,
    /// A request of this end to reset or add streams failed.
    ReconfigurationFailed = 11,
    /// The peer is shutting down: no new data can be sent.
    PeerShutdown = 12,
    /// The association has ended: sheave_event_close_reason(). The last event.
    Closed = 13,
    /// Both ends restart with new TSNs, and every stream with sequence number 0.
    AssociationReset = 14,
    /// The use of keys changed (RFC 4895): sheave_event_authentication(), sheave_event_key().
    Authentication = 15,
}

/// A change of authentication.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthenticationEvent {
    /// Not an event about authentication.
    None = 0,
    /// The peer does not authenticate; its chunks are accepted without it.
    Unavailable = 1,
    /// The peer now sends with the key.
    NewKey = 2,
    /// The key was deactivated, and no data sent with it is in flight.
    FreeKey = 3,
}

/// A change of a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEvent {
    /// Not an event about a path.
    None = 0,
    /// The peer proved that it owns the address.
    Confirmed = 1,
    /// Several sends are unanswered: new data uses other paths (RFC 7829).
    PotentiallyFailed = 2,
    /// The path is considered dead.
    Down = 3,
    /// The path answers again.
    Up = 4,
    /// The path became the primary path.
    Primary = 5,
    /// The peer added this address.
    Added = 6,
    /// The peer removed this address.
    Removed = 7,
}

/// The reason why an association ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The association has not ended.
    None = 0,
    /// Graceful shutdown; all data was delivered.
    Graceful = 1,
    /// This end aborted it.
    Aborted = 2,
    /// The peer aborted it.
    AbortedByPeer = 3,
    /// The peer broke the protocol.
    PeerFault = 4,
    /// The peer does not answer.
    TimedOut = 5,
    /// The peer rejected a stale cookie.
    StaleCookie = 6,
    /// Another reason.
    Other = 7,
    /// ICMP reports that nobody is at the peer's UDP port.
    NoSuchPort = 8,
    /// ICMP reports that the peer's host has no SCTP.
    NoSuchProtocol = 9,
}

impl CloseReason {
    fn of(reason: &sheave::CloseReason) -> Self {
        match reason {
            sheave::CloseReason::Graceful => Self::Graceful,
            sheave::CloseReason::Aborted => Self::Aborted,
            sheave::CloseReason::AbortedByPeer { .. } => Self::AbortedByPeer,
            sheave::CloseReason::PeerFault { .. } => Self::PeerFault,
            sheave::CloseReason::TimedOut => Self::TimedOut,
            sheave::CloseReason::StaleCookie => Self::StaleCookie,
            sheave::CloseReason::NoSuchPort => Self::NoSuchPort,
            sheave::CloseReason::NoSuchProtocol => Self::NoSuchProtocol,
            sheave::CloseReason::Exported => Self::Other,
        }
    }
}

/// An event of an association.
pub struct Event {
    event: sheave::Event,
    text: CString,
    address: CString,
    streams: Vec<u16>,
}

impl Event {
    fn new(event: sheave::Event) -> Self {
        let address = address(&event).map(|ip| ip.to_string());
        let streams = match &event {
            sheave::Event::StreamsReset { streams, .. } => {
                streams.iter().map(|stream| stream.0).collect()
            }
            _ => Vec::new(),
        };
        Self {
            text: c_text(&describe(&event)),
            address: c_text(&address.unwrap_or_default()),
            streams,
            event,
        }
    }

    fn kind(&self) -> EventKind {
        use sheave::Event as E;
        match &self.event {
            E::Established { .. } => EventKind::Established,
            E::Restarted => EventKind::Restarted,
            E::Path { .. } => EventKind::Path,
            E::SendFailed { .. } => EventKind::SendFailed,
            E::Abandoned { .. } => EventKind::Abandoned,
            E::Drained => EventKind::Drained,
            E::PeerError { .. } => EventKind::PeerError,
            E::PartialDeliveryAborted { .. } => EventKind::PartialDeliveryAborted,
            E::StreamsReset { .. } => EventKind::StreamsReset,
            E::AssociationReset { .. } => EventKind::AssociationReset,
            E::StreamsChanged { .. } => EventKind::StreamsChanged,
            E::ReconfigurationFailed { .. } => EventKind::ReconfigurationFailed,
            E::PeerShutdown => EventKind::PeerShutdown,
            E::Closed { .. } => EventKind::Closed,
            E::Answered { .. }
            | E::Readable
            | E::Writable
            | E::StreamBufferLow { .. }
            | E::Failover { .. }
            | E::AddressChanged { .. }
            | E::AddressChangeRefused { .. }
            | E::Protection(_)
            | E::PeerAdaptation { .. } => EventKind::Other,
            E::Authentication(_) => EventKind::Authentication,
        }
    }

    fn path_change(&self) -> PathEvent {
        let sheave::Event::Path { change, .. } = &self.event else {
            return PathEvent::None;
        };
        match change {
            PathChange::Confirmed => PathEvent::Confirmed,
            PathChange::PotentiallyFailed => PathEvent::PotentiallyFailed,
            PathChange::Down => PathEvent::Down,
            PathChange::Up => PathEvent::Up,
            PathChange::Primary => PathEvent::Primary,
            PathChange::Added => PathEvent::Added,
            PathChange::Removed => PathEvent::Removed,
        }
    }

    fn authentication(&self) -> AuthenticationEvent {
        match self.event {
            sheave::Event::Authentication(change) => match change {
                AuthenticationChange::Unavailable => AuthenticationEvent::Unavailable,
                AuthenticationChange::NewKey(_) => AuthenticationEvent::NewKey,
                AuthenticationChange::FreeKey(_) => AuthenticationEvent::FreeKey,
            },
            _ => AuthenticationEvent::None,
        }
    }

    fn key(&self) -> u16 {
        match self.event {
            sheave::Event::Authentication(
                AuthenticationChange::NewKey(id) | AuthenticationChange::FreeKey(id),
            ) => id.0,
            _ => 0,
        }
    }

    /// The undelivered message, its context and how far it got.
    fn undelivered(&self) -> Option<(&sheave::Message, u64, SendFailure)> {
        match &self.event {
            sheave::Event::SendFailed {
                message,
                context,
                failure,
            }
            | sheave::Event::Abandoned {
                message,
                context,
                failure,
                ..
            } => Some((message, *context, *failure)),
            _ => None,
        }
    }

    fn bytes(&self) -> &[u8] {
        if let Some((message, ..)) = self.undelivered() {
            return &message.payload;
        }
        match &self.event {
            sheave::Event::PeerError { detail, .. } => detail,
            sheave::Event::Closed {
                reason: sheave::CloseReason::AbortedByPeer { detail, .. },
                ..
            } => detail,
            _ => &[],
        }
    }

    fn cause(&self) -> u16 {
        match &self.event {
            sheave::Event::PeerError { cause, .. }
            | sheave::Event::AddressChangeRefused { cause, .. }
            | sheave::Event::Closed {
                reason:
                    sheave::CloseReason::AbortedByPeer {
                        cause: Some(cause), ..
                    }
                    | sheave::CloseReason::PeerFault { cause, .. },
                ..
            } => *cause,
            _ => 0,
        }
    }

    fn stream(&self) -> u16 {
        match &self.event {
            sheave::Event::PartialDeliveryAborted { stream }
            | sheave::Event::StreamBufferLow { stream } => stream.0,
            _ => self
                .undelivered()
                .map_or(0, |(message, ..)| message.stream.0),
        }
    }
}

fn address(event: &sheave::Event) -> Option<IpAddr> {
    match event {
        sheave::Event::Path { remote, .. } => Some(*remote),
        sheave::Event::AddressChanged { change }
        | sheave::Event::AddressChangeRefused { change, .. } => Some(match change {
            AddressChange::Add(ip) | AddressChange::Delete(ip) | AddressChange::SetPrimary(ip) => {
                *ip
            }
        }),
        _ => None,
    }
}

/// The event as one line of text.
fn describe(event: &sheave::Event) -> String {
    use sheave::Event as E;
    match event {
        E::Answered { .. } => "answered".into(),
        E::Failover { from, to, silence } => {
            format!("data to {from} goes to {to} after {silence:.1?} without an answer")
        }
        E::Established { .. } => "established".into(),
        E::Restarted => "the peer restarted".into(),
        E::Path { remote, change } => {
            let change = match change {
                PathChange::Confirmed => "confirmed",
                PathChange::PotentiallyFailed => "potentially failed",
                PathChange::Down => "down",
                PathChange::Up => "up",
                PathChange::Primary => "primary",
                PathChange::Added => "added",
                PathChange::Removed => "removed",
            };
            format!("path to {remote}: {change}")
        }
        E::SendFailed {
            message, context, ..
        } => format!(
            "{} bytes on stream {} with context {context} were not delivered",
            message.payload.len(),
            message.stream.0
        ),
        E::Abandoned {
            message, context, ..
        } => format!(
            "{} bytes on stream {} with context {context} were given up",
            message.payload.len(),
            message.stream.0
        ),
        E::Drained => "everything is acknowledged".into(),
        E::PeerError { cause, .. } => format!("the peer reported an error, cause {cause}"),
        E::PartialDeliveryAborted { stream } => {
            format!("a message on stream {} breaks off", stream.0)
        }
        E::StreamsReset { .. } => "streams were reset".into(),
        E::AssociationReset { next_tsn, .. } => {
            format!("the association was reset; we go on with TSN {next_tsn}")
        }
        E::StreamsChanged {
            outbound_streams,
            inbound_streams,
        } => format!("{outbound_streams} streams to the peer, {inbound_streams} from it"),
        E::ReconfigurationFailed { failure } => format!("streams were not changed: {failure:?}"),
        E::AddressChanged { change } => format!("the peer knows of {change:?}"),
        E::AddressChangeRefused { change, .. } => format!("the peer refused {change:?}"),
        E::PeerAdaptation { indication } => format!("adaptation indication {indication}"),
        E::Authentication(change) => format!("authentication: {change:?}"),
        E::Protection(change) => format!("protection: {change:?}"),
        E::PeerShutdown => "the peer shuts down".into(),
        E::Closed { reason, .. } => format!("closed: {reason}"),
        E::Readable => "readable".into(),
        E::Writable => "writable".into(),
        E::StreamBufferLow { stream } => format!("little is buffered on stream {}", stream.0),
    }
}

impl Association {
    /// The next event; the event "established" comes first.
    fn poll_event(&self, context: &Context<'_>) -> Poll<Option<sheave::Event>> {
        if self.poll_announcement(context).is_ready() && self.announce() {
            return Poll::Ready(Some(sheave::Event::Established {
                outbound_streams: self.association.outbound_streams(),
                inbound_streams: self.association.inbound_streams(),
            }));
        }
        self.events.poll_event(context)
    }
}

/// Takes the next event within `timeout` milliseconds and stores it in `*event`; free it with
/// sheave_event_free(). At most 1024 events are queued; further ones are lost and counted
/// (sheave_association_lost_events()).
///
/// Errors: SHEAVE_STATUS_AGAIN on timeout; SHEAVE_STATUS_END after the event
/// SHEAVE_EVENT_KIND_CLOSED was taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_association_next_event(
    association: Option<&Association>,
    event: *mut *mut Event,
    timeout: c_int,
) -> Status {
    border::on(association, "association", |association| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::new(event, "event") }?;
        let poll = |context: &Context<'_>| association.poll_event(context);
        let next = wait_until(border::timeout(timeout), poll);
        association.update();
        match next {
            Some(Some(event)) => {
                place.put(border::give(Event::new(event)));
                Ok(())
            }
            Some(None) => Err(Failure::new(Status::End, "the last event was taken")),
            None => Err(Failure::again("event")),
        }
    })
}

/// The number of events lost because 1024 were already queued.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_lost_events(association: Option<&Association>) -> u64 {
    border::on_or(0, association, "association", |association| {
        Ok(association.events.lost())
    })
}

/// The reason why the association ended; SHEAVE_CLOSE_REASON_NONE while it exists.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_association_close_reason(
    association: Option<&Association>,
) -> CloseReason {
    border::on_or(
        CloseReason::None,
        association,
        "association",
        |association| {
            let reason = association.association.close_reason();
            Ok(reason.map_or(CloseReason::None, |reason| CloseReason::of(&reason)))
        },
    )
}

/// Reads a property of an event.
fn read<T>(event: Option<&Event>, otherwise: T, read: impl FnOnce(&Event) -> T) -> T {
    border::on_or(otherwise, event, "event", |event| Ok(read(event)))
}

/// The event's kind.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_kind(event: Option<&Event>) -> EventKind {
    read(event, EventKind::Other, Event::kind)
}

/// The event as one line of readable text, valid until the event is freed; NULL on errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_text(event: Option<&Event>) -> *const c_char {
    read(event, std::ptr::null(), |event| event.text.as_ptr())
}

/// The event's IP address as text, or an empty text; valid until the event is freed; NULL on
/// errors.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_address(event: Option<&Event>) -> *const c_char {
    read(event, std::ptr::null(), |event| event.address.as_ptr())
}

/// The change of a path; SHEAVE_PATH_EVENT_NONE for other events.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_path_change(event: Option<&Event>) -> PathEvent {
    read(event, PathEvent::None, Event::path_change)
}

/// The context of the undelivered message; 0 for other events.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_context(event: Option<&Event>) -> u64 {
    let context = |event: &Event| event.undelivered().map_or(0, |(_, context, _)| context);
    read(event, 0, context)
}

/// 1 if some or all of the undelivered message may have reached the peer, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_was_sent(event: Option<&Event>) -> c_int {
    let was_sent = |event: &Event| {
        let undelivered = event.undelivered();
        let sent = |(_, _, failure)| failure == SendFailure::Unacknowledged;
        c_int::from(undelivered.is_some_and(sent))
    };
    read(event, 0, was_sent)
}

/// The bytes of the undelivered message, of the peer's error, or of the reason in its ABORT; stores
/// their number in `*length`. Valid until the event is freed; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_event_bytes(
    event: Option<&Event>,
    length: *mut usize,
) -> *const u8 {
    border::on_or(std::ptr::null(), event, "event", |event| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::new(length, "length") }?;
        let bytes = event.bytes();
        place.put(bytes.len());
        Ok(match bytes.is_empty() {
            true => std::ptr::null(),
            false => bytes.as_ptr(),
        })
    })
}

/// The cause code of an error, an ABORT or a fault of the peer (RFC 9260 §3.3.10); 0 for other
/// events.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_cause(event: Option<&Event>) -> u16 {
    read(event, 0, Event::cause)
}

/// The event's stream; 0 for other events.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_stream(event: Option<&Event>) -> u16 {
    read(event, 0, Event::stream)
}

/// The reset streams in ascending order; stores their number in `*count`, 0 meaning every stream.
/// Valid until the event is freed; NULL if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_event_streams(
    event: Option<&Event>,
    count: *mut usize,
) -> *const u16 {
    border::on_or(std::ptr::null(), event, "event", |event| {
        // SAFETY: as the top of the header asks of the caller.
        let place = unsafe { Place::new(count, "count") }?;
        place.put(event.streams.len());
        Ok(match event.streams.is_empty() {
            true => std::ptr::null(),
            false => event.streams.as_ptr(),
        })
    })
}

/// 1 if the reset streams are outgoing, 0 if incoming.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_is_outgoing(event: Option<&Event>) -> c_int {
    let is_outgoing = |event: &Event| {
        let outgoing = sheave::streams::StreamDirection::Outgoing;
        c_int::from(matches!(
            &event.event,
            sheave::Event::StreamsReset { direction, .. } if *direction == outgoing
        ))
    };
    read(event, 0, is_outgoing)
}

/// The change of authentication; SHEAVE_AUTHENTICATION_EVENT_NONE for other events.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_authentication(event: Option<&Event>) -> AuthenticationEvent {
    read(event, AuthenticationEvent::None, Event::authentication)
}

/// The event's key id; 0 for other events.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_key(event: Option<&Event>) -> u16 {
    read(event, 0, Event::key)
}

/// The reason why the association ended; SHEAVE_CLOSE_REASON_NONE for other events.
#[unsafe(no_mangle)]
pub extern "C" fn sheave_event_close_reason(event: Option<&Event>) -> CloseReason {
    let reason = |event: &Event| match &event.event {
        sheave::Event::Closed { reason, .. } => CloseReason::of(reason),
        _ => CloseReason::None,
    };
    read(event, CloseReason::None, reason)
}

/// Frees the event; does nothing with NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sheave_event_free(event: *mut Event) {
    // SAFETY: as the top of the header asks of the caller.
    unsafe { border::take_back(event) };
}
