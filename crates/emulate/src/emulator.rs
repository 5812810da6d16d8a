use core::fmt;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::Timespec;
use sheave_sim::scenario::Scenario;
use sheave_sim::{InterfaceId, LinkId, Tap, Time, Visitor, World};

use crate::gateway::{End, Gateway, Passage};
use crate::relay::Relay;
use crate::tunnel::Tunnel;
use crate::{Direction, EmulateError, LinkReport, Losses, Report};

/// Longest delay before a stop request is noticed.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// Most bytes of packets in transit.
const MEMORY: usize = 256 << 20;

/// A simulated network that carries real packets in real time.
pub struct Emulator {
    world: World,
    links: Vec<(String, LinkId, LinkId)>,
    /// Interface pairs of the routes between the first two hosts.
    ways: Vec<[InterfaceId; 2]>,
    /// Gateways of the first routes, one each.
    gateways: Vec<Box<dyn Gateway>>,
    memory: Memory,
}

/// When an emulator stops.
#[derive(Clone, Copy, Debug)]
pub struct Until<'a> {
    /// Once this flag is set.
    pub stop: &'a AtomicBool,
    /// After this duration.
    pub limit: Option<Duration>,
}

/// Memory limit for packets in transit.
#[derive(Debug)]
struct Memory {
    /// Largest packet so far, bytes.
    largest: usize,
    refused: u64,
}

impl Emulator {
    /// Creates a network without gateways. Its flows are simulated beside the real packets; all
    /// randomness derives from `seed` and the packets received.
    ///
    /// # Errors
    /// [`EmulateError::Network`].
    pub fn new(network: &Scenario, seed: u64) -> Result<Self, EmulateError> {
        let run = network.build(seed).map_err(EmulateError::Network)?;
        let names = network.links.iter().map(|pair| pair.name.clone());
        let links = names.zip(&run.links);
        Ok(Self {
            links: links
                .map(|(name, (there, back))| (name, *there, *back))
                .collect(),
            ways: run.ways(),
            world: run.world,
            gateways: Vec::new(),
            memory: Memory {
                largest: 2048,
                refused: 0,
            },
        })
    }

    /// Relays UDP datagrams received at `listen` over the next route from the first host to the
    /// second, and on to `to`; replies return the same way. Returns the bound address; port 0 lets
    /// the system choose.
    ///
    /// # Errors
    /// There is no further route, or the address cannot be bound.
    pub fn add_relay(
        &mut self,
        listen: SocketAddr,
        to: SocketAddr,
    ) -> Result<SocketAddr, EmulateError> {
        self.next_way()?;
        let cannot = |error| EmulateError::Listen {
            address: listen,
            error,
        };
        let relay = Relay::new(listen, to).map_err(cannot)?;
        let address = relay.address().map_err(cannot)?;
        self.gateways.push(Box::new(relay));
        Ok(address)
    }

    /// Carries IP packets between two TUN devices, over the next route between the first two hosts.
    /// Missing devices are created and vanish with the emulator; they may be moved to network
    /// namespaces while it runs.
    ///
    /// # Errors
    /// There is no further route, or a device cannot be opened or created. Without `CAP_NET_ADMIN`
    /// the device must exist and belong to the user.
    pub fn add_tunnel(&mut self, names: [&str; 2]) -> Result<(), EmulateError> {
        self.next_way()?;
        self.gateways.push(Box::new(Tunnel::open(names)?));
        Ok(())
    }

    /// Captures packets leaving on a link, in both directions, as pcapng; no effect if the scenario
    /// has no such link. Packets that the link loses or drops are not captured.
    pub fn capture(&mut self, link: usize, [there, back]: [Box<dyn Write + Send>; 2]) {
        if let Some((_, forth, home)) = self.links.get(link) {
            self.world.capture(*forth, Tap::Departure, there);
            self.world.capture(*home, Tap::Departure, back);
        }
    }

    /// Runs until the stop condition. `watch` gets a report at every `pulse`.
    ///
    /// # Errors
    /// A TUN device has vanished, waiting fails, or a capture cannot be written.
    pub fn run(
        mut self,
        until: Until<'_>,
        pulse: Duration,
        mut watch: impl FnMut(&Report),
    ) -> io::Result<Report> {
        let began = Instant::now();
        let mut next_pulse = pulse;
        loop {
            let elapsed = began.elapsed();
            self.catch_up(elapsed);
            let over = until.limit.is_some_and(|limit| elapsed >= limit);
            if over || until.stop.load(Ordering::Relaxed) {
                self.world.finish_captures()?;
                return Ok(self.report(elapsed));
            }
            if elapsed >= next_pulse {
                watch(&self.report(elapsed));
                next_pulse = elapsed.saturating_add(pulse);
            }
            let due = self.world.poll_timeout().map(|due| due.since(Time::ZERO));
            let soonest = [due, Some(next_pulse), until.limit];
            let soonest = soonest.into_iter().flatten().min().unwrap_or_default();
            let ready = self.wait(
                soonest
                    .saturating_sub(began.elapsed())
                    .min(STOP_CHECK_INTERVAL),
            )?;
            if !ready.is_empty() {
                self.catch_up(began.elapsed());
                self.receive(&ready)?;
            }
        }
    }

    fn next_way(&self) -> Result<(), EmulateError> {
        let ways = self.ways.len();
        if self.gateways.len() < ways {
            Ok(())
        } else {
            Err(EmulateError::NoWay { ways })
        }
    }

    /// Processes all events that are due, and sends the packets that arrived.
    fn catch_up(&mut self, elapsed: Duration) {
        self.world.run_until(Time::ZERO + elapsed);
        let mut any = false;
        while let Some(visitor) = self.world.poll_departure() {
            let Visitor { to, tag, packet } = visitor;
            let found = self.ways.iter().position(|way| way.contains(&to));
            let Some(at) = found else { continue };
            let end = match self.ways[at][0] == to {
                true => End::Near,
                false => End::Far,
            };
            if let Some(gateway) = self.gateways.get_mut(at) {
                gateway.send(Passage { end, tag, packet });
                any = true;
            }
        }
        if any {
            self.gateways.iter_mut().for_each(|gateway| gateway.flush());
        }
    }

    /// Waits up to that time; returns the gateways and descriptors with packets.
    fn wait(&self, rest: Duration) -> io::Result<Vec<(usize, usize)>> {
        let (mut places, mut descriptors) = (Vec::new(), Vec::new());
        for (at, gateway) in self.gateways.iter().enumerate() {
            let before = descriptors.len();
            gateway.descriptors(&mut descriptors);
            places.extend((0..descriptors.len() - before).map(|place| (at, place)));
        }
        let fds = descriptors
            .iter()
            .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN));
        let mut fds: Vec<PollFd<'_>> = fds.collect();
        let rest = Timespec {
            tv_sec: i64::try_from(rest.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(rest.subsec_nanos()),
        };
        match poll(&mut fds, Some(&rest)) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        }
        let ready = places.into_iter().zip(&fds);
        let ready = ready.filter(|(_, fd)| !fd.revents().is_empty());
        Ok(ready.map(|(place, _)| place).collect())
    }

    fn receive(&mut self, ready: &[(usize, usize)]) -> io::Result<()> {
        let Self {
            world,
            ways,
            gateways,
            memory,
            ..
        } = self;
        for (at, place) in ready {
            let (Some(gateway), Some([near, far])) = (gateways.get_mut(*at), ways.get(*at)) else {
                continue;
            };
            gateway.handle_ready(*place, &mut |passage| {
                let (from, to) = match passage.end {
                    End::Near => (*near, *far),
                    End::Far => (*far, *near),
                };
                if memory.admits(world.packets_in_flight(), passage.packet.len()) {
                    let Passage { tag, packet, .. } = passage;
                    world.admit(from, Visitor { to, tag, packet });
                }
            })?;
        }
        Ok(())
    }

    fn report(&self, elapsed: Duration) -> Report {
        let direction = |link: LinkId| Direction {
            stats: self.world.link_stats(link),
            queue: self.world.queue_len(link),
        };
        let links = self.links.iter().map(|(name, there, back)| LinkReport {
            name: name.clone(),
            there: direction(*there),
            back: direction(*back),
        });
        let mut losses = Losses {
            refused: self.memory.refused,
            misdirected: self.world.misdirected().unroutable,
            ..Losses::default()
        };
        self.gateways
            .iter()
            .for_each(|gateway| losses += gateway.losses());
        Report {
            elapsed,
            links: links.collect(),
            clients: self.gateways.iter().map(|gateway| gateway.clients()).sum(),
            losses,
        }
    }
}

impl fmt::Debug for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator")
            .field("world", &self.world)
            .field("gateways", &self.gateways.len())
            .finish_non_exhaustive()
    }
}

impl Memory {
    /// Whether another packet may enter the network.
    fn admits(&mut self, packets: usize, len: usize) -> bool {
        self.largest = self.largest.max(len);
        let admitted = packets < MEMORY / self.largest;
        self.refused += u64::from(!admitted);
        admitted
    }
}
