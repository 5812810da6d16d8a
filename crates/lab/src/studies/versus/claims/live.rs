//! The claims held against the live runs, beside the TCP of this machine's kernel.

use super::{EQUAL, PAPER, all_over, as_linux, fair, longer, mostly_equal, nowhere_slow, short};
use crate::studies::versus::NAME;
use crate::studies::versus::live::{ALONE, SHARED};
use crate::studies::versus::shared::{CUBIC, RENO};
use crate::{Claim, Judgement, Source, Summary};

pub(super) fn claims() -> Vec<Claim> {
    let (paper, source) = (PAPER, Source::Ours);
    vec![
        Claim {
            id: "VS-1 live",
            statement: "by default an association is as fast as a connection of this kernel on \
                        almost every network",
            source,
            paper,
            rule: "VS-1's rule, of the live runs.",
            judge: |summary| tested(summary, ALONE, || mostly_equal(&longer(summary, ALONE))),
        },
        Claim {
            id: "VS-2 live",
            statement: "nowhere is it much slower than a connection of this kernel",
            source,
            paper,
            rule: "VS-2's rule, of the live runs.",
            judge: |summary| tested(summary, ALONE, || nowhere_slow(&longer(summary, ALONE))),
        },
        Claim {
            id: "VS-3 live",
            statement: "transfers of a few packets, too, are as fast as this kernel's TCP",
            source,
            paper,
            rule: "VS-3's rule, of the live runs.",
            judge: |summary| tested(summary, ALONE, || all_over(&short(summary, ALONE), EQUAL)),
        },
        Claim {
            id: "VS-4 live",
            statement: "beside this kernel's TCP with CUBIC it takes a fair share",
            source,
            paper,
            rule: "VS-4's rule, of the live runs.",
            judge: |summary| tested(summary, SHARED, || fair(summary, SHARED, CUBIC)),
        },
        Claim {
            id: "VS-5 live",
            statement: "beside this kernel's TCP with New Reno it takes the share that its CUBIC \
                        takes there",
            source,
            paper,
            rule: "VS-5's rule, of the live runs.",
            judge: |summary| tested(summary, SHARED, || as_linux(summary, SHARED, RENO)),
        },
    ]
}

/// A judgement, if the runs could be made on this machine.
fn tested(
    summary: &Summary,
    experiment: &str,
    judge: impl FnOnce() -> Option<Judgement>,
) -> Option<Judgement> {
    Judgement::if_tested((summary, NAME, experiment), judge)
}
