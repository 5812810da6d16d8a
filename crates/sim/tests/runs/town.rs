//! Small networks that the tests share.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::time::Duration;

use sheave_engine::{EndpointOptions, Options, Time};
use sheave_sim::{
    AgentId, Arrivals, Bulk, Counter, Expected, HostId, LinkId, LinkSpec, Program, Sctp, Sink,
    Source, Traffic, Workload, World,
};

pub(crate) const PORT: u16 = 7;

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn secs(secs: u64) -> Time {
    Time::from_millis(secs * 1000)
}

/// The address of host `host` on path `path`.
pub(crate) const fn address(path: u8, host: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, path, 0, host))
}

/// Two hosts and a pair of links for each path between them.
pub(crate) struct Town {
    pub(crate) world: World,
    pub(crate) hosts: [HostId; 2],
    pub(crate) links: Vec<(LinkId, LinkId)>,
}

/// Two hosts with one path for each of those links, the same there and back.
pub(crate) fn town(seed: u64, paths: &[LinkSpec]) -> Town {
    let mut world = World::new(seed);
    let count = u8::try_from(paths.len()).expect("a few paths");
    let hosts = [1, 2].map(|host| {
        let addresses: Vec<IpAddr> = (0..count).map(|path| address(path, host)).collect();
        world.add_host("host", &addresses).expect("fresh addresses")
    });
    let links = (0..count)
        .zip(paths)
        .map(|(path, spec)| {
            let [one, other] = [1, 2].map(|host| {
                let interface = world.interface(address(path, host));
                interface.expect("an interface")
            });
            let label = format!("path{path}");
            let links = world.add_links(&label, one, other, spec);
            links.expect("free interfaces")
        })
        .collect();
    Town {
        world,
        hosts,
        links,
    }
}

/// A client and a server of the engine.
pub(crate) type Client<W> = Program<Sctp, W>;
pub(crate) type Server = Program<Sctp, Sink>;

impl Town {
    /// Starts an association over all paths.
    pub(crate) fn associate<W: Workload>(
        &mut self,
        options: &Options,
        workload: W,
        sink: Sink,
    ) -> (AgentId, AgentId) {
        self.associate_with(options, &EndpointOptions::default(), workload, sink)
    }

    pub(crate) fn associate_with<W: Workload>(
        &mut self,
        options: &Options,
        endpoint: &EndpointOptions,
        workload: W,
        sink: Sink,
    ) -> (AgentId, AgentId) {
        let paths = u8::try_from(self.links.len()).expect("a few paths");
        let addresses = |host| (0..paths).map(|path| address(path, host)).collect();
        let (local, remote): (Vec<IpAddr>, Vec<IpAddr>) = (addresses(1), addresses(2));
        let world = &mut self.world;
        let client = Sctp::client(
            &local,
            (&remote, PORT),
            options.clone(),
            endpoint.clone(),
            world.seed("client"),
        )
        .watched();
        let server = Sctp::server(
            &remote,
            PORT,
            options.clone(),
            endpoint.clone(),
            world.seed("server"),
        );
        let client = Program::new(client, workload, Time::ZERO);
        let server = Program::new(server, sink, Time::ZERO);
        (
            world.add_agent(self.hosts[0], Box::new(client)),
            world.add_agent(self.hosts[1], Box::new(server)),
        )
    }

    /// Starts a greedy association over all paths.
    pub(crate) fn greedy(&mut self, options: &Options) -> (AgentId, AgentId) {
        let bulk = Bulk::endless(1452, 1);
        self.associate(options, bulk, Sink::counting(Expected::Everything))
    }

    /// Starts UDP traffic over the first path.
    pub(crate) fn traffic(&mut self, len: u16, arrivals: Arrivals, stop: Time) -> AgentId {
        let traffic = Traffic {
            source: SocketAddr::new(address(0, 1), 9),
            destination: SocketAddr::new(address(0, 2), 9),
            len,
            arrivals,
            start: Time::ZERO,
            stop,
        };
        let source = Source::new(traffic, self.world.random("traffic"));
        self.world.add_agent(self.hosts[0], Box::new(source));
        self.world
            .add_agent(self.hosts[1], Box::new(Counter::new(9)))
    }

    pub(crate) fn counter(&self, id: AgentId) -> &Counter {
        self.world.agent(id).expect("a counter")
    }

    pub(crate) fn server(&self, id: AgentId) -> &Server {
        self.world.agent(id).expect("a server")
    }
}
