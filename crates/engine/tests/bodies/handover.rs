//! An exported association that a fuzzer's bytes have edited, and what becomes of it.
//!
//! Whatever the bytes say, nothing may panic, memory must stay within the options, and every loop
//! must end.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use sheave_engine::wire::{ChunkType, StreamId};
use sheave_engine::{
    AddressChanges, AssocId, Authentication, ChunkSet, Connect, Datagram, Ecn, Endpoint,
    EndpointOptions, ExplicitCongestion, Heartbeats, Interleaving, Message, Node, Options,
    PeerAddress, PeerRequests, Profile, Reconfiguration, SendOptions, Time,
};

const MEMORY: usize = 200_000;

/// The first byte chooses the options; a second one whether an export is edited or the rest of the
/// bytes stand behind its first five. Edits are a place of two bytes and a new byte.
pub(crate) fn handover(bytes: &[u8]) {
    let [choice, kind, rest @ ..] = bytes else {
        return;
    };
    let options = options(*choice);
    let mut now = Time::from_millis(1000);
    let mut pair = Pair::established(&mut now, &options);
    let mut exported = pair.export();
    if kind & 1 == 0 {
        for edit in rest.chunks_exact(3) {
            let place = usize::from(u16::from_be_bytes([edit[0], edit[1]])) % exported.len();
            exported[place] = edit[2];
        }
    } else {
        exported.truncate(5);
        exported.extend_from_slice(rest);
    }
    let mut fresh = endpoint(1);
    if let Ok(id) = fresh.import(now, &exported, options) {
        pair.nodes[1] = fresh;
        pair.ids[1] = Some(id);
        pair.live(&mut now);
    }
}

fn options(choice: u8) -> Options {
    let mut options = Options {
        heartbeats: Heartbeats::Every(Duration::from_secs(1)),
        send_buffer: 20_000,
        receive_buffer: 16_384,
        association_max_retrans: 3,
        path_max_retrans: 1,
        outbound_streams: 4,
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        ..Profile::Rfc9260.options()
    };
    if choice & 1 != 0 {
        options.interleaving = Interleaving::On;
    }
    if choice & 2 != 0 {
        let chunks = ChunkSet::of([ChunkType::DATA]);
        options.authentication = Authentication::with_key("secret", chunks);
        options.address_changes = AddressChanges::On;
    }
    if choice & 4 != 0 {
        options.ecn = ExplicitCongestion::On;
    }
    options
}

fn address(node: u8, n: u8) -> IpAddr {
    Ipv4Addr::new(10, n, 0, node + 1).into()
}

fn endpoint(node: u8) -> Endpoint {
    let options = EndpointOptions {
        max_memory: MEMORY,
        ..EndpointOptions::default()
    };
    let addresses = vec![address(node, 1), address(node, 2)];
    Endpoint::new(addresses, options, [node; 32])
}

struct Pair {
    nodes: [Endpoint; 2],
    ids: [Option<AssocId>; 2],
}

impl Pair {
    fn established(now: &mut Time, options: &Options) -> Self {
        let mut nodes = [endpoint(0), endpoint(1)];
        nodes[1].listen(5000, options.clone()).expect("a free port");
        let to = Connect {
            local_port: None,
            local: Vec::new(),
            remote_port: 5000,
            remote: vec![PeerAddress::native(address(1, 1))],
            options: options.clone(),
        };
        let near = nodes[0].connect(*now, to).expect("options in range");
        let ids = [Some(near), None];
        let mut pair = Self { nodes, ids };
        pair.settle(now);
        pair.ids[1] = pair.nodes[1].associations().next();
        for node in 0..2 {
            pair.send(*now, node);
        }
        pair.settle(now);
        pair
    }

    /// Exports an association that is quiet after two seconds without loss.
    fn export(&mut self) -> Vec<u8> {
        let id = self.ids[1].expect("it is established");
        self.nodes[1].export(id).expect("it is quiet")
    }

    fn send(&mut self, now: Time, node: usize) {
        let assoc = self.ids[node].and_then(|id| self.nodes[node].assoc(id));
        if let Some(mut assoc) = assoc {
            let message = Message::new(StreamId(1), vec![7; 3000]);
            // A peer that is lost takes no more.
            let _ = assoc.send(now, message, SendOptions::default());
        }
    }

    /// Two seconds in which all packets arrive.
    fn settle(&mut self, now: &mut Time) {
        let until = *now + Duration::from_secs(2);
        for _ in 0..500 {
            self.exchange(*now);
            let next = self.nodes.iter().filter_map(Node::poll_timeout).min();
            let Some(next) = next.filter(|next| *next <= until) else {
                break;
            };
            *now = next.max(*now + Duration::from_millis(1));
            for node in &mut self.nodes {
                node.handle_timeout(*now);
            }
        }
        *now = until.max(*now);
    }

    fn exchange(&mut self, now: Time) {
        for _ in 0..100 {
            let mut any = false;
            for from in 0..2 {
                any |= self.carry(now, from);
            }
            if !any {
                return;
            }
        }
    }

    /// Carries what one node has to send, and reads at the other. Whether there was something.
    fn carry(&mut self, now: Time, from: usize) -> bool {
        let mut buf = Vec::new();
        let mut any = false;
        for _ in 0..200 {
            let Some(transmit) = self.nodes[from].poll_transmit(now, &mut buf, 1) else {
                break;
            };
            any = true;
            let datagram = Datagram {
                local: transmit.remote.ip,
                remote: PeerAddress::native(transmit.local),
                ecn: Ecn::NotEct,
                payload: &buf,
            };
            self.nodes[1 - from].handle_datagram(now, datagram);
        }
        for node in &mut self.nodes {
            while node.poll_event().is_some() {}
            let ids: Vec<AssocId> = node.associations().collect();
            for id in ids {
                while node.assoc(id).and_then(|mut it| it.receive(now)).is_some() {}
            }
            assert!(node.stats().buffered <= MEMORY + 65_536);
        }
        any
    }

    /// A minute of the association that was imported.
    fn live(&mut self, now: &mut Time) {
        for round in 0..30 {
            self.send(*now, round & 1);
            self.settle(now);
        }
    }
}
