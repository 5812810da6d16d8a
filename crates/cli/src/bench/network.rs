//! Two networks of our own with Ethernet links between them.

use std::io;
use std::net::{IpAddr, Ipv4Addr};

use super::stage::{Offloads, Stage, succeed};

/// Two networks of our own, and links between them with Ethernet's MTU. They have no names, and are
/// gone with this process however it ends.
pub struct Network {
    /// The network of the end that calls.
    pub near: Stage,
    /// The network of the end that is called.
    pub far: Stage,
    links: u8,
}

/// The ends, by the last byte of their addresses.
const NEAR: u8 = 1;
const FAR: u8 = 2;

impl Network {
    /// Makes it, with so many links.
    ///
    /// # Errors
    /// What the system, `ip` or `ethtool` says.
    pub fn new(links: u8, offloads: Offloads) -> io::Result<Self> {
        let network = Self {
            near: Stage::empty()?,
            far: Stage::empty()?,
            links,
        };
        let beyond = network.far.path();
        network.near.perform(|| link(links, &beyond))??;
        for (stage, host) in [(&network.near, NEAR), (&network.far, FAR)] {
            stage.perform(|| furnish(links, host, offloads))??;
        }
        Ok(network)
    }

    /// The addresses of the near end, one for each link.
    pub fn near_addresses(&self) -> Vec<IpAddr> {
        addresses(self.links, NEAR).collect()
    }

    /// The addresses of the far end.
    pub fn far_addresses(&self) -> Vec<IpAddr> {
        addresses(self.links, FAR).collect()
    }
}

/// Makes the links from the network of this thread to that of the file at `beyond`.
fn link(links: u8, beyond: &str) -> io::Result<()> {
    (0..links).try_for_each(|number| {
        let name = format!("link{number}");
        let one = ["link", "add", &name, "type", "veth"];
        succeed(
            "ip",
            &[&one[..], &["peer", "name", &name, "netns", beyond]].concat(),
        )
    })
}

/// Gives the links of this thread's network their addresses.
fn furnish(links: u8, host: u8, offloads: Offloads) -> io::Result<()> {
    for (number, ip) in addresses(links, host).enumerate() {
        let (name, prefix) = (format!("link{number}"), format!("{ip}/24"));
        succeed("ip", &["addr", "add", &prefix, "dev", &name])?;
        offloads.apply(&name)?;
        succeed("ip", &["link", "set", &name, "up"])?;
    }
    Ok(())
}

fn addresses(links: u8, host: u8) -> impl Iterator<Item = IpAddr> {
    (0..links).map(move |link| Ipv4Addr::new(10, 77, link, host).into())
}
