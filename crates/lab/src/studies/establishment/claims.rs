mod flood;

use super::{BITS, BLIND, NAME};
use crate::{Claim, Judgement, Ruling, Settings, Source, Summary, Today};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "ES-1",
            statement: "a flood of INITs from spoofed addresses takes no state before COOKIE ECHO, \
                        and honest associations still come up",
            source: Source::Paper(Today::Already(
                "The listener is today's: before COOKIE ECHO its state depends on no profile.",
            )),
            paper: "no state until the cookie comes back",
            rule: "Parts: no half-open association and no byte held in any run, whether the flood \
                   is handed over at once or comes over the line, at each of its rates; at each \
                   rate that line and processor carry (each queue drops less than 1 %) the share \
                   of honest clients that are established within 5 s not below that without a \
                   flood, seed by seed. Reproduced if all hold, partly if some.",
            judge: flood::cookies,
        },
        Claim {
            id: "ES-2",
            statement: "a TCP listener with a backlog is closed to honest clients by the like",
            source: Source::Paper(Today::NotComparable(
                "Linux of today answers with SYN cookies once its backlog is full; the simulated \
                 TCP has none.",
            )),
            paper: "SYN floods work",
            rule: "At each rate that line and processor carry and that can fill the backlog in \
                   the 5 s before the first honest client, seed by seed: the share of clients that \
                   are established over TCP below half of that without a flood; SCTP's share at \
                   the same rate above TCP's. Reproduced if all hold, partly if some, not \
                   reproduced if none or if there is no such rate.",
            judge: flood::backlog,
        },
        Claim {
            id: "ES-3",
            statement: "blind packets with wrong verification tags change nothing",
            source: Source::Paper(Today::Already(
                "The rules for verification tags are today's, in all profiles.",
            )),
            paper: "protected by the verification tag",
            rule: "Reproduced if in all runs the counters and the phase of the association were \
                   the same after as before, and a message still got through; partly if one.",
            judge: blind,
        },
        Claim {
            id: "ES-4",
            statement: "CRC32c misses none of the packets with up to 3 wrong bits, where TCP's \
                        checksum misses some",
            source: Source::Paper(Today::Already(
                "Both checksums are today's; nothing else takes part.",
            )),
            paper: "32 bits against 16",
            rule: "Reproduced if CRC32c missed no packet with 1 to 3 wrong bits and TCP's \
                   checksum missed some with 2; partly if one.",
            judge: bits,
        },
    ]
}

fn blind(summary: &Summary) -> Option<Judgement> {
    let cell = summary.cell(NAME, BLIND, &Settings::new())?;
    let unchanged = cell.mean("unchanged")?;
    let talks = cell.mean("still_talks")?;
    let refused = cell.mean("refused_for_tag")?;
    let packets = cell.settings.number("packets");
    Some(Judgement {
        ruling: Ruling::of(vec![
            cell.every("unchanged", unchanged == 1.0),
            cell.every("still_talks", talks == 1.0),
        ]),
        ours: format!(
            "unchanged in {:.0} %, usable in {:.0} % of runs",
            unchanged * 100.0,
            talks * 100.0
        ),
        why: format!(
            "Of {packets} packets {refused:.0} were refused for their tag alone; an attacker who \
             does not see the packets must guess 32 bits."
        ),
    })
}

fn bits(summary: &Summary) -> Option<Judgement> {
    let cell = |bits: u16| summary.cell(NAME, BITS, &Settings::new().with("wrong_bits", bits));
    let missed: Option<f64> = (1..=3)
        .map(|bits| Some(cell(bits)?.values("crc32c_missed").iter().sum::<f64>()))
        .sum();
    let missed = missed?;
    let share = cell(2)?.estimate("tcp_missed_share")?;
    Some(Judgement {
        ruling: Ruling::of(vec![
            cell(1)?.every("crc32c_missed", missed == 0.0),
            cell(2)?.over("tcp_missed_share", 0.0)?,
        ]),
        ours: format!(
            "CRC32c missed {missed}; TCP's checksum missed {:.2} % of those with 2 wrong bits",
            share.mean * 100.0
        ),
        why: "CRC32c finds all errors of up to 3 bits at this length by construction; a sum of \
              16-bit words does not see two opposite flips in the same column, which 1 of 32 \
              pairs are."
            .to_owned(),
    })
}
