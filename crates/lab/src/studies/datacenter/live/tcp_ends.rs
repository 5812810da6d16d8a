//! Both ends of a transfer over the kernel's TCP.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::thread;

use socket2::{Domain, Socket, Type};

use super::part::{Count, Load};
use super::variant::Nagle;

/// Listening sockets, one per connection.
pub(super) struct TcpEnds {
    listeners: Vec<TcpListener>,
    message: usize,
}

/// Listens for all connections.
pub(super) fn listen(load: &Load) -> Result<TcpEnds, String> {
    let listener = |connection| -> io::Result<TcpListener> {
        let socket = socket(load)?;
        let address = SocketAddr::new(Load::address(connection), 0);
        socket.bind(&address.into())?;
        socket.listen(1)?;
        Ok(socket.into())
    };
    let listeners: io::Result<Vec<_>> = (0..load.connections).map(listener).collect();
    Ok(TcpEnds {
        listeners: listeners.map_err(|error| format!("cannot listen: {error}"))?,
        message: load.message,
    })
}

impl TcpEnds {
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        let addresses = self.listeners.iter().map(TcpListener::local_addr);
        addresses.filter_map(Result::ok).collect()
    }

    /// Receives from all connections, with a thread for each.
    pub(super) fn receive(self, count: &Count) {
        for listener in self.listeners {
            let (count, mut buffer) = (count.clone(), vec![0; self.message]);
            thread::spawn(move || {
                let Ok((mut stream, _)) = listener.accept() else {
                    return;
                };
                while let Ok(len @ 1..) = stream.read(&mut buffer) {
                    count.fetch_add(len as u64, Ordering::Relaxed);
                }
            });
        }
    }
}

/// Sends over all connections, with a thread for each.
pub(super) fn send(
    load: &Load,
    to: &[SocketAddr],
    nagle: Nagle,
    count: &Count,
) -> Result<(), String> {
    let connect = |(address, connection): (&SocketAddr, u16)| -> io::Result<TcpStream> {
        let socket = socket(load)?;
        socket.bind(&SocketAddr::new(Load::address(connection), 0).into())?;
        socket.connect(&(*address).into())?;
        socket.set_tcp_nodelay(nagle == Nagle::Off)?;
        Ok(socket.into())
    };
    let streams: io::Result<Vec<_>> = to.iter().zip(0..).map(connect).collect();
    let streams = streams.map_err(|error| format!("cannot connect: {error}"))?;
    for mut stream in streams {
        let message = vec![7; load.message];
        let messages = load.count.unwrap_or(u64::MAX);
        let count = count.clone();
        thread::spawn(move || {
            for _ in 0..messages {
                if stream.write_all(&message).is_err() {
                    return;
                }
                count.fetch_add(message.len() as u64, Ordering::Relaxed);
            }
            // Keeps the connection open until the process ends.
            let _ = stream.read(&mut [0]);
        });
    }
    Ok(())
}

/// Creates a socket with buffers of the load's size, which the kernel doubles for its own overhead.
fn socket(load: &Load) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.set_recv_buffer_size(load.buffer)?;
    socket.set_send_buffer_size(load.buffer)?;
    Ok(socket)
}
