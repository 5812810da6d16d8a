//! Handling of packets that arrive at the end of a link.

use sheave_engine::{Datagram, ErrorWarning, Icmp, IcmpError, PeerAddress};

use super::{AgentId, InterfaceId, LinkId, Port, RouterId, World};
use crate::events::EventKey;
use crate::icmp::{self, Word};
use crate::packets::{PacketId, Parcel};
use crate::{Protocol, Visitor};

impl World {
    /// Handles the arrival of a packet at the end of a link.
    pub(super) fn on_arrival(&mut self, link: LinkId, key: EventKey) {
        let (link, mut around) = self.at(link);
        let Some(packet) = link.land(&mut around, key) else {
            return;
        };
        match link.to {
            Port::Router(router) => self.forward(router, packet),
            Port::Interface(interface) => self.deliver(interface, packet),
        }
    }

    /// Sends an ICMP message from the node at the start of a link.
    pub(super) fn on_icmp(&mut self, link: LinkId, icmp: PacketId) {
        let parcel = self.packets.get_mut(icmp);
        let Some(to) = self.topology.resolve(parcel.packet.destination) else {
            self.misdirected.unroutable += 1;
            return self.packets.give_back(icmp);
        };
        parcel.to = to;
        match self.topology.start(link) {
            Port::Router(router) => self.forward(router, icmp),
            Port::Interface(interface) => self.deliver(interface, icmp),
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
                self.misdirected.unroutable += 1;
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
            self.misdirected.unclaimed += 1;
            return self.packets.give_back(id);
        };
        let datagram = Datagram {
            local: packet.destination,
            remote: PeerAddress::native(packet.source),
            ecn: packet.ecn,
            payload: &packet.payload,
        };
        let slot = &mut self.agents[agent.0];
        slot.agent.handle_datagram(self.now, datagram);
        self.packets.give_back(id);
        self.serve(agent);
    }

    fn deliver_notice(&mut self, at: InterfaceId, id: PacketId) {
        let icmp = &self.packets.get(id).packet;
        let quotation = icmp::quotation(icmp);
        let claimed = quotation.and_then(|quotation| {
            let agent = self.claimant(at, quotation.protocol, quotation.source_port());
            agent.map(|agent| (agent, quotation))
        });
        let Some((agent, quotation)) = claimed else {
            self.misdirected.unclaimed += 1;
            return self.packets.give_back(id);
        };
        let (remote, quoted) = (quotation.remote, quotation.beginning);
        let slot = &mut self.agents[agent.0].agent;
        match quotation.word {
            Word::LinkError => {
                slot.handle_error_warning(self.now, ErrorWarning { remote, quoted });
            }
            Word::TooBig { mtu } => {
                let error = IcmpError::PacketTooBig { mtu };
                let icmp = Icmp {
                    remote,
                    error,
                    quoted,
                };
                slot.handle_icmp(self.now, icmp);
            }
        }
        self.packets.give_back(id);
        self.serve(agent);
    }

    /// The agent that receives packets for a port of a host: the port's owner, or else the first
    /// agent of the protocol, which may refuse them.
    #[inline(always)] // For each packet; ICMP messages are seldom.
    fn claimant(&self, at: InterfaceId, protocol: Protocol, port: Option<u16>) -> Option<AgentId> {
        if let [(spoken, only)] = self.topology.agents(at) {
            return (*spoken == protocol).then_some(*only);
        }
        self.claimant_of_several(at, protocol, port)
    }

    #[inline(never)]
    fn claimant_of_several(
        &self,
        at: InterfaceId,
        protocol: Protocol,
        port: Option<u16>,
    ) -> Option<AgentId> {
        let all = self.topology.agents(at).iter();
        let mut agents = all
            .filter(|(spoken, _)| *spoken == protocol)
            .map(|(_, agent)| *agent);
        let first = agents.next()?;
        let second = agents.next();
        if second.is_none() {
            return Some(first);
        }
        let port = port?;
        let mut all = [Some(first), second].into_iter().flatten().chain(agents);
        let owner = all.find(|agent| self.agents[agent.0].agent.owns_port(port));
        owner.or(Some(first))
    }
}
