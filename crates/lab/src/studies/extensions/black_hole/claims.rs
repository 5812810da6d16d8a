use super::{BLACK_HOLE, DISCOVERS, DROPS, NARROW, PLAIN, REPORTS, SILENT, WIDE};
use crate::studies::extensions::NAME;
use crate::{Cell, Claim, Estimate, Judgement, Ruling, Settings, Source, Summary};

/// Share of the narrow path's capacity that counts as all of it. Ours.
const NEARLY_ALL: f64 = 0.9;
/// Difference of throughputs that are called equal. Ours.
const EQUAL: f64 = 0.01;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "EX-M1",
            statement: "a sender that probes detects a black hole without any ICMP message, and \
                        goes on with packets that get through",
            source: Source::Ours,
            paper: "RFC 8899 §1.2, §4.3: without figures",
            rule: "Discovery on, a router that drops in silence what may not be fragmented, at \
                   each narrow MTU: more than 1 MB arrive afterwards in every run; the last 10 s \
                   reach 90 % (ours) of the rate before, less the larger share of headers; the \
                   MTU in use at the end is within 8 bytes of the path's. Reproduced if all hold, \
                   partly if some.",
            judge: detects,
        },
        Claim {
            id: "EX-M2",
            statement: "without discovery a path that drops long packets in silence carries \
                        nothing more",
            source: Source::Ours,
            paper: "RFC 8899 §1.1 (a black hole), RFC 2923 §2.1 for TCP: without figures",
            rule: "Discovery off, a link that drops all that is too long: at most 1 MB arrive \
                   afterwards in every run, at each narrow MTU.",
            judge: stalls,
        },
        Claim {
            id: "EX-M3",
            statement: "an association can fail where fragments do not get through: chunks are \
                        not cut anew",
            source: Source::Ours,
            paper: "RFC 9260 §6.9, note: without figures",
            rule: "Discovery on, a link that drops all that is too long: at most 1 MB arrive \
                   afterwards in every run, at each narrow MTU.",
            judge: cut_chunks,
        },
        Claim {
            id: "EX-M4",
            statement: "ours: a router that tells is heeded sooner than a black hole is detected",
            source: Source::Ours,
            paper: "no paper; RFC 8899 §4.6 lets a sender use such messages as a hint",
            rule: "Discovery on: the time until 1 MB more have arrived is shorter with reports \
                   than in silence, in every run, at each narrow MTU.",
            judge: hints,
        },
        Claim {
            id: "EX-M5",
            statement: "ours: probing costs no throughput",
            source: Source::Ours,
            paper: "no paper; RFC 8899 §3 demands that lost probes are no sign of congestion",
            rule: "Before the path narrows, with a router that is silent: throughput with \
                   discovery within 1 % (ours) of that without, at each narrow MTU.",
            judge: costs,
        },
    ]
}

fn cell<'a>(summary: &'a Summary, mtu: f64, router: &str, transport: &str) -> Option<&'a Cell> {
    let some = Settings::new()
        .with("mtu", mtu)
        .with("router", router)
        .with("transport", transport);
    summary.cell(NAME, BLACK_HOLE, &some)
}

/// The narrow MTUs that were run.
fn mtus(summary: &Summary) -> Option<Vec<f64>> {
    let mtus = summary.numbers(NAME, BLACK_HOLE, "mtu");
    (!mtus.is_empty()).then_some(mtus)
}

fn detects(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for mtu in mtus(summary)? {
        let cell = cell(summary, mtu, SILENT, DISCOVERS)?;
        let again = cell.values("again_s");
        let flows = again.len() == cell.values("bytes_after").len();
        let before = cell.mean("before_mbit_per_s")?;
        // IP header, common header and DATA header in each packet.
        let share = |mtu: f64| (mtu - 48.0) / mtu;
        let possible = before * share(mtu) / share(f64::from(WIDE));
        let pmtus = cell.values("pmtu");
        parts.push(cell.every("bytes_after", flows));
        parts.push(cell.over("last_mbit_per_s", NEARLY_ALL * possible)?);
        let near = pmtus.iter().all(|pmtu| *pmtu <= mtu && *pmtu > mtu - 8.0);
        parts.push(cell.every("pmtu", near));
        ours.push(format!(
            "{mtu} bytes: again after {} s, then {} Mb/s of {} before, MTU {}",
            cell.estimate("again_s")
                .map_or_else(|| "never".to_owned(), |s| s.to_string()),
            cell.estimate("last_mbit_per_s")?,
            cell.estimate("before_mbit_per_s")?,
            cell.estimate("pmtu")?
        ));
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why: "T3-rtx expires twice, after 1 s and, backed off, 2 s more; a probe of 1200 bytes is \
              answered between, and larger ones are tried from there. Chunks that were cut before \
              travel in fragments."
            .to_owned(),
    })
}

/// Whether next to nothing arrives after the path has narrowed.
fn nothing_arrives(summary: &Summary, transport: &str, why: &str) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for mtu in mtus(summary)? {
        let cell = cell(summary, mtu, DROPS, transport)?;
        let stalls = cell.values("again_s").is_empty();
        parts.push(cell.every("bytes_after", stalls));
        ours.push(format!(
            "{mtu} bytes: {} bytes in the rest of the run",
            cell.estimate("bytes_after")?
        ));
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why: why.to_owned(),
    })
}

fn stalls(summary: &Summary) -> Option<Judgement> {
    nothing_arrives(
        summary,
        PLAIN,
        "All packets with data are as long as before; heartbeats are short, and their answers \
         keep the association from being given up.",
    )
}

fn cut_chunks(summary: &Summary) -> Option<Judgement> {
    nothing_arrives(
        summary,
        DISCOVERS,
        "Shorter packets are found to get through, but the chunks that were in flight have their \
         TSNs and go first: they are too long for any packet, and their fragments are dropped.",
    )
}

fn hints(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for mtu in mtus(summary)? {
        let sampled = cell(summary, mtu, REPORTS, DISCOVERS)?;
        let silent = cell(summary, mtu, SILENT, DISCOVERS)?;
        let (told, silent) = (sampled.values("again_s"), silent.values("again_s"));
        let sooner = told.iter().zip(&silent).all(|(told, silent)| told < silent);
        let sooner = sooner && !told.is_empty() && told.len() == silent.len();
        parts.push(sampled.every("bytes_after", sooner));
        let mean = |all| Estimate::of(all).map_or_else(|| "never".to_owned(), |s| s.to_string());
        ours.push(format!(
            "{mtu} bytes: {} s with reports, {} s in silence",
            mean(&told),
            mean(&silent)
        ));
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why: "The message comes within a round trip; the black hole shows after two timeouts."
            .to_owned(),
    })
}

fn costs(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for mtu in mtus(summary)? {
        let metric = "before_mbit_per_s";
        let on = cell(summary, mtu, SILENT, DISCOVERS)?;
        let off = cell(summary, mtu, SILENT, PLAIN)?;
        parts.push(on.is_near(off, metric, EQUAL)?);
        ours.push(format!(
            "{} Mb/s with, {} without",
            on.estimate(metric)?,
            off.estimate(metric)?
        ));
    }
    Some(Judgement {
        ruling: Ruling::of(parts),
        ours: ours.join("; "),
        why: format!(
            "A few probes of more than {WIDE} bytes are dropped at once; no window heeds them. \
             Narrow MTUs: {}.",
            NARROW.map(|mtu| mtu.to_string()).join(", ")
        ),
    })
}
