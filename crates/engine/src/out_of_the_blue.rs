use core::net::IpAddr;

use sheave_wire::{ChunkType, Vtag};

use crate::contents::Contents;
use crate::peer_parameters::is_unicast;

/// Whether a packet went from one machine to one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cast {
    /// The packet was sent to a unicast address.
    Unicast,
    /// An address of the packet belongs to many machines or to none.
    Other,
}

impl Cast {
    /// That of a packet from `remote` to `local`.
    pub(crate) fn between(local: IpAddr, remote: IpAddr) -> Self {
        if is_unicast(local) && is_unicast(remote) {
            Self::Unicast
        } else {
            Self::Other
        }
    }
}

/// The answer to a packet that belongs to no association: at most one small packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// Nothing.
    Silent,
    /// An INIT on its own: RFC 9260 §5.1 decides. If it is refused, the ABORT carries its initiate
    /// tag and T bit 0.
    HandleInit,
    /// A COOKIE ECHO in front: RFC 9260 §5.1.5 decides.
    HandleCookieEcho,
    /// SHUTDOWN COMPLETE under the packet's own verification tag, T bit 1.
    ShutdownComplete,
    /// ABORT under the packet's own verification tag, T bit 1.
    Abort,
}

/// Decides on a packet with a right checksum that belongs to no association: the eight rules of
/// RFC 9260 §8.4, in their order.
pub(crate) fn reply(vtag: Vtag, contents: &Contents, cast: Cast) -> Reply {
    let has = |chunk_type| contents.has(chunk_type);
    // Rules 1 and 2, and what is not correctly formed to begin with.
    if cast == Cast::Other || has(ChunkType::ABORT) || contents.is_malformed() {
        return Reply::Silent;
    }
    // Rule 3; §8.5.1 A: tag 0 is for an INIT on its own.
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

#[cfg(test)]
mod tests;
