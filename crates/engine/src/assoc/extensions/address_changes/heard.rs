//! Learning peer addresses that the peer did not list, as created over UDP by a NAT or a change of
//! networks.

use core::time::Duration;

use sheave_wire::ChunkType;

use crate::assoc::Incoming;
use crate::assoc::tcb::{Context, Tcb};
use crate::path::Path;
use crate::value::ids::PathIndex;
use crate::{LearnedAddresses, PeerAddress, Time};

/// Minimum pause between probes of a failed path; a probe sent earlier would invalidate the answer
/// to the first.
const LEAST_PAUSE: Duration = Duration::from_millis(200);

/// Number of peer addresses from which a new one replaces one that failed.
const MOST: usize = 8;

/// Whether a packet with the association's tag is accepted from an unknown address.
pub(crate) fn learns(tcb: &Tcb, remote: PeerAddress) -> bool {
    tcb.options.learned_addresses == LearnedAddresses::OverUdp
        && remote.encapsulation.is_some()
        // If both ends support address changes, the peer authenticates each change.
        && !tcb.takes_address_changes()
        && tcb.heeds_address_changes()
}

/// Adds the source of a packet that begins with HEARTBEAT as an unconfirmed peer address: until the
/// peer answers a heartbeat there, nothing else is sent to it.
// DEVIATION RFC 9260 §8.4: a packet with the tag of an association, over UDP, is not answered with ABORT where
// its source is not known. Behind a translator the peer cannot list the address that others see.
pub(crate) fn learn(tcb: &mut Tcb, cx: &mut Context<'_>, incoming: &Incoming<'_>) {
    let Incoming { remote, local, .. } = *incoming;
    let begins = incoming.packet.first_chunk_type() == Some(ChunkType::HEARTBEAT);
    let is_news = begins && learns(tcb, remote) && tcb.paths.find(remote.ip).is_none();
    // If packets are protected, a plain one may be forged.
    let is_plain = tcb.extensions.shield.is_some() && incoming.opened.is_none();
    if !is_news || is_plain || tcb.lacks_proof(incoming) {
        return;
    }
    make_room(tcb, cx);
    let leaves = tcb.may_leave_from(local);
    if tcb.add_path(cx, remote.ip, remote).is_ok()
        && let Some(index) = tcb.paths.find(remote.ip)
        && let Some(path) = tcb.paths.get_mut(index).filter(|_| leaves)
    {
        // A NAT admits packets only from addresses that the peer has sent to.
        path.local = local;
    }
}

/// Deletes the longest-failed path if there are many.
fn make_room(tcb: &mut Tcb, cx: &mut Context<'_>) {
    if tcb.paths.existing().count() < MOST {
        return;
    }
    let fails = |path: &Path| !path.is_deleted() && !path.is_active() && path.errors > 0;
    let failed = tcb.paths.numbered().filter(|(_, path)| fails(path));
    let oldest = failed.min_by_key(|(_, path)| path.used_at);
    if let Some((index, _)) = oldest {
        tcb.vacate(cx, index);
    }
}

/// Probes a failed path at once when the peer probes it.
pub(in crate::assoc) fn ask_back(tcb: &mut Tcb, now: Time, index: PathIndex) {
    let failed = |path: &&Path| path.is_confirmed() && !path.is_active() && tcb.hedges();
    let Some(path) = tcb.paths.get(index).filter(failed) else {
        return;
    };
    let wait = LEAST_PAUSE.max(path.rto.srtt().unwrap_or_default() * 2);
    let asked = path.extensions.probe.as_ref().map(|probe| probe.sent_at);
    if asked.is_none_or(|asked| asked + wait < now) {
        tcb.probe_again(now, index);
    }
}
