//! The claims held against the live runs, beside the TCP of this machine's kernel.

use super::{Ground, first_file, many_small, one_large, persistence, sequence, streams};
use crate::studies::transfer::NAME;
use crate::studies::transfer::live::LIVE;
use crate::{Claim, Judgement, Source, Summary, Today};

/// The place of these claims beside today's transports.
const SOURCE: Source = Source::Paper(Today::NotComparable(
    "Both sides are today's in the claim: this kernel's TCP and Sheave's default profile.",
));

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "TR-1 live",
            statement: "many small files are there sooner over one association than over FTP of this \
                        kernel",
            source: SOURCE,
            paper: "as TR-1",
            rule: "TR-1's rule, of the live runs. Only in the full extent.",
            judge: |summary| tested(summary, many_small),
        },
        Claim {
            id: "TR-2 live",
            statement: "the first file is there sooner over one association than over FTP of this \
                        kernel",
            source: SOURCE,
            paper: "as TR-2",
            rule: "TR-2's rule, of the live runs. Only in the full extent.",
            judge: |summary| tested(summary, first_file),
        },
        Claim {
            id: "TR-3 live",
            statement: "one large file takes as long over either, live",
            source: SOURCE,
            paper: "as TR-3",
            rule: "TR-3's rule, of the live runs. Only in the full extent.",
            judge: |summary| tested(summary, one_large),
        },
        Claim {
            id: "TR-4 live",
            statement: "one persistent connection of this kernel is faster than FTP",
            source: SOURCE,
            paper: "as TR-4",
            rule: "TR-4's rule, of the live runs. Only in the full extent.",
            judge: |summary| tested(summary, persistence),
        },
        Claim {
            id: "TR-5 live",
            statement: "pipelined requests are faster over this kernel's TCP",
            source: SOURCE,
            paper: "as TR-5",
            rule: "TR-5's rule, of the live runs. Only in the full extent.",
            judge: |summary| tested(summary, sequence),
        },
        Claim {
            id: "TR-6 live",
            statement: "under loss many streams of one association are faster still than one \
                        pipelined connection of this kernel",
            source: SOURCE,
            paper: "as TR-6",
            rule: "TR-6's rule, of the live runs. Only in the full extent.",
            judge: |summary| tested(summary, streams),
        },
    ]
}

/// A judgement, if the runs could be made on this machine.
fn tested(
    summary: &Summary,
    judge: fn(&Summary, Ground) -> Option<Judgement>,
) -> Option<Judgement> {
    Judgement::if_tested((summary, NAME, LIVE), || judge(summary, Ground::Live))
}
