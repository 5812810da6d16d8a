use core::time::Duration;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sheave_engine::Profile;
use sheave_sim::Requests;

use super::{association, ftp, http};
use crate::live::{Parent, tcp_listener, tcp_socket, tcp_stream, text};
use crate::studies::rivals;
use crate::studies::transfer::{FTP, HTTP, PIPELINED, SCTP};

/// Longer than any run.
const LATER: Duration = Duration::from_secs(600);
/// Congestion control of today's Linux.
const CONGESTION: &str = "cubic";

/// The task of a process.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) protocol: Protocol,
    pub(super) files: Equal,
    /// The server's address, for the client.
    pub(super) to: Option<SocketAddr>,
}

/// Files of equal size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Equal {
    pub(super) count: u32,
    /// Size of each file, bytes.
    pub(super) len: u64,
}

/// The protocol of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Protocol {
    Ftp,
    Http,
    Pipelined,
    /// The protocol of `sheave send`, with the parameters of RFC 9260.
    Sheave,
    /// The protocol of `sheave send`, with the default profile.
    SheaveToday,
}

impl Protocol {
    /// Finds the protocol by its name in a plan.
    pub(super) fn of(name: &str) -> Result<Self, String> {
        Ok(match name {
            FTP => Self::Ftp,
            HTTP => Self::Http,
            PIPELINED => Self::Pipelined,
            SCTP => Self::Sheave,
            rivals::SCTP_TODAY => Self::SheaveToday,
            other => return Err(format!("there is no protocol {other}")),
        })
    }
}

impl Part {
    pub(super) fn to_json(self) -> Value {
        json!(self)
    }
}

/// Serves or downloads files, depending on the part, until the parent ends the process.
pub(in super::super) fn take_part(part: &Value, parent: &Parent) -> Result<(), String> {
    let Part {
        protocol,
        files,
        to,
    } = Part::deserialize(part).map_err(|error| format!("no part: {error}"))?;
    match (protocol, to) {
        (Protocol::Ftp, None) => ftp::serve(&listen(parent)?, files)?,
        (Protocol::Ftp, Some(to)) => ftp::fetch(to, files, parent)?,
        (Protocol::Http | Protocol::Pipelined, None) => http::serve(&listen(parent)?, files)?,
        (Protocol::Http, Some(to)) => http::fetch(to, files, Requests::OneByOne, parent)?,
        (Protocol::Pipelined, Some(to)) => http::fetch(to, files, Requests::Pipelined, parent)?,
        (Protocol::Sheave, to) => association::take_part(Profile::Rfc9260, to, files, parent)?,
        (Protocol::SheaveToday, to) => {
            association::take_part(Profile::default(), to, files, parent)?;
        }
    }
    // The other side may still need this process.
    thread::sleep(LATER);
    Ok(())
}

/// Opens a listening socket and reports its port to the parent.
fn listen(parent: &Parent) -> Result<TcpListener, String> {
    let listener = open()?;
    let port = listener.local_addr().map_err(text)?.port();
    parent.tell(&json!({ "port": port }))?;
    Ok(listener)
}

/// Opens a listening socket on a port chosen by the system.
pub(super) fn open() -> Result<TcpListener, String> {
    tcp_listener(tcp_socket(CONGESTION)?)
}

pub(super) fn connect(to: SocketAddr) -> Result<TcpStream, String> {
    tcp_stream(tcp_socket(CONGESTION)?, to)
}
