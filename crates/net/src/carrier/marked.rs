//! Sends packets with a DSCP, which `quinn-udp` does not support (it sets only the ECN bits).

use std::io;
use std::net::IpAddr;

use quinn_udp::Transmit;

/// Sends a packet or a train of packets.
///
/// # Errors
/// The kernel's error.
#[cfg(not(target_vendor = "apple"))]
pub(super) fn send(socket: &socket2::Socket, transmit: &Transmit<'_>, dscp: u8) -> io::Result<()> {
    use std::io::IoSlice;
    use std::os::fd::AsRawFd;

    use nix::sys::socket::{ControlMessage, MsgFlags, SockaddrStorage, sendmsg};

    let class = class(transmit, dscp);
    let traffic_class = i32::from(class);
    let marked = match transmit.destination.ip() {
        IpAddr::V4(_) => ControlMessage::Ipv4Tos(&class),
        IpAddr::V6(_) => ControlMessage::Ipv6TClass(&traffic_class),
    };
    // Trains occur only if the kernel splits them.
    #[cfg(linux)]
    let segment = transmit
        .segment_size
        .map(|size| u16::try_from(size).unwrap_or(u16::MAX));
    #[cfg(linux)]
    let train = segment.as_ref().map(ControlMessage::UdpGsoSegments);
    #[cfg(not(linux))]
    let train = None;
    let control: Vec<ControlMessage<'_>> = [marked].into_iter().chain(train).collect();
    sendmsg(
        socket.as_raw_fd(),
        &[IoSlice::new(transmit.contents)],
        &control,
        MsgFlags::empty(),
        Some(&SockaddrStorage::from(transmit.destination)),
    )?;
    Ok(())
}

/// Sends a packet. Sets the DSCP on the socket, because `nix` has no control message for it on this
/// system.
///
/// # Errors
/// The kernel's error.
#[cfg(target_vendor = "apple")]
pub(super) fn send(socket: &socket2::Socket, transmit: &Transmit<'_>, dscp: u8) -> io::Result<()> {
    let class = u32::from(class(transmit, dscp));
    match transmit.destination.ip() {
        IpAddr::V4(_) => socket.set_tos_v4(class)?,
        IpAddr::V6(_) => socket.set_tclass_v6(class)?,
    }
    socket.send_to(transmit.contents, &transmit.destination.into())?;
    Ok(())
}

/// The IP header's traffic-class byte: DSCP and ECN bits.
fn class(transmit: &Transmit<'_>, dscp: u8) -> u8 {
    dscp << 2 | transmit.ecn.map_or(0, |codepoint| codepoint as u8)
}
