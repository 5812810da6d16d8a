use std::io;
use std::net::{IpAddr, SocketAddr};

use socket2::{Domain, Protocol, Type};

use super::socket::{Framing, Socket};
use super::{Unbindable, tune};
use crate::Config;
use crate::config::PortSharing;
use crate::error::BindError;
use crate::options::Shard;

/// Attempts to find a system-chosen port that is free on all addresses.
const ATTEMPTS: usize = 16;

/// Binds a socket per address, all on one UDP port (RFC 6951 §5.1); port 0 lets the system choose
/// it.
pub(super) fn bind(
    addresses: &[IpAddr],
    port: u16,
    config: &Config,
    unbindable: Unbindable,
) -> Result<(Vec<Socket>, u16), BindError> {
    let mut attempt = 1;
    loop {
        match bind_all(addresses, port, config, unbindable) {
            Err(BindError::Address { error, .. })
                if port == 0 && attempt < ATTEMPTS && error.kind() == io::ErrorKind::AddrInUse =>
            {
                attempt += 1;
            }
            other => return other,
        }
    }
}

fn bind_all(
    addresses: &[IpAddr],
    mut port: u16,
    config: &Config,
    unbindable: Unbindable,
) -> Result<(Vec<Socket>, u16), BindError> {
    let mut sockets = Vec::with_capacity(addresses.len());
    for &ip in addresses {
        match open(ip, port, config) {
            Ok((mut socket, bound)) => {
                port = bound;
                tune(&mut socket, config);
                sockets.push(socket);
            }
            Err(error) if unbindable.forgives(&error) => {}
            Err(error) => {
                let port = Some(port);
                return Err(BindError::Address { ip, port, error });
            }
        }
    }
    Ok((sockets, port))
}

fn open(ip: IpAddr, port: u16, config: &Config) -> io::Result<(Socket, u16)> {
    let domain = match ip {
        IpAddr::V4(_) => Domain::IPV4,
        IpAddr::V6(_) => Domain::IPV6,
    };
    let socket = socket2::Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
    if ip.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    let shared = config.port_sharing == PortSharing::WithSuccessor;
    if shared || config.endpoint.shard != Shard::ONLY {
        socket.set_reuse_port(true)?;
    }
    socket.bind(&SocketAddr::new(ip, port).into())?;
    let socket = Socket::new(socket, ip, Framing::Udp)?;
    let port = socket.port()?;
    Ok((socket, port))
}
