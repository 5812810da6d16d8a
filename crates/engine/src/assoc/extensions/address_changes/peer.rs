//! Address changes by the peer (RFC 5061 §5.2).

use alloc::vec::Vec;
use core::net::IpAddr;

use bytes::Bytes;
use sheave_wire::{
    Asconf, AsconfAck, AsconfOutcome, AsconfRequest, Cause, Causes, Chunk, Parameter, TlvList,
};

use super::PathIndex;
use crate::assoc::control::{self, Control};
use crate::assoc::extensions::address_changes::{AsconfSequence, GoneAddresses};
use crate::assoc::extensions::reconfiguration::Dialogue;
use crate::assoc::input::Reading;
use crate::assoc::sources::pair;
use crate::assoc::tcb::{Context, Tcb};
use crate::path::Path;
use crate::peer_parameters::{MAX_LISTED, is_usable};
use crate::timers::Timer;
use crate::{Event, PathChange, PathState, PeerAddress, Phase, Time};

/// Most requests of a chunk that are performed; later ones are refused.
const MAX_REQUESTS: usize = 64;

/// The reason for refusing a request, which determines the error cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestRefusal {
    LastAddress,
    NoRoom,
    Source,
    Unusable,
    Unknown,
}

impl RequestRefusal {
    const fn cause(self, quoted: &[u8]) -> Cause<'_> {
        match self {
            Self::LastAddress => Cause::DeleteLastAddress(quoted),
            Self::NoRoom => Cause::ResourceShortage(quoted),
            Self::Source => Cause::DeleteSourceAddress(quoted),
            Self::Unusable => Cause::UnresolvableAddress(quoted),
            Self::Unknown => Cause::UnrecognizedParameters(quoted),
        }
    }
}

/// Whether an address could not be added while processing a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressRoom {
    Left,
    None,
}

impl AddressRoom {
    /// After the first address that could not be added, refuses all additions and deletions of the
    /// chunk (RFC 5061 §5.3, F11): a peer that moves must not lose its old address without getting
    /// the new one.
    fn refuses(self, request: &AsconfRequest<'_>) -> bool {
        let moves = matches!(
            request,
            AsconfRequest::Add { .. } | AsconfRequest::Delete { .. }
        );
        self == Self::None && moves
    }
}

impl Tcb {
    /// Whether requests and answers are processed in this phase.
    pub(super) const fn heeds_address_changes(&self) -> bool {
        matches!(
            self.phase,
            Phase::Established
                | Phase::ShutdownPending
                | Phase::ShutdownSent
                | Phase::ShutdownReceived
        )
    }

    /// Performs the peer's changes, which came from `source`, and answers.
    pub(in crate::assoc) fn on_asconf(
        &mut self,
        cx: &mut Context<'_>,
        asconf: &Asconf<'_>,
        source: PeerAddress,
        reading: &mut Reading,
    ) {
        let heeded = self.heeds_address_changes();
        let Some(dialogue) = self
            .extensions
            .address_changes
            .as_deref()
            .filter(|_| heeded)
        else {
            return;
        };
        let answer = match dialogue.classify(asconf.serial) {
            AsconfSequence::OutOfOrder => return,
            AsconfSequence::Repeated(answer) => answer,
            AsconfSequence::Next => {
                let answer = self.perform(cx, asconf, source);
                if let Some(dialogue) = self.extensions.address_changes() {
                    dialogue.due = asconf.serial.wrapping_add(1);
                    dialogue.answer = Some(answer.clone());
                }
                answer
            }
        };
        if self.may_reply(reading, answer.len()) {
            // To the source of the request (RFC 5061 §5.2), which may have been added by it.
            let path = self.paths.find(source.ip).unwrap_or(self.paths.current());
            self.answer(reading, path, Control::Chunk(answer));
        }
    }

    /// Performs the requests in order. Returns the encoded answer.
    fn perform(&mut self, cx: &mut Context<'_>, asconf: &Asconf<'_>, source: PeerAddress) -> Bytes {
        let mut refusals: Vec<(u32, RequestRefusal, Vec<u8>)> = Vec::new();
        let mut done = Vec::new();
        let mut room = AddressRoom::Left;
        let requests = asconf.requests.iter().map_while(Result::ok);
        // Unreported requests after a refused one count as refused (RFC 5061 §5.1, A7), so only
        // the first request over the limit needs an outcome.
        for (place, request) in requests.enumerate().take(MAX_REQUESTS + 1) {
            let outcome = if place == MAX_REQUESTS || room.refuses(&request) {
                Err(RequestRefusal::NoRoom)
            } else {
                self.perform_one(cx, &request, source)
            };
            match outcome {
                Ok(()) => done.push(request.id()),
                Err(refusal) => {
                    if refusal == RequestRefusal::NoRoom {
                        room = AddressRoom::None;
                    }
                    refusals.push((request.id(), refusal, quote(&request)));
                }
            }
        }
        // Without any outcome listed, all requests succeeded (RFC 5061 §4.1.2).
        if refusals.is_empty() {
            done.clear();
        }
        let causes: Vec<[Cause<'_>; 1]> = refusals
            .iter()
            .map(|(_, refusal, quoted)| [refusal.cause(quoted)])
            .collect();
        let successes = done.into_iter().map(|id| AsconfOutcome::Success { id });
        let failures =
            refusals
                .iter()
                .zip(&causes)
                .map(|((id, ..), causes)| AsconfOutcome::Failure {
                    id: *id,
                    causes: Causes::from(causes),
                });
        let outcomes: Vec<AsconfOutcome<'_>> = successes.chain(failures).collect();
        control::encode(&Chunk::AsconfAck(AsconfAck {
            serial: asconf.serial,
            outcomes: TlvList::from(&outcomes[..]),
        }))
    }

    fn perform_one(
        &mut self,
        cx: &mut Context<'_>,
        request: &AsconfRequest<'_>,
        source: PeerAddress,
    ) -> Result<(), RequestRefusal> {
        // 0.0.0.0 and :: mean the packet's source address, as a NAT may have changed it.
        let meant = |ip: IpAddr| if ip.is_unspecified() { source.ip } else { ip };
        match *request {
            AsconfRequest::Add { address, .. } => self.add_path(cx, meant(address), source),
            AsconfRequest::Delete { address, .. } if address.is_unspecified() => {
                self.keep_only(cx, source.ip)
            }
            AsconfRequest::Delete { address, .. } => self.delete_path(cx, address, source.ip),
            AsconfRequest::SetPrimary { address, .. } => {
                let outcome = self.set_primary(cx.events, meant(address));
                outcome.map_err(|_| RequestRefusal::Unusable)
            }
            AsconfRequest::Unknown(_) => Err(RequestRefusal::Unknown),
        }
    }

    /// Adds an unconfirmed peer address (RFC 5061 §5.3, F14; RFC 9260 §5.4).
    pub(super) fn add_path(
        &mut self,
        cx: &mut Context<'_>,
        ip: IpAddr,
        source: PeerAddress,
    ) -> Result<(), RequestRefusal> {
        if self.paths.find(ip).is_some() {
            return Ok(());
        }
        if !is_usable(ip, source.ip) {
            return Err(RequestRefusal::Unusable);
        }
        let local = pair(cx.routes, &self.local, ip, self.paths.len());
        let local = local.ok_or(RequestRefusal::Unusable)?;
        let address = PeerAddress { ip, ..source };
        let state = PathState::Unconfirmed;
        let path = Path::new(cx.now, local, address, state, &self.options);
        let index = match self.paths.vacant() {
            Some(at) => {
                self.paths.replace(at, path);
                self.accounting.routed = 0;
                at
            }
            None if self.paths.len() < MAX_LISTED => self.paths.push(path),
            None => return Err(RequestRefusal::NoRoom),
        };
        self.timers.set(Timer::Heartbeat(index), cx.now);
        self.tell_path(cx, ip, PathChange::Added);
        Ok(())
    }

    fn delete_path(
        &mut self,
        cx: &mut Context<'_>,
        ip: IpAddr,
        source: IpAddr,
    ) -> Result<(), RequestRefusal> {
        let index = self.paths.find(ip).ok_or(RequestRefusal::Unusable)?;
        if self.paths.existing().count() == 1 {
            return Err(RequestRefusal::LastAddress);
        }
        if ip == source {
            return Err(RequestRefusal::Source);
        }
        self.vacate(cx, index);
        Ok(())
    }

    /// Deletes all peer addresses except one (RFC 5061 §4.2.2).
    fn keep_only(&mut self, cx: &mut Context<'_>, source: IpAddr) -> Result<(), RequestRefusal> {
        let kept = self.paths.find(source).ok_or(RequestRefusal::Unusable)?;
        for index in self.paths.indices() {
            if index != kept && self.paths.get(index).is_some() {
                self.vacate(cx, index);
            }
        }
        Ok(())
    }

    /// Stops sending to a peer address; data in flight there is retransmitted elsewhere.
    pub(super) fn vacate(&mut self, cx: &mut Context<'_>, index: PathIndex) {
        let Some(path) = self.paths.get(index) else {
            return;
        };
        let ip = path.remote.ip;
        self.drop_path(cx, index);
        let gone = self
            .extensions
            .part_or_else(|extensions| &mut extensions.gone, GoneAddresses::default);
        gone.0.push_back(ip);
        self.tell_path(cx, ip, PathChange::Removed);
    }

    /// Deletes a path.
    pub(in crate::assoc) fn drop_path(&mut self, cx: &mut Context<'_>, gone: PathIndex) {
        if let Some(path) = self.paths.get_mut(gone) {
            path.delete();
        }
        self.leave_path(cx, gone);
        // Another address may reuse the path's number.
        self.outbound.forget_path(gone);
        if let Some(marks) = self.extensions.marks() {
            marks.forget_path(gone);
        }
    }

    /// Moves data and replies to other paths; chunks queued for this path alone are dropped.
    pub(in crate::assoc) fn leave_path(&mut self, cx: &mut Context<'_>, gone: PathIndex) {
        self.timers.stop_path(gone);
        self.control.leave_path(gone);
        let Some(next) = self.paths.leave(gone) else {
            return;
        };
        let dialogue = self.extensions.address_changes();
        if let Some(sent) = dialogue.and_then(|dialogue| dialogue.outstanding.as_mut())
            && sent.path == gone
        {
            sent.path = next;
        }
        let dialogue = self.extensions.dialogue();
        if let Some(sent) = dialogue.and_then(Dialogue::sent)
            && sent.path == gone
        {
            sent.path = next;
        }
        self.probe_what_is_left(cx.now);
        let onto = self.paths.current();
        self.outbound
            .on_timeout(cx.now, gone, onto, self.paths.as_mut_slice());
        self.outbound.redirect_marked(gone, onto);
        self.outbound.rehome(gone, onto);
    }

    /// Probes the path in use at once if no remaining path is active; until it is confirmed, not
    /// even SACKs are sent on it.
    fn probe_what_is_left(&mut self, now: Time) {
        let idle = |path: &&Path| !path.is_active() && !path.is_probed();
        if self.paths.current_path().filter(idle).is_some() {
            self.timers.set(Timer::Heartbeat(self.paths.current()), now);
        }
    }

    pub(in crate::assoc) fn tell_path(
        &self,
        cx: &mut Context<'_>,
        remote: IpAddr,
        change: PathChange,
    ) {
        let event = Event::Path { remote, change };
        cx.events.push_if_room(self.id, event);
    }

    /// The path named by the address in a packet's leading ASCONF chunk, for packets from unknown
    /// addresses (RFC 5061 §5.2).
    pub(in crate::assoc) fn path_named_by(&self, asconf: Option<Asconf<'_>>) -> Option<PathIndex> {
        self.extensions.address_changes.as_ref()?;
        self.paths.find(asconf?.address)
    }
}

/// Encodes a request, to quote it. Only an unknown request can exceed two dozen bytes.
fn quote(request: &AsconfRequest<'_>) -> Vec<u8> {
    const MOST: usize = 64;
    let mut bytes = Vec::new();
    let parameter = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => Parameter::Ipv4Address(ip),
        IpAddr::V6(ip) => Parameter::Ipv6Address(ip),
    };
    match request {
        AsconfRequest::Add { id, address }
        | AsconfRequest::Delete { id, address }
        | AsconfRequest::SetPrimary { id, address } => {
            let address = parameter(*address);
            let len = u16::try_from(8 + address.encoded_len()).unwrap_or(u16::MAX);
            bytes.extend_from_slice(&request.parameter_type().0.to_be_bytes());
            bytes.extend_from_slice(&len.to_be_bytes());
            bytes.extend_from_slice(&id.to_be_bytes());
            address.write(&mut bytes);
        }
        AsconfRequest::Unknown(raw) => {
            let whole = raw.bytes();
            bytes.extend_from_slice(whole.get(..MOST).unwrap_or(whole));
        }
    }
    bytes
}
