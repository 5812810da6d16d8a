use core::time::Duration;
use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use sheave_engine::quantity::{QuantityError, read_size, read_time};
use sheave_sim::scenario::{Run, Scenario};
use sheave_sim::{Sink, Time};
use toml::Table;

use super::measure::of_delays;
use super::{Wrong, part};
use crate::Measured;
use crate::estimate::quantile_of;
use crate::formula::Formula;

/// Time between two looks at a queue.
const LOOK: Duration = Duration::from_millis(10);

/// The windows and metrics that a case states.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Measures {
    window: BTreeMap<String, Window>,
    metric: BTreeMap<String, Formula>,
}

/// A part of a run that is measured for itself.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Window {
    #[serde(deserialize_with = "time")]
    from: Option<Duration>,
    #[serde(deserialize_with = "time")]
    until: Option<Duration>,
    /// Bytes of a flow whose arrival is timed.
    #[serde(deserialize_with = "bytes")]
    reaches: Option<u64>,
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    let time = read_time(&text).map_err(QuantityError::expected);
    time.map(Some).map_err(|expected| wrong(&text, expected))
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(from)?;
    let size = read_size(&text).map_err(QuantityError::expected);
    size.map(Some).map_err(|expected| wrong(&text, expected))
}

fn wrong<E: Error>(text: &str, expected: &str) -> E {
    E::custom(format!("must be {expected}, and is {text}"))
}

impl Measures {
    /// Reads the tables `window` and `metric`.
    pub(super) fn read(table: Table) -> Result<Self, Wrong> {
        match table.is_empty() {
            true => Ok(Self::default()),
            false => part("window and metric", table),
        }
    }

    /// The names of the defined metrics.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.metric.keys().map(String::as_str)
    }

    /// Adds the defined metrics, in the order of their names.
    pub(super) fn define(&self, mut measured: Measured) -> Measured {
        for (name, formula) in &self.metric {
            let value = formula.value(&|name| measured.metrics.get(name).copied());
            if let Some(value) = value {
                measured = measured.with(name, value);
            }
        }
        measured
    }

    /// A watch for each window.
    pub(super) fn watches<'a>(&'a self, scenario: &'a Scenario) -> Vec<Watch<'a>> {
        let windows = self.window.iter();
        windows
            .map(|(name, window)| Watch::new(name, window, scenario))
            .collect()
    }
}

/// Measures one window.
pub(super) struct Watch<'a> {
    name: &'a str,
    from: Time,
    until: Time,
    reaches: u64,
    /// When it measures next, and when it measured last.
    next: Time,
    ended: Time,
    flows: Vec<Watched<'a>>,
    /// The lengths of each link's queues, packets, both directions.
    queues: Vec<[Vec<f64>; 2]>,
}

/// A flow in a window.
struct Watched<'a> {
    flow: &'a str,
    /// Bytes that had arrived before the window, and so far.
    bytes: Option<[u64; 2]>,
    /// When the bytes of interest had arrived.
    reached: Option<Duration>,
}

impl<'a> Watch<'a> {
    fn new(name: &'a str, window: &'a Window, scenario: &'a Scenario) -> Self {
        let end = Time::ZERO + scenario.duration;
        let from = Time::ZERO + window.from.unwrap_or_default();
        let until = window.until.map_or(end, |until| Time::ZERO + until);
        let flows = scenario.flows.iter().map(|flow| Watched {
            flow: &flow.name,
            bytes: None,
            reached: None,
        });
        Self {
            name,
            from,
            until: until.min(end),
            reaches: window.reaches.unwrap_or(u64::MAX),
            next: from,
            ended: from,
            flows: flows.collect(),
            queues: vec![Default::default(); scenario.links.len()],
        }
    }

    /// When it measures next.
    pub(super) const fn next(&self) -> Time {
        self.next
    }

    /// Measures flows and queues; the last time at its end, or at the end of the run.
    pub(super) fn note(&mut self, now: Time, run: &Run) {
        if self.next == Time::MAX {
            return;
        }
        for watched in &mut self.flows {
            let bytes = run.sink(watched.flow).map_or(0, Sink::bytes);
            let [before, so_far] = watched.bytes.get_or_insert([bytes; 2]);
            *so_far = bytes;
            if bytes - *before >= self.reaches && watched.reached.is_none() {
                watched.reached = Some(now.since(self.from));
            }
        }
        if now > self.from {
            for (lengths, (there, back)) in self.queues.iter_mut().zip(&run.links) {
                for (lengths, link) in lengths.iter_mut().zip([there, back]) {
                    lengths.push(run.world.queue_len(*link) as f64);
                }
            }
        }
        self.ended = now;
        self.next = match now < self.until {
            true => (now + LOOK).min(self.until),
            false => Time::MAX,
        };
    }

    /// Adds its metrics.
    pub(super) fn measured(
        self,
        scenario: &Scenario,
        run: &Run,
        mut measured: Measured,
    ) -> Measured {
        let seconds = self.ended.since(self.from).as_secs_f64().max(1e-9);
        for watched in &self.flows {
            let named = |metric: &str| format!("{}.{}.{metric}", watched.flow, self.name);
            let [before, after] = watched.bytes.unwrap_or_default();
            let bytes = (after - before) as f64;
            measured = measured
                .with(&named("bytes"), bytes)
                .with(&named("mbit_per_s"), bytes * 8e-6 / seconds);
            if let Some(reached) = watched.reached {
                measured = measured.with(&named("reached_s"), reached.as_secs_f64());
            }
            let receipts = run
                .sink(watched.flow)
                .map_or(&[][..], Sink::receipts)
                .iter();
            let within = self.from..self.until;
            let receipts = receipts.filter(|receipt| within.contains(&receipt.created));
            let delays = receipts.map(sheave_sim::Receipt::delay);
            measured = of_delays(&named("delay"), delays, measured);
        }
        for (pair, queues) in scenario.links.iter().zip(self.queues) {
            let back = format!("{}-back", pair.name);
            for (name, mut queue) in [&pair.name, &back].into_iter().zip(queues) {
                queue.sort_by(f64::total_cmp);
                let named = |metric: &str| format!("link.{name}.{}.{metric}", self.name);
                let mean = queue.iter().sum::<f64>() / queue.len() as f64;
                measured = measured.with(&named("queue_mean"), mean);
                if let Some(high) = quantile_of(&queue, 0.95) {
                    measured = measured.with(&named("queue_p95"), high);
                }
            }
        }
        measured
    }
}
