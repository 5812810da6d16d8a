//! Dispatch of a packet's chunks to their handlers. Whether the association accepts a chunk is
//! decided by its type, before its body is parsed.

use core::ops::ControlFlow;

use sheave_wire::{Cause, Chunk, ChunkType, Chunks, RawChunk, TagReflection, UnknownAction};

use super::extensions::address_changes::heard::ask_back;
use super::extensions::authentication::Admission;
use super::input::{ChunkPosition, Incoming, Reading, WellFormed};
use super::shutdown::Ending;
use super::tcb::{Context, Tcb};
use crate::Phase;
use crate::tag_rules;
use crate::value::error::PeerFault;
use crate::value::extension::ExtensionSet;

/// Most bytes of an unknown chunk echoed to the peer.
const MAX_ECHO: usize = 512;

/// Whether both ends agreed on a chunk type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// RFC 9260 defines the type, or both ends support its extension.
    Agreed,
    /// The type is unknown to this association; the body is not parsed.
    Unknown,
    /// An extension's rule forbids the type.
    Forbidden(PeerFault),
}

impl Tcb {
    /// Handles the next chunk, anything but in-order DATA. A break ends the packet, with its
    /// well-formedness.
    #[inline(never)] // What it needs is not to be laid ready for every packet of DATA.
    pub(super) fn handle_other(
        &mut self,
        cx: &mut Context<'_>,
        incoming: &Incoming<'_>,
        chunks: &mut Chunks<'_>,
        reading: &mut Reading,
    ) -> Result<ControlFlow<WellFormed>, Ending> {
        self.inbound.on_chunk_to_dispatch();
        let offset = chunks.offset();
        let raw = match chunks.next_raw() {
            None => return Ok(ControlFlow::Break(WellFormed::Yes)),
            Some(Err(_)) => return Ok(ControlFlow::Break(WellFormed::No)),
            Some(Ok(raw)) => raw,
        };
        let agreement = self.agreement_on(raw.chunk_type);
        let chunk = match agreement {
            Agreement::Agreed => match Chunk::from_raw(&raw) {
                Ok(chunk) => chunk,
                Err(_) => return Ok(on_malformed(raw.chunk_type)),
            },
            Agreement::Unknown | Agreement::Forbidden(_) => Chunk::Unknown(raw),
        };
        match self.authenticate(cx, incoming.packet, offset, &chunk, reading) {
            Admission::Granted => {}
            Admission::Refused => return Ok(ControlFlow::Continue(())),
            Admission::Over => return Ok(ControlFlow::Break(WellFormed::Yes)),
        }
        if let Agreement::Forbidden(fault) = agreement {
            return Err(fault.into());
        }
        let flow = self.handle_chunk(cx, incoming, &chunk, reading)?;
        Ok(flow.map_break(|()| WellFormed::Yes))
    }

    /// The agreement on a chunk type. A type of an extension not supported by both ends is unknown
    /// (RFC 9260 §3.2), unless the extension defines otherwise.
    fn agreement_on(&self, chunk_type: ChunkType) -> Agreement {
        if chunk_type.is_basic() {
            return Agreement::Agreed;
        }
        let is_agreed = match chunk_type {
            ChunkType::I_DATA => return self.agreement_on_i_data(),
            ChunkType::FORWARD_TSN | ChunkType::I_FORWARD_TSN => {
                return self.agreement_on_skip(chunk_type);
            }
            ChunkType::CHECKED_DATA | ChunkType::CORRUPTION => self.checks_chunks(),
            ChunkType::NR_SACK => self.keeps_what_it_acknowledges(),
            ChunkType::ECNE | ChunkType::CWR => self.agreed.contains(ExtensionSet::ECN),
            // A peer that lists AUTH without sending a key vector, or address changes without
            // authenticating them, does not support the extension.
            ChunkType::AUTH => self.peer_authenticates(),
            ChunkType::ASCONF | ChunkType::ASCONF_ACK => self.takes_address_changes(),
            // RFC 4820 §3 requires no negotiation.
            ChunkType::PAD => true,
            other => self.agreed.give(other),
        };
        if is_agreed {
            Agreement::Agreed
        } else {
            Agreement::Unknown
        }
    }

    fn handle_chunk(
        &mut self,
        cx: &mut Context<'_>,
        incoming: &Incoming<'_>,
        chunk: &Chunk<'_>,
        reading: &mut Reading,
    ) -> Result<ControlFlow<()>, Ending> {
        self.count_chunk(chunk);
        match chunk {
            Chunk::Data(data) => self.on_data(cx, data, reading)?,
            Chunk::Sack(sack) => {
                self.on_sack(cx, sack, reading.from())?;
            }
            Chunk::Heartbeat(heartbeat) => {
                self.on_heartbeat(heartbeat.info, reading);
                ask_back(self, cx.now, reading.from());
            }
            Chunk::HeartbeatAck(ack) => self.on_heartbeat_ack(cx, ack),
            // Packets that begin with DATA or SACK get here unchecked: INIT ACK and SHUTDOWN
            // COMPLETE must be alone (RFC 9260 §3), and the T bit requires its tag (§8.5.1 B, C).
            Chunk::InitAck(_) | Chunk::ShutdownComplete(_)
                if reading.place() != ChunkPosition::First => {}
            Chunk::Abort(abort) if !self.is_from_peer(incoming, abort.reflected) => {}
            Chunk::InitAck(init_ack) => {
                self.on_init_ack(cx, incoming.packet.header, init_ack, reading.from())?;
            }
            Chunk::CookieAck => self.on_cookie_ack(cx, reading.from()),
            Chunk::Shutdown(shutdown) => self.on_shutdown(cx, *shutdown, reading)?,
            Chunk::ShutdownAck => self.on_shutdown_ack()?,
            Chunk::ShutdownComplete(_) => self.on_shutdown_complete()?,
            Chunk::Abort(abort) => return Err(Ending::aborted_by_peer(abort)),
            Chunk::Error(error) => self.on_error(cx, error, reading)?,
            Chunk::IData(data) => self.on_i_data(cx, data, reading)?,
            Chunk::CheckedData(checked) => self.on_data(cx, &checked.data, reading)?,
            Chunk::Corruption(report) => self.on_corruption(cx, report),
            Chunk::NrSack(sack) => self.on_nr_sack(cx, sack, reading.from())?,
            Chunk::ForwardTsn(forward) => self.on_skip(cx, &(*forward).into(), reading)?,
            Chunk::IForwardTsn(forward) => self.on_skip(cx, &(*forward).into(), reading)?,
            Chunk::ReConfig(request) => self.on_re_config(cx, request, reading),
            Chunk::Asconf(asconf) => self.on_asconf(cx, asconf, incoming.remote, reading),
            Chunk::AsconfAck(ack) => self.on_asconf_ack(cx, ack)?,
            Chunk::EcnEcho(echo) => self.on_ecn_echo(cx, *echo, reading),
            Chunk::Cwr(cwr) => self.on_cwr(*cwr),
            Chunk::PacketDrop(report) => self.on_packet_drop(cx, report),
            Chunk::Unknown(raw) => return Ok(self.on_unknown(raw, reading)),
            // Handled by the endpoint as first chunks, otherwise discarded (RFC 9260 §5.1, §5.2).
            Chunk::Init(_) | Chunk::CookieEcho(_) => {}
            // AUTH was checked earlier and DTLS opened; PAD has no meaning.
            Chunk::Auth(_) | Chunk::Dtls(_) | Chunk::Pad(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether the packet of an ABORT with this T bit has the matching tag.
    fn is_from_peer(&self, incoming: &Incoming<'_>, reflected: TagReflection) -> bool {
        let vtag = incoming.packet.header.vtag;
        tag_rules::reflection_holds(reflected, vtag, self.local_tag, self.peer_tag)
    }

    // RFC 9260 §3.2
    fn on_unknown(&mut self, raw: &RawChunk<'_>, reading: &mut Reading) -> ControlFlow<()> {
        let action = raw.chunk_type.unknown_action();
        let reported = matches!(
            action,
            UnknownAction::StopAndReport | UnknownAction::SkipAndReport
        );
        let bytes = raw.bytes();
        let echo = bytes.get(..bytes.len().min(MAX_ECHO)).unwrap_or_default();
        if reported && self.phase >= Phase::CookieEchoed && self.may_reply(reading, echo.len() + 8)
        {
            let path = self.paths.reply_path(reading.from());
            self.answer_error(reading, path, &Cause::UnrecognizedChunkType(echo));
        }
        match action {
            UnknownAction::StopSilently | UnknownAction::StopAndReport => ControlFlow::Break(()),
            UnknownAction::SkipSilently | UnknownAction::SkipAndReport => ControlFlow::Continue(()),
        }
    }
}

/// A malformed chunk of a known type. After one of RFC 9260 the rest of the packet is ignored; one
/// of an extension is skipped; after a malformed AUTH nothing counts (RFC 4895 §6.3).
const fn on_malformed(chunk_type: ChunkType) -> ControlFlow<WellFormed> {
    match chunk_type {
        ChunkType::AUTH => ControlFlow::Break(WellFormed::Yes),
        basic if basic.is_basic() => ControlFlow::Break(WellFormed::No),
        _ => ControlFlow::Continue(()),
    }
}
