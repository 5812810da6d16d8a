//! Following changes of the endpoint's addresses.

use alloc::vec::Vec;
use core::net::IpAddr;

use crate::assoc::sources::pair;
use crate::assoc::tcb::{Context, Tcb};
use crate::path::Path;
use crate::value::ids::PathIndex;
use crate::{AddressChange, Phase, scope};

/// Adopts the endpoint's current addresses: informs the peer if both ends support address changes
/// (RFC 5061); otherwise, over UDP, sends from the new addresses if the peer may learn them.
pub(crate) fn follow(tcb: &mut Tcb, cx: &mut Context<'_>, owned: &[IpAddr]) {
    let fits = |ip: IpAddr, path: &Path| scope::sources(&[ip], path.remote.ip).next().is_some();
    let reaches = |ip: &IpAddr| tcb.paths.existing().any(|path| fits(*ip, path));
    let usable: Vec<IpAddr> = owned.iter().copied().filter(reaches).collect();
    if usable.is_empty() || tcb.phase < Phase::Established {
        return;
    }
    let is_udp = |path: &Path| path.remote.encapsulation.is_some();
    let over_udp = tcb.paths.existing().all(is_udp);
    let moved = |tcb: &mut Tcb, cx: &Context<'_>| -> Vec<PathIndex> {
        let all = tcb.paths.indices();
        all.filter(|index| move_path(tcb, cx, *index, &usable))
            .collect()
    };
    if tcb.takes_address_changes() {
        moved(tcb, cx);
        announce(tcb, cx, &usable);
    } else if over_udp {
        tcb.local = usable.clone().into();
        for index in moved(tcb, cx) {
            resume(tcb, cx, index);
        }
    }
}

/// Announces added and removed addresses to the peer. A change that cannot be queued is retried at
/// the next call.
fn announce(tcb: &mut Tcb, cx: &Context<'_>, usable: &[IpAddr]) {
    let known = tcb.local.clone();
    for ip in usable.iter().filter(|ip| !known.contains(ip)) {
        let _ = tcb.change_address(cx, AddressChange::Add(*ip));
    }
    for ip in known.iter().filter(|ip| !usable.contains(ip)) {
        let _ = tcb.change_address(cx, AddressChange::Delete(*ip));
    }
}

/// Moves a path to an existing local address if its own is gone. Returns whether it moved.
fn move_path(tcb: &mut Tcb, cx: &Context<'_>, index: PathIndex, usable: &[IpAddr]) -> bool {
    let Some(path) = tcb.paths.get_mut(index) else {
        return false;
    };
    let nth = usize::from(index.0);
    let local = pair(cx.routes, usable, path.remote.ip, nth);
    let Some(local) = local.filter(|_| !usable.contains(&path.local)) else {
        return false;
    };
    path.reroute(local, &tcb.options);
    true
}

/// Announces the new address with a heartbeat, then retransmits the data sent from the old one.
fn resume(tcb: &mut Tcb, cx: &mut Context<'_>, index: PathIndex) {
    let Some(path) = tcb.paths.get(index) else {
        return;
    };
    let (due, in_flight) = (cx.now + path.rto.rto(), path.flow.flight() > 0);
    tcb.send_heartbeat(index, due);
    if in_flight {
        tcb.withdraw(cx.now, index, index);
        tcb.settle_partial(cx);
    }
}
