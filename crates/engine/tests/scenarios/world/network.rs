//! The network: impairments of packets in flight.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use core::net::IpAddr;
use core::ops::Range;
use core::time::Duration;

use sheave_engine::wire::{ChunkType, Packet, ParameterType};
use sheave_engine::{Ecn, Fragmentation, Icmp, IcmpError, Marking, Time, Transmit};

use super::link::Line;
use super::{A, Fate, Host, HostId, Link, Parcel, Record, Verdict, World, Z, address};

impl World {
    /// Sets the impairments of packets from one address to another from now on.
    pub(crate) fn set_link(&mut self, from: IpAddr, to: IpAddr, link: Link) {
        self.lines.insert((from, to), Line::new(link));
    }

    /// Changes the link from one address to another.
    pub(crate) fn edit_link(&mut self, from: IpAddr, to: IpAddr, edit: impl FnOnce(&mut Link)) {
        let line = self.lines.entry((from, to));
        edit(
            &mut line
                .or_insert_with(|| Line::new(self.everywhere.clone()))
                .link,
        );
    }

    /// Cuts the link between two addresses during `when`.
    pub(crate) fn cut(&mut self, one: IpAddr, other: IpAddr, when: Range<Time>) {
        self.edit_link(one, other, |link| link.down.push(when.clone()));
        self.edit_link(other, one, |link| link.down.push(when));
    }

    /// Takes the `n`th networks of A and Z down during `when`, for all paths through them.
    pub(crate) fn cut_path_during(&mut self, n: u8, when: Range<Time>) {
        let ends = [address(A, n), address(Z, n)];
        for at in 0..self.hosts[A.0].addresses.len() {
            for to in 0..self.hosts[Z.0].addresses.len() {
                let (one, other) = (self.hosts[A.0].addresses[at], self.hosts[Z.0].addresses[to]);
                if ends.contains(&one) || ends.contains(&other) {
                    self.cut(one, other, when.clone());
                }
            }
        }
    }

    /// Takes the `n`th networks of A and Z down for good.
    pub(crate) fn cut_path(&mut self, n: u8) {
        self.cut_path_during(n, self.now..Time::MAX);
    }

    /// Restores all links.
    pub(crate) fn mend(&mut self) {
        for line in self.lines.values_mut() {
            line.link.down.clear();
        }
    }

    /// Adds a rule applied to every packet; the first rule that does not return `Deliver` decides.
    pub(crate) fn add_rule(&mut self, rule: impl FnMut(&Record) -> Verdict + 'static) {
        self.rules.push(Box::new(rule));
    }

    /// Applies a verdict to every packet of which `applies` is true.
    pub(crate) fn when(
        &mut self,
        verdict: Verdict,
        mut applies: impl FnMut(&Record) -> bool + 'static,
    ) {
        self.add_rule(move |record| match applies(record) {
            true => verdict.clone(),
            false => Verdict::Deliver,
        });
    }

    /// Flips a bit of the last byte of every packet of which `applies` is true.
    pub(crate) fn damage(&mut self, mut applies: impl FnMut(&Record) -> bool + 'static) {
        self.add_rule(move |record| {
            if !applies(record) {
                return Verdict::Deliver;
            }
            let mut bytes = record.bytes.clone();
            *bytes.last_mut().expect("a packet") ^= 1;
            Verdict::Replace(bytes)
        });
    }

    /// Drops a host's next `count` packets with this chunk type.
    pub(crate) fn drop_next(&mut self, host: HostId, chunk_type: ChunkType, count: usize) {
        self.nth(Verdict::Drop, host, chunk_type, 0..count);
    }

    /// Drops the packets with this chunk type whose indices, from now on, are in `places`.
    pub(crate) fn drop_nth(&mut self, host: HostId, chunk_type: ChunkType, places: &[usize]) {
        self.nth(Verdict::Drop, host, chunk_type, places.iter().copied());
    }

    /// Marks the packets with DATA whose indices, from now on, are in `places`.
    pub(crate) fn mark_nth(&mut self, host: HostId, places: &[usize]) {
        self.nth(Verdict::Mark, host, ChunkType::DATA, places.iter().copied());
    }

    /// Applies a verdict to packets with this chunk type, counted from now on.
    fn nth(
        &mut self,
        verdict: Verdict,
        host: HostId,
        chunk_type: ChunkType,
        places: impl Iterator<Item = usize>,
    ) {
        let places: BTreeSet<usize> = places.collect();
        let addresses = self.hosts[host.0].addresses.clone();
        let mut packets = 0;
        self.when(verdict, move |record| {
            let counts = addresses.contains(&record.from) && record.has(chunk_type);
            packets += usize::from(counts);
            counts && places.contains(&(packets - 1))
        });
    }

    /// Drops every packet with such a chunk that a host sends, until the switch is set to false.
    pub(crate) fn drop_while(&mut self, host: HostId, chunk_type: ChunkType) -> Rc<RefCell<bool>> {
        let switch = Rc::new(RefCell::new(true));
        let seen = Rc::clone(&switch);
        let addresses = self.hosts[host.0].addresses.clone();
        self.when(Verdict::Drop, move |record| {
            addresses.contains(&record.from) && record.has(chunk_type) && *seen.borrow()
        });
        switch
    }

    /// Hands A an ICMP error that quotes the beginning of a packet to `remote`.
    pub(crate) fn complain(&mut self, remote: IpAddr, error: IcmpError, quoted: &[u8]) {
        let icmp = Icmp {
            remote,
            error,
            quoted,
        };
        let now = self.now;
        self.endpoint(A).handle_icmp(now, icmp);
    }

    /// Sends a packet from any address and UDP port.
    pub(crate) fn inject(
        &mut self,
        from: IpAddr,
        to: IpAddr,
        udp: Option<(u16, u16)>,
        bytes: Vec<u8>,
    ) {
        let ecn = Ecn::NotEct;
        let fate = Fate::Carried;
        self.post(Record {
            at: self.now,
            from,
            to,
            udp,
            ecn,
            fragmentation: Fragmentation::Allowed,
            marking: Marking::default(),
            bytes,
            fate,
        });
    }

    /// Splits a train, as a network interface does.
    pub(super) fn split(&mut self, host: HostId, transmit: Transmit, buf: &[u8]) {
        assert!(!buf.is_empty(), "a transmit with nothing in it");
        assert!(
            self.hosts[host.0].addresses.contains(&transmit.local),
            "a foreign source"
        );
        let size = transmit.segment_size.unwrap_or(buf.len());
        assert!(
            buf.len().div_ceil(size) <= self.max_segments,
            "more segments than asked for"
        );
        for segment in buf.chunks(size) {
            check(segment);
            self.check_checksum(segment);
            let udp = transmit.remote.encapsulation.map(|to| {
                let from = self.hosts[host.0]
                    .udp
                    .expect("encapsulated, yet the host has no port");
                (from, to)
            });
            self.post(Record {
                at: self.now,
                from: transmit.local,
                to: transmit.remote.ip,
                udp,
                ecn: transmit.ecn,
                fragmentation: transmit.fragmentation,
                marking: transmit.marking,
                bytes: segment.to_vec(),
                fate: Fate::Carried,
            });
        }
    }

    /// Applies NAT to a packet's addresses; drops packets without a mapping.
    fn translate(&self, record: &mut Record) {
        let Some((source, destination)) = &mut record.udp else {
            return;
        };
        if let Some(nat) = self.nats.iter().find(|nat| nat.inside == record.from) {
            (record.from, *source) = (nat.outside, nat.port);
        }
        for nat in &self.nats {
            if nat.inside == record.to {
                *destination = 0;
            } else if (nat.outside, nat.port) == (record.to, *destination) {
                let owner = |host: &&Host| host.addresses.contains(&nat.inside);
                let port = self.hosts.iter().find(owner).and_then(|host| host.udp);
                (record.to, *destination) = (nat.inside, port.unwrap_or(0));
                return;
            }
        }
    }

    /// Sends a packet over its link, without applying rules.
    fn post(&mut self, mut record: Record) {
        self.translate(&mut record);
        let verdict = self.rules.iter_mut().map(|rule| rule(&record));
        let verdict = verdict.fold(Verdict::Deliver, |first, next| match first {
            Verdict::Deliver => next,
            decided => decided,
        });
        let owner = self.hosts.iter().position(|host| {
            let port = record.udp.is_none_or(|(_, to)| host.udp == Some(to));
            host.addresses.contains(&record.to) && port
        });
        let Some(owner) = owner else {
            record.fate = Fate::NoSuchHost;
            self.log.push(record);
            return;
        };
        let markable = matches!(record.ecn, Ecn::Ect0 | Ecn::Ect1);
        if verdict == Verdict::Drop || verdict == Verdict::Mark && !markable {
            record.fate = Fate::Dropped;
            self.log.push(record);
            return;
        }
        let line = self.lines.entry((record.from, record.to));
        let line = line.or_insert_with(|| Line::new(self.everywhere.clone()));
        let mut bytes = record.bytes.clone();
        let mut ecn = record.ecn;
        let mut extra = Duration::ZERO;
        match verdict {
            Verdict::Replace(other) => bytes = other,
            Verdict::Delay(span) => extra = span,
            Verdict::Mark => ecn = Ecn::Ce,
            Verdict::Deliver | Verdict::Drop => {}
        }
        let carried = line.carry(
            self.now,
            &mut bytes,
            (record.ip_len(), record.fragmentation),
            &mut self.random,
        );
        match carried {
            Err(loss) => record.fate = Fate::Lost(loss),
            Ok(arrivals) => {
                for at in arrivals {
                    self.sequence += 1;
                    let record = Record {
                        ecn,
                        bytes: bytes.clone(),
                        ..record.clone()
                    };
                    let parcel = Parcel {
                        host: HostId(owner),
                        record,
                    };
                    self.parcels.insert((at + extra, self.sequence), parcel);
                }
            }
        }
        self.log.push(record);
    }

    /// Checks that an engine's checksum is right, or zero if a host announced accepting that (RFC
    /// 9653).
    fn check_checksum(&self, bytes: &[u8]) {
        let packet = Packet::parse(bytes).expect("an engine's packet parses");
        let mut greetings = self.log.iter().filter_map(Record::init);
        let mut agreed = || {
            greetings.any(|init| {
                let mut parameters = init.parameters.iter().flatten();
                parameters.any(|parameter| {
                    parameter.parameter_type() == ParameterType::ZERO_CHECKSUM_ACCEPTABLE
                })
            })
        };
        assert!(
            packet.checksum_is_valid() || (packet.checksum() == 0 && agreed()),
            "an engine's checksum is right"
        );
    }
}

/// Checks the rules for every packet that an engine sends, in any state.
fn check(bytes: &[u8]) {
    let packet = Packet::parse(bytes).expect("an engine's packet parses");
    assert_eq!(bytes.len() % 4, 0, "chunks are padded");
    let chunks: Vec<_> = packet
        .chunks()
        .map(|chunk| chunk.expect("an engine's chunk parses").chunk_type())
        .collect();
    assert!(!chunks.is_empty(), "a packet holds a chunk");
    for alone in [
        ChunkType::INIT,
        ChunkType::INIT_ACK,
        ChunkType::SHUTDOWN_COMPLETE,
    ] {
        // RFC 9260 §4.3 (3.3): these three are never bundled.
        assert!(
            chunks.len() == 1 || !chunks.contains(&alone),
            "bundled: {chunks:?}"
        );
    }
    // RFC 4895 §6.3: only AUTH may precede a COOKIE ECHO; the engine's AUTH always comes first.
    let late = chunks.iter().skip(1).any(|chunk| *chunk == ChunkType::AUTH);
    assert!(!late, "AUTH behind a chunk: {chunks:?}");
    for first in [ChunkType::COOKIE_ECHO, ChunkType::COOKIE_ACK] {
        // RFC 9260 §3.2.2, §5.1.5: these chunks come first in their packet.
        let rest = chunks.iter().skip_while(|chunk| **chunk == ChunkType::AUTH);
        let behind = rest.skip(1).any(|chunk| *chunk == first);
        assert!(!behind, "not in front: {chunks:?}");
    }
    // RFC 9260 §8.5.1 A: a zero tag goes with an INIT and with nothing else.
    assert_eq!(
        packet.header.vtag.0 == 0,
        chunks[0] == ChunkType::INIT,
        "tag of {chunks:?}"
    );
    // RFC 9260 §6.10: control before data; an ABORT has no DATA with it.
    let data = chunks.iter().position(|chunk| *chunk == ChunkType::DATA);
    if let Some(first) = data {
        assert!(
            chunks[first..]
                .iter()
                .all(|chunk| *chunk == ChunkType::DATA),
            "{chunks:?}"
        );
        assert!(!chunks.contains(&ChunkType::ABORT), "DATA with an ABORT");
    }
}
