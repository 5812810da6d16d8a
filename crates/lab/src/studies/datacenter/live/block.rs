//! Memory use of an association's state.

use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;
use std::fs;

use sheave_engine::{
    AssocId, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Message, Node, PeerAddress,
    Profile, SendOptions, Time,
};
use sheave_wire::StreamId;

/// Number of associations measured together; each has state at both ends.
const COUNT: usize = 5000;
/// Number of batches in which associations are used and become idle. A single batch would leave
/// behind all memory that busy associations need at once.
const BATCHES: usize = 10;

/// Resident bytes per end of an idle association that was used in both directions, with both ends
/// in this process; `None` if the system does not report it.
pub(super) fn weigh() -> Option<f64> {
    let mut pair = Pair::new();
    // Warms up the allocator.
    pair.connect(COUNT / 10);
    let before = resident()?;
    // Each batch reuses the memory that the previous one needed while busy.
    for _ in 0..BATCHES {
        pair.connect(COUNT / BATCHES);
    }
    let after = resident()?;
    Some((after - before) as f64 / (2 * COUNT) as f64)
}

/// Size of a TCP connection's kernel block without socket and file, bytes; or why it is unknown.
pub(super) fn tcp_bytes() -> Result<f64, String> {
    let table = fs::read_to_string("/proc/slabinfo");
    let table = table.map_err(|error| format!("/proc/slabinfo: {error}"))?;
    slab_bytes(&table).ok_or_else(|| "/proc/slabinfo has no line for TCP".to_owned())
}

/// The object size for TCP in the slab table.
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

/// Two endpoints, joined without delay.
struct Pair {
    now: Time,
    ends: [Endpoint; 2],
    /// Number of associations used so far.
    used: usize,
}

impl Pair {
    fn new() -> Self {
        let end = |at: u8| {
            let limits = EndpointOptions::default();
            Endpoint::new(vec![address(at)], limits, [at; 32])
        };
        let mut ends = [end(0), end(1)];
        // Cannot fail: port 5000 is free, and the options are valid.
        let _ = ends[1].listen(5000, Profile::Rfc9260.options());
        Self {
            now: Time::from_millis(1),
            ends,
            used: 0,
        }
    }

    /// Establishes associations, sends a message in each direction on each, and lets them become
    /// idle.
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
        // The first heartbeat releases spare capacity.
        self.pass(Duration::from_secs(50));
    }

    /// Exchanges packets until none are left.
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

    /// Reads everything that an end's events announce.
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
