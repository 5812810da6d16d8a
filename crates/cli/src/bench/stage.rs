//! Network of a measurement's ends: this machine's, or a namespace whose loopback interface has
//! Ethernet's MTU of 1500.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::process::{self, Command};
use std::sync::Arc;
use std::thread;

use crate::sys;

/// Whether the kernel may pass packets larger than the MTU between layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offloads {
    /// Segmentation offload is allowed (TSO, GSO)
    On,
    /// Every packet is handled separately
    Off,
}

impl Offloads {
    /// Disables offloads on an interface of this thread's network, if `Off`.
    pub fn apply(self, interface: &str) -> io::Result<()> {
        match self {
            Self::On => Ok(()),
            Self::Off => {
                let off = ["-K", interface, "tso", "off", "gso", "off", "gro", "off"];
                succeed("ethtool", &off)
            }
        }
    }
}

/// A network.
#[derive(Clone)]
pub enum Stage {
    /// This machine's network
    Here,
    /// A namespace that lives as long as the file is open
    Own(Arc<File>),
}

impl Stage {
    /// Creates a namespace whose loopback interface has Ethernet's MTU.
    /// Errors: Root or the programs `ip` and `ethtool` are missing.
    pub fn with_ethernet_mtu(offloads: Offloads) -> io::Result<Self> {
        let stage = Self::empty()?;
        stage.perform(|| {
            succeed("ip", &["link", "set", "dev", "lo", "mtu", "1500", "up"])?;
            offloads.apply("lo")
        })??;
        Ok(stage)
    }

    /// Creates an empty namespace.
    /// Errors: Root is missing.
    pub fn empty() -> io::Result<Self> {
        let maker = thread::spawn(|| {
            sys::leave_network()?;
            File::open("/proc/thread-self/ns/net")
        });
        Ok(Self::Own(Arc::new(join(maker.join())?)))
    }

    /// Path by which other programs can enter the network while this process lives.
    pub fn path(&self) -> String {
        match self {
            Self::Here => "/proc/self/ns/net".into(),
            Self::Own(file) => format!("/proc/{}/fd/{}", process::id(), file.as_raw_fd()),
        }
    }

    /// Runs `work` in the network.
    pub fn perform<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        match self {
            Self::Here => Ok(work()),
            // Uses a separate thread, so that this one stays in its network.
            Self::Own(network) => thread::scope(|scope| {
                let worker = scope.spawn(|| {
                    sys::enter_network(network)?;
                    Ok(work())
                });
                join(worker.join())
            }),
        }
    }
}

fn join<T>(joined: thread::Result<io::Result<T>>) -> io::Result<T> {
    joined.map_err(|_| io::Error::other("a thread died"))?
}

/// Runs a program to its end.
/// Errors: the program failed; contains its output.
pub fn succeed(program: &str, words: &[&str]) -> io::Result<()> {
    let output = Command::new(program).args(words).output();
    let output =
        output.map_err(|error| io::Error::new(error.kind(), format!("{program}: {error}")))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{program}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}
