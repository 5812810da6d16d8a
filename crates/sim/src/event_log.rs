//! Event log of an association, in qlog format.

use core::fmt::{self, Display};
use core::iter::Peekable;
use core::slice;
use core::time::Duration;
use std::io::{self, Write};

use sheave_engine::{
    CloseReason, Event, PathChange, PathState, Policy, SendFailure, StreamDirection, Time,
};

use crate::packet_log::{Direction, LoggedPacket};
use crate::{Sample, Sctp};

/// The end of an association that a log describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VantagePoint {
    /// The end that connected.
    Client,
    /// The end that listened.
    Server,
}

/// Writes the history of a watched association (see [`Sctp::watched`]), including packets if they
/// are [`logged`](Sctp::logged), as qlog: JSON text sequences (RFC 7464) with qlog's main schema
/// and events in the namespace `sctp`. Times are milliseconds from the start of the run.
///
/// # Errors
/// Errors of `out`.
pub fn write_event_log(
    out: &mut dyn Write,
    title: &str,
    vantage_point: VantagePoint,
    sctp: &Sctp,
) -> io::Result<()> {
    let end = match vantage_point {
        VantagePoint::Client => "client",
        VantagePoint::Server => "server",
    };
    record(
        out,
        format_args!(
            "{{\"qlog_version\":\"0.4\",\"qlog_format\":\"JSON-SEQ\",\"title\":{},\
             \"trace\":{{\"common_fields\":{{\"time_format\":\"relative\",\"reference_time\":0,\
             \"protocol_type\":[\"SCTP\"]}},\"vantage_point\":{{\"type\":\"{end}\"}}}}}}",
            Text(title)
        ),
    )?;
    let mut packets = sctp.packets().iter().peekable();
    let mut events = sctp.log().iter().peekable();
    let mut earlier: Vec<&Sample> = Vec::new();
    for sample in sctp.samples() {
        while let Some((time, event)) = events.next_if(|(time, _)| *time <= sample.time) {
            write_packets(out, &mut packets, *time)?;
            write_event(out, *time, event)?;
        }
        write_packets(out, &mut packets, sample.time)?;
        let known = earlier.iter_mut().find(|old| old.remote == sample.remote);
        write_sample(out, sample, known.as_deref().copied())?;
        match known {
            Some(old) => *old = sample,
            None => earlier.push(sample),
        }
    }
    for (time, event) in events {
        write_packets(out, &mut packets, *time)?;
        write_event(out, *time, event)?;
    }
    write_packets(out, &mut packets, Time::MAX)
}

/// Writes the packets up to a time, before the changes that they caused.
fn write_packets(
    out: &mut dyn Write,
    packets: &mut Peekable<slice::Iter<'_, LoggedPacket>>,
    until: Time,
) -> io::Result<()> {
    while let Some(packet) = packets.next_if(|packet| packet.time <= until) {
        let name = match packet.direction {
            Direction::Sent => "packet_sent",
            Direction::Received => "packet_received",
        };
        let time = Millis(packet.time.since(Time::ZERO));
        let LoggedPacket {
            remote,
            len,
            chunks,
            ..
        } = packet;
        record(
            out,
            format_args!(
                "{{\"time\":{time},\"name\":\"sctp:{name}\",\"data\":{{\"path\":\"{remote}\",\
                 \"raw\":{{\"length\":{len}}},\"chunks\":{chunks}}}}}"
            ),
        )?;
    }
    Ok(())
}

/// Writes those values of a sample that differ from the previous one.
fn write_sample(out: &mut dyn Write, sample: &Sample, earlier: Option<&Sample>) -> io::Result<()> {
    let (time, path) = (Millis(sample.time.since(Time::ZERO)), sample.remote);
    let count = |of: fn(&Sample) -> u64| of(sample) - earlier.map_or(0, of);
    let resent = count(|sample| sample.retransmissions);
    let timeouts = count(|sample| sample.timeouts);
    if timeouts > 0 {
        record(
            out,
            format_args!(
                "{{\"time\":{time},\"name\":\"sctp:retransmission_timeout\",\"data\":{{\
                 \"path\":\"{path}\",\"consecutive_errors\":{}}}}}",
                sample.errors
            ),
        )?;
    }
    if resent > 0 {
        record(
            out,
            format_args!(
                "{{\"time\":{time},\"name\":\"sctp:chunks_retransmitted\",\"data\":{{\
                 \"path\":\"{path}\",\"chunks\":{resent},\"because_of_gap_reports\":{}}}}}",
                count(|sample| sample.fast_retransmissions)
            ),
        )?;
    }
    if earlier.is_none_or(|earlier| earlier.state != sample.state) {
        let state = match sample.state {
            PathState::Unconfirmed => "unconfirmed",
            PathState::Active => "active",
            PathState::PotentiallyFailed => "potentially_failed",
            PathState::Inactive => "inactive",
        };
        record(
            out,
            format_args!(
                "{{\"time\":{time},\"name\":\"sctp:path_state_updated\",\"data\":{{\
                 \"path\":\"{path}\",\"new\":\"{state}\"}}}}"
            ),
        )?;
    }
    record(
        out,
        format_args!(
            "{{\"time\":{time},\"name\":\"sctp:metrics_updated\",\"data\":{{\"path\":\"{path}\",\
             \"congestion_window\":{},\"ssthresh\":{},\"bytes_in_flight\":{},\"rto\":{},\
             \"smoothed_rtt\":{},\"rtt_variance\":{},\"peer_rwnd\":{},\"rwnd\":{}}}}}",
            sample.cwnd,
            sample.ssthresh,
            sample.flight,
            Millis(sample.rto),
            Maybe(sample.srtt.map(Millis)),
            Maybe(sample.rttvar.map(Millis)),
            sample.peer_rwnd,
            sample.rwnd
        ),
    )
}

fn write_event(out: &mut dyn Write, time: Time, event: &Event) -> io::Result<()> {
    let time = Millis(time.since(Time::ZERO));
    let mut named = |name: &str, data: fmt::Arguments<'_>| {
        record(
            out,
            format_args!("{{\"time\":{time},\"name\":\"sctp:{name}\",\"data\":{{{data}}}}}"),
        )
    };
    let mut streams = |name: &str, outbound: u16, inbound: u16| {
        let data = format_args!("\"outbound_streams\":{outbound},\"inbound_streams\":{inbound}");
        named(name, data)
    };
    match event {
        Event::Answered {
            outbound_streams,
            inbound_streams,
        } => streams("association_answered", *outbound_streams, *inbound_streams),
        Event::Established {
            outbound_streams,
            inbound_streams,
        } => streams(
            "association_established",
            *outbound_streams,
            *inbound_streams,
        ),
        Event::Restarted => named("association_restarted", format_args!("")),
        Event::Path { remote, change } => {
            let change = match change {
                PathChange::Confirmed => "confirmed",
                PathChange::PotentiallyFailed => "potentially_failed",
                PathChange::Down => "down",
                PathChange::Up => "up",
                PathChange::Primary => "primary",
                PathChange::Added => "added",
                PathChange::Removed => "removed",
            };
            named(
                "path_changed",
                format_args!("\"path\":\"{remote}\",\"change\":\"{change}\""),
            )
        }
        Event::SendFailed {
            message, failure, ..
        } => {
            let sent = match failure {
                SendFailure::Unsent => "false",
                SendFailure::Unacknowledged => "true",
            };
            named(
                "send_failed",
                format_args!(
                    "\"stream\":{},\"length\":{},\"sent\":{sent}",
                    message.stream.0,
                    message.payload.len()
                ),
            )
        }
        Event::Abandoned {
            message,
            policy,
            failure,
            ..
        } => {
            let policy = match policy {
                Policy::Timed => "timed",
                Policy::Retransmissions => "retransmissions",
                Policy::Priority => "priority",
            };
            let sent = *failure != SendFailure::Unsent;
            named(
                "abandoned",
                format_args!(
                    "\"stream\":{},\"length\":{},\"policy\":\"{policy}\",\"sent\":{sent}",
                    message.stream.0,
                    message.payload.len()
                ),
            )
        }
        Event::PeerError { cause, .. } => named("peer_error", format_args!("\"cause\":{cause}")),
        Event::PartialDeliveryAborted { stream } => named(
            "partial_delivery_aborted",
            format_args!("\"stream\":{}", stream.0),
        ),
        Event::StreamsReset { direction, streams } => {
            let direction = match direction {
                StreamDirection::Outgoing => "outgoing",
                StreamDirection::Incoming => "incoming",
            };
            let streams: Vec<u16> = streams.iter().map(|stream| stream.0).collect();
            named(
                "streams_reset",
                format_args!("\"direction\":\"{direction}\",\"streams\":{streams:?}"),
            )
        }
        Event::AssociationReset {
            next_tsn,
            peer_next_tsn,
        } => named(
            "association_reset",
            format_args!("\"next_tsn\":{next_tsn},\"peer_next_tsn\":{peer_next_tsn}"),
        ),
        Event::StreamsChanged {
            outbound_streams,
            inbound_streams,
        } => named(
            "streams_changed",
            format_args!(
                "\"outbound_streams\":{outbound_streams},\"inbound_streams\":{inbound_streams}"
            ),
        ),
        Event::ReconfigurationFailed { failure } => named(
            "reconfiguration_failed",
            format_args!("\"reason\":\"{failure:?}\""),
        ),
        Event::AddressChanged { change } => {
            named("address_changed", format_args!("\"change\":\"{change:?}\""))
        }
        Event::AddressChangeRefused { change, cause } => named(
            "address_change_refused",
            format_args!("\"change\":\"{change:?}\",\"cause\":{cause}"),
        ),
        Event::PeerAdaptation { indication } => named(
            "peer_adaptation",
            format_args!("\"indication\":{indication}"),
        ),
        Event::Authentication(change) => {
            named("authentication", format_args!("\"change\":\"{change:?}\""))
        }
        Event::Protection(change) => named("protection", format_args!("\"change\":\"{change:?}\"")),
        Event::PeerShutdown => named("peer_shutdown", format_args!("")),
        Event::Closed { reason, .. } => {
            let reason = match reason {
                CloseReason::Graceful => "graceful",
                CloseReason::Aborted => "aborted",
                CloseReason::AbortedByPeer { .. } => "aborted_by_peer",
                CloseReason::PeerFault { .. } => "peer_fault",
                CloseReason::TimedOut => "timed_out",
                CloseReason::StaleCookie => "stale_cookie",
                CloseReason::NoSuchPort => "no_such_port",
                CloseReason::NoSuchProtocol => "no_such_protocol",
                CloseReason::Exported => "exported",
            };
            named(
                "association_closed",
                format_args!("\"reason\":\"{reason}\""),
            )
        }
        Event::StreamBufferLow { stream } => {
            named("stream_buffer_low", format_args!("\"stream\":{}", stream.0))
        }
        Event::Readable | Event::Writable | Event::Drained => Ok(()),
    }
}

/// Writes one record of the JSON text sequence (RFC 7464 §2.2).
fn record(out: &mut dyn Write, json: fmt::Arguments<'_>) -> io::Result<()> {
    writeln!(out, "\u{1e}{json}")
}

/// A duration in milliseconds, exact to the nanosecond.
struct Millis(Duration);

impl Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        write!(f, "{}.{:06}", nanos / 1_000_000, nanos % 1_000_000)
    }
}

/// A value or `null`.
struct Maybe<T>(Option<T>);

impl<T: Display> Display for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("null"),
        }
    }
}

/// A string of JSON.
struct Text<'a>(&'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for char in self.0.chars() {
            match char {
                '"' | '\\' => write!(f, "\\{char}")?,
                char if char < ' ' => write!(f, "\\u{:04x}", u32::from(char))?,
                char => write!(f, "{char}")?,
            }
        }
        f.write_str("\"")
    }
}
