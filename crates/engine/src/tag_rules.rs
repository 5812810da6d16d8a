use sheave_wire::{ChunkType, TagReflection, Vtag};

use crate::Phase;
use crate::contents::Contents;

/// Whether a packet may be handled on behalf of an association (RFC 9260 §8.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagCheck {
    /// The packet is from the peer.
    Accept,
    /// A lone INIT: handled by §5.2.1 and §5.2.2.
    Init,
    /// COOKIE ECHO first, with a tag other than ours: handled by §5.2.4.
    CookieEcho,
    /// Handled as if no association existed, by §8.4.
    OutOfTheBlue,
    /// Drop silently.
    Discard,
}

/// Checks the verification tag of a packet for the addresses and ports of an association in
/// `phase`, whose own tag is `ours`; `peers` is `None` while unknown.
///
/// A packet with tag `ours` that begins with DATA or SACK may be treated as [`TagCheck::Accept`]
/// without this check, if handlers call [`reflection_holds`] for each ABORT and SHUTDOWN COMPLETE
/// and ignore INIT and INIT ACK that are not alone.
pub(crate) fn check(
    vtag: Vtag,
    contents: &Contents,
    phase: Phase,
    ours: Vtag,
    peers: Option<Vtag>,
) -> TagCheck {
    // Exception A.
    if vtag == Vtag(0) {
        return if contents.is_only(ChunkType::INIT) {
            TagCheck::Init
        } else {
            TagCheck::Discard
        };
    }
    if contents.has(ChunkType::INIT) || is_wrongly_bundled(contents) {
        return TagCheck::Discard;
    }
    // Exceptions B and C.
    if let Some(reflected) = contents.abort().or(contents.shutdown_complete()) {
        return accept_if(reflection_holds(reflected, vtag, ours, peers));
    }
    // Exception E.
    let is_beginning = matches!(phase, Phase::CookieWait | Phase::CookieEchoed);
    if is_beginning && contents.has(ChunkType::SHUTDOWN_ACK) {
        return TagCheck::OutOfTheBlue;
    }
    // Exception D.
    if vtag != ours && contents.begins_with(ChunkType::COOKIE_ECHO) {
        return TagCheck::CookieEcho;
    }
    accept_if(vtag == ours)
}

/// Whether an ABORT or SHUTDOWN COMPLETE with this T bit, in a packet with tag `vtag`, is from the
/// peer (RFC 9260 §8.5.1 B and C).
pub(crate) fn reflection_holds(
    reflected: TagReflection,
    vtag: Vtag,
    ours: Vtag,
    peers: Option<Vtag>,
) -> bool {
    match reflected {
        TagReflection::Own => vtag == ours,
        TagReflection::Reflected => peers == Some(vtag),
    }
}

/// RFC 9260 §3: INIT ACK and SHUTDOWN COMPLETE must be alone in their packet, like INIT.
fn is_wrongly_bundled(contents: &Contents) -> bool {
    [ChunkType::INIT_ACK, ChunkType::SHUTDOWN_COMPLETE]
        .into_iter()
        .any(|alone| contents.has(alone) && !contents.is_only(alone))
}

fn accept_if(holds: bool) -> TagCheck {
    if holds {
        TagCheck::Accept
    } else {
        TagCheck::Discard
    }
}
