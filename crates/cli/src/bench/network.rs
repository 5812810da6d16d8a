//! Two network namespaces with links between them.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use sheave_emulate::{Emulator, Running};
use sheave_sim::scenario::{LinkPair, read_network};

use super::stage::{Offloads, Stage, succeed};

/// Two network namespaces, connected by links with Ethernet's MTU. They are unnamed and vanish with
/// this process, however it ends.
pub struct Network {
    /// Namespace of the initiating end.
    pub near: Stage,
    /// Namespace of the listening end.
    pub far: Stage,
    links: u8,
    /// Forwards packets over emulated links.
    _emulator: Option<Running>,
}

/// Last address byte of each end.
const NEAR: u8 = 1;
const FAR: u8 = 2;

impl Network {
    /// Creates the namespaces with `links` links.
    /// Errors: a system call, `ip` or `ethtool` failed.
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

    /// Creates the namespaces with emulated links of 20 Mbit/s, one-way delay `delay` and a queue
    /// of 50 packets per direction.
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

    /// Addresses of the near end, one per link.
    pub fn near_addresses(&self) -> Vec<IpAddr> {
        addresses(self.links, NEAR).collect()
    }

    /// Addresses of the far end, one per link.
    pub fn far_addresses(&self) -> Vec<IpAddr> {
        addresses(self.links, FAR).collect()
    }
}

/// Creates links from this thread's namespace to the one of the file `beyond`.
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

/// Creates emulated links from this thread's namespace to the one of the file `beyond`.
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

/// Assigns addresses to the links of this thread's namespace.
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
