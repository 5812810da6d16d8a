//! The memory of an association's state.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;
use std::fs;

use sheave_engine::{
    AssocId, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Message, Node, PeerAddress,
    Profile, SendOptions, Time,
};
use sheave_wire::StreamId;

/// Associations that are weighed together: as many blocks again are at the other end.
const COUNT: usize = 5000;
/// Number of batches in which associations are used and fall idle: else the process would keep what
/// all of them needed at once.
const BATCHES: usize = 10;

/// Resident bytes for each end of an association that was used both ways and is idle, both ends in
/// this process; `None` where the system does not tell.
pub(super) fn weigh() -> Option<f64> {
    let mut pair = Pair::new();
    // The first ones fill what the allocator has at hand.
    pair.connect(COUNT / 10);
    let before = resident()?;
    // What those of one batch needed while they were busy serves the next.
    for _ in 0..BATCHES {
        pair.connect(COUNT / BATCHES);
    }
    let after = resident()?;
    Some((after - before) as f64 / (2 * COUNT) as f64)
}

/// Bytes of a TCP connection's block in the kernel, without its socket and file; or why that is
/// not known.
pub(super) fn tcp_bytes() -> Result<f64, String> {
    let table = fs::read_to_string("/proc/slabinfo");
    let table = table.map_err(|error| format!("/proc/slabinfo: {error}"))?;
    slab_bytes(&table).ok_or_else(|| "/proc/slabinfo has no line for TCP".to_owned())
}

/// The object size that the table of slabs names for TCP.
fn slab_bytes(table: &str) -> Option<f64> {
    let line = table.lines().find_map(|line| line.strip_prefix("TCP "))?;
    line.split_whitespace().nth(2)?.parse().ok()
}

/// Resident memory of this process, bytes.
fn resident() -> Option<i64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: i64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib << 10)
}

/// Two endpoints and a network without delay between them.
struct Pair {
    now: Time,
    ends: [Endpoint; 2],
    /// Associations that were used already.
    used: usize,
}

impl Pair {
    fn new() -> Self {
        let end = |at: u8| {
            let limits = EndpointOptions::default();
            Endpoint::new(vec![address(at)], limits, [at; 32])
        };
        let mut ends = [end(0), end(1)];
        // Port 5000 is free and the options are the defaults.
        let _ = ends[1].listen(5000, Profile::Rfc9260.options());
        Self {
            now: Time::from_millis(1),
            ends,
            used: 0,
        }
    }

    /// Sets up associations, sends a message each way on each, and lets them fall idle.
    fn connect(&mut self, count: usize) {
        for _ in 0..count {
            let to = Connect {
                local_port: None,
                local: Vec::new(),
                remote_port: 5000,
                remote: vec![PeerAddress::native(address(1))],
                options: Profile::Rfc9260.options(),
            };
            if self.ends[0].connect(self.now, to).is_ok() {
                self.exchange();
            }
        }
        for at in 0..2 {
            let new = self.ends[at].associations().skip(self.used);
            for id in new.collect::<Vec<AssocId>>() {
                let message = Message::new(StreamId(0), vec![7; 3000]);
                if let Some(mut assoc) = self.ends[at].assoc(id) {
                    let _ = assoc.send(self.now, message, SendOptions::default());
                }
                self.exchange();
            }
        }
        self.used += count;
        // Spare room is given back with the first heartbeat.
        self.pass(Duration::from_secs(50));
    }

    /// Carries packets to and fro until there are none.
    fn exchange(&mut self) {
        let mut buffer = Vec::new();
        let mut silent = 0;
        let mut at = 0;
        while silent < 2 {
            silent += 1;
            while self.ends[at]
                .poll_transmit(self.now, &mut buffer, 1)
                .is_some()
            {
                silent = 0;
                let datagram = Datagram {
                    local: address(if at == 0 { 1 } else { 0 }),
                    remote: PeerAddress::native(address(if at == 0 { 0 } else { 1 })),
                    ecn: Ecn::NotEct,
                    payload: &buffer,
                };
                self.ends[1 - at].handle_datagram(self.now, datagram);
            }
            self.read(at);
            at = 1 - at;
        }
    }

    /// Reads whatever an end's events tell of.
    fn read(&mut self, at: usize) {
        while let Some((id, _)) = self.ends[at].poll_event() {
            if let Some(mut assoc) = self.ends[at].assoc(id) {
                while assoc.receive(self.now).is_some() {}
            }
        }
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            self.exchange();
            let next = self.ends.iter().filter_map(Node::poll_timeout).min();
            let Some(next) = next.filter(|next| *next <= until) else {
                break;
            };
            self.now = self.now.max(next);
            for end in &mut self.ends {
                end.handle_timeout(self.now);
            }
        }
        self.now = until;
    }
}

const fn address(end: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, end + 1))
}

#[cfg(test)]
mod tests;
