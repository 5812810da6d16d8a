mod claims;
mod exhibits;

use core::time::Duration;

use sheave_engine::{Options, Profile};
use sheave_sim::scenario::Scenario;
use sheave_sim::{Bitrate, Errors, LinkSpec, Probability, tcp};

use super::network;
use crate::{Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Settings, Study, Summary};

/// SCTP beside TCP inside a data centre.
#[derive(Debug)]
pub(super) struct Datacenter;

const NAME: &str = "datacenter";
const LOSS: &str = "random-loss";

/// Bytes of a message.
const MESSAGE: usize = 12_000;
/// From one end to the other.
const ONE_WAY: Duration = Duration::from_micros(51);
/// Bytes of the receive buffers.
const BUFFER: usize = 256 << 10;

impl Study for Datacenter {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "SCTP beside TCP in a data centre"
    }

    fn about(&self) -> &'static str {
        "Two papers measure an SCTP of 2005 against the kernel's TCP on one machine and between \
         two, and show under random losses that SCTP is above TCP while there are few, and below \
         while there are many. What needs real sockets is not run yet; the losses are simulated: \
         12 KB messages over 1 Gb/s with a round trip of 102 us. The papers name neither the \
         timers nor the place of the losses. With the RFCs' least timeout of 1 s a single \
         timeout costs ten thousand round trips, so the sweep is run with 1 s and with 20 ms."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[("A", "1 Gb/s, 51 us each way, random loss"), ("B", "")])
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::paper("link", "1 Gb/s"),
            Parameter::paper("round trip", "102 us"),
            Parameter::paper("messages", "12,000 bytes, as many as the transport takes"),
            Parameter::paper("random loss", "0 to 10 %"),
            Parameter::ours(
                "where packets are lost",
                "in both directions, before the queue",
            ),
            Parameter::ours("queue", "100 packets, drop-tail"),
            Parameter::ours("packets", "1500 bytes"),
            Parameter::ours("receive buffers", "256 KiB"),
            Parameter::ours("least timeout", "1 s as in the RFCs, and 20 ms"),
            Parameter::ours("TCP", "NewReno, SACK, delayed acknowledgements, no Nagle"),
            Parameter::ours(
                "SCTP",
                "one SACK for 2 packets, and one for 7 (data-centre profile)",
            ),
            Parameter::ours("duration", "2 s (quick), 10 s (full)"),
        ]
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let losses = effort.choose(
            vec![0.0, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0],
            vec![
                0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 5.0, 7.5, 10.0,
            ],
        );
        let seconds = effort.choose(2.0, 10.0);
        let mut plan = Vec::new();
        for loss in losses {
            for rto_min in [1000.0, 20.0] {
                for variant in ["tcp", "sctp", "sctp, SACK per 7"] {
                    let settings = Settings::new()
                        .with("loss_percent", loss)
                        .with("rto_min_ms", rto_min)
                        .with("seconds", seconds)
                        .with("variant", variant);
                    plan.extend(effort.seeds().map(|seed| Run {
                        study: NAME.to_owned(),
                        experiment: LOSS.to_owned(),
                        settings: settings.clone(),
                        seed,
                    }));
                }
            }
        }
        plan
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        match run.experiment.as_str() {
            LOSS => Ok(Some(lossy(&run.settings))),
            other => Err(format!("there is no experiment {other}")),
        }
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        let Some(scenario) = self.scenario(run)? else {
            return Err(format!("{run} is not simulated"));
        };
        let finished = network::run(&scenario, run.seed)?;
        Ok(network::delivered(&finished))
    }

    fn claims(&self) -> Vec<Claim> {
        claims::claims()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

fn lossy(settings: &Settings) -> Scenario {
    let loss = Probability::new(settings.number("loss_percent") / 100.0);
    let link = LinkSpec {
        loss: Errors::Uniform(loss),
        queue: network::packets(100),
        ..LinkSpec::new(Bitrate::mbit(1000), ONE_WAY)
    };
    let rto_min = Duration::from_secs_f64(settings.number("rto_min_ms") / 1000.0);
    let workload = network::bulk(MESSAGE, 1, None);
    let flow = match settings.text("variant") {
        "tcp" => network::tcp(tcp_options(rto_min), workload),
        "sctp" => network::sctp(sctp_options(rto_min), workload),
        _ => {
            let sack_frequency = Profile::Datacenter.options().sack_frequency;
            let options = Options {
                sack_frequency,
                ..sctp_options(rto_min)
            };
            network::sctp(options, workload)
        }
    };
    let duration = Duration::from_secs_f64(settings.number("seconds"));
    let mut scenario = network::scenario("random loss", duration);
    scenario.links = vec![network::links("wire", ["A", "B"], link.clone(), link)];
    scenario.flows = vec![flow];
    scenario
}

fn tcp_options(rto_min: Duration) -> tcp::Options {
    tcp::Options {
        rto_min,
        rto_initial: rto_min.max(Duration::from_millis(100)),
        nagle: tcp::Nagle::Off,
        receive_buffer: BUFFER,
        send_buffer: BUFFER,
        ..tcp::Options::default()
    }
}

fn sctp_options(rto_min: Duration) -> Options {
    Options {
        rto_min,
        rto_initial: rto_min.max(Duration::from_millis(100)),
        receive_buffer: BUFFER,
        send_buffer: BUFFER,
        ..Options::default()
    }
}

#[cfg(test)]
mod tests;
