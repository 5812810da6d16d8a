use super::live::{KERNEL, LIVE};
use super::{FILES, FTP, HTTP, NAME, PIPELINED, SCTP};
use crate::estimate::shown;
use crate::studies::rivals::{self, Era};
use crate::{Cell, ERROR, Estimate, Evidence, Judgement, Rule, Settings, Summary};

/// Size of a small file, bytes: few packets, within the initial windows.
pub(super) const SMALL: f64 = 10_000.0;
/// Size of a large file, bytes.
pub(super) const LARGE: f64 = 10_000_000.0;
/// Smallest number of files that counts as many.
const MANY: f64 = 100.0;
/// Largest relative difference of means that counts as equal.
const EQUAL: f64 = 0.1;

/// The runs by which a claim is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ground {
    /// Simulated runs with the papers' transports.
    Papers,
    /// Simulated runs with today's transports.
    Today,
    /// Live runs with today's transports.
    Live,
}

impl Ground {
    /// The TCP used for judging.
    const fn tcp(self) -> &'static str {
        match self {
            Self::Papers => Era::Papers.tcp(),
            Self::Today => Era::Today.tcp(),
            Self::Live => KERNEL,
        }
    }

    /// The SCTP variant used for judging.
    const fn sctp(self) -> &'static str {
        match self {
            Self::Papers => Era::Papers.sctp(SCTP),
            Self::Today | Self::Live => Era::Today.sctp(SCTP),
        }
    }
}

pub(super) fn rules() -> Vec<Rule> {
    /// The rules of the simulated and the live version of a claim.
    fn both(id: &str, judge: fn(&Summary, Ground) -> Option<Judgement>) -> [Rule; 2] {
        [
            Rule::new(id, move |summary| judge(summary, Ground::Papers))
                .today(move |summary| judge(summary, Ground::Today)),
            Rule::new(format!("{id} live"), move |summary| {
                Judgement::if_tested((summary, NAME, LIVE), || judge(summary, Ground::Live))
            }),
        ]
    }
    [
        both("TR-1", many_small),
        both("TR-2", first_file),
        both("TR-3", one_large),
        both("TR-4", persistence),
        both("TR-5", sequence),
        both("TR-6", streams),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Two protocols with otherwise equal settings.
struct Match<'a> {
    one: &'a Cell,
    other: &'a Cell,
}

/// The pairs of cells of two protocols that satisfy `wanted`, over the given TCP.
fn matches<'a>(
    summary: &'a Summary,
    tcp: &str,
    (one, other): (&str, &str),
    wanted: fn(&Settings) -> bool,
) -> Vec<Match<'a>> {
    let over = |protocol: &str| match protocol {
        SCTP | rivals::SCTP_TODAY => Settings::new().with("protocol", protocol),
        _ => Settings::new().with("protocol", protocol).with("tcp", tcp),
    };
    let experiment = if tcp == KERNEL { LIVE } else { FILES };
    let ones = summary.cells(NAME, experiment, &over(one));
    let wanted = ones.into_iter().filter(|cell| wanted(&cell.settings));
    let matched = wanted.filter_map(|one| {
        let same = over(other);
        let same = ["files", "bytes", "rtt_ms", "loss_percent"]
            .into_iter()
            .fold(same, |same, name| {
                same.with(name, one.settings.number(name))
            });
        let other = summary.cell(NAME, experiment, &same)?;
        Some(Match { one, other })
    });
    matched.collect()
}

fn are_many_small(settings: &Settings) -> bool {
    settings.number("files") >= MANY && settings.number("bytes") <= SMALL
}

/// Compares two protocols by a metric.
struct Comparison<'a> {
    matches: Vec<Match<'a>>,
    /// The comparisons, by ascending ratio.
    places: Vec<Compared>,
    /// The median ratios over the TCPs not used for judging, in words.
    beside: String,
}

/// Compares two protocols for one setting.
struct Compared {
    /// Ratio of the first protocol to the second.
    ratio: Estimate,
    /// Evidence that the first is below the second.
    below: Evidence,
    /// Evidence that both are within [`EQUAL`] of each other.
    near: Evidence,
    place: String,
}

impl<'a> Comparison<'a> {
    /// Compares over the TCP used for judging, and in words over the others.
    fn new(
        summary: &'a Summary,
        ground: Ground,
        pair: (&str, &str),
        metric: &str,
        wanted: fn(&Settings) -> bool,
    ) -> Option<Self> {
        let over = |tcp| Self::of(matches(summary, tcp, pair, wanted), metric);
        let others: &[&str] = match ground {
            Ground::Papers => &[rivals::RFC, rivals::TODAY],
            Ground::Today | Ground::Live => &[],
        };
        let told = others.iter().filter_map(|tcp| {
            let Self { places, .. } = over(tcp)?;
            let (count, middle) = (places.len(), &places[places.len() / 2]);
            Some(format!("; {tcp}: {} (median of {count})", middle.ratio))
        });
        Some(Self {
            beside: told.collect(),
            ..over(ground.tcp())?
        })
    }

    fn of(matches: Vec<Match<'a>>, metric: &str) -> Option<Self> {
        let mut places = Vec::new();
        for Match { one, other } in &matches {
            // A failed transfer has no time, which must not count as success.
            let judged = |evidence: Option<Evidence>| {
                if whole(one) && whole(other) {
                    evidence
                } else {
                    Some(Evidence::fact(false))
                }
            };
            let below = judged(one.is_below(other, metric))?;
            let near = judged(one.is_near(other, metric, EQUAL))?;
            places.push(Compared {
                ratio: one.ratio(other, metric)?,
                below,
                near,
                place: place(&one.settings),
            });
        }
        places.sort_by(|one, other| one.ratio.mean.total_cmp(&other.ratio.mean));
        let beside = String::new();
        (!places.is_empty()).then_some(Self {
            matches,
            places,
            beside,
        })
    }

    /// Evidence that the first protocol is below the second, everywhere.
    fn parts(&self) -> Vec<Evidence> {
        self.places.iter().map(|of| of.below.clone()).collect()
    }

    fn judgement(&self, what: &str, why: impl Into<String>) -> Judgement {
        let ours = format!("{}{}", self.told(what), self.beside);
        Judgement::new(self.parts(), ours, why)
    }

    /// The mean of a metric of the second protocol, over all settings.
    fn of_other(&self, metric: &str) -> f64 {
        average(self.matches.iter().map(|of| of.other), metric)
    }

    /// The median and both extremes in words.
    fn told(&self, what: &str) -> String {
        let (Some(low), Some(high)) = (self.places.first(), self.places.last()) else {
            return String::new();
        };
        let middle = &self.places[self.places.len() / 2];
        let below = self.places.iter().filter(|of| of.below.holds <= ERROR);
        format!(
            "{what}: {} (median), from {} ({}) to {} ({}); below beyond doubt (95 % each) in {} of \
             {}, on average in {}",
            middle.ratio,
            low.ratio,
            low.place,
            high.ratio,
            high.place,
            below.count(),
            self.places.len(),
            self.places.iter().filter(|of| of.ratio.mean < 1.0).count(),
        )
    }
}

/// Whether all files arrived in all runs.
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

/// The mean over cells of a metric's mean.
fn average<'a>(cells: impl Iterator<Item = &'a Cell>, metric: &str) -> f64 {
    let means: Vec<f64> = cells.filter_map(|cell| cell.mean(metric)).collect();
    means.iter().sum::<f64>() / means.len() as f64
}

/// Mean number of retransmission timeouts for each protocol, in words.
fn timeouts(matches: &[Match<'_>], names: [&str; 2]) -> String {
    if matches.iter().all(|of| of.one.mean("timeouts").is_none()) {
        return "retransmission timeouts are not counted live".to_owned();
    }
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

fn many_small(summary: &Summary, ground: Ground) -> Option<Judgement> {
    let pair = (ground.sctp(), FTP);
    let comparison = Comparison::new(summary, ground, pair, "all_s", are_many_small)?;
    let (connections, files) = (
        comparison.of_other("connections"),
        comparison.of_other("delivered"),
    );
    let why = format!(
        "FTP opened {} connections a file, and spends three round trips on each (PASV, handshake, \
         RETR) where the association spends none ({}).",
        shown(connections / files),
        timeouts(&comparison.matches, ["SCTP", "FTP"])
    );
    Some(comparison.judgement("time for all, SCTP / FTP", why))
}

fn first_file(summary: &Summary, ground: Ground) -> Option<Judgement> {
    let small = |settings: &Settings| settings.number("bytes") <= SMALL;
    let comparison = Comparison::new(summary, ground, (ground.sctp(), FTP), "first_s", small)?;
    let trips = |cell: &Cell| {
        let rtt = cell.settings.number("rtt_ms") / 1000.0;
        Some(cell.mean("first_s")? / rtt)
    };
    // Uses the lossless setting with the longest round trip and the fewest bytes, where the
    // handshakes dominate.
    let lossless = |of: &&Match<'_>| of.one.settings.number("loss_percent") == 0.0;
    let all = comparison.matches.iter().filter(lossless);
    let bare = all.max_by(|one, other| {
        let key = |of: &Match<'_>| {
            let settings = &of.one.settings;
            settings.number("rtt_ms") / settings.number("bytes") / settings.number("files")
        };
        key(one).total_cmp(&key(other))
    })?;
    let why = format!(
        "Without losses the first file takes {} round trips over FTP and {} over the association \
         ({}): two connections and five commands against the four-way handshake and two exchanges \
         on stream 0, where up to 1024 files are announced before the first begins.",
        shown(trips(bare.other)?),
        shown(trips(bare.one)?),
        place(&bare.one.settings)
    );
    Some(comparison.judgement("time for the first, SCTP / FTP", why))
}

fn one_large(summary: &Summary, ground: Ground) -> Option<Judgement> {
    let large =
        |settings: &Settings| settings.number("files") == 1.0 && settings.number("bytes") == LARGE;
    let comparison = Comparison::new(summary, ground, (ground.sctp(), FTP), "all_s", large)?;
    let parts: Vec<Evidence> = comparison.places.iter().map(|of| of.near.clone()).collect();
    let near = parts.iter().filter(|part| part.holds <= ERROR).count();
    let all = parts.len();
    let told = comparison.places.iter();
    let told: Vec<String> = told
        .map(|of| format!("{} ({})", of.ratio, of.place))
        .collect();
    Some(Judgement::new(
        parts,
        format!("SCTP / FTP: {}{}", told.join(", "), comparison.beside),
        format!(
            "{near} of {all} are within 10 % beyond doubt (95 % each). The overheads are spent \
             once for the file; what is left is how the two recover from losses ({}).",
            timeouts(&comparison.matches, ["SCTP", "FTP"])
        ),
    ))
}

fn persistence(summary: &Summary, ground: Ground) -> Option<Judgement> {
    let comparison = Comparison::new(summary, ground, (HTTP, FTP), "all_s", are_many_small)?;
    Some(comparison.judgement(
        "time for all, HTTP / FTP",
        "One request takes one round trip where FTP takes three, and the connection keeps its \
         window and its measured round trip from file to file.",
    ))
}

fn sequence(summary: &Summary, ground: Ground) -> Option<Judgement> {
    let comparison = Comparison::new(summary, ground, (PIPELINED, HTTP), "all_s", are_many_small)?;
    let why = format!(
        "Where all is asked for at once, the window and the link decide, no longer the number of \
         files times the round trip ({}).",
        timeouts(&comparison.matches, ["pipelined", "one by one"])
    );
    Some(comparison.judgement("time for all, pipelined / one by one", why))
}

fn streams(summary: &Summary, ground: Ground) -> Option<Judgement> {
    let lossy =
        |settings: &Settings| are_many_small(settings) && settings.number("loss_percent") > 0.0;
    let pair = (ground.sctp(), PIPELINED);
    let all = Comparison::new(summary, ground, pair, "all_s", lossy)?;
    let mean = Comparison::of(matches(summary, ground.tcp(), pair, lossy), "mean_s")?;
    Some(Judgement::new(
        all.parts(),
        format!(
            "{}; {}{}",
            all.told("time for all, SCTP / pipelined"),
            mean.told("mean time of a file"),
            all.beside
        ),
        format!(
            "Streams let files overtake each other, but all are there when the last one is ({}).",
            timeouts(&all.matches, ["SCTP", "HTTP"])
        ),
    ))
}
