//! Our requests to change our addresses, and the answers (RFC 5061 §5.1).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;
use core::net::IpAddr;

use bytes::Bytes;
use sheave_wire::{Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Cause, Chunk, TlvList};

use crate::assoc::control::{self, Control};
use crate::assoc::extensions::address_changes::{
    AddressDialogue, AsconfSupport, OutstandingChange,
};
use crate::assoc::shutdown::{Ending, Farewell};
use crate::assoc::sources::pair;
use crate::assoc::tcb::{Context, Tcb};
use crate::path::Path;
use crate::phase::Trigger;
use crate::scope;
use crate::timers::Timer;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;
use crate::{AddressChange, AddressChangeError, AddressChanges, CloseReason, Event, Phase, Routes};

/// Correlation id of the single request in each of our chunks.
const REQUEST: u32 = 1;

/// Minimum bytes that an error must quote of a request: up to its serial number.
const LEAST_QUOTE: usize = 8;

impl Tcb {
    /// Enables or disables address changes as negotiated, and initialises serial numbers.
    pub(in crate::assoc) fn adopt_address_changes(&mut self) {
        let authenticated = self.peer_authenticates() || self.extensions.shield.is_some();
        let safe = authenticated || self.options.address_changes == AddressChanges::Unauthenticated;
        let agreed = self.agreed.contains(ExtensionSet::ADDRESS_CHANGES) && safe;
        let ours = self.outbound.initial_tsn().0;
        let theirs = self.inbound.cumulative_tsn().next().0;
        self.extensions.put(
            |extensions| &mut extensions.address_changes,
            agreed.then(|| Box::new(AddressDialogue::new(ours, theirs))),
        );
        self.timers.stop(Timer::AddressChange);
    }

    /// Requests a change of our addresses.
    pub(crate) fn change_address(
        &mut self,
        cx: &Context<'_>,
        change: AddressChange,
    ) -> Result<(), AddressChangeError> {
        use AddressChangeError as Error;
        if self.phase < Phase::CookieEchoed {
            return Err(Error::NotEstablished);
        }
        let dialogue = self
            .extensions
            .address_changes
            .as_deref()
            .ok_or(Error::Unavailable)?;
        if dialogue.standing == AsconfSupport::Refused {
            return Err(Error::Unavailable);
        }
        if self.phase > Phase::Established {
            return Err(Error::NotEstablished);
        }
        let will_be_there = |ip: IpAddr| {
            (self.local.contains(&ip) || dialogue.is_pending(AddressChange::Add(ip)))
                && !dialogue.is_pending(AddressChange::Delete(ip))
        };
        match change {
            AddressChange::Add(ip) if will_be_there(ip) => return Err(Error::AlreadyThere),
            AddressChange::Add(_) => {}
            AddressChange::Delete(ip) | AddressChange::SetPrimary(ip) if !will_be_there(ip) => {
                return Err(Error::NotLocal);
            }
            AddressChange::Delete(ip) => {
                let pending = dialogue.waiting.iter().copied();
                let sent = dialogue.outstanding.as_ref().map(|sent| sent.change);
                let added = pending.chain(sent).filter_map(|change| match change {
                    AddressChange::Add(added) => Some(added),
                    AddressChange::Delete(_) | AddressChange::SetPrimary(_) => None,
                });
                let mut others = self.local.iter().copied().chain(added);
                if !others.any(|other| other != ip && will_be_there(other)) {
                    return Err(Error::LastAddress);
                }
            }
            AddressChange::SetPrimary(_) => {}
        }
        if let Some(dialogue) = self.extensions.address_changes() {
            dialogue.enqueue(change)?;
        }
        self.advance_address_changes(cx);
        Ok(())
    }

    /// Takes back the unanswered changes, in order.
    pub(in crate::assoc) fn take_back_address_changes(&mut self) -> Vec<AddressChange> {
        let Some(dialogue) = self.extensions.address_changes() else {
            return Vec::new();
        };
        let sent = dialogue.outstanding.take().map(|sent| sent.change);
        let changes = sent.into_iter().chain(mem::take(&mut dialogue.waiting));
        let changes = changes.collect();
        self.forget_request();
        changes
    }

    /// Repeats changes that were taken back, to a peer that never saw the first requests.
    pub(in crate::assoc) fn change_addresses_again(
        &mut self,
        cx: &mut Context<'_>,
        changes: Vec<AddressChange>,
    ) {
        for change in changes {
            if self.change_address(cx, change).is_err() {
                let event = Event::AddressChangeRefused { change, cause: 0 };
                cx.events.push(self.id, event);
            }
        }
    }

    /// Sends the next request, if the association is established and no request is unanswered (RFC
    /// 5061 §5.1).
    pub(crate) fn advance_address_changes(&mut self, cx: &Context<'_>) {
        if self.phase < Phase::Established || self.extensions.awaits_protection(self.phase) {
            return;
        }
        let Some(dialogue) = self.extensions.address_changes() else {
            return;
        };
        if dialogue.outstanding.is_some() {
            return;
        }
        let Some(change) = dialogue.waiting.pop_front() else {
            return;
        };
        let path = self.path_for(change, self.paths.current());
        let Some(known) = self.known_address(path) else {
            return;
        };
        let Some(dialogue) = self.extensions.address_changes() else {
            return;
        };
        let serial = dialogue.next_serial;
        dialogue.next_serial = serial.wrapping_add(1);
        let chunk = request_chunk(serial, known, change);
        dialogue.outstanding = Some(OutstandingChange {
            serial,
            change,
            chunk,
            path,
            repeats: 0,
        });
        self.send_address_change(cx);
    }

    /// Queues the outstanding request for sending.
    fn send_address_change(&mut self, cx: &Context<'_>) {
        let dialogue = self.extensions.address_changes.as_deref();
        let Some(sent) = dialogue.and_then(|dialogue| dialogue.outstanding.clone()) else {
            return;
        };
        let source = self.source_for(&sent);
        // After the request, the peer would not recognise packets from the deleted address.
        if let AddressChange::Delete(ip) = sent.change {
            self.leave_source(cx.routes, ip);
        }
        let Some(path) = self.paths.get(sent.path) else {
            return;
        };
        self.timers
            .set(Timer::AddressChange, cx.now + path.rto.rto());
        self.queue_from((sent.path, source), Control::Asconf(sent.chunk));
    }

    /// The local address by which a request on a path identifies the association: the path's own,
    /// unless the peer was told that it is deleted.
    fn known_address(&self, path: PathIndex) -> Option<IpAddr> {
        let local = self.paths.get(path)?.local;
        let known = self.local.contains(&local).then_some(local);
        known.or_else(|| self.local.first().copied())
    }

    /// The path for a request: `wanted`, unless the request deletes the last local address usable
    /// on it and another path has one.
    fn path_for(&self, change: AddressChange, wanted: PathIndex) -> PathIndex {
        let stays = |ip: IpAddr| change != AddressChange::Delete(ip);
        let has_source = |index: PathIndex| {
            let path = self.paths.get(index);
            path.is_some_and(|path| scope::sources(&self.local, path.remote.ip).any(stays))
        };
        if has_source(wanted) {
            return wanted;
        }
        let mut others = self.paths.indices();
        let other = others.find(|index| has_source(*index) && self.paths.is_confirmed(*index));
        other.unwrap_or(wanted)
    }

    /// The source address for a request. Avoids the address that it deletes, if there is another
    /// (RFC 5061 §5.3, F6), and preferably those about to be deleted; prefers the path's own. Uses
    /// the new address if the others get no answer, since they may be gone.
    fn source_for(&self, sent: &OutstandingChange) -> Option<IpAddr> {
        let path = self.paths.get(sent.path)?;
        let fits = |ip: &IpAddr| ip.is_ipv4() == path.remote.ip.is_ipv4();
        match sent.change {
            AddressChange::Delete(gone) => {
                let dialogue = self.extensions.address_changes.as_deref();
                let stays = |ip: &IpAddr| {
                    let deletes = AddressChange::Delete(*ip);
                    !dialogue.is_some_and(|dialogue| dialogue.is_pending(deletes))
                };
                let own = self.local.iter().copied();
                let own_first = own.clone().filter(|ip| *ip == path.local).chain(own);
                let mut others = own_first.filter(|ip| *ip != gone && fits(ip));
                others.clone().find(stays).or_else(|| others.next())
            }
            AddressChange::Add(new) if sent.is_turn_of_new(self.paths.confirmed()) => {
                Some(new).filter(fits)
            }
            AddressChange::Add(_) | AddressChange::SetPrimary(_) => None,
        }
    }

    /// T4-rto expired: the request is unanswered (RFC 5061 §5.1).
    pub(in crate::assoc) fn on_address_change_timeout(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Result<(), Ending> {
        let answerable = self.phase.sends_data();
        let dialogue = self.extensions.address_changes();
        let Some(sent) = dialogue.and_then(|dialogue| dialogue.outstanding.as_mut()) else {
            return Ok(());
        };
        sent.repeats += 1;
        let (before, change) = (sent.path, sent.change);
        if !answerable {
            return Ok(());
        }
        self.count_failure(cx, before)?;
        if let Some(path) = self.paths.get_mut(before) {
            path.rto.back_off(&self.options);
        }
        let next = self.path_for(change, self.paths.alternate(before));
        let dialogue = self.extensions.address_changes();
        if let Some(sent) = dialogue.and_then(|dialogue| dialogue.outstanding.as_mut()) {
            sent.path = next;
        }
        self.send_address_change(cx);
        Ok(())
    }

    /// Handles the peer's answer to a request.
    pub(in crate::assoc) fn on_asconf_ack(
        &mut self,
        cx: &mut Context<'_>,
        ack: &AsconfAck<'_>,
    ) -> Result<(), Ending> {
        let heeded = self.heeds_address_changes();
        let Some(dialogue) = self.extensions.address_changes().filter(|_| heeded) else {
            return Ok(());
        };
        let answers = |sent: &mut OutstandingChange| sent.serial == ack.serial;
        let Some(sent) = dialogue.outstanding.take_if(answers) else {
            // RFC 5061 §5.3, F0: an answer to a request never sent.
            let ahead = ack.serial.wrapping_sub(dialogue.next_serial);
            return if ahead < 1 << 31 {
                Err(illegal_ack())
            } else {
                Ok(())
            };
        };
        self.forget_request();
        self.paths.clear_errors();
        self.on_path_answered(cx, sent.path);
        let refused = ack
            .outcomes
            .iter()
            .flatten()
            .find_map(|outcome| match outcome {
                AsconfOutcome::Failure { id, causes } if id == REQUEST => {
                    let cause = causes.iter().flatten().next();
                    Some(cause.map_or(0, |cause| cause.code()))
                }
                _ => None,
            });
        let change = sent.change;
        let event = match refused {
            Some(cause) => Event::AddressChangeRefused { change, cause },
            None => {
                self.carry_out_address_change(cx, change);
                Event::AddressChanged { change }
            }
        };
        cx.events.push(self.id, event);
        self.advance_address_changes(cx);
        Ok(())
    }

    /// The peer reports an unknown chunk that begins like this. If it is our outstanding request,
    /// no more are sent (RFC 5061 §5.1, D5), and all pending changes are refused. A peer that
    /// requires authenticated requests does the same.
    pub(in crate::assoc) fn on_asconf_unrecognized(&mut self, cx: &mut Context<'_>, quoted: &[u8]) {
        let Some(dialogue) = self.extensions.address_changes() else {
            return;
        };
        // A peer may quote only the beginning, which contains the serial number.
        let is_quoted = |sent: &mut OutstandingChange| {
            quoted.len() >= LEAST_QUOTE && sent.chunk.starts_with(quoted)
        };
        let Some(sent) = dialogue.outstanding.take_if(is_quoted) else {
            return;
        };
        dialogue.standing = AsconfSupport::Refused;
        let waiting = mem::take(&mut dialogue.waiting);
        let cause = Cause::UnrecognizedChunkType(quoted).code();
        self.forget_request();
        self.paths.clear_errors();
        for change in [sent.change].into_iter().chain(waiting) {
            let event = Event::AddressChangeRefused { change, cause };
            cx.events.push(self.id, event);
        }
    }

    /// Stops sending the outstanding request.
    fn forget_request(&mut self) {
        self.timers.stop(Timer::AddressChange);
        self.control.forget_asconf();
    }

    /// Applies a change accepted by the peer to our addresses.
    fn carry_out_address_change(&mut self, cx: &mut Context<'_>, change: AddressChange) {
        match change {
            AddressChange::Add(ip) => {
                let local = self.local.iter().copied().chain([ip]).collect();
                let before = mem::replace(&mut self.local, local);
                self.take_source(cx, ip, &before);
            }
            AddressChange::Delete(ip) => {
                let local = self.local.iter().copied().filter(|other| *other != ip);
                self.local = local.collect();
                self.leave_source(cx.routes, ip);
                self.strand_paths(cx);
            }
            AddressChange::SetPrimary(_) => {}
        }
    }

    /// A new local address is available: paths without one use it and are probed. Other paths use
    /// it if it is the best choice.
    fn take_source(&mut self, cx: &Context<'_>, new: IpAddr, before: &[IpAddr]) {
        for (index, path) in self.paths.numbered_mut() {
            let remote = path.remote.ip;
            let fits = scope::sources(&[new], remote).next().is_some();
            if !fits || path.is_deleted() {
                continue;
            }
            if !before.contains(&path.local) {
                path.reroute(new, &self.options);
                self.timers.set(Timer::Heartbeat(index), cx.now);
            } else if pair(cx.routes, &self.local, remote, usize::from(index.0)) == Some(new) {
                path.set_home(new);
            }
        }
    }

    /// Moves all paths off a local address, if there is another.
    fn leave_source(&mut self, routes: Option<&dyn Routes>, gone: IpAddr) {
        let left = self.local.iter().copied().filter(|ip| *ip != gone);
        let left: Vec<IpAddr> = left.collect();
        for (index, path) in self.paths.numbered_mut() {
            let remote = path.remote.ip;
            if path.local == gone && scope::sources(&left, remote).next().is_some() {
                let home = Some(path.home()).filter(|home| *home != gone);
                let next = home.or_else(|| pair(routes, &left, remote, usize::from(index.0)));
                path.reroute(next.unwrap_or(gone), &self.options);
            } else if path.home() == gone {
                path.set_home(path.local);
            }
        }
    }

    /// Marks paths without a usable local address, such as after the last one of an IP version is
    /// deleted, as unconfirmed until one is added. If no other path is confirmed, the others are probed
    /// first.
    pub(in crate::assoc) fn strand_paths(&mut self, cx: &mut Context<'_>) {
        for index in self.paths.indices() {
            let path = self.paths.get(index);
            if path.is_none_or(|path| !path.is_confirmed() || has_source(&self.local, path)) {
                continue;
            }
            if self.paths.next_confirmed(index) != index {
                self.strand(cx, index);
                continue;
            }
            for other in self.paths.indices() {
                let path = self.paths.get(other);
                if path.is_some_and(|path| has_source(&self.local, path)) {
                    self.probe_unless_probed(cx, other);
                }
            }
        }
    }

    fn strand(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        self.take_down(cx, index);
        if let Some(path) = self.paths.get_mut(index) {
            path.strand();
        }
        self.leave_path(cx, index);
    }

    /// Whether a request to delete the local address is outstanding.
    pub(in crate::assoc) fn is_leaving(&self, ip: IpAddr) -> bool {
        let dialogue = self.extensions.address_changes.as_deref();
        let sent = dialogue.and_then(|dialogue| dialogue.outstanding.as_ref());
        sent.is_some_and(|sent| sent.change == AddressChange::Delete(ip))
    }

    /// Whether an ASCONF chunk from an unknown address may belong to this association.
    pub(crate) fn takes_address_changes(&self) -> bool {
        self.extensions.address_changes.is_some()
    }
}

/// Whether packets may leave on a path, from its local address or another one.
fn has_source(local: &[IpAddr], path: &Path) -> bool {
    local.contains(&path.local) || scope::sources(local, path.remote.ip).next().is_some()
}

fn illegal_ack() -> Ending {
    let cause = Cause::IllegalAsconfAck;
    Ending {
        trigger: Trigger::PeerFault,
        reason: CloseReason::PeerFault {
            cause: cause.code(),
            rule: "an ASCONF ACK answers an ASCONF",
        },
        farewell: Farewell::abort(&cause),
    }
}

/// Encodes a chunk with one request, which identifies the association by the address `known`.
fn request_chunk(serial: u32, known: IpAddr, change: AddressChange) -> Bytes {
    let id = REQUEST;
    let request = match change {
        AddressChange::Add(address) => AsconfRequest::Add { id, address },
        AddressChange::Delete(address) => AsconfRequest::Delete { id, address },
        AddressChange::SetPrimary(address) => AsconfRequest::SetPrimary { id, address },
    };
    control::encode(&Chunk::Asconf(Asconf {
        serial,
        address: known,
        requests: TlvList::from(&[request]),
    }))
}
