//! Rules for every packet that an engine sends.

use sheave_engine::wire::{Cause, Chunk, ChunkType, DtlsContext, Packet, TagReflection, Tsn, dtls};
use sheave_engine::{
    Ecn, Fragmentation, KeyRoles, Options, PathMtuDiscovery, Protection, ZeroChecksum,
};

use super::fault::{Verdict, ensure, fault};
use super::plan::End;
use super::proof::Proofs;
use super::window::Windows;

/// Extensions agreed on in a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    pub(crate) authentication: bool,
    pub(crate) zero_checksum: bool,
    pub(crate) partial_reliability: bool,
    /// Whether the ends can agree on keys for DTLS chunks.
    pub(crate) keys: bool,
    /// Longest IP packet of each end, bytes.
    pub(crate) longest: [usize; 2],
}

impl Agreed {
    pub(crate) fn of(options: [&Options; 2]) -> Self {
        let both = |is: fn(&Options) -> bool| options.iter().all(|one| is(one));
        Self {
            authentication: both(|one| one.authentication != sheave_engine::Authentication::Off),
            zero_checksum: options[0].zero_checksum == options[1].zero_checksum
                && options[0].zero_checksum != ZeroChecksum::Off,
            partial_reliability: both(|one| {
                one.partial_reliability == sheave_engine::PartialReliability::On
            }),
            keys: can_agree(options),
            longest: options.map(|one| {
                let searched = match one.path_mtu_discovery {
                    PathMtuDiscovery::Plpmtud { max } => max,
                    PathMtuDiscovery::Automatic | PathMtuDiscovery::Off => 0,
                };
                usize::from(searched.max(one.initial_pmtu))
            }),
        }
    }
}

fn can_agree([a, z]: [&Options; 2]) -> bool {
    let protects = |one: &Options| one.protection != Protection::Off;
    let opposite = a.key_roles == KeyRoles::Either || a.key_roles != z.key_roles;
    protects(a) && protects(z) && opposite && a.key_methods == z.key_methods
}

/// A sent packet with its IP header's fields.
pub(crate) struct Emitted<'a> {
    pub(crate) end: End,
    pub(crate) bytes: &'a [u8],
    /// The packet inside, if this one is protected; else the same.
    pub(crate) plain: &'a [u8],
    pub(crate) ip_len: usize,
    pub(crate) ecn: Ecn,
    pub(crate) v6: bool,
    pub(crate) fragmentation: Fragmentation,
}

/// Chunks seen so far in a packet.
#[derive(Default)]
struct Seen {
    count: usize,
    first: Option<ChunkType>,
    alone: bool,
    authenticated: bool,
    /// Number of preceding chunks, without AUTH.
    before: usize,
    data: bool,
    /// Whether a DATA chunk was seen that is none of key managers.
    user_data: bool,
    needs_crc: bool,
    abort: bool,
    /// Whether a chunk was seen whose tag may be reflected.
    reflects: bool,
}

/// Checks a packet, and records what later checks need.
pub(crate) fn check(
    emitted: &Emitted<'_>,
    agreed: &Agreed,
    proofs: &mut Proofs,
    windows: &mut Windows,
) -> Verdict {
    let Emitted { end, bytes, .. } = *emitted;
    let parse = |bytes| Packet::parse(bytes).map_err(|bad| fault("parses", format!("{bad:?}")));
    let (packet, outer) = (parse(emitted.plain)?, parse(bytes)?);
    ensure(bytes.len().is_multiple_of(4), "parses", || {
        "not padded".into()
    })?;
    // An IPv6 path carries at least 1280 bytes (RFC 8200 §5).
    let least = if emitted.v6 { 1280 } else { 576 };
    // Chunks sized for an IPv4 path are retransmitted in IP fragments (RFC 9260 §6.9).
    let recut = emitted.v6 && emitted.fragmentation == Fragmentation::Allowed;
    let grown = if recut { 20 } else { 0 };
    let mtu = agreed.longest[end.index()].max(least) + grown;
    ensure(emitted.ip_len <= mtu, "mtu", || {
        format!("{} bytes, {mtu} allowed: {packet}", emitted.ip_len)
    })?;
    let vtag = packet.header.vtag.0;
    let mut seen = Seen::default();
    for chunk in packet.chunks() {
        let chunk = chunk.map_err(|bad| fault("parses", format!("{bad:?} in {packet}")))?;
        let order = seen.take(&chunk);
        order.map_err(|rule| fault("chunk order", format!("{rule} in {packet}")))?;
        if agreed.authentication
            && !refuses(&chunk)
            && !seen.authenticated
            && proofs.asks_for(end.other(), vtag, chunk.chunk_type())
        {
            return Err(fault("auth", format!("{chunk} without AUTH in {packet}")));
        }
        if seen.data
            && let Some(window) = proofs.first_window(end.other(), vtag)
        {
            windows.on_peer(end, vtag, window);
        }
        match &chunk {
            Chunk::Init(init) => proofs.on_init(end, init),
            Chunk::InitAck(init) => {
                proofs.on_init(end, init);
                windows.on_offer(end, init.initial_tsn);
            }
            Chunk::Abort(_) => windows.on_abort(end, vtag),
            Chunk::Data(data) => {
                seen.user_data |= data.ppid.0 != dtls::PPID;
                windows.on_sent(end, vtag, data.tsn, data.payload.len())?;
            }
            other => {
                if let Some((tsn, len)) = data_of(other) {
                    windows.on_sent(end, vtag, tsn, len)?;
                }
            }
        }
    }
    ensure(
        seen.count > 0 && !(seen.alone && seen.count > 1),
        "chunk order",
        || format!("bundled, or nothing: {packet}"),
    )?;
    ensure(!(seen.data && seen.abort), "chunk order", || {
        format!("DATA with ABORT: {packet}")
    })?;
    ensure(emitted.ecn == Ecn::NotEct || seen.data, "ecn", || {
        format!("a mark on it would be lost: {packet}")
    })?;
    let crc = outer.checksum_is_valid();
    let waived = agreed.zero_checksum && outer.checksum() == 0 && !seen.needs_crc;
    ensure(crc || waived, "checksum", || format!("{packet}"))?;
    check_tag(end, vtag, &seen, proofs, &packet)?;
    check_cover(end, vtag, &seen, proofs, &outer)?;
    ensure(
        !(agreed.keys && seen.user_data && outer.bytes() == packet.bytes()),
        "in clear",
        || format!("{packet}"),
    )?;
    if seen.authenticated {
        proofs.check(end, bytes, vtag)?;
    }
    Ok(())
}

/// Whether the chunk is an ABORT in answer to an INIT, before any keys exist (RFC 9260 §5.2.2).
fn refuses(chunk: &Chunk<'_>) -> bool {
    const RESTART_WITH_NEW_ADDRESSES: u16 = 11;
    const RESTART_WITH_NEW_PORT: u16 = 14;
    let Chunk::Abort(abort) = chunk else {
        return false;
    };
    let mut causes = abort.causes.iter().flatten();
    causes.any(|cause| {
        matches!(
            cause.code(),
            RESTART_WITH_NEW_ADDRESSES | RESTART_WITH_NEW_PORT
        )
    })
}

/// Checks that nothing follows in plain text where packets were protected, but for a COOKIE ACK to a peer that may have
/// no keys, and answers for associations that are gone.
fn check_cover(
    end: End,
    vtag: u32,
    seen: &Seen,
    proofs: &mut Proofs,
    outer: &Packet<'_>,
) -> Verdict {
    let clear = match outer.chunks().next() {
        Some(Ok(Chunk::Dtls(chunk))) => {
            if chunk.context == DtlsContext::Primary {
                proofs.protected.insert((end, vtag));
            }
            false
        }
        _ => proofs.protected.contains(&(end, vtag)),
    };
    let acknowledges = seen.first == Some(ChunkType::COOKIE_ACK) && seen.count == 1;
    // A late COOKIE ECHO of an association that has ended.
    let is_stale = |cause: Cause<'_>| matches!(cause, Cause::StaleCookie { .. });
    let reports = match outer.chunks().next() {
        Some(Ok(Chunk::Error(error))) => error.causes.iter().flatten().all(is_stale),
        _ => false,
    };
    let answers = acknowledges || reports || seen.reflects;
    let exempt = seen.first == Some(ChunkType::INIT_ACK) || answers;
    ensure(!clear || exempt, "in clear", || format!("{outer}"))
}

fn check_tag(end: End, vtag: u32, seen: &Seen, proofs: &Proofs, packet: &Packet<'_>) -> Verdict {
    let init = seen.first == Some(ChunkType::INIT);
    let right = if init {
        vtag == 0
    } else {
        proofs.knows(end.other(), vtag) || seen.reflects && proofs.knows(end, vtag)
    };
    ensure(right, "tag", || format!("{packet}"))
}

/// The TSN and payload length of a chunk that carries user data, other than DATA.
pub(crate) fn data_of(chunk: &Chunk<'_>) -> Option<(Tsn, usize)> {
    match chunk {
        Chunk::IData(data) => Some((data.tsn, data.payload.len())),
        Chunk::CheckedData(checked) => Some((checked.data.tsn, checked.data.payload.len())),
        _ => None,
    }
}

impl Seen {
    /// Records a chunk; fails with the rule that its position breaks.
    fn take(&mut self, chunk: &Chunk<'_>) -> Result<(), &'static str> {
        let chunk_type = chunk.chunk_type();
        self.first = self.first.or(Some(chunk_type));
        self.count += 1;
        let data = matches!(
            chunk_type,
            ChunkType::DATA | ChunkType::I_DATA | ChunkType::CHECKED_DATA
        );
        // RFC 9260 §6.10: control before data.
        if self.data && !data {
            return Err("control behind data");
        }
        self.data |= data;
        match chunk {
            // RFC 9260 §4.3: these three are never bundled.
            Chunk::Init(_) | Chunk::InitAck(_) => {
                self.alone = true;
                self.needs_crc = true;
            }
            Chunk::ShutdownComplete(complete) => {
                self.alone = true;
                self.reflects |= complete.reflected == TagReflection::Reflected;
            }
            Chunk::Abort(abort) => {
                self.abort = true;
                self.reflects |= abort.reflected == TagReflection::Reflected;
            }
            Chunk::CookieEcho(_) | Chunk::CookieAck => {
                if self.before > 0 {
                    return Err("COOKIE ECHO or COOKIE ACK is not in front");
                }
                self.needs_crc |= chunk_type == ChunkType::COOKIE_ECHO;
            }
            _ if chunk_type == ChunkType::AUTH => {
                if self.count > 1 {
                    return Err("AUTH behind a chunk");
                }
                self.authenticated = true;
                return Ok(());
            }
            _ => {}
        }
        self.before += 1;
        Ok(())
    }
}
