//! The network of the two ends of a measurement: that of this machine, or one of our own
//! whose loopback interface has an MTU of 1500 as Ethernet has.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::process::{self, Command};
use std::sync::Arc;
use std::thread;

use crate::sys;

/// Whether the kernel may hand packets larger than the MTU from layer to layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offloads {
    /// Segmentation offload is allowed (TSO, GSO)
    On,
    /// Every packet goes by itself
    Off,
}

impl Offloads {
    /// Switches them off at an interface of this thread's network, unless they are to stay.
    ///
    /// # Errors
    /// What `ethtool` says.
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
    /// That of this machine
    Here,
    /// A namespace of our own, which lives as long as the file is open
    Own(Arc<File>),
}

impl Stage {
    /// A network of our own.
    ///
    /// # Errors
    /// Root is needed, and the programs `ip` and `ethtool`.
    pub fn with_ethernet_mtu(offloads: Offloads) -> io::Result<Self> {
        let stage = Self::empty()?;
        stage.perform(|| {
            succeed("ip", &["link", "set", "dev", "lo", "mtu", "1500", "up"])?;
            offloads.apply("lo")
        })??;
        Ok(stage)
    }

    /// A network of our own without anything in it.
    ///
    /// # Errors
    /// Root is needed.
    pub fn empty() -> io::Result<Self> {
        let maker = thread::spawn(|| {
            sys::leave_network()?;
            File::open("/proc/thread-self/ns/net")
        });
        Ok(Self::Own(Arc::new(join(maker.join())?)))
    }

    /// The file that names the network to other programs, while this process lives.
    pub fn path(&self) -> String {
        match self {
            Self::Here => "/proc/self/ns/net".into(),
            Self::Own(file) => format!("/proc/{}/fd/{}", process::id(), file.as_raw_fd()),
        }
    }

    /// Does `work` there.
    ///
    /// # Errors
    /// The network cannot be entered.
    pub fn perform<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        match self {
            Self::Here => Ok(work()),
            // A thread of its own: this one stays where it is.
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
///
/// # Errors
/// What it says where it fails.
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
