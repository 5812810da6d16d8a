use super::{FILES, FTP, HTTP, NAME, PIPELINED, SCTP};
use crate::estimate::shown;
use crate::{Cell, Claim, Judgement, Settings, Summary, Verdict};

/// Bytes of a file that is small: few packets, no more than the first windows.
const SMALL: f64 = 10_000.0;
/// Bytes of a file that is large.
const LARGE: f64 = 10_000_000.0;
/// From how many files on they are many.
const MANY: f64 = 100.0;
/// How far apart the means may be of what is called equal.
const EQUAL: f64 = 0.1;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "TR-1",
            statement: "many small files are there sooner over one association than over FTP",
            paper: "abstract: separate connections, data connections that do not persist and \
                    sequential commands are overheads of FTP; no figures",
            rule: "100 files or more of at most 10 kB, at each round trip and loss, pair by pair: \
                   time until all are there below FTP's beyond doubt (95 %). Reproduced if \
                   everywhere, partly if somewhere.",
            judge: many_small,
        },
        Claim {
            id: "TR-2",
            statement: "the first file is there sooner over one association than over FTP",
            paper: "abstract, as TR-1: a session of commands comes first; no figures",
            rule: "Files of at most 10 kB, at each number of files, round trip and loss, pair by \
                   pair: time until the first is there below FTP's beyond doubt (95 %). \
                   Reproduced if everywhere, partly if somewhere.",
            judge: first_file,
        },
        Claim {
            id: "TR-3",
            statement: "one large file takes as long over either",
            paper: "abstract: all overheads are per session or per file; no figures",
            rule: "One file of 10 MB, at each round trip and loss: mean time within 10 % of \
                   FTP's. Reproduced if everywhere, partly if somewhere.",
            judge: one_large,
        },
        Claim {
            id: "TR-4",
            statement: "data connections that do not persist cost time: one persistent connection \
                        is faster than FTP",
            paper: "abstract: non-persistence of the data connections; no figures",
            rule: "As TR-1, HTTP with one request after the other against FTP.",
            judge: persistence,
        },
        Claim {
            id: "TR-5",
            statement: "the sequential nature of command exchanges costs time: pipelined requests \
                        are faster",
            paper: "abstract: the sequential nature of command exchanges; no figures",
            rule: "As TR-1, HTTP pipelined against HTTP with one request after the other.",
            judge: sequence,
        },
        Claim {
            id: "TR-6",
            statement: "under loss many streams of one association are faster still than one \
                        pipelined connection",
            paper: "abstract: reducing head of line blocking; no figures",
            rule: "As TR-1 at 1 and 5 % loss, one association against HTTP pipelined.",
            judge: streams,
        },
    ]
}

/// One setting over two protocols.
struct Match<'a> {
    one: &'a Cell,
    other: &'a Cell,
}

/// All settings of two protocols for which `wanted` holds.
fn matches<'a>(
    summary: &'a Summary,
    one: &str,
    other: &str,
    wanted: impl Fn(&Settings) -> bool,
) -> Vec<Match<'a>> {
    let ones = summary.cells(NAME, FILES, &Settings::new().with("protocol", one));
    let wanted = ones.into_iter().filter(|cell| wanted(&cell.settings));
    let matched = wanted.filter_map(|one| {
        let same = one.settings.clone().with("protocol", other);
        let other = summary.cell(NAME, FILES, &same)?;
        Some(Match { one, other })
    });
    matched.collect()
}

fn are_many_small(settings: &Settings) -> bool {
    settings.number("files") >= MANY && settings.number("bytes") <= SMALL
}

/// What came of comparing two protocols by a metric.
struct Comparison {
    /// By ratio, ascending.
    places: Vec<Compared>,
}

/// The same at one setting.
struct Compared {
    /// Of the first to the second.
    ratio: f64,
    doubt: Doubt,
    place: String,
}

/// Whether the first is below the second beyond doubt.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    Some,
}

impl Comparison {
    fn new(matches: &[Match<'_>], metric: &str) -> Option<Self> {
        let mut places = Vec::new();
        for Match { one, other } in matches {
            let paired = one.against(other, metric)?;
            // Where a transfer failed, its time is missing: that is no success.
            let doubt = if whole(one) && whole(other) && paired.is_below() {
                Doubt::None
            } else {
                Doubt::Some
            };
            places.push(Compared {
                ratio: paired.ratio,
                doubt,
                place: place(&one.settings),
            });
        }
        places.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
        (!places.is_empty()).then_some(Self { places })
    }

    fn verdict(&self) -> Verdict {
        let below = self.places.iter().map(|of| of.doubt == Doubt::None);
        Verdict::of(&below.collect::<Vec<bool>>())
    }

    /// The middle and both ends.
    fn told(&self, what: &str) -> String {
        let (Some(low), Some(high)) = (self.places.first(), self.places.last()) else {
            return String::new();
        };
        let middle = &self.places[self.places.len() / 2];
        let below = self.places.iter().filter(|of| of.doubt == Doubt::None);
        format!(
            "{what}: {} (median), from {} ({}) to {} ({}); below beyond doubt in {} of {}, on \
             average in {}",
            shown(middle.ratio),
            shown(low.ratio),
            low.place,
            shown(high.ratio),
            high.place,
            below.count(),
            self.places.len(),
            self.places.iter().filter(|of| of.ratio < 1.0).count(),
        )
    }
}

/// Whether all files have come in all runs.
fn whole(cell: &Cell) -> bool {
    let wanted = cell.settings.number("files");
    cell.values("delivered")
        .iter()
        .all(|files| *files == wanted)
}

fn place(settings: &Settings) -> String {
    format!(
        "{} x {} kB, {} ms, {} %",
        settings.number("files"),
        settings.number("bytes") / 1000.0,
        settings.number("rtt_ms"),
        settings.number("loss_percent")
    )
}

/// A metric of one side of all matches, the mean of the means.
fn average<'a>(cells: impl Iterator<Item = &'a Cell>, metric: &str) -> f64 {
    let means: Vec<f64> = cells.filter_map(|cell| cell.mean(metric)).collect();
    means.iter().sum::<f64>() / means.len() as f64
}

/// Retransmission timeouts of a run over the one and over the other.
fn timeouts(matches: &[Match<'_>], names: [&str; 2]) -> String {
    let one = average(matches.iter().map(|of| of.one), "timeouts");
    let other = average(matches.iter().map(|of| of.other), "timeouts");
    format!(
        "retransmission timeouts of a run, on average of all these settings: {} {}, {} {}",
        names[0],
        shown(one),
        names[1],
        shown(other)
    )
}

fn many_small(summary: &Summary) -> Option<Judgement> {
    let matches = matches(summary, SCTP, FTP, are_many_small);
    let comparison = Comparison::new(&matches, "all_s")?;
    let connections = average(matches.iter().map(|of| of.other), "connections");
    let files = average(matches.iter().map(|of| of.other), "delivered");
    Some(Judgement {
        verdict: comparison.verdict(),
        ours: comparison.told("time for all, SCTP / FTP"),
        why: format!(
            "FTP opened {} connections a file and spends three round trips on each (PASV, \
             handshake, RETR); a connection that carries one small file has too little in flight \
             for fast retransmit, so that a loss costs a timeout of a second. The association \
             fills its window at once, and at a round trip of 1 ms overflows a queue of 10 \
             packets, which can cost it such a timeout even where nothing else is lost ({}).",
            shown(connections / files),
            timeouts(&matches, ["SCTP", "FTP"])
        ),
    })
}

fn first_file(summary: &Summary) -> Option<Judgement> {
    let small = |settings: &Settings| settings.number("bytes") <= SMALL;
    let matches = matches(summary, SCTP, FTP, small);
    let comparison = Comparison::new(&matches, "first_s")?;
    let trips = |cell: &Cell| {
        let rtt = cell.settings.number("rtt_ms") / 1000.0;
        Some(cell.mean("first_s")? / rtt)
    };
    // The longest round trip without losses and with the least file: nothing else counts.
    let bare = matches.iter().filter(|of| {
        let settings = &of.one.settings;
        settings.number("loss_percent") == 0.0 && settings.number("files") == 1.0
    });
    let bare = bare.max_by(|one, other| {
        let key =
            |of: &Match<'_>| of.one.settings.number("rtt_ms") / of.one.settings.number("bytes");
        key(one).total_cmp(&key(other))
    })?;
    Some(Judgement {
        verdict: comparison.verdict(),
        ours: comparison.told("time for the first, SCTP / FTP"),
        why: format!(
            "Without losses the first file takes {} round trips over FTP and {} over the \
             association ({}): two connections and five commands against the four-way handshake \
             and two exchanges on stream 0, where up to 1024 files are announced before the first \
             begins. Under loss one timeout of a second outweighs all that, and few seeds see too \
             few of them to be beyond doubt.",
            shown(trips(bare.other)?),
            shown(trips(bare.one)?),
            place(&bare.one.settings)
        ),
    })
}

fn one_large(summary: &Summary) -> Option<Judgement> {
    let large =
        |settings: &Settings| settings.number("files") == 1.0 && settings.number("bytes") == LARGE;
    let matches = matches(summary, SCTP, FTP, large);
    let comparison = Comparison::new(&matches, "all_s")?;
    let near = |of: &Compared| (of.ratio - 1.0).abs() <= EQUAL;
    let parts: Vec<bool> = comparison.places.iter().map(near).collect();
    let told = comparison.places.iter();
    let told: Vec<String> = told
        .map(|of| format!("{} ({})", shown(of.ratio), of.place))
        .collect();
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: format!("SCTP / FTP: {}", told.join(", ")),
        why: format!(
            "{} of {} are within 10 %. The overheads are spent once for the file; what is left is \
             how the two recover from losses. Many losses in a row take SCTP's window down to \
             four packets (RFC 9260 §7.2.3) and TCP's to two (RFC 5681 §3.1), with which a \
             further loss is found by a timeout only ({}).",
            parts.iter().filter(|part| **part).count(),
            parts.len(),
            timeouts(&matches, ["SCTP", "FTP"])
        ),
    })
}

fn persistence(summary: &Summary) -> Option<Judgement> {
    let matches = matches(summary, HTTP, FTP, are_many_small);
    let comparison = Comparison::new(&matches, "all_s")?;
    Some(Judgement {
        verdict: comparison.verdict(),
        ours: comparison.told("time for all, HTTP / FTP"),
        why:
            "One request takes one round trip where FTP takes three, and the connection keeps its \
              window and its measured round trip from file to file."
                .to_owned(),
    })
}

fn sequence(summary: &Summary) -> Option<Judgement> {
    let matches = matches(summary, PIPELINED, HTTP, are_many_small);
    let comparison = Comparison::new(&matches, "all_s")?;
    Some(Judgement {
        verdict: comparison.verdict(),
        ours: comparison.told("time for all, pipelined / one by one"),
        why:
            "Where all is asked for at once, the window and the link decide, no longer the number \
              of files times the round trip; and there is always more in flight, so that losses \
              are found without a timeout."
                .to_owned(),
    })
}

fn streams(summary: &Summary) -> Option<Judgement> {
    let lossy =
        |settings: &Settings| are_many_small(settings) && settings.number("loss_percent") > 0.0;
    let matches = matches(summary, SCTP, PIPELINED, lossy);
    let comparison = Comparison::new(&matches, "all_s")?;
    let mean = Comparison::new(&matches, "mean_s")?;
    Some(Judgement {
        verdict: comparison.verdict(),
        ours: format!(
            "{}; {}",
            comparison.told("time for all, SCTP / pipelined"),
            mean.told("mean time of a file")
        ),
        why: format!(
            "Both keep one window full from the beginning to the end; streams let files overtake \
             each other, but the last one is as late. What is left is how the two recover from \
             losses, the longer opening of the association, and its exchanges on stream 0 ({}).",
            timeouts(&matches, ["SCTP", "HTTP"])
        ),
    })
}
