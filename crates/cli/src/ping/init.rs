//! INIT round trips. A listener keeps no state for an INIT (RFC 9260 §5.1), so the probe can simply
//! stop after the INIT ACK.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use sheave_wire::{
    Chunk, CommonHeader, Init as InitChunk, Packet, PacketWriter, Parameters, Tsn, Vtag,
};
use socket2::{Domain, Protocol, Socket, Type};

use super::{Answer, PingArgs, PingOutcome, Probe};
use crate::failure::{Failure, While};
use crate::network::Carrier;

const SCTP: i32 = 132;
/// Most unanswered questions kept; older ones count as lost.
const MAX_OPEN: u64 = 1024;

/// Probes with INIT.
pub struct Init {
    socket: Socket,
    carrier: Carrier,
    remote: SocketAddr,
    port: u16,
    local_port: u16,
    open: HashMap<Vtag, (u64, Instant)>,
}

impl Init {
    /// Creates a probe of this address and port.
    pub fn new(args: &PingArgs, ip: IpAddr, port: u16) -> Result<Self, Failure> {
        let carrier = args.network.carrier;
        let remote = match carrier {
            Carrier::Udp => SocketAddr::new(ip, args.peer.peer_udp_port),
            Carrier::Raw => SocketAddr::new(ip, 0),
        };
        let socket = open(args, remote).map_err(|error| {
            let failure = Failure::new(format!("cannot ask {ip}: {error}"));
            match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    failure.fix("--carrier raw needs root or CAP_NET_RAW; --carrier udp does not")
                }
                _ => failure,
            }
        })?;
        Ok(Self {
            socket,
            carrier,
            remote,
            port,
            local_port: 49_152 + (random() % 16_384) as u16,
            open: HashMap::new(),
        })
    }

    fn packet(&self, tag: Vtag) -> Vec<u8> {
        let mut out = Vec::new();
        let header = CommonHeader {
            source_port: self.local_port,
            destination_port: self.port,
            vtag: Vtag(0),
        };
        let mut writer = PacketWriter::new(&mut out, header, 1200);
        writer.push(&Chunk::Init(InitChunk {
            initiate_tag: tag,
            a_rwnd: 65_536,
            outbound_streams: 1,
            inbound_streams: 1,
            initial_tsn: Tsn(random()),
            parameters: Parameters::EMPTY,
        }));
        writer.finish();
        out
    }

    fn take(&mut self, datagram: &[u8]) -> Option<Answer> {
        let (outcome, tag) = judge(datagram, self.port, self.local_port)?;
        let (seq, sent) = self.open.remove(&tag)?;
        let outcome = match outcome {
            Verdict::Answered => PingOutcome::Reply {
                bytes: datagram.len(),
                rtt: sent.elapsed(),
            },
            Verdict::Refused => {
                PingOutcome::Error(format!("ABORT: no listener at port {}", self.port))
            }
        };
        Some(Answer {
            from: self.remote.ip().to_string(),
            seq,
            outcome,
        })
    }
}

impl Probe for Init {
    fn send(&mut self, seq: u64) -> Result<u64, Failure> {
        let tag = Vtag(random().max(1));
        self.open.retain(|_, (asked, _)| *asked + MAX_OPEN > seq);
        self.open.insert(tag, (seq, Instant::now()));
        let packet = self.packet(tag);
        match self.socket.send(&packet) {
            // The error of an earlier packet, which receiving reports.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                let again = self.socket.send(&packet);
                again.while_doing(format!("cannot ask {}", self.remote.ip()))?;
            }
            sent => {
                sent.while_doing(format!("cannot ask {}", self.remote.ip()))?;
            }
        }
        Ok(1)
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Answer>, Failure> {
        let deadline = Instant::now() + wait;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            let set = self
                .socket
                .set_read_timeout(Some(rest.max(Duration::from_micros(100))));
            set.while_doing("cannot wait for answers")?;
            let mut buffer = [0; 2048];
            let received = io::Read::read(&mut self.socket, &mut buffer);
            match received {
                Ok(len) => {
                    let bytes = match (self.carrier, self.remote) {
                        // A raw socket also returns the IPv4 header.
                        (Carrier::Raw, SocketAddr::V4(_)) => {
                            let header = usize::from(buffer[0] & 15) * 4;
                            buffer.get(header..len).unwrap_or(&[])
                        }
                        _ => &buffer[..len],
                    };
                    if let Some(answer) = self.take(bytes) {
                        return Ok(Some(answer));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    return Ok(self.refused());
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock
                    | io::ErrorKind::TimedOut
                    | io::ErrorKind::Interrupted => {}
                    _ => return Err(Failure::new(format!("cannot wait for answers: {error}"))),
                },
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }
}

impl Init {
    /// Handles ICMP port unreachable from the host.
    fn refused(&mut self) -> Option<Answer> {
        let (&tag, &(seq, _)) = self.open.iter().min_by_key(|(_, (seq, _))| *seq)?;
        self.open.remove(&tag);
        let port = self.remote.port();
        Some(Answer {
            from: self.remote.ip().to_string(),
            seq,
            outcome: PingOutcome::Error(format!("no listener at UDP port {port}")),
        })
    }
}

/// The kinds of answers to INIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Answered,
    Refused,
}

/// Parses an answer: its kind and the tag that identifies the question.
fn judge(datagram: &[u8], port: u16, local_port: u16) -> Option<(Verdict, Vtag)> {
    let packet = Packet::parse(datagram).ok()?;
    let header = packet.header;
    if !packet.checksum_is_valid()
        || header.source_port != port
        || header.destination_port != local_port
    {
        return None;
    }
    match packet.chunks().next()?.ok()? {
        Chunk::InitAck(_) => Some((Verdict::Answered, header.vtag)),
        Chunk::Abort(_) => Some((Verdict::Refused, header.vtag)),
        _ => None,
    }
}

fn open(args: &PingArgs, remote: SocketAddr) -> io::Result<Socket> {
    let domain = Domain::for_address(remote);
    let socket = match args.network.carrier {
        Carrier::Udp => Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?,
        Carrier::Raw => Socket::new(domain, Type::RAW, Some(Protocol::from(SCTP)))?,
    };
    let same_family = |ip: &&IpAddr| ip.is_ipv4() == remote.is_ipv4();
    let unspecified = match remote {
        SocketAddr::V4(_) => IpAddr::from(Ipv4Addr::UNSPECIFIED),
        SocketAddr::V6(_) => IpAddr::from(Ipv6Addr::UNSPECIFIED),
    };
    let local = args.network.local.iter().find(same_family).copied();
    let port = match args.network.carrier {
        Carrier::Udp => args.network.udp_port.unwrap_or(0),
        Carrier::Raw => 0,
    };
    socket.bind(&SocketAddr::new(local.unwrap_or(unspecified), port).into())?;
    socket.connect(&remote.into())?;
    Ok(socket)
}

fn random() -> u32 {
    let [a, b, c, d, ..] = RandomState::new().build_hasher().finish().to_ne_bytes();
    u32::from_ne_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests;
