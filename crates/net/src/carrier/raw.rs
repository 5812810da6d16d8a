use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use quinn_udp::EcnCodepoint;
use sheave_engine::Ecn;
use socket2::{Domain, Protocol, Type};

use super::socket::{Framing, Socket, ecn};
use super::{Unbindable, tune};
use crate::Config;
use crate::error::BindError;

/// IP protocol number of SCTP.
const PROTOCOL: i32 = 132;

/// Binds a raw socket per address.
pub(super) fn bind(
    addresses: &[IpAddr],
    config: &Config,
    unbindable: Unbindable,
) -> Result<Vec<Socket>, BindError> {
    let mut sockets = Vec::with_capacity(addresses.len());
    for &ip in addresses {
        match open(ip) {
            Ok(mut socket) => {
                tune(&mut socket, config);
                sockets.push(socket);
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Err(BindError::NoPermission);
            }
            Err(error) if unbindable.forgives(&error) => {}
            Err(error) => {
                let port = None;
                return Err(BindError::Address { ip, port, error });
            }
        }
    }
    Ok(sockets)
}

fn open(ip: IpAddr) -> io::Result<Socket> {
    let (domain, framing) = match ip {
        IpAddr::V4(_) => (Domain::IPV4, Framing::RawV4),
        IpAddr::V6(_) => (Domain::IPV6, Framing::RawV6),
    };
    let socket = socket2::Socket::new(domain, Type::RAW, Some(Protocol::from(PROTOCOL)))?;
    socket.bind(&SocketAddr::new(ip, 0).into())?;
    let socket = Socket::new(socket, ip, framing)?;
    // Receive nothing until a port is opened.
    socket.set_ports(&[])?;
    Ok(socket)
}

/// Splits off an IPv4 header; returns the SCTP packet and the header's ECN bits.
pub(super) fn strip_ipv4(packet: &[u8]) -> Option<(&[u8], Ecn)> {
    let (&first, &tos) = (packet.first()?, packet.get(1)?);
    let header = usize::from(first & 15) * 4;
    let payload = packet.get(header.max(20)..)?;
    Some((payload, ecn(EcnCodepoint::from_bits(tos))))
}

/// Whether the kernel's own SCTP handles IP protocol 132.
pub(super) fn kernel_speaks_sctp() -> bool {
    let listed = |protocols: String| protocols.lines().any(|line| line.starts_with("SCTP"));
    Path::new("/proc/net/sctp").exists()
        || fs::read_to_string("/proc/net/protocols").is_ok_and(listed)
}
