//! What a test prints: iperf3's tables, and its JSON keys.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::control::{Control, Cpu, Limit, Plan, Tally};
use super::flow::Flow;
use crate::paths::PathReport;
use crate::screen::{Output, Screen};
use crate::sys::{CpuTime, cpu_time};
use crate::units::{http_date, iperf_bytes, iperf_rate};

/// Which end of the test this process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It asked for the test.
    Client,
    /// It was asked.
    Server,
}

/// Whether a row counts bytes sent or received here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Sent,
    Received,
}

/// Counts and prints while a test runs.
pub struct Recorder {
    screen: Screen,
    end: End,
    plan: Plan,
    flows: Vec<Arc<Flow>>,
    /// One row per flow and way.
    rows: Vec<Row>,
    connected: Vec<Value>,
    intervals: Vec<Value>,
    began: Instant,
    at_date: SystemTime,
    last: Instant,
    cpu: CpuTime,
    stage: Stage,
    /// How long it took and what it cost, once the time is over.
    finished: Option<(Duration, Cpu)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Omitted,
    Counted,
}

/// One line of the tables.
struct Row {
    flow: usize,
    way: Way,
    /// Counters at the last line.
    bytes: u64,
    retransmits: u64,
    /// Counters when counting began.
    base_bytes: u64,
    base_retransmits: u64,
    /// Bytes counted in all, once it is over.
    total: u64,
    retransmitted: u64,
    max_cwnd: u64,
    rtts: Vec<u64>,
}

impl Recorder {
    /// A recorder of a test that begins now; prints the head of the table.
    pub fn new(screen: Screen, end: End, plan: Plan, flows: Vec<Arc<Flow>>) -> Self {
        let (sends, receives) = match end {
            End::Client => (plan.is_forward(), plan.is_reverse()),
            End::Server => (plan.is_reverse(), plan.is_forward()),
        };
        let mut rows = Vec::new();
        let mut add = |way| rows.extend((0..flows.len()).map(|flow| Row::new(flow, way)));
        if sends {
            add(Way::Sent);
        }
        if receives {
            add(Way::Received);
        }
        let stage = match plan.omit {
            0 => Stage::Counted,
            _ => Stage::Omitted,
        };
        let connected = flows
            .iter()
            .enumerate()
            .map(|(index, flow)| ends(index + 1, flow));
        let now = Instant::now();
        let recorder = Self {
            screen,
            end,
            connected: connected.collect(),
            rows,
            plan,
            flows,
            intervals: Vec::new(),
            began: now,
            at_date: SystemTime::now(),
            last: now,
            cpu: cpu_time(),
            stage,
            finished: None,
        };
        recorder.print_head();
        recorder
    }

    /// User bytes that arrived here or left here, whichever the client waits for.
    pub fn progress(&self) -> u64 {
        let sum = |count: fn(&Flow) -> u64| self.flows.iter().map(|flow| count(flow)).sum();
        if self.plan.is_forward() {
            sum(Flow::sent)
        } else {
            sum(Flow::received)
        }
    }

    /// Ends an interval and prints its rows.
    pub fn tick(&mut self) {
        let now = Instant::now();
        let (start, end) = (self.last - self.began, now - self.began);
        let seconds = (end - start).as_secs_f64();
        if seconds <= 0.0 {
            return;
        }
        self.last = now;
        let omitted = self.stage == Stage::Omitted;
        let mut streams = Vec::new();
        let mut sums = [(Way::Sent, 0, 0, 0), (Way::Received, 0, 0, 0)];
        for index in 0..self.rows.len() {
            let (bytes, retransmits, value) = self.row_interval(index, start, end, omitted);
            let sum = &mut sums[usize::from(self.rows[index].way == Way::Received)];
            sum.1 += bytes;
            sum.2 += retransmits;
            sum.3 += 1;
            streams.push(value);
        }
        let mut interval = json!({ "streams": streams });
        let mut key = "sum";
        for (way, bytes, retransmits, count) in sums {
            if count == 0 {
                continue;
            }
            let mut sum = span(start, end, bytes);
            sum["omitted"] = omitted.into();
            sum["sender"] = (way == Way::Sent).into();
            if way == Way::Sent {
                sum["retransmits"] = retransmits.into();
            }
            if count > 1 {
                self.print_row(
                    "SUM",
                    way,
                    start,
                    end,
                    bytes,
                    (way == Way::Sent).then_some(retransmits),
                    None,
                    omitted_mark(omitted),
                );
            }
            interval[key] = sum;
            key = "sum_bidir_reverse";
        }
        if self.flows.len() > 1 {
            self.human("- - - - - - - - - - - - - - - - - - - - - - - - -");
        }
        self.intervals.push(interval);
    }

    /// Ends the last interval if it is longer than `least`.
    pub fn tick_rest(&mut self, least: Duration) {
        if self.last.elapsed() > least {
            self.tick();
        }
    }

    /// The part that does not count is over.
    pub fn end_omitted(&mut self) {
        for row in &mut self.rows {
            let flow = &self.flows[row.flow];
            row.base_bytes = row.way.count(flow);
            row.base_retransmits = flow.retransmits();
            (row.bytes, row.retransmits) = (row.base_bytes, row.base_retransmits);
            row.max_cwnd = 0;
            row.rtts.clear();
        }
        self.stage = Stage::Counted;
        self.began = Instant::now();
        self.last = self.began;
        self.cpu = cpu_time();
    }

    /// The time is over: what has arrived by now is the result.
    pub fn stop(&mut self) {
        let took = self.began.elapsed();
        self.finished = Some((took, self.cpu_since(took)));
        for row in &mut self.rows {
            row.settle(&self.flows[row.flow]);
        }
    }

    /// What this end counted. A message that was being sent when the time was over counts too.
    pub fn tally(&mut self) -> Tally {
        let (took, cpu) = self.finished.unwrap_or_default();
        let mut tally = Tally {
            sent: vec![0; self.flows.len()],
            received: vec![0; self.flows.len()],
            retransmits: self.flows.iter().map(|flow| flow.retransmits()).collect(),
            seconds: took.as_secs_f64(),
            cpu,
            paths: self
                .flows
                .iter()
                .map(|flow| PathReport::of(&flow.association))
                .collect(),
        };
        for row in &mut self.rows {
            if row.way == Way::Sent {
                row.settle(&self.flows[row.flow]);
            }
            match row.way {
                Way::Sent => tally.sent[row.flow] = row.total,
                Way::Received => tally.received[row.flow] = row.total,
            }
        }
        tally
    }

    /// Prints the result with what the other end counted; returns the JSON document and the
    /// received bits per second.
    pub fn report(&self, own: &Tally, other: &Tally) -> (Value, f64) {
        let (took, _) = self.finished.unwrap_or_default();
        self.human("- - - - - - - - - - - - - - - - - - - - - - - - -");
        self.human(&format!(
            "[ ID]{} Interval           Transfer     Bitrate         Retr",
            self.role_head()
        ));
        let other_took = Duration::try_from_secs_f64(other.seconds).unwrap_or(took);
        let mut streams = Vec::new();
        let mut sums: Vec<(Way, u64, u64, u64)> = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let far = match row.way {
                Way::Sent => other.received.get(row.flow),
                Way::Received => other.sent.get(row.flow),
            };
            let far = far.copied().unwrap_or(0);
            let far_retransmits = other.retransmits.get(row.flow).copied().unwrap_or(0);
            let (sent, received, retransmits) = match row.way {
                Way::Sent => (row.total, far, row.retransmitted),
                Way::Received => (far, row.total, far_retransmits),
            };
            let (sent_in, received_in) = match row.way {
                Way::Sent => (took, other_took),
                Way::Received => (other_took, took),
            };
            let id = (index + 1).to_string();
            self.print_row(
                &id,
                row.way,
                Duration::ZERO,
                sent_in,
                sent,
                Some(retransmits),
                None,
                "sender",
            );
            self.print_row(
                &id,
                row.way,
                Duration::ZERO,
                received_in,
                received,
                None,
                None,
                "receiver",
            );
            streams.push(row.summary(index, (sent_in, sent), (received_in, received), retransmits));
            match sums.iter_mut().find(|sum| sum.0 == row.way) {
                Some(sum) => {
                    sum.1 += sent;
                    sum.2 += received;
                    sum.3 += retransmits;
                }
                None => sums.push((row.way, sent, received, retransmits)),
            }
        }
        let mut end = json!({ "streams": streams });
        let mut rate = 0.0;
        for (at, (way, sent, received, retransmits)) in sums.iter().enumerate() {
            if self.flows.len() > 1 {
                self.print_row(
                    "SUM",
                    *way,
                    Duration::ZERO,
                    took,
                    *sent,
                    Some(*retransmits),
                    None,
                    "sender",
                );
                self.print_row(
                    "SUM",
                    *way,
                    Duration::ZERO,
                    took,
                    *received,
                    None,
                    None,
                    "receiver",
                );
            }
            let is_sender = *way == Way::Sent;
            let suffix = ["", "_bidir_reverse"][at.min(1)];
            let mut sum = span(Duration::ZERO, took, *sent);
            sum["retransmits"] = (*retransmits).into();
            sum["sender"] = is_sender.into();
            end[format!("sum_sent{suffix}")] = sum;
            let received_in = if is_sender { other_took } else { took };
            let mut sum = span(Duration::ZERO, received_in, *received);
            sum["sender"] = is_sender.into();
            rate += bits_per_second(*received, received_in);
            end[format!("sum_received{suffix}")] = sum;
        }
        end["cpu_utilization_percent"] = json!({
            "host_total": own.cpu.total,
            "host_user": own.cpu.user,
            "host_system": own.cpu.system,
            "remote_total": other.cpu.total,
            "remote_user": other.cpu.user,
            "remote_system": other.cpu.system,
        });
        end["sctp"] = json!({ "associations": own.paths.iter().enumerate().map(|(index, paths)| {
            json!({ "socket": index + 1, "paths": paths })
        }).collect::<Vec<_>>() });
        self.human("");
        for line in own.paths.iter().flatten().map(PathReport::line) {
            self.human(&line);
        }
        self.human(&format!(
            "cpu: here {:.1}% (user {:.1}%, system {:.1}%), there {:.1}%",
            own.cpu.total, own.cpu.user, own.cpu.system, other.cpu.total
        ));
        (
            json!({ "start": self.start(), "intervals": self.intervals, "end": end }),
            rate,
        )
    }

    fn row_interval(
        &mut self,
        index: usize,
        start: Duration,
        end: Duration,
        omitted: bool,
    ) -> (u64, u64, Value) {
        let row = &mut self.rows[index];
        let flow = &self.flows[row.flow];
        let (bytes, retransmits) = (row.way.count(flow), flow.retransmits());
        let (new, resent) = (
            bytes - row.bytes,
            retransmits.saturating_sub(row.retransmits),
        );
        (row.bytes, row.retransmits) = (bytes, retransmits);
        let way = row.way;
        let mut value = span(start, end, new);
        value["socket"] = (index + 1).into();
        value["omitted"] = omitted.into();
        value["sender"] = (way == Way::Sent).into();
        let paths = PathReport::of(&flow.association);
        let mut cwnd = None;
        if way == Way::Sent {
            value["retransmits"] = resent.into();
            if let Some(path) = paths.iter().find(|path| path.primary).or(paths.first()) {
                cwnd = Some(path.cwnd);
                row.max_cwnd = row.max_cwnd.max(path.cwnd);
                row.rtts.extend(path.srtt_us);
                value["snd_cwnd"] = path.cwnd.into();
                value["rtt"] = path.srtt_us.into();
                value["rttvar"] = path.rttvar_us.into();
                value["pmtu"] = path.pmtu.into();
            }
        }
        value["sctp"] = json!({ "paths": paths });
        let resent_shown = (way == Way::Sent).then_some(resent);
        let id = (index + 1).to_string();
        self.print_row(
            &id,
            way,
            start,
            end,
            new,
            resent_shown,
            cwnd,
            omitted_mark(omitted),
        );
        (new, resent, value)
    }

    fn print_head(&self) {
        for end in &self.connected {
            self.human(&format!(
                "[{:>3}] local {} port {} connected to {} port {}",
                end["socket"].as_u64().unwrap_or(0),
                end["local_host"].as_str().unwrap_or("?"),
                end["local_port"],
                end["remote_host"].as_str().unwrap_or("?"),
                end["remote_port"],
            ));
        }
        let sends = self.rows.iter().any(|row| row.way == Way::Sent);
        let extra = if sends { "         Retr  Cwnd" } else { "" };
        self.human(&format!(
            "[ ID]{} Interval           Transfer     Bitrate{extra}",
            self.role_head()
        ));
    }

    fn role_head(&self) -> &'static str {
        match self.plan.direction {
            super::control::Direction::Both => "[Role]",
            _ => "",
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one per column of the table")]
    fn print_row(
        &self,
        id: &str,
        way: Way,
        start: Duration,
        end: Duration,
        bytes: u64,
        retransmits: Option<u64>,
        cwnd: Option<u64>,
        mark: &str,
    ) {
        if self.screen.output() == Output::Json {
            return;
        }
        let role = match (self.role_head(), way, self.end) {
            ("", ..) => "",
            (_, Way::Sent, End::Client) => "[TX-C]",
            (_, Way::Sent, End::Server) => "[TX-S]",
            (_, Way::Received, End::Client) => "[RX-C]",
            (_, Way::Received, End::Server) => "[RX-S]",
        };
        let retransmits = retransmits.map_or(String::new(), |count| count.to_string());
        let cwnd = cwnd.map_or(String::new(), iperf_bytes);
        let line = format!(
            "[{id:>3}]{role} {:>6.2}-{:<6.2} sec {:>12} {:>15} {retransmits:>4}  {cwnd:>12}  {mark}",
            start.as_secs_f64(),
            end.as_secs_f64(),
            iperf_bytes(bytes),
            iperf_rate(bits_per_second(bytes, end - start)),
        );
        self.human(line.trim_end());
    }

    fn human(&self, line: &str) {
        if self.screen.output() == Output::Human {
            self.screen.line(line);
        }
    }

    fn start(&self) -> Value {
        let since = self.at_date.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (duration, bytes) = match self.plan.limit {
            Limit::Millis(millis) => (millis as f64 / 1e3, 0),
            Limit::Bytes(bytes) => (0.0, bytes),
        };
        json!({
            "connected": self.connected,
            "version": concat!("sheave ", env!("CARGO_PKG_VERSION")),
            "system_info": system_info(),
            "timestamp": { "time": http_date(self.at_date), "timesecs": since.as_secs() },
            "cookie": self.plan.cookie,
            "target_bitrate": self.plan.bitrate.unwrap_or(0),
            "test_start": {
                "protocol": "SCTP",
                "num_streams": self.plan.associations,
                "blksize": self.plan.length,
                "omit": self.plan.omit as f64 / 1e3,
                "duration": duration,
                "bytes": bytes,
                "blocks": 0,
                "reverse": u8::from(!self.plan.is_forward()),
                "bidir": u8::from(self.plan.is_forward() && self.plan.is_reverse()),
                "tos": 0,
                "target_bitrate": self.plan.bitrate.unwrap_or(0),
                "sctp_streams": self.plan.streams,
            },
        })
    }

    fn cpu_since(&self, took: Duration) -> Cpu {
        let now = cpu_time();
        let seconds = took.as_secs_f64().max(1e-9);
        let share = |now: Duration, then: Duration| {
            100.0 * now.saturating_sub(then).as_secs_f64() / seconds
        };
        let (user, system) = (
            share(now.user, self.cpu.user),
            share(now.system, self.cpu.system),
        );
        Cpu {
            total: user + system,
            user,
            system,
        }
    }
}

impl Way {
    fn count(self, flow: &Flow) -> u64 {
        match self {
            Self::Sent => flow.sent(),
            Self::Received => flow.received(),
        }
    }
}

impl Row {
    fn new(flow: usize, way: Way) -> Self {
        Self {
            flow,
            way,
            bytes: 0,
            retransmits: 0,
            base_bytes: 0,
            base_retransmits: 0,
            total: 0,
            retransmitted: 0,
            max_cwnd: 0,
            rtts: Vec::new(),
        }
    }

    /// What was counted up to now is the result.
    fn settle(&mut self, flow: &Flow) {
        self.total = self.way.count(flow).saturating_sub(self.base_bytes);
        self.retransmitted = flow.retransmits().saturating_sub(self.base_retransmits);
    }

    fn summary(
        &self,
        index: usize,
        (sent_in, sent): (Duration, u64),
        (received_in, received): (Duration, u64),
        retransmits: u64,
    ) -> Value {
        let is_sender = self.way == Way::Sent;
        let mut sender = span(Duration::ZERO, sent_in, sent);
        sender["socket"] = (index + 1).into();
        sender["retransmits"] = retransmits.into();
        sender["sender"] = is_sender.into();
        if is_sender {
            let count = self.rtts.len().max(1) as u64;
            sender["max_snd_cwnd"] = self.max_cwnd.into();
            sender["max_rtt"] = self.rtts.iter().max().copied().unwrap_or(0).into();
            sender["min_rtt"] = self.rtts.iter().min().copied().unwrap_or(0).into();
            sender["mean_rtt"] = (self.rtts.iter().sum::<u64>() / count).into();
        }
        let mut receiver = span(Duration::ZERO, received_in, received);
        receiver["socket"] = (index + 1).into();
        receiver["sender"] = is_sender.into();
        json!({ "sender": sender, "receiver": receiver })
    }
}

/// The result of a measurement in the words of the control protocol.
pub fn result_of(incoming: Control) -> Option<Tally> {
    match incoming {
        Control::Result(tally) => Some(tally),
        _ => None,
    }
}

/// iperf3's keys for bytes in a span of time.
fn span(start: Duration, end: Duration, bytes: u64) -> Value {
    let took = end.saturating_sub(start);
    json!({
        "start": start.as_secs_f64(),
        "end": end.as_secs_f64(),
        "seconds": took.as_secs_f64(),
        "bytes": bytes,
        "bits_per_second": bits_per_second(bytes, took),
    })
}

fn bits_per_second(bytes: u64, took: Duration) -> f64 {
    bytes as f64 * 8.0 / took.as_secs_f64().max(1e-9)
}

fn omitted_mark(omitted: bool) -> &'static str {
    if omitted { "(omitted)" } else { "" }
}

fn ends(id: usize, flow: &Flow) -> Value {
    let paths = flow.association.path_stats();
    let primary = paths.iter().find(|path| path.primary).or(paths.first());
    let stats = flow.association.stats();
    json!({
        "socket": id,
        "local_host": primary.map(|path| path.local),
        "local_port": stats.as_ref().map(|stats| stats.local_port),
        "remote_host": primary.map(|path| path.remote),
        "remote_port": stats.as_ref().map(|stats| stats.remote_port),
    })
}

fn system_info() -> String {
    let name = rustix::system::uname();
    let texts = [name.sysname(), name.release(), name.machine()];
    texts
        .map(|text| text.to_string_lossy().into_owned())
        .join(" ")
}

#[cfg(test)]
mod tests;
