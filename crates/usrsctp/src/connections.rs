//! The stack for `AF_CONN` sockets, whose packets the program carries.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{c_int, c_void};

use sheave_engine::{
    Datagram, Ecn, EndpointOptions, Fragmentation, Integrity, Node, Options, PathMtuDiscovery,
    PeerAddress, Time,
};
use sheave_sockets::{Abi, Stack};

use crate::border::Opaque;

/// The callback for packets to send.
pub type OutputCallback = unsafe extern "C" fn(
    address: *mut c_void,
    buffer: *mut c_void,
    length: usize,
    tos: u8,
    set_df: u8,
) -> c_int;

/// The side that computes and verifies checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checksums {
    Library,
    Program,
}

/// A packet for the program to send.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) address: Opaque,
    pub(crate) bytes: Vec<u8>,
    pub(crate) tos: u8,
    pub(crate) set_df: u8,
}

/// Default packet size, as in usrsctp, plus the IPv6 header that the engine counts but connections
/// lack.
const PATH_MTU: u16 = 1280 + 40;
/// Range of the checksum in a packet.
const CHECKSUM: core::ops::Range<usize> = 8..12;

pub(crate) struct Connections {
    pub(crate) stack: Stack,
    pub(crate) output: Option<OutputCallback>,
    pub(crate) checksums: Checksums,
    registered: BTreeSet<Opaque>,
    pub(crate) packets: VecDeque<Packet>,
    /// Counts of packets sent and received.
    pub(crate) counts: [u64; 2],
}

impl Connections {
    pub(crate) fn start(output: Option<OutputCallback>, options: &Options, seed: [u8; 32]) -> Self {
        let limits = EndpointOptions::default();
        let abi = Abi::USRSCTP_CONNECTIONS;
        Self {
            stack: Stack::new(Vec::new(), limits, fit(options), abi, seed),
            output,
            checksums: Checksums::Library,
            registered: BTreeSet::new(),
            packets: VecDeque::new(),
            counts: [0; 2],
        }
    }

    pub(crate) fn set_defaults(&mut self, options: &Options) {
        self.stack.profile_mut().defaults = fit(options);
    }

    pub(crate) fn register(&mut self, address: Opaque) {
        self.registered.insert(address);
        let ip = Abi::connection(address.number());
        self.stack.add_address(ip);
    }

    /// Unregisters an address: its packets are dropped, including those of associations that have
    /// not ended yet.
    pub(crate) fn deregister(&mut self, address: Opaque) {
        self.registered.remove(&address);
        let ip = Abi::connection(address.number());
        self.stack.remove_address(ip);
        self.packets.retain(|packet| packet.address != address);
    }

    /// Handles a packet received on a connection.
    pub(crate) fn input(&mut self, now: Time, address: Opaque, packet: &[u8], ecn: u8) {
        if !self.registered.contains(&address) {
            return;
        }
        let ip = Abi::connection(address.number());
        self.counts[1] += 1;
        let datagram = Datagram {
            local: ip,
            remote: PeerAddress {
                ip,
                encapsulation: None,
            },
            ecn: match ecn & 3 {
                1 => Ecn::Ect1,
                2 => Ecn::Ect0,
                3 => Ecn::Ce,
                _ => Ecn::NotEct,
            },
            payload: packet,
        };
        let known = match self.checksums {
            Checksums::Library => Integrity::Unknown,
            Checksums::Program => Integrity::Intact,
        };
        self.stack.handle_verified(now, datagram, known);
    }

    /// Queues pending packets for the program.
    pub(crate) fn collect(&mut self, now: Time) {
        let mut bytes = Vec::new();
        while let Some(transmit) = self.stack.poll_transmit(now, &mut bytes, 1) {
            let mut bytes = std::mem::take(&mut bytes);
            if self.checksums == Checksums::Program
                && let Some(checksum) = bytes.get_mut(CHECKSUM)
            {
                checksum.fill(0);
            }
            let address = Abi::pointer(transmit.remote.ip).unwrap_or(0);
            let own = Abi::pointer(transmit.local).map(Opaque::from_number);
            if !own.is_some_and(|own| self.registered.contains(&own)) {
                continue;
            }
            self.counts[0] += 1;
            if self.output.is_none() {
                continue;
            }
            self.packets.push_back(Packet {
                address: Opaque::from_number(address),
                bytes,
                tos: match transmit.ecn {
                    Ecn::NotEct => 0,
                    Ecn::Ect1 => 1,
                    Ecn::Ect0 => 2,
                    Ecn::Ce => 3,
                },
                set_df: (transmit.fragmentation == Fragmentation::Forbidden).into(),
            });
        }
    }
}

/// The program's links are unknown, so packets are small unless the program sets a size.
fn fit(options: &Options) -> Options {
    Options {
        initial_pmtu: PATH_MTU,
        path_mtu_discovery: PathMtuDiscovery::Off,
        ..options.clone()
    }
}
