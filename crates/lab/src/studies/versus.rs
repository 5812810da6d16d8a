mod alone;
mod claims;
mod exhibits;
mod grid;
mod live;
mod shared;

use core::time::Duration;

use serde_json::Value;
use sheave_sim::scenario::Scenario;

use super::{network, rivals};
use crate::live::Parent;
use crate::{Claim, Drawing, Effort, Exhibit, LOOKS, Measured, Parameter, Run, Study, Summary};

/// The study of Sheave's defaults beside the TCP of today, over all kinds of networks.
#[derive(Debug)]
pub(super) struct Versus;

const NAME: &str = "versus";

/// The sides of a comparison.
const SCTP: &str = "sctp";
const TCP: &str = "tcp";
const SIDES: [&str; 2] = [SCTP, TCP];

/// Bytes that TCP's buffers hold: the ends of Linux's autotuning (`tcp_wmem`, `tcp_rmem`).
const TCP_SEND: usize = 4 << 20;
const TCP_RECEIVE: usize = 6 << 20;
/// Bytes of a bulk message: ten full packets.
const MESSAGE: usize = 14_520;

impl Study for Versus {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Sheave's defaults beside the TCP of today"
    }

    fn about(&self) -> &'static str {
        "An association with Sheave's default options and a TCP connection as Linux has it today \
         do the same work over the same networks, first each alone, then both at once over one \
         bottleneck. No paper asks this: the claims are ours, and say what the defaults are \
         meant to do. A grid of round trips, losses, rates, queues and amounts is covered; where \
         time is short, a fixed sample of it, in which each value of each of the five meets many \
         values of the others. What is compared is the time from the first packet of the handshake \
         to the delivery of the last byte, or for bulk transfers the goodput, handshake and slow \
         start included. SCTP's handshake takes a round trip more than TCP's; a first window of \
         data leaves in the middle of it, each packet with the COOKIE ECHO, since both ends have \
         agreed on that (`early_data`). In the full extent a sample is also run in real time between \
         real processes, beside the TCP of this machine's kernel."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("A", "1 Gb/s or more"),
            ("router", "the bottleneck"),
            ("B", ""),
        ])
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = vec![
            Parameter::ours(
                "identifiers of the claims",
                "VS-1 to VS-6, those that end in \"live\" beside this kernel",
            ),
            Parameter::ours(
                "SCTP",
                "Sheave's default options, messages of 14,520 bytes (10 kB: one of that many)",
            ),
            Parameter::ours(
                "TCP",
                "Linux of today, timestamps and no Nagle's algorithm; a send buffer of 4 MiB and a receive \
                 buffer of 6 MiB, to which Linux's autotuning grows, from the beginning",
            ),
        ];
        parameters.extend(alone::parameters());
        parameters.extend(shared::parameters());
        parameters.extend(live::parameters());
        parameters
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let mut plan = alone::plan(effort);
        plan.extend(shared::plan(effort));
        plan.extend(live::plan(effort));
        plan
    }

    fn scenario(&self, run: &Run) -> Result<Option<Scenario>, String> {
        match run.experiment.as_str() {
            alone::ALONE => alone::scenario(&run.settings).map(Some),
            shared::SHARED => shared::scenario(&run.settings, run.seed).map(Some),
            _ if live::is_live(run) => Ok(None),
            other => Err(format!("there is no experiment {other}")),
        }
    }

    fn live_time(&self, run: &Run) -> Option<Duration> {
        live::is_live(run).then(|| live::time(run))
    }

    /// Bulk at 1 Gb/s is dear.
    fn looks(&self, run: &Run) -> u32 {
        if live::is_live(run) { LOOKS } else { 1 }
    }

    fn take_part(&self, part: &Value, parent: &Parent) -> Result<(), String> {
        live::take_part(part, parent)
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        match run.experiment.as_str() {
            alone::ALONE => alone::execute(run),
            shared::SHARED => shared::execute(run),
            _ if live::is_live(run) => live::execute(run),
            other => Err(format!("there is no experiment {other}")),
        }
    }

    fn claims(&self) -> Vec<Claim> {
        claims::claims()
    }

    fn exhibits(&self, summary: &Summary) -> Vec<Exhibit> {
        exhibits::exhibits(summary)
    }
}

/// The options of the TCP of today, with buffers as large as they grow.
fn tcp() -> sheave_sim::tcp::Options {
    sheave_sim::tcp::Options {
        send_buffer: TCP_SEND,
        receive_buffer: TCP_RECEIVE,
        ..rivals::options(rivals::TODAY)
    }
}

#[cfg(test)]
mod tests;
