mod attacker;
mod bits;
mod blind;
mod claims;
mod clients;
mod exhibits;
mod flood;
mod memory;
mod opener;
mod opening;
mod pair;
mod scene;
mod server;
mod service;

use crate::{Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Settings, Study, Summary};

/// The study of the four-way handshake, the verification tag and the checksum.
#[derive(Debug)]
pub(super) struct Establishment;

const NAME: &str = "establishment";
/// A flood that is handed over at once.
const FLOOD: &str = "flood";
/// A flood over a line, beside honest clients.
const LINE: &str = "flood-over-line";
const BLIND: &str = "blind";
const BITS: &str = "bit-errors";

impl Study for Establishment {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        "Establishment: handshake, verification tag, checksum"
    }

    fn about(&self) -> &'static str {
        "All papers praise SCTP's four-way handshake, its verification tag and its CRC32c. Here \
         INITs with forged sources flood the engine's listener, and SYNs a TCP listener with a \
         backlog and without SYN cookies, over a line of bounded rate and queue that honest \
         clients share, to a processor that has a bounded time for each packet; the flood's rate \
         goes from far below to far above what line and processor carry. An association is \
         bombarded with packets of wrong tags; and packets with 1 to 16 wrong bits meet CRC32c and \
         the checksum of TCP. The papers give no numbers: rates, times, queues, packets and \
         backlog are ours. The memory and the time that a flood costs are measured with packets \
         that are handed over at once, without a network. Resident memory is the whole process's, \
         with other runs at work in it: it would show a million INITs that leave a hundred bytes \
         each, and nothing finer."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[
            ("clients", "handshake: 5 ms"),
            ("router", "line: 2.048 Mb/s, 10 ms"),
            ("server", ""),
        ])
        .and_path(&[
            ("attacker", "forged sources: 5 ms"),
            ("router", "line: 2.048 Mb/s, 10 ms"),
            ("server", ""),
        ])
    }

    fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = scene::parameters();
        parameters.extend([
            Parameter::ours("hostile packets a run", "200,000 (quick), 1,000,000 (full)"),
            Parameter::ours("damaged packets a run", "100,000 (quick), 1,000,000 (full)"),
            Parameter::ours(
                "backlog of the TCP listener",
                format!("{} half-open connections", pair::BACKLOG),
            ),
            Parameter::ours("SYN cookies of the TCP listener", "none"),
            Parameter::ours(
                "packet in the bit-error runs",
                "1480 bytes with random payload",
            ),
            Parameter::ours("wrong bits", "1 to 16, anywhere, all places equally likely"),
        ]);
        parameters
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let hostile = effort.choose(200_000.0, 1_000_000.0);
        let damaged = effort.choose(100_000.0, 1_000_000.0);
        let mut plan = Vec::new();
        let mut want = |experiment: &str, settings: Settings| {
            plan.extend(effort.seeds().map(|seed| Run {
                study: NAME.to_owned(),
                experiment: experiment.to_owned(),
                settings: settings.clone(),
                seed,
            }));
        };
        for transport in ["sctp", "tcp"] {
            let one = Settings::new().with("transport", transport);
            want(FLOOD, one.clone().with("packets", hostile));
            for rate in scene::rates(effort) {
                want(LINE, one.clone().with("flood_per_s", rate));
            }
        }
        want(BLIND, Settings::new().with("packets", hostile));
        for bits in 1..=16_u16 {
            let settings = Settings::new().with("packets", damaged);
            want(BITS, settings.with("wrong_bits", bits));
        }
        plan
    }

    fn execute(&self, run: &Run) -> Result<Measured, String> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count that the plan wrote"
        )]
        let packets = run.settings.number("packets") as u64;
        let over_tcp = run.settings.text("transport") == "tcp";
        let per_second = run.settings.number("flood_per_s");
        match run.experiment.as_str() {
            FLOOD if over_tcp => flood::tcp(packets, run.seed),
            FLOOD => flood::sctp(packets, run.seed),
            LINE if over_tcp => scene::tcp(per_second, run.seed),
            LINE => scene::sctp(per_second, run.seed),
            BLIND => blind::run(packets, run.seed),
            BITS => Ok(bits::run(
                packets,
                run.settings.number("wrong_bits"),
                run.seed,
            )),
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

#[cfg(test)]
mod tests;
