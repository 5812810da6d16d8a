mod live;

use super::{BLOCKING, COUNT, DELAY, NAME};
use crate::estimate::shown;
use crate::{Cell, Claim, Judgement, Settings, Summary, Verdict};

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = simulated();
    claims.extend(live::claims());
    claims
}

fn simulated() -> Vec<Claim> {
    vec![
        Claim {
            id: "ST-1",
            statement: "SCTP is above TCP at all delays",
            paper: "above for all delays, 0 to 200 ms",
            rule: "At each mean delay, pair by pair: SCTP's throughput above TCP's beyond doubt \
                   (95 %). Reproduced if at all delays, partly if at some.",
            judge: delays,
        },
        Claim {
            id: "ST-2",
            statement: "without losses SCTP equals TCP, whatever the number of streams",
            paper: "equal",
            rule: "At each delay and number of streams: SCTP's mean throughput within 5 % of \
                   TCP's. Reproduced if all are, partly if some.",
            judge: no_loss,
        },
        Claim {
            id: "ST-3",
            statement: "at 5 % loss SCTP is below TCP; 6 streams are best; their number matters \
                        little",
            paper: "below TCP; best at 6",
            rule: "At each delay three parts: SCTP's throughput below TCP's at all numbers of \
                   streams (means); its best at 6; the spread over the numbers below 10 %. \
                   Reproduced if all hold, partly if some.",
            judge: some_loss,
        },
        Claim {
            id: "ST-4",
            statement: "at 10 % loss 2 and 4 streams beat one stream and TCP; 2 are best; from 5 \
                        on it declines",
            paper: "2 and 4 above 1 and TCP; best at 2",
            rule: "At each delay three parts: the means at 2 and 4 streams above that at 1 \
                   stream beyond doubt (pair by pair); above TCP's beyond doubt; the best mean at \
                   2. Reproduced if all hold, partly if some.",
            judge: much_loss,
        },
        Claim {
            id: "ST-5",
            statement: "with more streams messages wait less for others",
            paper: "an optimal number of streams exists",
            rule: "At 5 and at 10 % loss: the mean message delay with the largest number of \
                   streams below that with one, and with one below or equal to TCP's, beyond \
                   doubt for the former. Reproduced if all hold, partly if some.",
            judge: blocking,
        },
    ]
}

/// The one cell with those settings.
fn cell<'a>(summary: &'a Summary, experiment: &str, some: &Settings) -> Option<&'a Cell> {
    summary.cell(NAME, experiment, some)
}

fn delays(summary: &Summary) -> Option<Judgement> {
    let mut parts = Vec::new();
    let mut ratios = Vec::new();
    for delay in summary.numbers(NAME, DELAY, "delay_ms") {
        let some = Settings::new().with("delay_ms", delay);
        let sctp = cell(summary, DELAY, &some.clone().with("transport", "sctp"))?;
        let tcp = cell(summary, DELAY, &some.with("transport", "tcp"))?;
        let paired = sctp.against(tcp, "mbit_per_s")?;
        parts.push(paired.is_above());
        ratios.push(format!("{} at {delay} ms", shown(paired.ratio)));
    }
    if parts.is_empty() {
        return None;
    }
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: format!("SCTP / TCP: {}", ratios.join(", ")),
        why: format!(
            "SCTP is above TCP beyond doubt at {} of {} delays. Both begin with about three \
             packets and double each round trip; what differs is how an acknowledgement of two \
             packets opens the window and how the longer handshake counts.",
            parts.iter().filter(|part| **part).count(),
            parts.len()
        ),
    })
}

/// Where losses are swept.
const LOSS_DELAYS: [f64; 2] = [5.0, 50.0];

/// The cells of one loss and delay: TCP's, and SCTP's by number of streams.
struct Row<'a> {
    tcp: &'a Cell,
    sctp: Vec<(f64, &'a Cell)>,
}

impl<'a> Row<'a> {
    fn new(summary: &'a Summary, loss: f64, delay: f64) -> Option<Self> {
        let some = Settings::new()
            .with("loss_percent", loss)
            .with("delay_ms", delay);
        let tcp = cell(summary, COUNT, &some.clone().with("transport", "tcp"))?;
        let mut sctp: Vec<(f64, &Cell)> = summary
            .cells(NAME, COUNT, &some.with("transport", "sctp"))
            .into_iter()
            .map(|cell| (cell.settings.number("streams"), cell))
            .collect();
        sctp.sort_by(|one, other| one.0.total_cmp(&other.0));
        (!sctp.is_empty()).then_some(Self { tcp, sctp })
    }

    fn of(&self, streams: f64) -> Option<&'a Cell> {
        let found = self.sctp.iter().find(|(count, _)| *count == streams)?;
        Some(found.1)
    }

    /// Throughput relative to TCP's, by number of streams.
    fn ratios(&self) -> Option<Vec<(f64, f64)>> {
        let tcp = self.tcp.mean("mbit_per_s")?;
        let ratio = |(count, cell): &(f64, &Cell)| Some((*count, cell.mean("mbit_per_s")? / tcp));
        self.sctp.iter().map(ratio).collect()
    }

    /// The number of streams with the best mean.
    fn best(&self) -> Option<f64> {
        let ratios = self.ratios()?;
        let best = ratios
            .iter()
            .max_by(|one, other| one.1.total_cmp(&other.1))?;
        Some(best.0)
    }
}

fn told(delay: f64, ratios: &[(f64, f64)]) -> String {
    let low = ratios
        .iter()
        .map(|(_, ratio)| *ratio)
        .fold(f64::INFINITY, f64::min);
    let high = ratios.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
    format!(
        "SCTP / TCP at {delay} ms: {} to {}",
        shown(low),
        shown(high)
    )
}

fn no_loss(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for delay in LOSS_DELAYS {
        let ratios = Row::new(summary, 0.0, delay)?.ratios()?;
        parts.extend(ratios.iter().map(|(_, ratio)| (ratio - 1.0).abs() <= 0.05));
        ours.push(told(delay, &ratios));
    }
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why: "Without losses nothing waits for anything: the number of streams cannot matter, and \
              what is left between the two are slow start and headers (28 bytes a packet against \
              20)."
            .to_owned(),
    })
}

fn some_loss(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for delay in LOSS_DELAYS {
        let row = Row::new(summary, 5.0, delay)?;
        let ratios = row.ratios()?;
        let best = row.best()?;
        let low = ratios
            .iter()
            .map(|(_, ratio)| *ratio)
            .fold(f64::INFINITY, f64::min);
        let high = ratios.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max);
        parts.extend([high < 1.0, best == 6.0, high / low < 1.1]);
        ours.push(format!("{}, best at {best}", told(delay, &ratios)));
    }
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why: "All streams share one congestion window, so that a best number of streams is within \
              the noise of the seeds; where SCTP stands beside TCP is decided by the loss \
              recovery of the two."
            .to_owned(),
    })
}

fn much_loss(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    for delay in LOSS_DELAYS {
        let row = Row::new(summary, 10.0, delay)?;
        let (one, two, four) = (row.of(1.0)?, row.of(2.0)?, row.of(4.0)?);
        let above = |cell: &Cell, other: &Cell| Some(cell.against(other, "mbit_per_s")?.is_above());
        let best = row.best()?;
        parts.push(above(two, one)? && above(four, one)?);
        parts.push(above(two, row.tcp)? && above(four, row.tcp)?);
        parts.push(best == 2.0);
        ours.push(format!("{}, best at {best}", told(delay, &row.ratios()?)));
    }
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why: "As at 5 %: the streams share one congestion window, and a file is whole when its \
              last byte is there, on whatever stream."
            .to_owned(),
    })
}

fn blocking(summary: &Summary) -> Option<Judgement> {
    let (mut parts, mut ours) = (Vec::new(), Vec::new());
    let counts = summary.numbers(NAME, BLOCKING, "streams");
    let most = *counts.last()?;
    for loss in [5.0, 10.0] {
        let some = Settings::new().with("loss_percent", loss);
        let tcp = cell(summary, BLOCKING, &some.clone().with("transport", "tcp"))?;
        let sctp = some.with("transport", "sctp");
        let one = cell(summary, BLOCKING, &sctp.clone().with("streams", 1.0))?;
        let many = cell(summary, BLOCKING, &sctp.with("streams", most))?;
        parts.push(many.against(one, "delay_mean_s")?.is_below());
        let (slow, middle, fast) = (
            tcp.mean("delay_mean_s")?,
            one.mean("delay_mean_s")?,
            many.mean("delay_mean_s")?,
        );
        parts.push(middle <= slow);
        let ms = |seconds: f64| shown(seconds * 1000.0);
        ours.push(format!(
            "mean delay at {loss} %: TCP {} ms, 1 stream {} ms, {most} streams {} ms",
            ms(slow),
            ms(middle),
            ms(fast)
        ));
    }
    Some(Judgement {
        verdict: Verdict::of(&parts),
        ours: ours.join("; "),
        why: "A lost message holds back only those behind it on its own stream. What remains with \
              many streams is the delay of the lost messages themselves."
            .to_owned(),
    })
}
