//! Packets with a code point, for which `quinn-udp` has no place beside the ECN bits.

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::os::fd::AsRawFd;

use nix::sys::socket::{ControlMessage, MsgFlags, SockaddrStorage, sendmsg};
use quinn_udp::Transmit;

/// Sends a packet or a train of them.
///
/// # Errors
/// What the kernel says.
pub(super) fn send(socket: &socket2::Socket, transmit: &Transmit<'_>, dscp: u8) -> io::Result<()> {
    let ecn = transmit.ecn.map_or(0, |codepoint| codepoint as u8);
    let (class, traffic_class) = (dscp << 2 | ecn, i32::from(dscp << 2 | ecn));
    let mut control = vec![match transmit.destination.ip() {
        IpAddr::V4(_) => ControlMessage::Ipv4Tos(&class),
        IpAddr::V6(_) => ControlMessage::Ipv6TClass(&traffic_class),
    }];
    // Trains are only handed in where the kernel splits them.
    #[cfg(target_os = "linux")]
    let segment = transmit
        .segment_size
        .map(|size| u16::try_from(size).unwrap_or(u16::MAX));
    #[cfg(target_os = "linux")]
    control.extend(segment.as_ref().map(ControlMessage::UdpGsoSegments));
    sendmsg(
        socket.as_raw_fd(),
        &[IoSlice::new(transmit.contents)],
        &control,
        MsgFlags::empty(),
        Some(&SockaddrStorage::from(transmit.destination)),
    )?;
    Ok(())
}
