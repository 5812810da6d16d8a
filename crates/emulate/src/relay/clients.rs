use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use crate::socket::Socket;

/// Most clients at a time.
const MOST: usize = 512;
/// Idle time after which a client may be replaced by a new one.
const FORGOTTEN: Duration = Duration::from_secs(30);

/// A known client.
pub(super) struct Client {
    pub(super) address: SocketAddr,
    /// The socket that receives the server's datagrams for this client.
    pub(super) socket: Socket,
    /// The local address to which the client sent.
    pub(super) addressed: Option<IpAddr>,
    heard: Instant,
    /// Number of earlier clients in the slot.
    generation: u16,
}

/// The clients of a relay, each in a slot. A client's packets are tagged with slot and generation,
/// so that packets of an earlier client never reach a later one.
#[derive(Default)]
pub(super) struct Clients {
    slots: Vec<Client>,
    by_address: BTreeMap<SocketAddr, u16>,
}

impl Clients {
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Server-side sockets, by slot.
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

    /// The slot and client with that tag.
    pub(super) fn tagged(&self, wanted: u32) -> Option<(u16, &Client)> {
        let slot = u16::try_from(wanted & 0xffff).ok()?;
        let client = self.slots.get(usize::from(slot))?;
        (tag(slot, client) == wanted).then_some((slot, client))
    }

    /// The client with that address, and its tag. A new client gets a socket to `server`, bound to
    /// `port` if possible; `None` if no socket can be had.
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

/// Opens a socket towards the server, bound to the client's own address if that is local to this
/// machine, and to `port` if it is free. A client with several addresses then has the same port on
/// each, as SCTP expects (RFC 6951 §5.1).
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
