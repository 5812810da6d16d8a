//! Finds free UDP ports.

use std::net::{IpAddr, UdpSocket};

use super::relay::Layout;
use super::{RECEIVER, SENDER};
use crate::failure::Failure;

/// Finds three UDP ports, each free on the addresses that need it.
pub fn find_ports() -> Result<Layout, Failure> {
    let all = [SENDER, RECEIVER].concat();
    let (sender_port, held_sender) = free_port(&SENDER)?;
    let (receiver_port, held_receiver) = free_port(&RECEIVER)?;
    let (port, held) = free_port(&all)?;
    drop((held_sender, held_receiver, held));
    Ok(Layout {
        sender: SENDER,
        receiver: RECEIVER,
        sender_port,
        receiver_port,
        port,
    })
}

/// A port free on every one of the addresses, reserved while the sockets live.
fn free_port(addresses: &[IpAddr]) -> Result<(u16, Vec<UdpSocket>), Failure> {
    let mut last = None;
    for _ in 0..20 {
        match bind_all(addresses) {
            Ok(found) => return Ok(found),
            Err(error) => last = Some(error),
        }
    }
    let error = last.map_or("none is free".to_owned(), |error| error.to_string());
    Err(
        Failure::new(format!("cannot find a UDP port on {addresses:?}: {error}"))
            .fix("the demonstration needs 127.0.0.1 to 127.0.0.4, which Linux has by itself"),
    )
}

fn bind_all(addresses: &[IpAddr]) -> std::io::Result<(u16, Vec<UdpSocket>)> {
    let mut sockets: Vec<UdpSocket> = Vec::new();
    let mut port = 0;
    for &ip in addresses {
        let socket = UdpSocket::bind((ip, port))?;
        port = socket.local_addr()?.port();
        sockets.push(socket);
    }
    Ok((port, sockets))
}
