mod flood;

use super::{BITS, BLIND, NAME};
use crate::{Judgement, Rule, Settings, Summary};

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("ES-1", flood::cookies),
        Rule::new("ES-2", flood::backlog),
        Rule::new("ES-3", blind),
        Rule::new("ES-4", bits),
    ]
}

fn blind(summary: &Summary) -> Option<Judgement> {
    let cell = summary.cell(NAME, BLIND, &Settings::new())?;
    let unchanged = cell.mean("unchanged")?;
    let talks = cell.mean("still_talks")?;
    let refused = cell.mean("refused_for_tag")?;
    let packets = cell.settings.number("packets");
    Some(Judgement::new(
        vec![
            cell.every("unchanged", unchanged == 1.0),
            cell.every("still_talks", talks == 1.0),
        ],
        format!(
            "unchanged in {:.0} %, usable in {:.0} % of runs",
            unchanged * 100.0,
            talks * 100.0
        ),
        format!(
            "Of {packets} packets {refused:.0} were refused for their tag alone; an attacker who \
             does not see the packets must guess 32 bits."
        ),
    ))
}

fn bits(summary: &Summary) -> Option<Judgement> {
    let cell = |bits: u16| summary.cell(NAME, BITS, &Settings::new().with("wrong_bits", bits));
    let missed: Option<f64> = (1..=3)
        .map(|bits| Some(cell(bits)?.values("crc32c_missed").iter().sum::<f64>()))
        .sum();
    let missed = missed?;
    let share = cell(2)?.estimate("tcp_missed_share")?;
    Some(Judgement::new(
        vec![
            cell(1)?.every("crc32c_missed", missed == 0.0),
            cell(2)?.over("tcp_missed_share", 0.0)?,
        ],
        format!(
            "CRC32c missed {missed}; TCP's checksum missed {:.2} % of those with 2 wrong bits",
            share.mean * 100.0
        ),
        "CRC32c finds all errors of up to 3 bits at this length by construction; a sum of \
              16-bit words does not see two opposite flips in the same column, which 1 of 32 \
              pairs are.",
    ))
}
