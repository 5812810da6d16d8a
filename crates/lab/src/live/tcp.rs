//! Kernel TCP sockets with a chosen congestion control, independent of the machine's default.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

use serde_json::json;
use socket2::{Domain, Socket, Type};

use super::{FAR, Parent, UNFIT};

/// Creates a socket with the given congestion control.
pub(crate) fn tcp_socket(congestion: &str) -> Result<Socket, String> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).map_err(text)?;
    match socket.set_tcp_congestion(congestion.as_bytes()) {
        Ok(()) => Ok(socket),
        Err(error) => Err(format!("{UNFIT}: TCP with {congestion}: {error}")),
    }
}

/// Listens at the receiving end for one connection, on a port chosen by the system.
pub(crate) fn tcp_listener(socket: Socket) -> Result<TcpListener, String> {
    let place = SocketAddr::new(FAR.into(), 0);
    socket.bind(&place.into()).map_err(text)?;
    socket.listen(1).map_err(text)?;
    Ok(socket.into())
}

/// Listens like [`tcp_listener`], reports the port to the parent, and accepts the connection.
pub(crate) fn tcp_accept(socket: Socket, parent: &Parent) -> Result<TcpStream, String> {
    let listener = tcp_listener(socket)?;
    let port = listener.local_addr().map_err(text)?.port();
    parent.tell(&json!({ "port": port }))?;
    let (stream, _) = listener.accept().map_err(text)?;
    Ok(stream)
}

/// Connects the socket, without Nagle's algorithm.
pub(crate) fn tcp_stream(socket: Socket, to: SocketAddr) -> Result<TcpStream, String> {
    socket.connect(&to.into()).map_err(text)?;
    socket.set_tcp_nodelay(true).map_err(text)?;
    Ok(socket.into())
}

/// An error as text.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn text(error: io::Error) -> String {
    error.to_string()
}
