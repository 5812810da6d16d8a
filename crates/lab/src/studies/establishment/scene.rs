//! A flood and honest clients, which share a line to a server with limited CPU time.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use sheave_engine::Time;
use sheave_sim::{
    AgentId, Bitrate, Delay, LinkId, LinkSpec, LinkStats, Random, TopologyError, World, tcp,
};

use super::attacker::Attacker;
use super::clients::Clients;
use super::opener::Opener;
use super::server::Server;
use super::service::ServiceTimes;
use crate::studies::network;
use crate::studies::pair::{self, CLIENT, LISTENER};
use crate::{Measured, Quantity};

/// Rate of the server's line in each direction.
const LINE: Bitrate = Bitrate(2_048_000);
/// Propagation delay of the line.
const LINE_DELAY: Duration = Duration::from_millis(10);
/// Propagation delay from the clients, and from the attacker, to the line.
const ACCESS_DELAY: Duration = Duration::from_millis(5);
/// Queue length at each end of the line, packets.
const LINE_QUEUE: usize = 100;
/// Queue length before the server's processor, packets.
const INGRESS_QUEUE: usize = 128;
/// Share of a processor available to handshakes, per cent.
const BUDGET_PERCENT: u32 = 1;
/// Service times on a whole processor: 4 µs for the system to receive a packet and send the reply,
/// plus the transport's time as measured with direct floods, about 1 µs for an INIT and 0.1 µs for
/// a SYN. The time of a COOKIE ECHO, which creates an association, is an assumption.
const TIMES: ServiceTimes = ServiceTimes {
    init: Duration::from_micros(5),
    cookie_echo: Duration::from_micros(8),
    syn: Duration::from_micros(4),
    other: Duration::from_micros(4),
};

/// Number of honest clients.
const CLIENTS: u16 = 20;
/// Earliest start of an honest client; the flood starts at 0.
pub(super) const FIRST: Time = Time::from_millis(5000);
/// Latest start of an honest client.
const LAST: Time = Time::from_millis(10_000);
/// Time limit for an honest client to get established.
const DEADLINE: Duration = Duration::from_secs(5);

/// An address in the attacker's network.
const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// The values of placeholders in the texts of the parameters.
pub(super) fn quantities() -> Vec<Quantity> {
    let ServiceTimes {
        init,
        cookie_echo,
        syn,
        other,
    } = TIMES;
    let time = |time: Duration| format!("{time:?}");
    let moment = |at: Time| time(at.since(Time::ZERO));
    let a_second = |each: Duration| {
        let all = f64::from(BUDGET_PERCENT) / 100.0 / each.as_secs_f64();
        format!("{all:.0}")
    };
    vec![
        ("line", LINE.to_string()),
        ("line_delay", time(LINE_DELAY)),
        ("line_queue", LINE_QUEUE.to_string()),
        ("init", time(init)),
        ("cookie_echo", time(cookie_echo)),
        ("syn", time(syn)),
        ("other", time(other)),
        ("budget_percent", BUDGET_PERCENT.to_string()),
        ("inits", a_second(init)),
        ("syns", a_second(syn)),
        ("ingress_queue", INGRESS_QUEUE.to_string()),
        ("clients", CLIENTS.to_string()),
        ("first", moment(FIRST)),
        ("last", moment(LAST)),
        ("deadline", time(DEADLINE)),
        ("backlog", pair::BACKLOG.to_string()),
    ]
}

/// Runs a flood of INITs.
pub(super) fn sctp(per_second: f64, seed: u64) -> Result<Measured, String> {
    let mut random = Random::new(seed).fork("ends");
    let listener = pair::listener(&mut random)?;
    let clients = pair::endpoint(CLIENT, &mut random);
    run(listener, clients, per_second, seed)
}

/// Runs a flood of SYNs.
pub(super) fn tcp(per_second: f64, seed: u64) -> Result<Measured, String> {
    let mut random = Random::new(seed).fork("ends");
    let listener = pair::tcp_listener(&mut random)?;
    let clients = tcp::Stack::new(random.u64());
    run(listener, clients, per_second, seed)
}

fn run<O: Opener>(listener: O, clients: O, per_second: f64, seed: u64) -> Result<Measured, String> {
    let built = Scene::build(listener, clients, per_second, seed);
    let mut scene = built.map_err(|error| error.to_string())?;
    scene.world.run_until(LAST + DEADLINE);
    scene.measured::<O>().ok_or_else(|| "no agents".to_owned())
}

/// The network with its agents.
struct Scene {
    world: World,
    clients: AgentId,
    server: AgentId,
    /// The line's link to the server, and the one back.
    line: (LinkId, LinkId),
}

impl Scene {
    fn build<O: Opener>(
        listener: O,
        clients: O,
        per_second: f64,
        seed: u64,
    ) -> Result<Self, TopologyError> {
        let mut world = World::new(seed);
        let access = LinkSpec {
            delay: Delay::constant(ACCESS_DELAY),
            ..LinkSpec::default()
        };
        let line = LinkSpec {
            queue: network::packets(LINE_QUEUE),
            ..LinkSpec::new(LINE, LINE_DELAY)
        };
        let router = world.add_router("router");
        let mut join = |label: &str, address: IpAddr, spec: &LinkSpec| {
            let host = world.add_host(label, &[address])?;
            // The address was just added.
            let interface = world.interface(address).expect("an interface");
            let links = world.add_links(label, router, interface, spec)?;
            Ok::<_, TopologyError>((host, interface, links))
        };
        let (client_host, ..) = join("clients", CLIENT, &access)?;
        let (attacker_host, elsewhere, _) = join("elsewhere", ELSEWHERE, &access)?;
        let (server_host, _, line) = join("server", LISTENER, &line)?;
        world.set_elsewhere(elsewhere);
        let clients = Clients::new(clients, starts(world.random("starts")));
        let server = Server::new(listener, TIMES.with_budget(BUDGET_PERCENT), INGRESS_QUEUE);
        if per_second > 0.0 {
            let attacker = Attacker::new(O::OPENING, per_second, world.random("attacker"));
            world.add_agent(attacker_host, Box::new(attacker));
        }
        Ok(Self {
            clients: world.add_agent(client_host, Box::new(clients)),
            server: world.add_agent(server_host, Box::new(server)),
            line,
            world,
        })
    }

    fn measured<O: Opener>(&self) -> Option<Measured> {
        let server = self.world.agent::<Server<O>>(self.server)?;
        let waits = self.world.agent::<Clients<O>>(self.clients)?.waits();
        let waits = waits.iter().filter(|wait| **wait <= DEADLINE);
        let waits: Vec<f64> = waits.map(Duration::as_secs_f64).collect();
        let (load, ran) = (server.load(), self.world.now().as_secs_f64());
        let (there, back) = self.line;
        let [there, back] = [there, back].map(|link| self.world.link_stats(link));
        let served = load.dropped as f64 / there.delivered as f64;
        let mut measured = Measured::new()
            .with("established_share", waits.len() as f64 / f64::from(CLIENTS))
            .with(
                "established_s",
                waits.iter().sum::<f64>() / waits.len() as f64,
            )
            .with("half_open", load.half_open as f64)
            .with("turned_away", server.listener().turned_away() as f64)
            .with("line_dropped_share", dropped(there))
            .with("line_back_dropped_share", dropped(back))
            .with("processor_dropped_share", served)
            .with("processor_busy_share", load.busy.as_secs_f64() / ran)
            .with("answer_bytes", back.bytes_sent as f64 / back.sent as f64);
        measured.fingerprint = Some(self.world.fingerprint().to_string());
        Some(measured)
    }
}

/// Start times of the honest clients, ascending.
fn starts(mut random: Random) -> Vec<Time> {
    let span = LAST.since(FIRST);
    let starts = (0..CLIENTS).map(|_| FIRST + span.mul_f64(random.unit()));
    let mut starts: Vec<Time> = starts.collect();
    starts.sort_unstable();
    starts
}

/// Share of a link's packets dropped because its queue was full.
fn dropped(stats: LinkStats) -> f64 {
    stats.dropped as f64 / stats.offered as f64
}

#[cfg(test)]
mod tests;
