use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::AsRawFd;
use std::process;
use std::thread;

use crate::bench::stage::{Stage, succeed};
use crate::sys;

/// Links between the two networks.
const LINKS: u8 = 2;

/// Two networks of our own with two links between them. They have no names, and are gone with this
/// process however it ends.
pub struct Network {
    near: Stage,
    far: Stage,
}

/// The packets that a cut loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Packets of the near end.
    There,
    /// Packets of the far end.
    Back,
    /// All.
    Both,
}

/// A link that loses packets until this is dropped.
pub struct Cut<'a> {
    network: &'a Network,
}

impl Direction {
    pub const fn name(self) -> &'static str {
        match self {
            Self::There => "there",
            Self::Back => "back",
            Self::Both => "both ways",
        }
    }
}

impl Network {
    /// Makes it.
    ///
    /// # Errors
    /// What the system, `ip` or `nft` says.
    pub fn new() -> io::Result<Self> {
        let (near, far) = (empty()?, empty()?);
        let beyond = format!("/proc/{}/fd/{}", process::id(), far.as_raw_fd());
        let network = Self {
            near: Stage::Own(near),
            far: Stage::Own(far),
        };
        network.near.perform(|| link(&beyond))??;
        network.near.perform(|| furnish(1))??;
        network.far.perform(|| furnish(2))??;
        Ok(network)
    }

    /// The addresses of the near end, one for each link.
    pub fn near(&self) -> Vec<IpAddr> {
        addresses(1)
    }

    /// The addresses of the far end.
    pub fn far(&self) -> Vec<IpAddr> {
        addresses(2)
    }

    /// Does `work` where the near end is.
    ///
    /// # Errors
    /// The network cannot be entered.
    pub fn at_near<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        self.near.perform(work)
    }

    /// Does `work` where the far end is.
    ///
    /// # Errors
    /// The network cannot be entered.
    pub fn at_far<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        self.far.perform(work)
    }

    /// Loses what goes that way over a link from now on, in silence.
    ///
    /// # Errors
    /// What `nft` says.
    pub fn cut(&self, link: usize, direction: Direction) -> io::Result<Cut<'_>> {
        let cut = Cut { network: self };
        let rule = format!("add rule inet cut in iifname \"link{link}\" drop");
        if direction != Direction::Back {
            self.far.perform(|| nft(&rule))??;
        }
        if direction != Direction::There {
            self.near.perform(|| nft(&rule))??;
        }
        Ok(cut)
    }
}

impl Drop for Cut<'_> {
    fn drop(&mut self) {
        for end in [&self.network.near, &self.network.far] {
            // Where it fails, the next cut does too and says so.
            let _ = end.perform(|| nft("flush chain inet cut in"));
        }
    }
}

/// A network without anything in it.
fn empty() -> io::Result<File> {
    let maker = thread::spawn(|| {
        sys::leave_network()?;
        File::open("/proc/thread-self/ns/net")
    });
    let made = maker.join();
    made.map_err(|_| io::Error::other("a thread died"))?
}

/// Makes the links from the network of this thread to that of the file at `beyond`.
fn link(beyond: &str) -> io::Result<()> {
    (0..LINKS).try_for_each(|number| {
        let name = format!("link{number}");
        let one = ["link", "add", &name, "type", "veth"];
        succeed(
            "ip",
            &[&one[..], &["peer", "name", &name, "netns", beyond]].concat(),
        )
    })
}

/// Gives the links of this thread's network their addresses, and room for cuts.
fn furnish(host: u8) -> io::Result<()> {
    for (number, ip) in addresses(host).into_iter().enumerate() {
        let (name, prefix) = (format!("link{number}"), format!("{ip}/24"));
        succeed("ip", &["addr", "add", &prefix, "dev", &name])?;
        succeed("ip", &["link", "set", &name, "up"])?;
    }
    nft("add table inet cut; add chain inet cut in { type filter hook input priority 0; }")
}

fn addresses(host: u8) -> Vec<IpAddr> {
    let ip = |link| Ipv4Addr::new(10, 77, link, host).into();
    (0..LINKS).map(ip).collect()
}

fn nft(command: &str) -> io::Result<()> {
    succeed("nft", &[command])
}
