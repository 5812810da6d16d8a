//! The network of the two ends of a measurement: that of this machine, or one of our own
//! whose loopback interface has an MTU of 1500 as Ethernet has.

use std::fs::File;
use std::io;
use std::process::Command;
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

/// A network.
pub enum Stage {
    /// That of this machine
    Here,
    /// A namespace of our own, which lives as long as the file is open
    Own(File),
}

impl Stage {
    /// A network of our own.
    ///
    /// # Errors
    /// Root is needed, and the programs `ip` and `ethtool`.
    pub fn with_ethernet_mtu(offloads: Offloads) -> io::Result<Self> {
        let maker = thread::spawn(move || {
            sys::leave_network()?;
            succeed("ip", &["link", "set", "dev", "lo", "mtu", "1500", "up"])?;
            if offloads == Offloads::Off {
                let off = ["-K", "lo", "tso", "off", "gso", "off", "gro", "off"];
                succeed("ethtool", &off)?;
            }
            File::open("/proc/thread-self/ns/net")
        });
        join(maker.join()).map(Self::Own)
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
