//! Assigns packets to associations.

use std::collections::HashMap;

use sheave_wire::{Chunk, Packet, Vtag};

use super::frame::Route;

/// Most tracked associations; bounds memory for captures of floods.
const MAX_TRACKED: usize = 1 << 20;

/// Numbers the associations of a capture from 1 in the order of their appearance.
///
/// Verification tags identify an association independent of addresses; INIT and INIT ACK connect
/// the tags of both directions. If the capture starts later, addresses and ports are used.
#[derive(Debug, Default)]
pub struct Tracker {
    tags: HashMap<(u16, u16, Vtag), usize>,
    talks: HashMap<Talk, usize>,
    /// Pairs of endpoints whose last INIT has not led to an association yet, with the sender of
    /// that INIT.
    beginning: HashMap<Talk, End>,
    count: usize,
}

type End = (Option<std::net::IpAddr>, u16);
type Talk = (End, End);

impl Tracker {
    /// The number of a packet's association.
    pub fn number(&mut self, route: Route, packet: &Packet<'_>) -> usize {
        let header = packet.header;
        let (from, to) = (header.source_port, header.destination_port);
        let first = packet.chunks().next().and_then(Result::ok);
        match first {
            Some(Chunk::Init(init)) => {
                let known = self.tags.get(&(to, from, init.initiate_tag)).copied();
                let known = known.or_else(|| self.collided(route, packet));
                let number = known.unwrap_or_else(|| self.new_number());
                self.learn(to, from, init.initiate_tag, number);
                self.talk(route, packet, number);
                if self.beginning.len() < MAX_TRACKED {
                    let talk = talk_of(route, packet);
                    self.beginning.insert(talk, (route.source, from));
                }
                number
            }
            Some(Chunk::InitAck(init)) => {
                let number = self.known(route, packet);
                self.learn(to, from, init.initiate_tag, number);
                number
            }
            Some(Chunk::CookieEcho(_)) => self.known(route, packet),
            _ => {
                self.beginning.remove(&talk_of(route, packet));
                self.known(route, packet)
            }
        }
    }

    /// The association that the other end has started meanwhile: crossing INITs create a single
    /// association (RFC 9260 §5.2.1).
    fn collided(&self, route: Route, packet: &Packet<'_>) -> Option<usize> {
        let talk = talk_of(route, packet);
        let begun_by = self.beginning.get(&talk)?;
        let is_other = *begun_by != (route.source, packet.header.source_port);
        self.talks.get(&talk).copied().filter(|_| is_other)
    }

    /// The number of associations so far.
    pub fn count(&self) -> usize {
        self.count
    }

    fn known(&mut self, route: Route, packet: &Packet<'_>) -> usize {
        let header = packet.header;
        let tag = (header.source_port, header.destination_port, header.vtag);
        if let Some(&number) = self.tags.get(&tag) {
            return number;
        }
        let talk = talk_of(route, packet);
        let number = match self.talks.get(&talk) {
            Some(&number) => number,
            None => {
                let number = self.new_number();
                self.talk(route, packet, number);
                number
            }
        };
        // The tag of packets to this side.
        if self.tags.len() < MAX_TRACKED {
            self.tags.insert(tag, number);
        }
        number
    }

    /// Records that packets from port `from` to port `to` carry `tag`.
    fn learn(&mut self, from: u16, to: u16, tag: Vtag, number: usize) {
        if self.tags.len() < MAX_TRACKED {
            self.tags.insert((from, to, tag), number);
        }
    }

    fn talk(&mut self, route: Route, packet: &Packet<'_>, number: usize) {
        if self.talks.len() < MAX_TRACKED {
            self.talks.insert(talk_of(route, packet), number);
        }
    }

    fn new_number(&mut self) -> usize {
        self.count += 1;
        self.count
    }
}

/// Both endpoints, in an order independent of direction.
fn talk_of(route: Route, packet: &Packet<'_>) -> Talk {
    let from = (route.source, packet.header.source_port);
    let to = (route.destination, packet.header.destination_port);
    if from <= to { (from, to) } else { (to, from) }
}

#[cfg(test)]
mod tests;
