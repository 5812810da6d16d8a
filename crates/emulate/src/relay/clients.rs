use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use crate::socket::Socket;

/// Clients at the same time.
const MOST: usize = 512;
/// A client that was not heard of for so long makes room for another, if there must be.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// Someone who has sent something.
pub(super) struct Client {
    pub(super) address: SocketAddr,
    /// The socket that receives the server's datagrams for this client.
    pub(super) socket: Socket,
    /// The address of ours that it sent to.
    pub(super) addressed: Option<IpAddr>,
    heard: Instant,
    /// Number of clients that had the slot before.
    generation: u16,
}

/// The clients of a relay, each in a slot. Packets of a client are tagged with its slot and
/// generation, so that nothing that belongs to an earlier client reaches a later one.
#[derive(Default)]
pub(super) struct Clients {
    slots: Vec<Client>,
    by_address: BTreeMap<SocketAddr, u16>,
}

impl Clients {
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Their sockets, by slot.
    pub(super) fn sockets(&self) -> impl Iterator<Item = &Socket> {
        self.slots.iter().map(|client| &client.socket)
    }

    pub(super) fn socket(&self, slot: u16) -> Option<&Socket> {
        Some(&self.slots.get(usize::from(slot))?.socket)
    }

    /// The client in a slot, and its tag.
    pub(super) fn in_slot(&self, slot: usize) -> Option<(u32, &Client)> {
        let client = self.slots.get(slot)?;
        Some((tag(u16::try_from(slot).ok()?, client), client))
    }

    /// The client of that tag, and its slot.
    pub(super) fn tagged(&self, wanted: u32) -> Option<(u16, &Client)> {
        let slot = u16::try_from(wanted & 0xffff).ok()?;
        let client = self.slots.get(usize::from(slot))?;
        (tag(slot, client) == wanted).then_some((slot, client))
    }

    /// The client of that address, and its tag. A new one gets a socket from `port`, if it can, to
    /// `server`; `None` if there is none to be had.
    pub(super) fn find_or_add(
        &mut self,
        address: SocketAddr,
        (port, server): (u16, SocketAddr),
        now: Instant,
    ) -> Option<(u32, &mut Client)> {
        let slot = match self.by_address.get(&address) {
            Some(slot) => *slot,
            None => self.add(address, (port, server), now)?,
        };
        let client = self.slots.get_mut(usize::from(slot))?;
        client.heard = now;
        Some((tag(slot, client), client))
    }

    fn add(
        &mut self,
        address: SocketAddr,
        (port, server): (u16, SocketAddr),
        now: Instant,
    ) -> Option<u16> {
        let mut client = Client {
            address,
            socket: towards(server, address.ip(), port).ok()?,
            addressed: None,
            heard: now,
            generation: 0,
        };
        let slot = if self.slots.len() < MOST {
            self.slots.push(client);
            u16::try_from(self.slots.len() - 1).ok()?
        } else {
            let (slot, old) = self
                .slots
                .iter_mut()
                .enumerate()
                .min_by_key(|(_, client)| client.heard)?;
            if now.duration_since(old.heard) < FORGOTTEN {
                return None;
            }
            client.generation = old.generation.wrapping_add(1);
            self.by_address.remove(&old.address);
            *old = client;
            u16::try_from(slot).ok()?
        };
        self.by_address.insert(address, slot);
        Some(slot)
    }
}

fn tag(slot: u16, client: &Client) -> u32 {
    u32::from(client.generation) << 16 | u32::from(slot)
}

/// A socket towards the server, from the client's own address where that is one of this machine,
/// and from `port` if it is free: a client with several addresses then has one port at all of them,
/// as SCTP expects (RFC 6951 §5.1).
fn towards(server: SocketAddr, client: IpAddr, port: u16) -> io::Result<Socket> {
    let any = match server.ip() {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let own = (client.is_ipv4() == server.is_ipv4()).then_some(client);
    let own = own.into_iter().flat_map(|ip| [(ip, port), (ip, 0)]);
    let bound = own
        .map(SocketAddr::from)
        .find_map(|at| Socket::bind(at).ok());
    bound.map_or_else(|| Socket::bind(SocketAddr::new(any, 0)), Ok)
}
