//! Routing of an arriving packet to its association (RFC 9260 §8.4, §8.5).

use core::net::IpAddr;

use sheave_wire::{ChunkType, Packet, TagReflection};

use super::Endpoint;
use crate::assoc::extensions::address_changes::heard::{learn, learns};
use crate::assoc::{Incoming, Proof, Tcb, WellFormed, leading_asconf};
use crate::contents::Contents;
use crate::out_of_the_blue::{self, Cast, Reply};
use crate::tag_rules::{self, TagCheck};
use crate::value::ids::PathIndex;
use crate::{AssocId, Checksum, Datagram, Integrity, PeerAddress, Phase, Time};

impl Endpoint {
    /// Handles a datagram like [`handle_datagram`](crate::Node::handle_datagram); the caller has
    /// already checked the checksum.
    pub fn handle_verified(&mut self, now: Time, datagram: Datagram<'_>, known: Integrity) {
        let Ok(packet) = Packet::parse(datagram.payload) else {
            self.stats.malformed += 1;
            return;
        };
        let remote = PeerAddress {
            ip: datagram.remote.ip.to_canonical(),
            ..datagram.remote
        };
        if !self.is_intact(&packet, remote, known) {
            self.stats.bad_checksum += 1;
            return self.salvage(now, &packet, remote);
        }
        if packet.header.source_port == 0 || packet.header.destination_port == 0 {
            self.stats.malformed += 1;
            return;
        }
        let incoming = Incoming {
            packet: &packet,
            local: datagram.local.to_canonical(),
            remote,
            path: None,
            ecn: datagram.ecn,
            handled: 0,
            proof: Proof::None,
            opened: None,
        };
        if first_is(&packet, ChunkType::DTLS) && self.handle_protected(now, &incoming) {
            return;
        }
        self.route(now, incoming);
    }

    /// Leads a plain packet, or what was in a protected one, to its association.
    pub(super) fn route(&mut self, now: Time, mut incoming: Incoming<'_>) {
        let tagged = self.addressee(incoming.packet, incoming.remote);
        match tagged {
            Some((index, path))
                if first_is(incoming.packet, ChunkType::DATA)
                    || first_is(incoming.packet, ChunkType::CHECKED_DATA)
                    || first_is(incoming.packet, ChunkType::SACK) =>
            {
                incoming.path = path;
                self.deliver(now, index, &incoming);
            }
            _ => self.place(now, &incoming, tagged.map(|(index, _)| index)),
        }
    }

    /// The association that received the last packet, even if it has ended since; for drivers that
    /// record arrival times of messages.
    #[must_use]
    pub const fn last_receiver(&self) -> Option<AssocId> {
        self.last_receiver
    }

    /// The association identified by a packet's tag, ports and source, and the path with that
    /// source if there is one.
    #[inline(always)] // For each packet; the rest ask once.
    fn addressee(
        &mut self,
        packet: &Packet<'_>,
        source: PeerAddress,
    ) -> Option<(usize, Option<PathIndex>)> {
        let index = self.registry.recall_by_tag(packet.header.vtag)?;
        let tcb = self.registry.tcb(index);
        let ports = tcb.local_port == packet.header.destination_port
            && tcb.remote_port == packet.header.source_port;
        // The answer to our INIT may come from another address of the peer (RFC 9260 §5.1.2).
        let path = tcb.paths.find(source.ip);
        let known = path.is_some()
            || tcb.phase == Phase::CookieWait
            // One of its new addresses, told by itself (RFC 5061 §5.2).
            || tcb.takes_address_changes() && leading_asconf(packet).is_some()
            || first_is(packet, ChunkType::HEARTBEAT) && learns(tcb, source);
        (ports && known).then_some((index, path))
    }

    /// Whether it has the tag of an association whose peer may have had that address until a moment
    /// ago: an ABORT in answer would end what only moved (RFC 5061 §5.3.1).
    fn is_from_left_address(&self, incoming: &Incoming<'_>) -> bool {
        let packet = incoming.packet;
        let index = self.registry.by_tag(packet.header.vtag);
        index.is_some_and(|index| {
            let tcb = self.registry.tcb(index);
            (tcb.takes_address_changes() || learns(tcb, incoming.remote))
                && tcb.local_port == packet.header.destination_port
                && tcb.remote_port == packet.header.source_port
        })
    }

    pub(super) fn deliver(&mut self, now: Time, index: usize, incoming: &Incoming<'_>) {
        if !self.admits(index, incoming) {
            return;
        }
        let (id, outcome) = self.with_tcb(now, index, |tcb, cx| {
            if incoming.path.is_none() {
                learn(tcb, cx, incoming);
            }
            (tcb.id, tcb.handle_packet(cx, incoming))
        });
        self.last_receiver = Some(id);
        match outcome {
            Ok(WellFormed::Yes) => {}
            Ok(WellFormed::No) => self.stats.malformed += 1,
            Err(ending) => self.end(now, index, *ending),
        }
    }

    /// Routes a packet that needs more than its tag (RFC 9260 §8.4, §8.5.1).
    fn place(&mut self, now: Time, incoming: &Incoming<'_>, tagged: Option<usize>) {
        let header = incoming.packet.header;
        let contents = Contents::of(incoming.packet);
        let index = tagged.or_else(|| self.peer_of(incoming, incoming.remote.ip));
        let Some(index) = index else {
            if self.is_from_left_address(incoming) {
                self.stats.out_of_the_blue += 1;
                return;
            }
            return self.out_of_the_blue(now, incoming, &contents);
        };
        let tcb = self.registry.tcb(index);
        match tag_rules::check(
            header.vtag,
            &contents,
            tcb.phase,
            tcb.local_tag,
            tcb.peer_tag,
        ) {
            TagCheck::Accept if contents.begins_with(ChunkType::COOKIE_ECHO) => {
                self.on_cookie_echo(now, incoming, Some(index));
            }
            // DEVIATION RFC 9260 §8.5.1 B: an ABORT with the T bit is ignored from an address at
            // which the peer was never heard, once it was heard at another. Behind a NAT, our
            // packets come from an address unknown to the peer; and a private address that the peer
            // lists may belong to another host, or to us.
            TagCheck::Accept
                if contents.abort() == Some(TagReflection::Reflected)
                    && tcb.paths.is_unproven(incoming.remote.ip) =>
            {
                self.stats.out_of_the_blue += 1;
            }
            TagCheck::Accept => self.deliver(now, index, incoming),
            TagCheck::Discard => self.stats.bad_tag += 1,
            TagCheck::Init => self.on_init(now, incoming, Some(index)),
            TagCheck::CookieEcho => self.on_cookie_echo(now, incoming, Some(index)),
            TagCheck::OutOfTheBlue => self.out_of_the_blue(now, incoming, &contents),
        }
    }

    /// The association with the packet's ports, the given peer address, and our destination
    /// address.
    pub(super) fn peer_of(&self, incoming: &Incoming<'_>, remote: IpAddr) -> Option<usize> {
        let header = incoming.packet.header;
        let place = (header.destination_port, header.source_port, remote);
        self.registry
            .by_peer(place, |tcb| self.is_at(tcb, incoming.local))
    }

    /// Whether an association belongs to the SCTP endpoint with that local address: the address is
    /// the association's own, is not known as ours, or is another of its listener's, such as one
    /// about to be added.
    pub(super) fn is_at(&self, tcb: &Tcb, ip: IpAddr) -> bool {
        let listener = || self.listeners.find(tcb.local_port, ip);
        tcb.is_at_any(&[ip])
            || !self.local.contains(ip)
            || listener().is_some_and(|listener| listener.overlaps(&tcb.local))
    }

    /// Whether a packet has the right checksum, or none where its association does without.
    fn is_intact(&mut self, packet: &Packet<'_>, source: PeerAddress, known: Integrity) -> bool {
        self.options.checksum == Checksum::Offloaded
            || match known {
                Integrity::Intact => true,
                Integrity::Damaged => false,
                Integrity::Unknown => {
                    (packet.checksum() == 0 && self.takes_zero_checksum(packet, source))
                        || packet.checksum_is_valid()
                }
            }
    }

    /// Whether a checksum of zero will do (RFC 9653 §5.3). Chunks that set up associations always
    /// have a right one.
    fn takes_zero_checksum(&mut self, packet: &Packet<'_>, source: PeerAddress) -> bool {
        !first_is(packet, ChunkType::INIT)
            && !first_is(packet, ChunkType::COOKIE_ECHO)
            && self
                .addressee(packet, source)
                .is_some_and(|(index, _)| self.registry.tcb(index).takes_zero_checksum())
    }

    /// Salvages facts from a packet whose checksum is wrong: none, unless its association
    /// has agreed to checksums of chunk headers, or to tell its sender.
    fn salvage(&mut self, now: Time, packet: &Packet<'_>, remote: PeerAddress) {
        if let Some((index, _)) = self.addressee(packet, remote) {
            self.with_tcb(now, index, |tcb, cx| {
                tcb.on_damaged_packet(cx, packet, remote.ip);
                tcb.report_drop(cx, packet, remote.ip);
            });
        }
    }

    // RFC 9260 §8.4
    fn out_of_the_blue(&mut self, now: Time, incoming: &Incoming<'_>, contents: &Contents) {
        self.closed_ports.forget_old(now);
        let header = incoming.packet.header;
        if self.exported_tags.contains(header.vtag) {
            return;
        }
        let cast = Cast::between(incoming.local, incoming.remote.ip);
        match out_of_the_blue::reply(header.vtag, contents, cast) {
            Reply::HandleInit => return self.on_init(now, incoming, None),
            Reply::HandleCookieEcho => return self.on_cookie_echo(now, incoming, None),
            Reply::Silent => {}
            Reply::ShutdownComplete => {
                self.replies
                    .reflect_shutdown_complete(incoming.ends(), header);
            }
            Reply::Abort => self.replies.reflect_abort(incoming.ends(), header),
        }
        self.stats.out_of_the_blue += 1;
    }
}

/// Whether a packet begins with a chunk of that type.
fn first_is(packet: &Packet<'_>, chunk_type: ChunkType) -> bool {
    packet.first_chunk_type() == Some(chunk_type)
}
