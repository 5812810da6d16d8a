//! Live capture of an interface.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::capture::Frame;
use super::link::Link;
use crate::failure::Failure;

/// Largest frame, including the segmentation header, bytes.
const MAX_FRAME: usize = 128 << 10;
/// Read timeout, after which the stop flag is checked.
const PATIENCE: Duration = Duration::from_millis(200);

/// A captured interface.
pub struct Live {
    socket: socket2::Socket,
    link: Link,
    buffer: Vec<u8>,
    ready: VecDeque<Frame>,
}

impl Live {
    /// Starts capturing.
    /// Errors: the interface does not exist, or permission is missing.
    #[cfg(target_os = "linux")]
    pub fn open(interface: &str) -> Result<Self, Failure> {
        let about = |what: &str| {
            let path = format!("/sys/class/net/{interface}/{what}");
            std::fs::read_to_string(path)
                .ok()?
                .trim()
                .parse::<u32>()
                .ok()
        };
        let is_name = !interface.contains('/') && !interface.starts_with('.');
        let Some(index) = about("ifindex").filter(|_| is_name) else {
            return Err(
                Failure::usage(format!("no interface is called \"{interface}\""))
                    .fix(format!("there are: {}", interfaces().join(", "))),
            );
        };
        let kind = about("type").unwrap_or(1);
        let own = if kind == ARPHRD_LOOPBACK {
            crate::sys::OwnFrames::Ignore
        } else {
            crate::sys::OwnFrames::See
        };
        let socket = crate::sys::packet_socket(index, own).map_err(|error| {
            let failure = Failure::new(format!("cannot watch {interface}: {error}"));
            match error.kind() {
                io::ErrorKind::PermissionDenied => failure.fix(
                    "this needs root or CAP_NET_RAW; or capture with another tool and give the \
                     file: sheave dump FILE",
                ),
                _ => failure,
            }
        })?;
        let set = socket.set_read_timeout(Some(PATIENCE));
        set.map_err(|error| Failure::new(format!("cannot watch {interface}: {error}")))?;
        Ok(Self {
            socket,
            link: match kind {
                ARPHRD_ETHER | ARPHRD_LOOPBACK => Link::ETHERNET,
                _ => Link::IP,
            },
            buffer: vec![0; MAX_FRAME],
            ready: VecDeque::new(),
        })
    }

    /// Starts capturing.
    /// Errors: This system has no packet sockets.
    #[cfg(not(target_os = "linux"))]
    pub fn open(interface: &str) -> Result<Self, Failure> {
        Err(Failure::new(format!(
            "cannot watch {interface}: only Linux has packet sockets"
        ))
        .fix("capture with tcpdump and give the file: sheave dump FILE"))
    }

    /// The next frame; `None` on timeout.
    /// Errors: the system's error, such as when the interface disappears.
    pub fn next(&mut self) -> Result<Option<Frame>, Failure> {
        if let Some(frame) = self.ready.pop_front() {
            return Ok(Some(frame));
        }
        let len = match io::Read::read(&mut self.socket, &mut self.buffer) {
            Ok(len) => len,
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::WouldBlock
                    | io::ErrorKind::TimedOut
                    | io::ErrorKind::Interrupted => Ok(None),
                    _ => Err(Failure::new(format!("cannot watch any longer: {error}"))),
                };
            }
        };
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let bytes = &self.buffer[..len];
        self.ready.push_back(Frame {
            udp_port: None,
            at,
            link: self.link,
            bytes: bytes.to_vec(),
            missing: 0,
        });
        Ok(self.ready.pop_front())
    }
}

#[cfg(target_os = "linux")]
const ARPHRD_ETHER: u32 = 1;
#[cfg(target_os = "linux")]
const ARPHRD_LOOPBACK: u32 = 772;

#[cfg(target_os = "linux")]
fn interfaces() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir("/sys/class/net") else {
        return Vec::new();
    };
    let name = |entry: io::Result<std::fs::DirEntry>| {
        Some(entry.ok()?.file_name().to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = entries.filter_map(name).collect();
    names.sort();
    names
}
