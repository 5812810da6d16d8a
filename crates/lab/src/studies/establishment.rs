mod bits;
mod blind;
mod claims;
mod exhibits;
mod flood;
mod memory;
mod pair;

use crate::{Claim, Drawing, Effort, Exhibit, Measured, Parameter, Run, Settings, Study, Summary};

/// The study of the four-way handshake, the verification tag and the checksum.
#[derive(Debug)]
pub(super) struct Establishment;

const NAME: &str = "establishment";
const FLOOD: &str = "flood";
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
         the engine's listener is flooded with INITs from addresses that never answer, beside a \
         TCP listener with a backlog and without SYN cookies; an association is bombarded with \
         packets of wrong tags; and packets with 1 to 16 wrong bits meet CRC32c and the checksum \
         of TCP. The papers give no numbers: packets and backlog are ours. Resident memory is \
         the whole process's, with other runs at work in it: it would show a million INITs that \
         leave a hundred bytes each, and nothing finer. No network is between them: each packet is handed over at once."
    }

    fn drawing(&self) -> Drawing {
        Drawing::path(&[("client", "handshake, data"), ("listener", "")]).and_path(&[
            ("adversary", "spoofed addresses, wrong tags"),
            ("listener", ""),
        ])
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::ours("hostile packets a run", "1,000,000"),
            Parameter::ours("damaged packets a run", "100,000 (quick), 1,000,000 (full)"),
            Parameter::ours("backlog of the TCP listener", "128 half-open connections"),
            Parameter::ours(
                "honest clients",
                format!("{} in the course of a flood", flood::HONEST),
            ),
            Parameter::ours("SYN cookies of the TCP listener", "none"),
            Parameter::ours(
                "packet in the bit-error runs",
                "1480 bytes with random payload",
            ),
            Parameter::ours("wrong bits", "1 to 16, anywhere, all places equally likely"),
        ]
    }

    fn plan(&self, effort: Effort) -> Vec<Run> {
        let damaged = effort.choose(100_000.0, 1_000_000.0);
        let mut plan = Vec::new();
        let mut want = |experiment: &str, settings: Settings| {
            let packets = match experiment {
                BITS => damaged,
                _ => 1_000_000.0,
            };
            plan.extend(effort.seeds().map(|seed| Run {
                study: NAME.to_owned(),
                experiment: experiment.to_owned(),
                settings: settings.clone().with("packets", packets),
                seed,
            }));
        };
        want(FLOOD, Settings::new().with("transport", "sctp"));
        want(FLOOD, Settings::new().with("transport", "tcp"));
        want(BLIND, Settings::new());
        for bits in 1..=16_u16 {
            want(BITS, Settings::new().with("wrong_bits", bits));
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
        match run.experiment.as_str() {
            FLOOD if run.settings.text("transport") == "tcp" => flood::tcp(packets, run.seed),
            FLOOD => flood::sctp(packets, run.seed),
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
