//! A Linux route look-up (rtnetlink, RTM_GETROUTE).

use std::io::{self, Read, Write};
use std::net::IpAddr;

use socket2::{Domain, Protocol, Socket, Type};

/// Size of `struct nlmsghdr` and of `struct rtmsg`, bytes.
const HEADER: usize = 16;
const ROUTE: usize = 12;
/// Size of an attribute header, bytes.
const ATTRIBUTE: usize = 4;

/// The outgoing interface of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WayOut {
    interface: u32,
    kind: u8,
}

impl WayOut {
    pub(super) const fn interface(self) -> u32 {
        self.interface
    }

    /// Whether the destination is this machine.
    pub(super) const fn stays_here(self) -> bool {
        self.kind == libc::RTN_LOCAL
    }
}

/// The route for packets from `local` to `remote`; `None` if there is none.
///
/// # Errors
/// The kernel cannot be queried.
pub(super) fn way_out(local: IpAddr, remote: IpAddr) -> io::Result<Option<WayOut>> {
    let domain = Domain::from(libc::AF_NETLINK);
    let protocol = Protocol::from(libc::NETLINK_ROUTE);
    let socket = Socket::new(domain, Type::RAW, Some(protocol))?;
    // The kernel replies before `write` returns.
    socket.set_nonblocking(true)?;
    (&socket).write_all(&question(local, remote))?;
    let mut answer = [0; 1024];
    let len = (&socket).read(&mut answer)?;
    Ok(read(&answer[..len]))
}

fn question(local: IpAddr, remote: IpAddr) -> Vec<u8> {
    let [family, ..] = match remote {
        IpAddr::V4(_) => libc::AF_INET.to_le_bytes(),
        IpAddr::V6(_) => libc::AF_INET6.to_le_bytes(),
    };
    let [request, ..] = libc::NLM_F_REQUEST.to_le_bytes();
    let (to, from) = (octets(remote), octets(local));
    let bits = |octets: &[u8]| u8::try_from(octets.len() * 8).unwrap_or(u8::MAX);
    let mut message = Vec::with_capacity(HEADER + ROUTE + 2 * (ATTRIBUTE + 16));
    message.extend_from_slice(&[0; 4]);
    message.extend_from_slice(&libc::RTM_GETROUTE.to_ne_bytes());
    message.extend_from_slice(&u16::from(request).to_ne_bytes());
    message.extend_from_slice(&[0; 8]);
    message.extend_from_slice(&[family, bits(&to), bits(&from)]);
    message.extend_from_slice(&[0; ROUTE - 3]);
    for (kind, value) in [(libc::RTA_DST, &to), (libc::RTA_SRC, &from)] {
        let len = u16::try_from(ATTRIBUTE + value.len()).unwrap_or(u16::MAX);
        message.extend_from_slice(&len.to_ne_bytes());
        message.extend_from_slice(&kind.to_ne_bytes());
        message.extend_from_slice(value);
    }
    let len = u32::try_from(message.len()).unwrap_or(u32::MAX);
    message[..4].copy_from_slice(&len.to_ne_bytes());
    message
}

fn octets(ip: IpAddr) -> Vec<u8> {
    match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    }
}

fn read(answer: &[u8]) -> Option<WayOut> {
    let number = |at: usize| Some(u16::from_ne_bytes(answer.get(at..at + 2)?.try_into().ok()?));
    if number(4)? != libc::RTM_NEWROUTE {
        return None;
    }
    let kind = *answer.get(HEADER + 7)?;
    let mut rest = answer.get(HEADER + ROUTE..)?;
    while let Some((header, _)) = rest.split_at_checked(ATTRIBUTE) {
        let len = usize::from(u16::from_ne_bytes([header[0], header[1]]));
        let value = rest.get(ATTRIBUTE..len)?;
        if u16::from_ne_bytes([header[2], header[3]]) == libc::RTA_OIF {
            let interface = u32::from_ne_bytes(value.try_into().ok()?);
            return Some(WayOut { interface, kind });
        }
        rest = rest.get(len.next_multiple_of(4)..)?;
    }
    None
}
