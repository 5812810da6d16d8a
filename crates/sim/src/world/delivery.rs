//! The way of a packet from the end of a link on.

use sheave_engine::{Complaint, Datagram, ErrorWarning, Icmp, PeerAddress};

use super::{AgentId, InterfaceId, LinkId, Port, RouterId, World};
use crate::events::Place;
use crate::notice::{self, Word};
use crate::packets::{PacketId, Parcel};
use crate::{Protocol, Visitor};

impl World {
    /// A packet, or what was made of it, reaches the end of a link.
    pub(super) fn on_arrival(&mut self, link: LinkId, place: Place) {
        let (link, mut around) = self.at(link);
        let Some(packet) = link.land(&mut around, place) else {
            return;
        };
        match link.to {
            Port::Router(router) => self.forward(router, packet),
            Port::Interface(interface) => self.deliver(interface, packet),
        }
    }

    /// The node before a link tells the sender of a packet what became of it.
    pub(super) fn on_notice(&mut self, link: LinkId, notice: PacketId) {
        let parcel = self.packets.get_mut(notice);
        let Some(to) = self.topology.find(parcel.packet.destination) else {
            self.strays.unroutable += 1;
            return self.packets.give_back(notice);
        };
        parcel.to = to;
        match self.topology.start(link) {
            Port::Router(router) => self.forward(router, notice),
            Port::Interface(interface) => self.deliver(interface, notice),
        }
    }

    fn forward(&mut self, router: RouterId, packet: PacketId) {
        let to = self.packets.get(packet).to;
        match self.topology.route(router, to) {
            Some(link) => {
                let (link, mut around) = self.at(link);
                link.offer(&mut around, packet);
            }
            None => {
                self.strays.unroutable += 1;
                self.packets.give_back(packet);
            }
        }
    }

    fn deliver(&mut self, at: InterfaceId, id: PacketId) {
        let Parcel { packet, tag, .. } = self.packets.get_mut(id);
        self.fingerprint.add(self.now, at, packet);
        if let Some(tag) = *tag {
            let packet = packet.take();
            let visitor = Visitor {
                to: at,
                tag,
                packet,
            };
            self.departures.push_back(visitor);
            return self.packets.give_back(id);
        }
        let packet = &self.packets.get(id).packet;
        if packet.protocol == Protocol::Icmp {
            return self.deliver_notice(at, id);
        }
        let claimed = self.claimant(at, packet.protocol, packet.destination_port());
        let Some(agent) = claimed else {
            self.strays.unclaimed += 1;
            return self.packets.give_back(id);
        };
        let datagram = Datagram {
            local: packet.destination,
            remote: PeerAddress::native(packet.source),
            ecn: packet.ecn,
            payload: &packet.payload,
        };
        let seat = &mut self.seats[agent.0];
        seat.agent.handle_datagram(self.now, datagram);
        self.packets.give_back(id);
        self.serve(agent);
    }

    fn deliver_notice(&mut self, at: InterfaceId, id: PacketId) {
        let notice = &self.packets.get(id).packet;
        let quotation = notice::quotation(notice);
        let claimed = quotation.and_then(|quotation| {
            let agent = self.claimant(at, quotation.protocol, quotation.source_port());
            agent.map(|agent| (agent, quotation))
        });
        let Some((agent, quotation)) = claimed else {
            self.strays.unclaimed += 1;
            return self.packets.give_back(id);
        };
        let (remote, quoted) = (quotation.remote, quotation.beginning);
        let seat = &mut self.seats[agent.0].agent;
        match quotation.word {
            Word::LinkError => {
                seat.handle_error_warning(self.now, ErrorWarning { remote, quoted });
            }
            Word::TooBig { mtu } => {
                let complaint = Complaint::PacketTooBig { mtu };
                let icmp = Icmp {
                    remote,
                    complaint,
                    quoted,
                };
                seat.handle_icmp(self.now, icmp);
            }
        }
        self.packets.give_back(id);
        self.serve(agent);
    }

    /// Who gets what has reached a host for that port of its own. One that nobody owns is for the
    /// first of the protocol to refuse.
    fn claimant(&self, at: InterfaceId, protocol: Protocol, port: Option<u16>) -> Option<AgentId> {
        let mut agents = self.topology.agents(at, protocol);
        let first = agents.next()?;
        let second = agents.next();
        if second.is_none() {
            return Some(first);
        }
        let port = port?;
        let mut all = [Some(first), second].into_iter().flatten().chain(agents);
        let owner = all.find(|agent| self.seats[agent.0].agent.owns_port(port));
        owner.or(Some(first))
    }
}
