//! Shares one host among several `sheave run` on a network: the first hosts all programs; later
//! ones pass their doors to it over an abstract Unix socket of the network namespace.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, sockopt,
};

use crate::door::{Door, Entrance};
use crate::filter::Base;
use crate::socket::{receive_with, send_with};

/// Version of the protocol; a host rejects other versions.
const VERSION: u8 = 2;
/// Reply of the host to a program that it serves.
const WELCOME: u8 = 1;
/// Request for the host's state, in place of a door's kind.
const STATE: u8 = 9;
/// Reply of the host to another user's `sheave run`.
const OTHER_USER: u8 = 2;
/// Timeout for the other side's reply.
const PATIENCE: Duration = Duration::from_secs(5);

/// The socket at which a host is found.
#[derive(Debug)]
pub(crate) struct Meeting(OwnedFd);

impl AsFd for Meeting {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The reason why a host cannot be joined.
#[derive(Debug)]
pub(crate) enum JoinError {
    /// The host belongs to another user.
    OtherUser,
    /// The host has another version, or a system call failed.
    System(io::Error),
}

fn address(name: &str) -> io::Result<SocketAddrUnix> {
    let name = format!("sheave-run-{name}");
    Ok(SocketAddrUnix::new_abstract_name(name.as_bytes())?)
}

fn open() -> io::Result<OwnedFd> {
    let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
    let socket = rustix::net::socket_with(family, SocketType::SEQPACKET, flags, None)?;
    Ok(socket)
}

impl Meeting {
    /// Creates the socket with this name; `None` if another host has it.
    pub(crate) fn open(name: &str) -> io::Result<Option<Self>> {
        let socket = open()?;
        match rustix::net::bind(&socket, &address(name)?) {
            Ok(()) => {}
            Err(Errno::ADDRINUSE) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        rustix::net::listen(&socket, 16)?;
        rustix::io::ioctl_fionbio(&socket, true)?;
        Ok(Some(Self(socket)))
    }
}

/// Connects to the host with this name, if it exists.
pub(crate) fn find(name: &str) -> io::Result<Option<OwnedFd>> {
    let socket = open()?;
    match rustix::net::connect(&socket, &address(name)?) {
        Ok(()) => Ok(Some(socket)),
        Err(Errno::CONNREFUSED) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the host belongs to this user; hosts serve no other user's programs.
pub(crate) fn is_ours(host: &OwnedFd) -> io::Result<bool> {
    Ok(sockopt::socket_peercred(host)?.uid == rustix::process::geteuid())
}

/// Names of the hosts in this network namespace.
pub(crate) fn names() -> io::Result<Vec<String>> {
    let listed = std::fs::read_to_string("/proc/thread-self/net/unix")?;
    let name = |line: &str| Some(line.split_once("@sheave-run-")?.1.trim_end().to_owned());
    let mut names: Vec<String> = listed.lines().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Requests the host's state and returns the file that holds it.
pub(crate) fn ask(host: &OwnedFd) -> Result<OwnedFd, JoinError> {
    let failed = |error: Errno| JoinError::System(error.into());
    if !is_ours(host).map_err(JoinError::System)? && !rustix::process::geteuid().is_root() {
        return Err(JoinError::OtherUser);
    }
    sockopt::set_socket_timeout(host, sockopt::Timeout::Recv, Some(PATIENCE)).map_err(failed)?;
    send_with(host.as_fd(), &[VERSION, STATE], &[]).map_err(failed)?;
    let mut answer = [0; 1];
    let (length, files) = receive_with(host.as_fd(), &mut answer).map_err(failed)?;
    match (length, answer, files.into_iter().next()) {
        (1, [WELCOME], Some(file)) => Ok(file),
        (1, [OTHER_USER], _) => Err(JoinError::OtherUser),
        _ => Err(JoinError::System(io::ErrorKind::InvalidData.into())),
    }
}

/// Sends the state to the process that asked for it.
pub(crate) fn answer_with(asker: &OwnedFd, file: BorrowedFd<'_>) {
    // The other side may be gone.
    let _ = send_with(asker.as_fd(), &[WELCOME], &[file]);
}

/// Passes a program's door to the host.
pub(crate) fn join(host: &OwnedFd, entrance: &Entrance, base: Base) -> Result<(), JoinError> {
    let mut hello = vec![VERSION, entrance.kind()];
    hello.extend(base.0.to_le_bytes());
    hello.extend(entrance.secret().to_le_bytes());
    let failed = |error: Errno| JoinError::System(error.into());
    sockopt::set_socket_timeout(host, sockopt::Timeout::Recv, Some(PATIENCE)).map_err(failed)?;
    send_with(host.as_fd(), &hello, &entrance.descriptors()).map_err(failed)?;
    let mut answer = [0; 1];
    let (length, _) = rustix::net::recv(host, &mut answer, RecvFlags::empty()).map_err(failed)?;
    match (length, answer) {
        (1, [WELCOME]) => Ok(()),
        (1, [OTHER_USER]) => Err(JoinError::OtherUser),
        _ => Err(JoinError::System(io::ErrorKind::InvalidData.into())),
    }
}

/// A request to the host.
pub(crate) enum Comer {
    /// A program of another `sheave run`: its door, its base for descriptors and the connection.
    Program(Box<dyn Door>, Base, OwnedFd),
    /// A request for the host's state.
    Asker(OwnedFd),
}

/// Receives a request.
pub(crate) fn admit(meeting: &Meeting) -> io::Result<Option<Comer>> {
    let link = match rustix::net::accept_with(meeting, SocketFlags::CLOEXEC) {
        Ok(link) => link,
        Err(Errno::AGAIN) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // A program of another user would get this user's rights.
    let (own, peer) = (rustix::process::geteuid(), sockopt::socket_peercred(&link)?);
    if peer.uid != own && !peer.uid.is_root() {
        rustix::net::send(&link, &[OTHER_USER], SendFlags::NOSIGNAL)?;
        return Ok(None);
    }
    let patience = Some(Duration::from_millis(200));
    sockopt::set_socket_timeout(&link, sockopt::Timeout::Recv, patience)?;
    let mut hello = [0; 16];
    let (length, descriptors) = receive_with(link.as_fd(), &mut hello)?;
    let [VERSION, kind, rest @ ..] = &hello[..length] else {
        return Ok(None);
    };
    if *kind == STATE {
        return Ok(Some(Comer::Asker(link)));
    }
    if peer.uid != own {
        rustix::net::send(&link, &[OTHER_USER], SendFlags::NOSIGNAL)?;
        return Ok(None);
    }
    let Some((base, secret)) = rest.split_first_chunk() else {
        return Ok(None);
    };
    let Ok(secret) = secret.try_into().map(u64::from_le_bytes) else {
        return Ok(None);
    };
    let Some(entrance) = Entrance::of(*kind, descriptors, secret) else {
        return Ok(None);
    };
    let door = entrance.open()?;
    rustix::net::send(&link, &[WELCOME], SendFlags::NOSIGNAL)?;
    let base = Base(u32::from_le_bytes(*base));
    Ok(Some(Comer::Program(door, base, link)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::preload;

    #[test]
    fn a_place_is_taken_once_and_a_door_reaches_its_host() {
        let name = format!("test-{}", std::process::id());
        assert!(find(&name).unwrap().is_none());
        let meeting = Meeting::open(&name).unwrap().unwrap();
        assert!(Meeting::open(&name).unwrap().is_none());
        let host = find(&name).unwrap().unwrap();
        let joined = std::thread::spawn(move || {
            let threshold = preload::open().unwrap();
            let entrance = Entrance::Preload {
                arrivals: threshold.arrivals,
                life: threshold.life,
                secret: threshold.secret,
            };
            join(&host, &entrance, Base(512)).is_ok()
        });
        let admitted = loop {
            if let Some(admitted) = admit(&meeting).unwrap() {
                break admitted;
            }
            std::thread::yield_now();
        };
        assert!(matches!(admitted, Comer::Program(_, Base(512), _)));
        assert!(joined.join().unwrap());
    }
}
