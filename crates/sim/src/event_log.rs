//! Event log of an association, in qlog format.

use core::fmt::{self, Display};
use core::iter::Peekable;
use core::slice;
use core::time::Duration;
use std::io::{self, Write};

use sheave_engine::{Event, Message, SendFailure, Time};

use crate::packet_log::LoggedPacket;
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
    record(
        out,
        format_args!(
            "{{\"qlog_version\":\"0.4\",\"qlog_format\":\"JSON-SEQ\",\"title\":{},\
             \"trace\":{{\"common_fields\":{{\"time_format\":\"relative\",\"reference_time\":0,\
             \"protocol_type\":[\"SCTP\"]}},\"vantage_point\":{{\"type\":\"{}\"}}}}}}",
            Text(title),
            Snake(vantage_point)
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
        let LoggedPacket {
            time,
            direction,
            remote,
            len,
            chunks,
        } = packet;
        let name = format!("packet_{}", Snake(direction));
        let data =
            format_args!("\"path\":\"{remote}\",\"raw\":{{\"length\":{len}}},\"chunks\":{chunks}");
        named(out, *time, &name, data)?;
    }
    Ok(())
}

/// Writes those values of a sample that differ from the previous one.
fn write_sample(out: &mut dyn Write, sample: &Sample, earlier: Option<&Sample>) -> io::Result<()> {
    let mut on_path = |name: &str, data: fmt::Arguments<'_>| {
        let data = format_args!("\"path\":\"{}\",{data}", sample.remote);
        named(out, sample.time, name, data)
    };
    let count = |of: fn(&Sample) -> u64| of(sample) - earlier.map_or(0, of);
    let resent = count(|sample| sample.retransmissions);
    if count(|sample| sample.timeouts) > 0 {
        let errors = format_args!("\"consecutive_errors\":{}", sample.errors);
        on_path("retransmission_timeout", errors)?;
    }
    if resent > 0 {
        let fast = count(|sample| sample.fast_retransmissions);
        let data = format_args!("\"chunks\":{resent},\"because_of_gap_reports\":{fast}");
        on_path("chunks_retransmitted", data)?;
    }
    if earlier.is_none_or(|earlier| earlier.state != sample.state) {
        let state = format_args!("\"new\":\"{}\"", Snake(sample.state));
        on_path("path_state_updated", state)?;
    }
    on_path(
        "metrics_updated",
        format_args!(
            "\"congestion_window\":{},\"ssthresh\":{},\"bytes_in_flight\":{},\"rto\":{},\
             \"smoothed_rtt\":{},\"rtt_variance\":{},\"peer_rwnd\":{},\"rwnd\":{}",
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
    let (name, data) = match event {
        Event::Answered {
            outbound_streams,
            inbound_streams,
        } => (
            "association_answered",
            streams(*outbound_streams, *inbound_streams),
        ),
        Event::Established {
            outbound_streams,
            inbound_streams,
        } => (
            "association_established",
            streams(*outbound_streams, *inbound_streams),
        ),
        Event::StreamsChanged {
            outbound_streams,
            inbound_streams,
        } => (
            "streams_changed",
            streams(*outbound_streams, *inbound_streams),
        ),
        Event::Restarted => ("association_restarted", String::new()),
        Event::Path { remote, change } => (
            "path_changed",
            format!("\"path\":\"{remote}\",\"change\":\"{}\"", Snake(change)),
        ),
        Event::Failover { from, to, silence } => (
            "failover",
            format!(
                "\"from\":\"{from}\",\"to\":\"{to}\",\"silence\":{}",
                silence.as_secs_f64()
            ),
        ),
        Event::SendFailed {
            message, failure, ..
        } => {
            let sent = *failure != SendFailure::Unsent;
            (
                "send_failed",
                format!("{},\"sent\":{sent}", unsent(message)),
            )
        }
        Event::Abandoned {
            message,
            policy,
            failure,
            ..
        } => {
            let (policy, sent) = (Snake(policy), *failure != SendFailure::Unsent);
            let data = format!(
                "{},\"policy\":\"{policy}\",\"sent\":{sent}",
                unsent(message)
            );
            ("abandoned", data)
        }
        Event::PeerError { cause, .. } => ("peer_error", format!("\"cause\":{cause}")),
        Event::PartialDeliveryAborted { stream } => (
            "partial_delivery_aborted",
            format!("\"stream\":{}", stream.0),
        ),
        Event::StreamsReset { direction, streams } => {
            let streams: Vec<u16> = streams.iter().map(|stream| stream.0).collect();
            let direction = Snake(direction);
            let data = format!("\"direction\":\"{direction}\",\"streams\":{streams:?}");
            ("streams_reset", data)
        }
        Event::AssociationReset {
            next_tsn,
            peer_next_tsn,
        } => {
            let data = format!("\"next_tsn\":{next_tsn},\"peer_next_tsn\":{peer_next_tsn}");
            ("association_reset", data)
        }
        Event::ReconfigurationFailed { failure } => (
            "reconfiguration_failed",
            format!("\"reason\":\"{failure:?}\""),
        ),
        Event::AddressChanged { change } => {
            ("address_changed", format!("\"change\":\"{change:?}\""))
        }
        Event::AddressChangeRefused { change, cause } => {
            let data = format!("\"change\":\"{change:?}\",\"cause\":{cause}");
            ("address_change_refused", data)
        }
        Event::PeerAdaptation { indication } => {
            ("peer_adaptation", format!("\"indication\":{indication}"))
        }
        Event::Authentication(change) => ("authentication", format!("\"change\":\"{change:?}\"")),
        Event::Protection(change) => ("protection", format!("\"change\":\"{change:?}\"")),
        Event::PeerShutdown => ("peer_shutdown", String::new()),
        Event::Closed { reason, .. } => (
            "association_closed",
            format!("\"reason\":\"{}\"", Snake(reason)),
        ),
        Event::StreamBufferLow { stream } => {
            ("stream_buffer_low", format!("\"stream\":{}", stream.0))
        }
        Event::Readable | Event::Writable | Event::Drained => return Ok(()),
    };
    named(out, time, name, format_args!("{data}"))
}

fn streams(outbound: u16, inbound: u16) -> String {
    format!("\"outbound_streams\":{outbound},\"inbound_streams\":{inbound}")
}

/// A message that the peer may not have.
fn unsent(message: &Message) -> String {
    let (stream, length) = (message.stream.0, message.payload.len());
    format!("\"stream\":{stream},\"length\":{length}")
}

/// Writes an event of the namespace `sctp`.
fn named(out: &mut dyn Write, time: Time, name: &str, data: fmt::Arguments<'_>) -> io::Result<()> {
    let time = Millis(time.since(Time::ZERO));
    record(
        out,
        format_args!("{{\"time\":{time},\"name\":\"sctp:{name}\",\"data\":{{{data}}}}}"),
    )
}

/// Writes one record of the JSON text sequence (RFC 7464 §2.2).
fn record(out: &mut dyn Write, json: fmt::Arguments<'_>) -> io::Result<()> {
    writeln!(out, "\u{1e}{json}")
}

/// The name of a variant, in lower case with underscores.
struct Snake<T>(T);

impl<T: fmt::Debug> Display for Snake<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let debug = format!("{:?}", self.0);
        let name = debug.chars().take_while(|letter| letter.is_alphanumeric());
        for (at, letter) in name.enumerate() {
            if at > 0 && letter.is_uppercase() {
                f.write_str("_")?;
            }
            write!(f, "{}", letter.to_lowercase())?;
        }
        Ok(())
    }
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
