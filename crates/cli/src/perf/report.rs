//! Counts a test and prints it with iperf3's tables and JSON keys.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sheave::Reliability;

use super::abandoned::Abandoned;
use super::control::{Control, Cpu, Limit, Plan, Tally};
use super::flow::{Budget, Flow};
use super::keys::{Settings, cpu_keys, ends, sctp_keys, system_info};
use super::presentation::{Detail, Presentation};
use super::row::{Interval, Result, Row, Seen, Way, bits_per_second, span};
use super::table::{Line, Table};
use crate::paths::PathReport;
use crate::screen::Screen;
use crate::sys::{CpuTime, cpu_time};
use crate::units::http_date;

const VERSION: &str = concat!("sheave ", env!("CARGO_PKG_VERSION"));

/// The role of this process in the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Requested the test.
    Client,
    /// Was asked for the test.
    Server,
}

/// Counts and prints while a test runs.
pub struct Recorder {
    screen: Screen,
    look: Presentation,
    table: Table,
    plan: Plan,
    end: End,
    flows: Vec<Arc<Flow>>,
    budget: Arc<Budget>,
    settings: Settings,
    /// A row for each flow and direction.
    rows: Vec<Row>,
    /// Messages abandoned by each flow before counting began.
    abandoned_before: Vec<Abandoned>,
    connected: Vec<Value>,
    intervals: Vec<Value>,
    began: Instant,
    at_date: SystemTime,
    last: Instant,
    cpu: CpuTime,
    stage: ReportStage,
    /// Duration and CPU time, once the test is over.
    finished: Option<(Duration, Cpu)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportStage {
    Omitted,
    Counted,
}

impl Recorder {
    /// Creates a recorder for a test that begins now and prints the table's head.
    pub fn new(
        screen: Screen,
        look: Presentation,
        end: End,
        plan: Plan,
        flows: Vec<Arc<Flow>>,
    ) -> Self {
        let (sends, receives) = match end {
            End::Client => (plan.is_forward(), plan.is_reverse()),
            End::Server => (plan.is_reverse(), plan.is_forward()),
        };
        let ways = [(Way::Sent, sends), (Way::Received, receives)];
        let ways = ways.into_iter().filter(|(_, wanted)| *wanted);
        let rows = ways.flat_map(|(way, _)| (0..flows.len()).map(move |flow| Row::new(flow, way)));
        let connected = (1..).zip(&flows).map(|(id, flow)| ends(id, flow));
        let now = Instant::now();
        let recorder = Self {
            table: Table::new(screen.clone(), look.clone(), end, plan.direction),
            screen,
            look,
            connected: connected.collect(),
            rows: rows.collect(),
            abandoned_before: vec![Abandoned::default(); flows.len()],
            stage: match plan.omit {
                0 => ReportStage::Counted,
                _ => ReportStage::Omitted,
            },
            budget: Arc::new(Budget::of(&plan)),
            settings: flows
                .first()
                .map(|flow| Settings::of(flow))
                .unwrap_or_default(),
            plan,
            end,
            flows,
            intervals: Vec::new(),
            began: now,
            at_date: SystemTime::now(),
            last: now,
            cpu: cpu_time(),
            finished: None,
        };
        recorder.print_head();
        let start = recorder.start();
        recorder.look.emit(&recorder.screen, "start", &start);
        recorder
    }

    /// Starts sending if this end sends load.
    pub fn start_sending(&self) {
        if self.rows.iter().any(|row| row.way == Way::Sent) {
            for flow in &self.flows {
                flow.start_sending(&self.plan, &self.budget, self.end);
            }
        }
    }

    /// User bytes received so far; `None` if this end only sends.
    pub fn received(&self) -> Option<u64> {
        let mut rows = self.rows.iter().filter(|row| row.way == Way::Received);
        let first = rows.next()?;
        let count = |row: &Row| self.flows[row.flow].received();
        Some(count(first) + rows.map(count).sum::<u64>())
    }

    /// Ends an interval and prints its rows.
    pub fn tick(&mut self) {
        let now = Instant::now();
        let (start, end) = (self.last - self.began, now - self.began);
        self.last = now;
        let mut streams = Vec::new();
        let mut sums: Vec<(Way, u64, u64)> = Vec::new();
        for index in 0..self.rows.len() {
            let way = self.rows[index].way;
            let interval = self.tick_row(index, start, end);
            match sums.iter_mut().find(|sum| sum.0 == way) {
                Some(sum) => {
                    sum.1 += interval.bytes;
                    sum.2 += interval.retransmits;
                }
                None => sums.push((way, interval.bytes, interval.retransmits)),
            }
            streams.push(interval.value);
        }
        let mut interval = json!({ "streams": streams });
        for ((way, bytes, retransmits), key) in sums.into_iter().zip(["sum", "sum_bidir_reverse"]) {
            let mut sum = span(start, end, bytes);
            if way == Way::Sent {
                sum["retransmits"] = retransmits.into();
            }
            sum["omitted"] = (self.stage == ReportStage::Omitted).into();
            sum["sender"] = (way == Way::Sent).into();
            interval[key] = sum;
            self.print_sum(&Line {
                id: "SUM",
                way,
                start,
                end,
                bytes,
                retransmits: (way == Way::Sent).then_some(retransmits),
                cwnd: None,
                mark: self.mark(),
            });
        }
        if self.flows.len() > 1 {
            self.table.rule();
        }
        self.look.emit(&self.screen, "interval", &interval);
        self.intervals.push(interval);
    }

    /// Ends the last interval if it is longer than `least` or anything came meanwhile.
    pub fn tick_rest(&mut self, least: Duration) {
        let moves = |row: &Row| row.moves(&self.flows[row.flow]);
        if self.last.elapsed() > least || self.rows.iter().any(moves) {
            self.tick();
        }
    }

    /// Ends the uncounted time.
    pub fn end_omitted(&mut self) {
        self.budget.begin(|| {
            for row in &mut self.rows {
                row.begin(&self.flows[row.flow]);
            }
        });
        self.abandoned_before = self.abandoned().collect();
        self.stage = ReportStage::Counted;
        self.began = Instant::now();
        self.last = self.began;
        self.cpu = cpu_time();
    }

    /// Ends the measurement: the bytes received so far are the result.
    pub fn stop(&mut self) {
        let took = self.began.elapsed();
        self.finished = Some((took, self.cpu_since(took)));
        for row in &mut self.rows {
            row.settle(&self.flows[row.flow]);
        }
    }

    /// The counters of this end, including a message in progress at the end of the time.
    pub fn tally(&mut self) -> Tally {
        let (took, cpu) = self.finished.unwrap_or_default();
        let paths = |flow: &Arc<Flow>| PathReport::of(&flow.association);
        let mut tally = Tally {
            sent: vec![0; self.flows.len()],
            received: vec![0; self.flows.len()],
            retransmits: vec![0; self.flows.len()],
            abandoned: self.abandoned_since().collect(),
            seen: vec![Seen::default(); self.flows.len()],
            congestion: self.settings.congestion.clone(),
            seconds: took.as_secs_f64(),
            cpu,
            paths: self.flows.iter().map(paths).collect(),
        };
        for row in &mut self.rows {
            match row.way {
                Way::Sent => {
                    row.settle(&self.flows[row.flow]);
                    tally.sent[row.flow] = row.total;
                    tally.retransmits[row.flow] = row.retransmitted;
                    tally.seen[row.flow] = row.seen.clone();
                }
                Way::Received => tally.received[row.flow] = row.total,
            }
        }
        tally
    }

    /// Prints the result with the other end's counters; returns the JSON document and the received
    /// bits per second.
    pub fn report(&self, own: &Tally, other: &Tally) -> (Value, f64) {
        self.table.rule();
        self.table.head("         Retr");
        let mut streams = Vec::new();
        let mut sums: Vec<(Way, Result)> = Vec::new();
        for (id, row) in (1..).zip(&self.rows) {
            let result = self.result(row, other);
            self.print_result(&id.to_string(), row.way, &result);
            let seen = match row.way {
                Way::Sent => Some(&row.seen),
                Way::Received => other.seen.get(row.flow),
            };
            streams.push(row.summary(id, &result, seen));
            match sums.iter_mut().find(|(way, _)| *way == row.way) {
                Some((_, sum)) => sum.add(&result),
                None => sums.push((row.way, result)),
            }
        }
        let mut end = json!({ "streams": streams });
        let mut rate = 0.0;
        for ((way, sum), suffix) in sums.iter().zip(["", "_bidir_reverse"]) {
            if self.flows.len() > 1 {
                self.print_result("SUM", *way, sum);
            }
            let mut sent = span(Duration::ZERO, sum.sent_in, sum.sent);
            sent["retransmits"] = sum.retransmits.into();
            sent["sender"] = (*way == Way::Sent).into();
            end[format!("sum_sent{suffix}")] = sent;
            let mut received = span(Duration::ZERO, sum.received_in, sum.received);
            received["sender"] = (*way == Way::Sent).into();
            end[format!("sum_received{suffix}")] = received;
            rate += bits_per_second(sum.received, sum.received_in);
        }
        let (sender, receiver) = match self.rows.first().map(|row| row.way) {
            Some(Way::Received) => (other, own),
            _ => (own, other),
        };
        end["sender_tcp_congestion"] = sender.congestion.as_str().into();
        end["receiver_tcp_congestion"] = receiver.congestion.as_str().into();
        end["cpu_utilization_percent"] = cpu_keys(&own.cpu, &other.cpu);
        end["sctp"] = sctp_keys(own, other);
        self.print_foot(own, other);
        self.look.emit(&self.screen, "end", &end);
        let mut document =
            json!({ "start": self.start(), "intervals": self.intervals, "end": end });
        if let Some(title) = &self.look.title {
            document["title"] = title.as_str().into();
        }
        if let Some(text) = &self.look.extra_data {
            document["extra_data"] = text.as_str().into();
        }
        (document, rate)
    }

    fn tick_row(&mut self, index: usize, start: Duration, end: Duration) -> Interval {
        let row = &mut self.rows[index];
        let mut interval = row.interval(&self.flows[row.flow], start, end);
        interval.value["socket"] = (index + 1).into();
        interval.value["omitted"] = (self.stage == ReportStage::Omitted).into();
        let way = row.way;
        self.table.line(&Line {
            id: &(index + 1).to_string(),
            way,
            start,
            end,
            bytes: interval.bytes,
            retransmits: (way == Way::Sent).then_some(interval.retransmits),
            cwnd: interval.cwnd,
            mark: self.mark(),
        });
        interval
    }

    /// Combines both ends' counters for a row.
    fn result(&self, row: &Row, other: &Tally) -> Result {
        let (took, _) = self.finished.unwrap_or_default();
        let other_took = Duration::try_from_secs_f64(other.seconds).unwrap_or(took);
        let of = |counts: &[u64]| counts.get(row.flow).copied().unwrap_or(0);
        match row.way {
            Way::Sent => Result {
                sent: row.total,
                sent_in: took,
                received: of(&other.received),
                received_in: other_took,
                retransmits: row.retransmitted,
            },
            Way::Received => Result {
                sent: of(&other.sent),
                sent_in: other_took,
                received: row.total,
                received_in: took,
                retransmits: of(&other.retransmits),
            },
        }
    }

    fn print_head(&self) {
        for end in &self.connected {
            self.table.text(&format!(
                "[{:>3}] local {} port {} connected to {} port {}",
                end["socket"].as_u64().unwrap_or(0),
                end["local_host"].as_str().unwrap_or("?"),
                end["local_port"],
                end["remote_host"].as_str().unwrap_or("?"),
                end["remote_port"],
            ));
        }
        if self.look.detail == Detail::Verbose {
            self.print_plan();
        }
        let sends = self.rows.iter().any(|row| row.way == Way::Sent);
        self.table
            .head(if sends { "         Retr  Cwnd" } else { "" });
    }

    /// Prints version, machine and plan.
    fn print_plan(&self) {
        let plan = &self.plan;
        let limit = match plan.limit {
            Limit::Millis(0) => "test until it is stopped".to_owned(),
            Limit::Millis(millis) => format!("{} second test", millis as f64 / 1e3),
            Limit::Bytes(bytes) => format!("{bytes} bytes to send"),
        };
        self.table.text(&format!(
            "{VERSION}\n{}\nTime: {}\n      Cookie: {}\nStarting Test: protocol: SCTP, {} \
             associations of {} streams, {} byte blocks, omitting {} seconds, {limit}, tos {}",
            system_info(),
            http_date(self.at_date),
            plan.cookie,
            plan.associations,
            plan.streams,
            plan.length,
            plan.omit as f64 / 1e3,
            self.look.tos,
        ));
    }

    fn print_sum(&self, line: &Line<'_>) {
        if self.flows.len() > 1 {
            self.table.line(line);
        }
    }

    fn print_result(&self, id: &str, way: Way, result: &Result) {
        let sender = Line {
            id,
            way,
            start: Duration::ZERO,
            end: result.sent_in,
            bytes: result.sent,
            retransmits: Some(result.retransmits),
            cwnd: None,
            mark: "sender",
        };
        self.table.line(&sender);
        self.table.line(&Line {
            end: result.received_in,
            bytes: result.received,
            retransmits: None,
            mark: "receiver",
            ..sender
        });
    }

    fn abandoned(&self) -> impl Iterator<Item = Abandoned> + '_ {
        let flows = self.flows.iter();
        flows.map(|flow| Abandoned::of(&flow.association))
    }

    fn abandoned_since(&self) -> impl Iterator<Item = Abandoned> + '_ {
        let all = self.abandoned().zip(&self.abandoned_before);
        all.map(|(now, before)| now.since(before))
    }

    fn print_foot(&self, own: &Tally, other: &Tally) {
        if self.look.detail == Detail::Verbose {
            self.table.text("Test Complete.");
        }
        self.table.text("");
        for path in own.paths.iter().flatten() {
            self.table.text(&path.line());
        }
        let ends = [own, other].map(|end| end.abandoned.iter().sum::<Abandoned>());
        if ends.iter().any(|end| end.total() > 0)
            || self.plan.reliability() != Reliability::Reliable
        {
            let [here, there] = ends.map(|end| end.text());
            let text = format!("messages given up: here {here}, there {there}");
            self.table.text(&text);
        }
        self.table.text(&format!(
            "cpu: here {:.1}% (user {:.1}%, system {:.1}%), there {:.1}%",
            own.cpu.total, own.cpu.user, own.cpu.system, other.cpu.total
        ));
    }

    fn mark(&self) -> &'static str {
        match self.stage {
            ReportStage::Omitted => "(omitted)",
            ReportStage::Counted => "",
        }
    }

    fn start(&self) -> Value {
        let since = self.at_date.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (duration, bytes) = match self.plan.limit {
            Limit::Millis(millis) => (millis as f64 / 1e3, 0),
            Limit::Bytes(bytes) => (0.0, bytes),
        };
        let mut start = json!({
            "connected": self.connected,
            "version": VERSION,
            "system_info": system_info(),
            "timestamp": { "time": http_date(self.at_date), "timesecs": since.as_secs() },
            "cookie": self.plan.cookie,
            "target_bitrate": self.plan.bitrate.unwrap_or(0),
            "sock_bufsize": self.look.window,
            "sndbuf_actual": self.settings.send_buffer,
            "rcvbuf_actual": self.settings.receive_buffer,
            "tcp_mss_default": self.settings.segment,
            "test_start": {
                "protocol": "SCTP",
                "num_streams": self.plan.associations,
                "blksize": self.plan.length,
                "omit": self.plan.omit as f64 / 1e3,
                "duration": duration,
                "bytes": if self.look.blocks == 0 { bytes } else { 0 },
                "blocks": self.look.blocks,
                "reverse": u8::from(!self.plan.is_forward()),
                "bidir": u8::from(self.plan.is_forward() && self.plan.is_reverse()),
                "tos": self.look.tos,
                "target_bitrate": self.plan.bitrate.unwrap_or(0),
                "sctp_streams": self.plan.streams,
            },
        });
        if let Some((host, port)) = &self.look.server {
            start["connecting_to"] = json!({ "host": host, "port": port });
        }
        start
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

/// The other end's counters, if the message contains them.
pub fn result_of(control: Control) -> Option<Tally> {
    match control {
        Control::Result(tally) => Some(tally),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
