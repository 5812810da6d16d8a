mod claims;
mod exhibits;
mod live;
mod measure;

use core::time::Duration;

use sheave_engine::Profile;
use sheave_sim::scenario::{FileProtocol, Flow, FlowKind, LinkPair, Scenario};
use sheave_sim::{Bitrate, Errors, Files, LinkSpec, Probability, Requests};

use super::{network, rivals};
use crate::settings::whole;
use crate::{Exhibit, Measured, Run, Settings, Study};

/// The study of the cost of FTP's connections and commands, compared with a single connection and a
/// single association.
pub(super) static STUDY: Study = Study {
    name: NAME,
    words: include_str!("transfer/words.toml"),
    paper: include_str!("transfer/paper.toml"),
    quantities: rivals::quantities,
    rules: claims::rules,
    runs: include_str!("transfer/plan.toml"),
    plan: live::plan,
    scenario,
    live_time: |run| live::is_live(run).then(|| live::time(run)),
    take_part: live::take_part,
    execute,
    shown: include_str!("transfer/exhibits.toml"),
    exhibits: |_, summary| {
        exhibits::timeouts(summary)
            .map(Exhibit::Note)
            .into_iter()
            .collect()
    },
    ..Study::EMPTY
};

const NAME: &str = "transfer";
const FILES: &str = "files";

const FTP: &str = "ftp";
const HTTP: &str = "http";
const PIPELINED: &str = "http, pipelined";
const SCTP: &str = "sctp";

/// Number of streams for files, the default of `sheave send`.
const STREAMS: u16 = 8;
/// Link rate, kbit/s.
const RATE_KBIT: f64 = 100_000.0;
/// Minimum queue length, packets.
const QUEUE_MIN: usize = 10;

fn scenario(run: &Run) -> Result<Option<Scenario>, String> {
    match run.experiment.as_str() {
        FILES => simulated(&run.settings).map(Some),
        _ if live::is_live(run) => Ok(None),
        other => Err(format!("there is no experiment {other}")),
    }
}

fn execute(run: &Run) -> Result<Measured, String> {
    if live::is_live(run) {
        return live::execute(run);
    }
    let Some(scenario) = scenario(run)? else {
        return Err(format!("{run} is not simulated"));
    };
    let finished = network::run(&scenario, run.seed)?;
    let measured = measure::measured(finished)?;
    Ok(match run.settings.number("loss_percent") {
        0.0 => measured.without_chance(),
        _ => measured,
    })
}

fn simulated(settings: &Settings) -> Result<Scenario, String> {
    let kind = FlowKind::Files {
        files: files(settings),
        protocol: protocol(settings.text("protocol"), settings.text("tcp"))?,
    };
    let mut scenario = network::scenario("files", Duration::from_secs(24 * 3600));
    scenario.links = links(settings);
    scenario.flows = vec![Flow {
        name: "main".to_owned(),
        from: "A".to_owned(),
        to: "B".to_owned(),
        start: Duration::ZERO,
        start_spread: Duration::ZERO,
        kind,
    }];
    Ok(scenario)
}

fn links(settings: &Settings) -> Vec<LinkPair> {
    let rtt = settings.number("rtt_ms");
    let loss = Probability::new(settings.number("loss_percent") / 100.0);
    let link = LinkSpec {
        loss: Errors::Uniform(loss),
        queue: network::packets(queue(rtt)),
        ..LinkSpec::new(
            Bitrate::mbit(100),
            Duration::from_secs_f64(rtt / 2.0 / 1000.0),
        )
    };
    vec![network::links("wire", ["A", "B"], link.clone(), link)]
}

/// The bandwidth-delay product, in packets.
fn queue(rtt_ms: f64) -> usize {
    whole::<usize>((RATE_KBIT * rtt_ms / 8.0 / 1500.0).ceil()).max(QUEUE_MIN)
}

fn files(settings: &Settings) -> Files {
    Files {
        count: settings.whole("files"),
        len: settings.whole("bytes"),
    }
}

fn protocol(name: &str, tcp: &str) -> Result<FileProtocol, String> {
    let options = Box::new(rivals::options(tcp));
    let http = |requests| FileProtocol::Http {
        options: options.clone(),
        requests,
    };
    match name {
        FTP => Ok(FileProtocol::Ftp(options)),
        HTTP => Ok(http(Requests::OneByOne)),
        PIPELINED => Ok(http(Requests::Pipelined)),
        SCTP => Ok(sheave(Profile::Rfc9260)),
        rivals::SCTP_TODAY => Ok(sheave(Profile::default())),
        other => Err(format!("there is no protocol {other}")),
    }
}

fn sheave(profile: Profile) -> FileProtocol {
    FileProtocol::Sheave {
        options: Box::new(profile.options()),
        streams: STREAMS,
        keys: None,
    }
}

#[cfg(test)]
mod tests;
