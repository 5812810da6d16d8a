mod claims;
mod exhibits;
mod live;

use core::time::Duration;

use serde_json::Value;
use sheave_engine::Options;
use sheave_sim::scenario::FlowWorkload;
use sheave_sim::scenario::Scenario;
use sheave_sim::{
    Arrivals, Bitrate, Delay, Errors, LinkSpec, Order, Outgoing, Probability, Variation, tcp,
};

use super::network;
use crate::live::Parent;
use crate::{Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Settings, Study, Summary};

/// What several streams are worth.
#[derive(Debug)]
pub(super) struct Streams;

const NAME: &str = "streams";
/// A file over different delays.
const DELAY: &str = "delay";
/// A file over different numbers of streams.
const COUNT: &str = "stream-count";
/// Messages that come into being one after the other, over different numbers of streams.
const BLOCKING: &str = "head-of-line";

/// Bytes of a message: one fills a packet of SCTP.
const MESSAGE: u16 = 1448;
/// Bytes of a message whose delay is measured.
const SINGLE: usize = 1000;
/// Delay one way where that of messages is measured, milliseconds.
const SINGLE_DELAY_MS: f64 = 25.0;

impl Study for Streams {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Multi-streaming"
    }

    fn about(&self) -> &'static str {
        "The paper transfers files between two Linux machines through an emulator of delay and \
         loss, and finds an optimal number of streams. It names neither the size of the file nor \
         the delay at which it varied the losses, so the latter is swept. One association has one \
         congestion control whatever its streams: their number can change the throughput only \
         through the messages that wait for others. What streams are for is the delay of the \
         messages, and that is measured, too. The same is then run live: processes with real \
         sockets, SCTP over UDP and the kernel's TCP, over the same links in real time; beside each \
         live run stands a simulated one with the same settings."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("client", "100 Mb/s, delay, loss"),
            ("router", "100 Mb/s"),
            ("server", ""),
        ])
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::paper("links", "100 Mb/s"),
            Parameter::paper("mean delay", "0 to 200 ms with random variation"),
            Parameter::paper("loss", "0, 5 and 10 %"),
            Parameter::paper("streams", "1 to 10"),
            Parameter::ours(
                "variation of the delay",
                "uniform, a fifth of the mean each way; order kept",
            ),
            Parameter::ours("where it is lost", "from client to router, and back"),
            Parameter::ours("delay where losses are swept", "5 and 50 ms one way"),
            Parameter::ours(
                "file",
                "2 MB (quick) or 10 MB (full) where there are no losses, 1 MB where there are",
            ),
            Parameter::ours("messages", "1448 bytes, on the streams in turn"),
            Parameter::ours("queue", "100 packets, drop-tail"),
            Parameter::ours(
                "TCP",
                "NewReno, SACK, delayed acknowledgements, least timeout 1 s",
            ),
            Parameter::ours("SCTP", "RFC 9260's parameters"),
            Parameter::ours(
                "messages whose delay is measured",
                "1000 of 1000 bytes, one every 20 ms, 25 ms one way",
            ),
            Parameter::ours(
                "live, beside simulated twins",
                "file of 2 MB over delays, of 1 MB and 100 kB without and with losses at 5 ms one \
                 way; 200 messages, one every 5 ms; SCTP over UDP, TCP of this kernel, with \
                 NewReno as its twin",
            ),
        ]
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let mut settings = Vec::new();
        let bytes = effort.choose(2e6, 1e7);
        for delay in effort.choose(
            vec![0.0, 25.0, 50.0, 100.0, 200.0],
            vec![0.0, 10.0, 25.0, 50.0, 75.0, 100.0, 150.0, 200.0],
        ) {
            for transport in ["tcp", "sctp"] {
                let one = Settings::new()
                    .with("delay_ms", delay)
                    .with("transport", transport)
                    .with("bytes", bytes);
                settings.push((DELAY, one));
            }
        }
        let counts = effort.choose(
            vec![1.0, 2.0, 4.0, 6.0, 10.0],
            vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
        );
        for loss in [0.0, 5.0, 10.0] {
            for delay in [5.0, 50.0] {
                let one = Settings::new()
                    .with("loss_percent", loss)
                    .with("delay_ms", delay)
                    .with("bytes", if loss > 0.0 { 1e6 } else { bytes });
                settings.push((
                    COUNT,
                    one.clone().with("transport", "tcp").with("streams", 1.0),
                ));
                for count in &counts {
                    let one = one.clone().with("transport", "sctp");
                    settings.push((COUNT, one.with("streams", *count)));
                }
            }
            let one = Settings::new().with("loss_percent", loss);
            settings.push((
                BLOCKING,
                one.clone().with("transport", "tcp").with("streams", 1.0),
            ));
            for count in &counts {
                let one = one.clone().with("transport", "sctp");
                settings.push((BLOCKING, one.with("streams", *count)));
            }
        }
        let runs = settings.into_iter().flat_map(|(experiment, settings)| {
            effort.seeds().map(move |seed| Run {
                study: NAME.to_owned(),
                experiment: experiment.to_owned(),
                settings: settings.clone(),
                seed,
            })
        });
        runs.chain(live::plan(effort)).collect()
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        simulated(run).map(|scenario| (!live::is_live(run)).then_some(scenario))
    }

    fn is_live(&self, run: &Run) -> bool {
        live::is_live(run)
    }

    fn take_part(&self, part: &Value, parent: &Parent) -> Result<(), String> {
        live::take_part(part, parent)
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        if live::is_live(run) {
            return live::execute(run, &simulated(run)?);
        }
        let finished = network::run(&simulated(run)?, run.seed)?;
        let measured = network::delivered(&finished);
        Ok(network::delays(&finished, measured))
    }

    fn claims(&self) -> Vec<Claim> {
        claims::claims()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

fn simulated(run: &Run) -> Result<Scenario, String> {
    match run.experiment.as_str() {
        DELAY | COUNT | live::DELAY | live::COUNT => Ok(file(&run.settings)),
        BLOCKING | live::BLOCKING => Ok(single_messages(&run.settings)),
        other => Err(format!("there is no experiment {other}")),
    }
}

/// A file, as messages that are all there at once.
fn file(settings: &Settings) -> Scenario {
    let workload = network::bulk(MESSAGE.into(), streams(settings), Some(messages(settings)));
    scenario(settings, settings.number("delay_ms"), workload)
}

/// Messages that make the file.
fn messages(settings: &Settings) -> u64 {
    whole((settings.number("bytes") / f64::from(MESSAGE)).ceil())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count"
)]
const fn whole(count: f64) -> u64 {
    count as u64
}

/// Messages that come into being one after the other, slowly.
fn single_messages(settings: &Settings) -> Scenario {
    let (count, interval) = match settings.value("messages") {
        Some(_) => (whole(settings.number("messages")), live::INTERVAL),
        None => (1000, Duration::from_millis(20)),
    };
    let outgoing = Outgoing {
        len: SINGLE,
        count,
        streams: streams(settings),
        arrivals: Some(Arrivals::Constant { interval }),
    };
    scenario(settings, SINGLE_DELAY_MS, FlowWorkload::Messages(outgoing))
}

fn streams(settings: &Settings) -> u16 {
    u16::try_from(whole(settings.number("streams"))).map_or(u16::MAX, |streams| streams.max(1))
}

fn scenario(settings: &Settings, delay_ms: f64, workload: FlowWorkload) -> Scenario {
    let base = Duration::from_secs_f64(delay_ms / 1000.0);
    let loss = Probability::new(settings.number("loss_percent") / 100.0);
    let emulated = LinkSpec {
        loss: Errors::Uniform(loss),
        queue: network::packets(100),
        delay: Delay {
            base,
            variation: Variation::Uniform { spread: base / 5 },
            order: Order::Kept,
        },
        ..LinkSpec::new(Bitrate::mbit(100), Duration::ZERO)
    };
    let wire = LinkSpec {
        queue: network::packets(100),
        ..LinkSpec::new(Bitrate::mbit(100), Duration::ZERO)
    };
    let flow = if settings.text("transport") == "tcp" {
        let options = tcp::Options {
            nagle: tcp::Nagle::Off,
            ..tcp::Options::default()
        };
        network::tcp(options, workload)
    } else {
        network::sctp(Options::default(), workload)
    };
    let mut scenario = network::scenario("streams", Duration::from_secs(3600));
    scenario.routers = vec!["R".to_owned()];
    scenario.links = vec![
        network::links("near", ["A", "R"], emulated.clone(), emulated),
        network::links("far", ["R", "B"], wire.clone(), wire),
    ];
    scenario.flows = vec![flow];
    scenario
}

#[cfg(test)]
mod tests;
