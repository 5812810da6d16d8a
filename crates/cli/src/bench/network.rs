//! Two networks of our own with links between them.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use sheave_emulate::{Emulator, Running};
use sheave_sim::scenario::{LinkPair, read_network};

use super::stage::{Offloads, Stage, succeed};

/// Two networks of our own, and links between them with Ethernet's MTU. They have no names, and are
/// gone with this process however it ends.
pub struct Network {
    /// The network of the end that calls.
    pub near: Stage,
    /// The network of the end that is called.
    pub far: Stage,
    links: u8,
    /// Forwards what crosses emulated links.
    _emulator: Option<Running>,
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
            _emulator: None,
        };
        let beyond = network.far.path();
        network.near.perform(|| link(links, &beyond))??;
        network.furnish(offloads)?;
        Ok(network)
    }

    /// Makes it with emulated links of 20 Mbit/s, a one-way delay of `delay` and a queue of 50 packets
    /// in each direction.
    ///
    /// # Errors
    /// What the system or `ip` says.
    pub fn emulated(links: u8, delay: Duration) -> io::Result<Self> {
        let (near, far) = (Stage::empty()?, Stage::empty()?);
        let beyond = far.path();
        let emulator = near.perform(|| emulate(links, &beyond, delay))??;
        let network = Self {
            near,
            far,
            links,
            _emulator: Some(emulator),
        };
        network.furnish(Offloads::On)?;
        Ok(network)
    }

    fn furnish(&self, offloads: Offloads) -> io::Result<()> {
        for (stage, host) in [(&self.near, NEAR), (&self.far, FAR)] {
            stage.perform(|| furnish(self.links, host, offloads))??;
        }
        Ok(())
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

/// Makes emulated links from the network of this thread to that of the file at `beyond`.
fn emulate(links: u8, beyond: &str, delay: Duration) -> io::Result<Running> {
    let link = format!(
        "rate = \"20 Mbit/s\"\nqueue = {{ kind = \"drop-tail\", packets = 50 }}\ndelay = \"{} us\"",
        delay.as_micros()
    );
    let mut network = read_network(&link).map_err(io::Error::other)?;
    let link = network.links.remove(0);
    network.links = (0..links)
        .map(|number| LinkPair {
            name: format!("link{number}"),
            ..link.clone()
        })
        .collect();
    let mut emulator = Emulator::new(&network, 1).map_err(io::Error::other)?;
    for LinkPair { name, .. } in &network.links {
        let other = format!("{name}-far");
        emulator
            .add_tunnel([name, &other])
            .map_err(io::Error::other)?;
        succeed(
            "ip",
            &["link", "set", &other, "netns", beyond, "name", name],
        )?;
    }
    Running::start(emulator)
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
