mod claims;
mod exhibits;
mod live;

use core::time::Duration;

use serde_json::Value;
use sheave_engine::{LossRecovery, Options, Profile};
use sheave_sim::scenario::{self, Scenario};
use sheave_sim::{Bitrate, Bulk, Errors, LinkSpec, Probability, Program, Sctp, tcp};

use super::network;
use crate::live::Parent;
use crate::{Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Settings, Study, Summary};

/// SCTP beside TCP inside a data centre.
#[derive(Debug)]
pub(super) struct Datacenter;

const NAME: &str = "datacenter";
/// TCP, SCTP and go-back-N under random losses.
const LOSS: &str = "random-loss";
/// Go-back-N under other readings of what the papers leave open.
const GO_BACK_N: &str = "go-back-n";
/// Who carries the messages under random losses.
const CARRIERS: [&str; 4] = ["tcp", "sctp", "sctp, SACK per 7", "sctp, go-back-N"];

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
         two, optimise it, and show under random losses that SCTP is above TCP while there are \
         few, and below while there are many. The measurements are made over real sockets: the \
         kernel's TCP beside Sheave over UDP, a process at each end, both on this machine and \
         over its loopback interface with packets of 1500 bytes. So the kernel's work for the \
         receiver is partly done, and booked, when the sender sends; the papers had a machine \
         for each end. Their SCTP was in the kernel, ours is not: each packet costs system \
         calls. Variants take turns, round by round, and the rules look at the ratios within a \
         round, which a busy machine disturbs less than rates. The losses are simulated: 12 KB \
         messages over 1 Gb/s with a round trip of 102 us. The papers name neither the timers \
         nor the place of the losses. With the RFCs' least timeout of 1 s a single timeout costs \
         ten thousand round trips, so the sweep is run with 1 s and with 20 ms."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[("A", "1 Gb/s, 51 us each way, random loss"), ("B", "")])
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = vec![
            Parameter::paper("link under losses", "1 Gb/s"),
            Parameter::paper("round trip under losses", "102 us"),
            Parameter::paper("messages under losses", "12,000 bytes, as many as fit"),
            Parameter::paper("random loss", "0 to 10 %"),
            Parameter::ours(
                "where packets are lost",
                "in both directions, before the queue",
            ),
            Parameter::ours("queue", "100 packets, drop-tail"),
            Parameter::ours("packets", "1500 bytes"),
            Parameter::ours(
                "receive buffers under losses",
                "256 KiB; 16 to 256 KiB swept",
            ),
            Parameter::ours("least timeout", "1 s as in the RFCs, and 20 ms"),
            Parameter::ours(
                "TCP under losses",
                "NewReno, SACK, delayed acknowledgements, no Nagle",
            ),
            Parameter::ours(
                "SCTP under losses",
                "one SACK for 2 packets, and one for 7 (data-centre profile)",
            ),
            Parameter::ours("duration under losses", "2 s (quick), 10 s (full)"),
        ];
        parameters.extend(live::parameters());
        parameters
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let mut plan = random_loss(effort);
        plan.extend(go_back_n(effort));
        plan.extend(live::plan::plan(effort));
        plan
    }

    fn is_live(&self, run: &Run) -> bool {
        live::is_live(run)
    }

    fn take_part(&self, part: &Value, parent: &Parent) -> Result<(), String> {
        live::take(part, parent)
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        match run.experiment.as_str() {
            LOSS | GO_BACK_N => Ok(Some(lossy(&run.settings))),
            _ if live::is_live(run) => Ok(None),
            other => Err(format!("there is no experiment {other}")),
        }
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        let Some(scenario) = self.scenario(run)? else {
            return live::execute(run);
        };
        let mut finished = network::run(&scenario, run.seed)?;
        let measured = network::delivered(&finished);
        Ok(sent_again(&mut finished, measured))
    }

    fn claims(&self) -> Vec<Claim> {
        claims::claims()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

/// How often SCTP sent again.
fn sent_again(run: &mut scenario::Run, measured: Measured) -> Measured {
    let client = run.flow("main").map(|flow| flow.client);
    let program = client.and_then(|id| run.world.agent_mut::<Program<Sctp, Bulk>>(id));
    let Some(assoc) = program.and_then(|program| program.transport_mut().assoc()) else {
        return measured;
    };
    let stats = assoc.stats();
    measured
        .with("retransmissions", stats.retransmissions as f64)
        .with("timeouts", stats.timeouts as f64)
}

/// The papers' sweep of the loss.
fn random_loss(effort: Effort) -> Vec<Run> {
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
            for variant in CARRIERS {
                let settings = Settings::new()
                    .with("loss_percent", loss)
                    .with("rto_min_ms", rto_min)
                    .with("duration_s", seconds)
                    .with("variant", variant);
                plan.extend(seeded(effort, LOSS, &settings));
            }
        }
    }
    plan
}

/// Windows, timers and reports that show a loss, at the loss at which the paper has go-back-N 25 %
/// ahead.
fn go_back_n(effort: Effort) -> Vec<Run> {
    let timeouts = effort.choose(vec![10.0, 1000.0], vec![10.0, 20.0, 200.0, 1000.0]);
    let mut plan = Vec::new();
    for buffer in [16_u16, 64, 256] {
        for rto_min in &timeouts {
            for reports in [1_u16, 3] {
                for variant in ["sctp", "sctp, go-back-N"] {
                    let settings = Settings::new()
                        .with("loss_percent", 2.5)
                        .with("rto_min_ms", *rto_min)
                        .with("buffer_kib", buffer)
                        .with("missing_reports", reports)
                        .with("duration_s", effort.choose(1.0, 2.0))
                        .with("variant", variant);
                    plan.extend(seeded(effort, GO_BACK_N, &settings));
                }
            }
        }
    }
    plan
}

fn seeded(effort: Effort, experiment: &str, settings: &Settings) -> impl Iterator<Item = Run> {
    effort.seeds().map(move |seed| Run {
        study: NAME.to_owned(),
        experiment: experiment.to_owned(),
        settings: settings.clone(),
        seed,
    })
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
        variant => network::sctp(variant_options(variant, settings, rto_min), workload),
    };
    let duration = Duration::from_secs_f64(settings.number("duration_s"));
    let mut scenario = network::scenario("random loss", duration);
    scenario.links = vec![network::links("wire", ["A", "B"], link.clone(), link)];
    scenario.flows = vec![flow];
    scenario
}

/// The options of one of the SCTP variants.
fn variant_options(variant: &str, settings: &Settings, rto_min: Duration) -> Options {
    let mut options = sctp_options(rto_min);
    match variant {
        "sctp, SACK per 7" => {
            options.sack_frequency = Profile::Datacenter.options().sack_frequency;
        }
        "sctp, go-back-N" => options.loss_recovery = LossRecovery::GoBackN,
        _ => {}
    }
    if settings.value("buffer_kib").is_some() {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the plan has small whole numbers"
        )]
        let (buffer, reports) = (
            (settings.number("buffer_kib") as usize) << 10,
            settings.number("missing_reports") as u8,
        );
        options.receive_buffer = buffer;
        options.send_buffer = buffer;
        options.missing_reports = reports;
    }
    options
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
