//! The state of a host as JSON.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::fs::MemfdFlags;
use serde_json::{Value, json};
use sheave::stats::{AssocStats, PathState, PathStats, Phase};
use sheave_sockets::{ListedAssociation, ListedListener, Listing};

use super::Host;
use crate::join;

impl Host {
    /// Sends the host's state. The answer is a memory file, because it may be long and the host
    /// does not wait for the reader.
    pub(super) fn tell_state(&mut self, asker: &OwnedFd) {
        let state = self.state().to_string();
        let flags = MemfdFlags::CLOEXEC;
        let file = rustix::fs::memfd_create(c"sheave-state", flags).map(File::from);
        let written = file.map_err(io::Error::from).and_then(|mut file| {
            file.write_all(state.as_bytes())?;
            Ok(file)
        });
        if let Ok(file) = written {
            join::answer_with(asker, file.as_fd());
        }
    }

    fn state(&mut self) -> Value {
        let (carrier, engine) = (self.carrier.stats(), self.stack.endpoint().stats());
        let Listing {
            tally,
            listeners,
            associations,
        } = self.stack.listing();
        let is_up = |one: &&ListedAssociation| {
            !matches!(one.stats.phase, Phase::CookieWait | Phase::CookieEchoed)
        };
        let mut traffic = engine.ended;
        for one in &associations {
            traffic.add(&one.stats);
        }
        // Names as in /proc/net/sctp/snmp.
        let counters = json!({
            "SctpCurrEstab": associations.iter().filter(is_up).count(),
            "SctpActiveEstabs": tally.active,
            "SctpPassiveEstabs": tally.passive,
            "SctpAborteds": tally.aborted,
            "SctpShutdowns": tally.shut_down,
            "SctpOutOfBlues": engine.out_of_the_blue,
            "SctpChecksumErrors": engine.bad_checksum,
            "SctpOutCtrlChunks": traffic.control_chunks_sent,
            "SctpOutOrderChunks": traffic.chunks_sent.saturating_sub(traffic.unordered_chunks_sent),
            "SctpOutUnorderChunks": traffic.unordered_chunks_sent,
            "SctpInCtrlChunks": traffic.control_chunks_received,
            "SctpInOrderChunks": traffic.chunks_received.saturating_sub(traffic.unordered_chunks_received),
            "SctpInUnorderChunks": traffic.unordered_chunks_received,
            "SctpOutSCTPPacks": carrier.packets_sent,
            "SctpInSCTPPacks": carrier.packets_received,
            "SctpT3RtxExpireds": traffic.timeouts,
            "SctpT3Retransmits": traffic.retransmissions.saturating_sub(traffic.fast_retransmissions),
            "SctpFastRetransmits": traffic.fast_retransmissions,
            "SctpInPktDiscards": engine.malformed + engine.bad_tag,
            "SctpInDataChunkDiscards": traffic.discarded,
        });
        json!({
            "process": std::process::id(),
            "udp_port": self.carrier.udp_port(),
            "fingerprint": self.terms.fingerprint,
            "settings": self.terms.settings,
            "programs": self.programs.running(),
            "sockets": self.sockets.len(),
            "listeners": listeners.iter().map(listener).collect::<Vec<_>>(),
            "associations": associations.iter().map(association).collect::<Vec<_>>(),
            "counters": counters,
        })
    }
}

fn listener(listener: &ListedListener) -> Value {
    json!({
        "addresses": listener.addresses,
        "port": listener.port,
        "backlog": listener.backlog,
        "waiting": listener.waiting,
    })
}

fn association(one: &ListedAssociation) -> Value {
    let AssocStats {
        phase,
        local_port,
        remote_port,
        outbound_streams,
        inbound_streams,
        send_buffered,
        receive_buffered,
        peer_rwnd,
        rwnd,
        messages_sent,
        messages_received,
        bytes_sent,
        bytes_received,
        packets_sent,
        packets_received,
        retransmissions,
        timeouts,
        ..
    } = one.stats;
    json!({
        "id": one.id,
        "state": state_name(phase),
        "closed_by_program": !one.is_owned,
        "local_port": local_port,
        "remote_port": remote_port,
        "outbound_streams": outbound_streams,
        "inbound_streams": inbound_streams,
        "send_queue": send_buffered,
        "receive_queue": receive_buffered,
        "unacknowledged_chunks": one.unacknowledged,
        "waiting_chunks": one.waiting,
        "peer_rwnd": peer_rwnd,
        "rwnd": rwnd,
        "messages_sent": messages_sent,
        "messages_received": messages_received,
        "bytes_sent": bytes_sent,
        "bytes_received": bytes_received,
        "packets_sent": packets_sent,
        "packets_received": packets_received,
        "retransmissions": retransmissions,
        "timeouts": timeouts,
        "paths": one.paths.iter().map(path).collect::<Vec<_>>(),
    })
}

fn path(path: &PathStats) -> Value {
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    json!({
        "local": path.local,
        "remote": path.remote,
        "udp_port": path.encapsulation,
        "state": match path.state {
            PathState::Unconfirmed => "unconfirmed",
            PathState::Active => "active",
            PathState::PotentiallyFailed => "potentially failed",
            PathState::Inactive => "inactive",
        },
        "primary": path.primary,
        "rtt_ms": path.srtt.map(ms),
        "rttvar_ms": path.rttvar.map(ms),
        "rto_ms": ms(path.rto),
        "cwnd": path.cwnd,
        "ssthresh": path.ssthresh,
        "flight": path.flight,
        "mtu": path.pmtu,
        "errors": path.errors,
        "packets_sent": path.packets_sent,
        "packets_received": path.packets_received,
        "retransmissions": path.retransmissions,
        "timeouts": path.timeouts,
    })
}

/// The name of a state in RFC 9260 §4.
const fn state_name(phase: Phase) -> &'static str {
    match phase {
        Phase::CookieWait => "COOKIE-WAIT",
        Phase::CookieEchoed => "COOKIE-ECHOED",
        Phase::Established => "ESTABLISHED",
        Phase::ShutdownPending => "SHUTDOWN-PENDING",
        Phase::ShutdownSent => "SHUTDOWN-SENT",
        Phase::ShutdownReceived => "SHUTDOWN-RECEIVED",
        Phase::ShutdownAckSent => "SHUTDOWN-ACK-SENT",
    }
}
