mod clients;

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use sheave_sim::engine::{Ecn, Fragmentation};
use sheave_sim::{Packet, Protocol};

use self::clients::Clients;
use crate::gateway::{End, Gateway, Passage};
use crate::outbox::{Address, Outbox};
use crate::socket::{Batch, Socket};
use crate::{Losses, udp};

/// System calls per socket before the other sockets are served.
const BATCH: usize = 4;

/// UDP datagrams of any number of clients to one server, and back.
///
/// Each client gets its own socket towards the server, as behind a NAT. If possible, the socket is
/// bound to the client's own IP address and to the relay's port, so that the server sees the right
/// address, and the same port for all addresses of a client.
pub(crate) struct Relay {
    /// The socket to which clients send.
    front: Socket,
    /// Local port of `front`.
    port: u16,
    server: SocketAddr,
    clients: Clients,
    batch: Batch,
    outbox: Outbox,
    losses: Losses,
}

impl Relay {
    pub(crate) fn new(listen: SocketAddr, server: SocketAddr) -> io::Result<Self> {
        let front = Socket::bind(listen)?;
        Ok(Self {
            port: front.address()?.port(),
            front,
            server,
            clients: Clients::default(),
            batch: Batch::new(),
            outbox: Outbox::default(),
            losses: Losses::default(),
        })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.front.address()
    }

    /// Handles datagrams from clients.
    fn handle_front(&mut self, admit: &mut dyn FnMut(Passage)) {
        let Self {
            front,
            port,
            server,
            clients,
            batch,
            losses,
            ..
        } = self;
        let now = Instant::now();
        for _ in 0..BATCH {
            let received = front.receive(batch, |datagram| {
                let found = clients.find_or_add(datagram.from, (*port, *server), now);
                let Some((tag, client)) = found else {
                    losses.refused += 1;
                    return;
                };
                client.addressed = datagram.at;
                let addresses = (datagram.from, *server);
                admit(Passage {
                    end: End::Near,
                    tag,
                    packet: packet(addresses, datagram.ecn, datagram.payload),
                });
            });
            if !matches!(received, Ok(true)) {
                return;
            }
        }
    }

    /// Handles datagrams from the server for the client in that slot.
    fn handle_back(&mut self, slot: usize, admit: &mut dyn FnMut(Passage)) {
        let Self {
            server,
            clients,
            batch,
            losses,
            ..
        } = self;
        let Some((tag, client)) = clients.in_slot(slot) else {
            return;
        };
        for _ in 0..BATCH {
            let received = client.socket.receive(batch, |datagram| {
                if datagram.from != *server {
                    losses.foreign += 1;
                    return;
                }
                let addresses = (*server, client.address);
                admit(Passage {
                    end: End::Far,
                    tag,
                    packet: packet(addresses, datagram.ecn, datagram.payload),
                });
            });
            if !matches!(received, Ok(true)) {
                return;
            }
        }
    }
}

impl Gateway for Relay {
    fn descriptors<'a>(&'a self, into: &mut Vec<BorrowedFd<'a>>) {
        into.push(self.front.as_fd());
        into.extend(self.clients.sockets().map(AsFd::as_fd));
    }

    fn handle_ready(&mut self, place: usize, admit: &mut dyn FnMut(Passage)) -> io::Result<()> {
        match place.checked_sub(1) {
            None => self.handle_front(admit),
            Some(slot) => self.handle_back(slot, admit),
        }
        Ok(())
    }

    fn send(&mut self, passage: Passage) {
        let Passage { end, tag, packet } = passage;
        let Some((slot, client)) = self.clients.tagged(tag) else {
            self.losses.misdirected += 1;
            return;
        };
        let (client_address, server) = (client.address, self.server);
        let ecn = packet.ecn;
        let (socket, from, to, most, addressed) = match end {
            End::Near => {
                let most = self.front.longest_train();
                (None, server, client_address, most, client.addressed)
            }
            End::Far => {
                let most = client.socket.longest_train();
                (Some(slot), client_address, server, most, None)
            }
        };
        let Some(payload) = udp::payload(from, to, &packet.payload) else {
            self.losses.misdirected += 1;
            return;
        };
        let address = Address {
            socket,
            to,
            from: addressed,
            ecn,
        };
        if !self.outbox.has_room(address, payload.len(), most) {
            self.flush();
        }
        self.outbox.push(address, payload);
    }

    fn flush(&mut self) {
        if let Some(train) = self.outbox.train() {
            let Address {
                socket,
                to,
                from,
                ecn,
            } = train.address;
            let socket = match socket {
                None => Some(&self.front),
                Some(slot) => self.clients.socket(slot),
            };
            let sent = socket
                .is_some_and(|out| out.send(to, from, ecn, train.bytes, train.segment).is_ok());
            if !sent {
                self.losses.unsent += train.count as u64;
            }
        }
        self.outbox.clear();
    }

    fn clients(&self) -> usize {
        self.clients.len()
    }

    fn losses(&self) -> Losses {
        self.losses
    }
}

fn packet((source, destination): (SocketAddr, SocketAddr), ecn: Ecn, payload: &[u8]) -> Packet {
    Packet {
        source: source.ip(),
        destination: destination.ip(),
        protocol: Protocol::Udp,
        ecn,
        // The receiving socket had joined these datagrams (GRO).
        fragmentation: Fragmentation::Allowed,
        payload: udp::write(source, destination, payload),
    }
}
