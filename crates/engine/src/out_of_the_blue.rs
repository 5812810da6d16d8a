use core::net::IpAddr;

use sheave_wire::{ChunkType, Vtag};

use crate::contents::Contents;
use crate::peer_parameters::is_unicast;

/// Whether a packet was sent from one host to one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cast {
    /// Both addresses are unicast.
    Unicast,
    /// An address of the packet does not identify a single host.
    Other,
}

impl Cast {
    /// Classifies a packet from `remote` to `local`.
    pub(crate) fn between(local: IpAddr, remote: IpAddr) -> Self {
        if is_unicast(local) && is_unicast(remote) {
            Self::Unicast
        } else {
            Self::Other
        }
    }
}

/// The reply to a packet without an association: at most one small packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// No reply.
    Silent,
    /// Lone INIT: handled by RFC 9260 §5.1. If refused, the ABORT carries the INIT's initiate tag,
    /// T bit 0.
    HandleInit,
    /// COOKIE ECHO first: handled by RFC 9260 §5.1.5.
    HandleCookieEcho,
    /// SHUTDOWN COMPLETE with the packet's verification tag, T bit 1.
    ShutdownComplete,
    /// ABORT with the packet's verification tag, T bit 1.
    Abort,
}

/// Chooses the reply to a packet with a valid checksum that belongs to no association: the eight
/// rules of RFC 9260 §8.4, in order.
pub(crate) fn reply(vtag: Vtag, contents: &Contents, cast: Cast) -> Reply {
    let has = |chunk_type| contents.has(chunk_type);
    // Rules 1 and 2, and malformed packets.
    if cast == Cast::Other || has(ChunkType::ABORT) || contents.is_malformed() {
        return Reply::Silent;
    }
    // Rule 3; §8.5.1 A: tag 0 is only for a lone INIT.
    if vtag == Vtag(0) {
        return if contents.is_only(ChunkType::INIT) {
            Reply::HandleInit
        } else {
            Reply::Silent
        };
    }
    // Rule 4.
    if contents.begins_with(ChunkType::COOKIE_ECHO) {
        return Reply::HandleCookieEcho;
    }
    // Rule 5.
    if has(ChunkType::SHUTDOWN_ACK) {
        return Reply::ShutdownComplete;
    }
    // Rules 6 and 7.
    if has(ChunkType::SHUTDOWN_COMPLETE)
        || has(ChunkType::COOKIE_ACK)
        || contents.has_stale_cookie()
    {
        return Reply::Silent;
    }
    // Rule 8.
    Reply::Abort
}
