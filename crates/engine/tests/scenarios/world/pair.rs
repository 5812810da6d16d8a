//! Two engines, ready to talk.

use core::net::IpAddr;

use sheave_engine::{
    AssocId, Connect, Endpoint, EndpointOptions, Event, Heartbeats, Options, PathState,
    PeerAddress, Profile,
};

use super::{A, HostId, Link, World, Z, address, address6, secs};

/// The port that Z listens on.
pub(crate) const PORT: u16 = 5000;

/// The default options without heartbeats, so that only what a test causes is on the network.
pub(crate) fn quiet() -> Options {
    Options {
        heartbeats: Heartbeats::Off,
        ..Profile::Rfc9260.options()
    }
}

/// Like [`quiet`], with the changes of `edit`.
pub(crate) fn quiet_but(edit: impl FnOnce(&mut Options)) -> Options {
    let mut options = quiet();
    edit(&mut options);
    options
}

/// Sets options that are given as text: `name=value, name=value`.
pub(crate) fn set(text: &str) -> impl Fn(&mut Options) {
    move |options| {
        for one in text.split(", ").filter(|one| !one.is_empty()) {
            let (name, value) = one.split_once('=').expect("a name and a value");
            options.set(name, value).expect("an option");
        }
    }
}

/// Options that are given as text, with the profile among them.
pub(crate) fn parsed(text: &str) -> Options {
    text.parse().expect("options")
}

/// The options of the two engines A and Z, and the network between them.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) seed: u64,
    pub(crate) a: Options,
    pub(crate) z: Options,
    pub(crate) a_addresses: Vec<IpAddr>,
    pub(crate) z_addresses: Vec<IpAddr>,
    pub(crate) endpoints: EndpointOptions,
    pub(crate) link: Link,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            seed: 1,
            a: Profile::Rfc9260.options(),
            z: Profile::Rfc9260.options(),
            a_addresses: vec![address(A, 1)],
            z_addresses: vec![address(Z, 1)],
            endpoints: EndpointOptions::default(),
            link: Link::default(),
        }
    }
}

impl Setup {
    /// The same options at both ends.
    pub(crate) fn with(options: Options) -> Self {
        Self {
            a: options.clone(),
            z: options,
            ..Self::default()
        }
    }

    /// Both ends have the default options with the changes of `edit`.
    pub(crate) fn tuned(edit: impl FnOnce(&mut Options)) -> Self {
        let mut options = Profile::Rfc9260.options();
        edit(&mut options);
        Self::with(options)
    }

    /// Like [`Setup::tuned`], without heartbeats, so that only what a test causes is on the network.
    pub(crate) fn quiet(edit: impl FnOnce(&mut Options)) -> Self {
        Self::with(quiet_but(edit))
    }

    /// The same setup with changes of the link.
    pub(crate) fn linked(mut self, edit: impl FnOnce(&mut Link)) -> Self {
        edit(&mut self.link);
        self
    }

    /// The same setup with other options at Z.
    pub(crate) fn z(mut self, edit: impl FnOnce(&mut Options)) -> Self {
        edit(&mut self.z);
        self
    }

    /// The same setup with changes of both ends' options.
    pub(crate) fn both(mut self, edit: impl Fn(&mut Options)) -> Self {
        edit(&mut self.a);
        edit(&mut self.z);
        self
    }

    /// The same setup with A's options at Z and Z's at A.
    pub(crate) fn swapped(mut self) -> Self {
        core::mem::swap(&mut self.a, &mut self.z);
        self
    }

    /// Returns the setup and its mirror image, each named by the host that has Z's options.
    pub(crate) fn both_ways(self) -> [(&'static str, Self); 2] {
        let mirrored = self.clone().swapped();
        [("at Z", self), ("at A", mirrored)]
    }

    /// Gives each end a single address, of IPv6.
    pub(crate) fn ipv6(mut self) -> Self {
        (self.a_addresses, self.z_addresses) = (vec![address6(A, 1)], vec![address6(Z, 1)]);
        self
    }

    /// Gives both ends that many addresses; `address(A, n)` and `address(Z, n)` are path n.
    pub(crate) fn paths(mut self, count: u8) -> Self {
        self.a_addresses = (1..=count).map(|n| address(A, n)).collect();
        self.z_addresses = (1..=count).map(|n| address(Z, n)).collect();
        self
    }

    /// Creates A and Z; Z listens.
    pub(crate) fn world(&self) -> World {
        let mut world = World::new(self.seed, self.link.clone());
        let a = self.engine(&mut world, &self.a_addresses);
        let mut z = self.engine(&mut world, &self.z_addresses);
        z.listen(PORT, self.z.clone()).expect("a free port");
        world.add_host(self.a_addresses.clone(), Some(a));
        world.add_host(self.z_addresses.clone(), Some(z));
        world
    }

    /// Creates an engine with these addresses.
    pub(crate) fn engine(&self, world: &mut World, addresses: &[IpAddr]) -> Endpoint {
        let seed = world.random().bytes();
        Endpoint::new(addresses.to_vec(), self.endpoints.clone(), seed)
    }

    /// A has started to connect but sent nothing yet.
    pub(crate) fn connecting(&self) -> World {
        let mut world = self.world();
        self.connect(&mut world);
        world
    }

    /// A connects to Z's first address.
    pub(crate) fn connect(&self, world: &mut World) -> AssocId {
        connect_to(world, A, self.z_addresses[0], self.a.clone())
    }

    /// A loses all state and connects again from the same port.
    pub(crate) fn reboot(&self, world: &mut World) {
        let port = world.stats(Z).remote_port;
        let fresh = self.engine(world, &self.a_addresses);
        world.reboot(A, fresh);
        let to = Connect {
            local_port: Some(port),
            ..calling(&[self.z_addresses[0]], self.a.clone())
        };
        world.connect(A, to);
    }

    /// Like [`Setup::established`], with all paths confirmed at both ends.
    pub(crate) fn confirmed(&self) -> World {
        let mut world = self.established();
        world.wait(secs(20), |world| {
            [A, Z].into_iter().all(|host| {
                let paths = world.assoc(host).path_stats();
                paths.iter().all(|path| path.state == PathState::Active)
            })
        });
        world
    }

    /// Establishes the association and waits until the network is quiet.
    pub(crate) fn established(&self) -> World {
        let mut world = self.connecting();
        world.wait(secs(60), |world| up(world, A) && up(world, Z));
        world.run_for(secs(1));
        world
    }
}

/// A call to port [`PORT`] at these addresses, from a port of the engine's choice.
pub(crate) fn calling(remote: &[IpAddr], options: Options) -> Connect {
    Connect {
        local_port: None,
        local: Vec::new(),
        remote_port: PORT,
        remote: remote.iter().copied().map(PeerAddress::native).collect(),
        options,
    }
}

/// Like [`calling`], from port [`PORT`] as well, so that both ends can call each other.
pub(crate) fn calling_from_port(remote: IpAddr, options: &Options) -> Connect {
    Connect {
        local_port: Some(PORT),
        ..calling(&[remote], options.clone())
    }
}

/// Starts an association to port [`PORT`] of a host.
pub(crate) fn connect_to(
    world: &mut World,
    host: HostId,
    remote: IpAddr,
    options: Options,
) -> AssocId {
    world.connect(host, calling(&[remote], options))
}

fn up(world: &World, host: HostId) -> bool {
    world
        .events(host)
        .iter()
        .any(|event| matches!(event, Event::Established { .. }))
}
