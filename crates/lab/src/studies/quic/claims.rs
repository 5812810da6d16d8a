use super::radio::{RADIO, SCTP_BBR};
use super::streams::{MANY, MEAN, STREAMS};
use super::{ALONE, NAME, QUIC, QUIC_BBR, SCTP, SHARED, TCP, versus};
use crate::estimate::extremes;
use crate::{Cell, Estimate, Evidence, Judgement, Rule, Settings, Summary};

/// Smallest ratio that counts as no worse: means within 1 % are a tie.
const EQUAL: f64 = 0.99;

pub(super) fn rules() -> Vec<Rule> {
    vec![
        Rule::new("QU-1", fair),
        Rule::new("QU-2", |summary| {
            let pairs = pairs(summary, SHARED, &rival(QUIC_BBR), [SCTP, TCP]);
            judged(&pairs, versus::SHARE, |sctp, tcp| {
                let (low, high) = versus::FAIR;
                let enough = sctp.exceeds(tcp, versus::SHARE, low)?;
                let little = tcp.exceeds(sctp, versus::SHARE, 1.0 / high)?;
                Some(Evidence::all(vec![enough, little]))
            })
        }),
        Rule::new("QU-3", |summary| earlier_than_tcp(summary, SCTP)),
        Rule::new("QU-4", |summary| earlier_than_tcp(summary, QUIC)),
        Rule::new("QU-5", |summary| {
            let pairs = pairs(summary, STREAMS, &many(), [SCTP, QUIC]);
            judged(&pairs, MEAN, |sctp, quic| {
                sctp.falls_short(quic, MEAN, 1.0 / EQUAL)
            })
        }),
        Rule::new("QU-6", |summary| {
            no_slower(&pairs(summary, RADIO, &Settings::new(), [SCTP, QUIC]))
        }),
        Rule::new("QU-10", |summary| {
            let sides = [SCTP_BBR, QUIC_BBR];
            no_slower(&pairs(summary, RADIO, &Settings::new(), sides))
        }),
        Rule::new("QU-7", |summary| {
            no_slower(&amount(summary, &["10 kB", "1 MB"]))
        }),
        Rule::new("QU-8", |summary| no_slower(&amount(summary, &["bulk"]))),
        Rule::new("QU-9", |summary| {
            let mut pairs = amount(summary, &["1 MB"]);
            pairs.retain(|(sctp, _)| sctp.settings.number("loss_percent") == 0.0);
            judged(&pairs, versus::BYTES, |sctp, quic| {
                sctp.is_below(quic, versus::BYTES)
            })
        }),
    ]
}

/// Two cells of the same network.
type Pair<'a> = (&'a Cell, &'a Cell);

/// The cells of two sides with those settings, for each network that both were run on.
fn pairs<'a>(
    summary: &'a Summary,
    experiment: &str,
    some: &Settings,
    [one, other]: [&str; 2],
) -> Vec<Pair<'a>> {
    let cells = summary.cells(NAME, experiment, &some.clone().with("side", one));
    let both = cells
        .into_iter()
        .filter_map(|cell| Some((cell, beside(summary, cell, other)?)));
    both.collect()
}

/// The cell of another side on the same network. TCP has one stream.
pub(super) fn beside<'a>(summary: &'a Summary, cell: &Cell, side: &str) -> Option<&'a Cell> {
    let mut same = cell.settings.clone().with("side", side);
    if side == TCP && cell.experiment == STREAMS {
        same = same.with("streams", 1_u16);
    }
    summary.cell(NAME, &cell.experiment, &same)
}

fn rival(name: &str) -> Settings {
    Settings::new().with("rival", name)
}

/// The streams that judge.
pub(super) fn many() -> Settings {
    Settings::new().with("streams", MANY)
}

/// SCTP and QUIC with those amounts.
fn amount<'a>(summary: &'a Summary, amounts: &[&str]) -> Vec<Pair<'a>> {
    let amounts = amounts.iter();
    let pairs = amounts.flat_map(|amount| {
        let some = Settings::new().with("amount", *amount);
        pairs(summary, ALONE, &some, [SCTP, QUIC])
    });
    pairs.collect()
}

fn judged(
    pairs: &[Pair<'_>],
    metric: &str,
    holds: impl Fn(&Cell, &Cell) -> Option<Evidence>,
) -> Option<Judgement> {
    let parts = pairs.iter().map(|(one, other)| holds(one, other));
    let parts: Vec<Evidence> = parts.collect::<Option<_>>()?;
    let ratios = pairs.iter().map(|(one, other)| one.ratio(other, metric));
    let ratios: Vec<Estimate> = ratios.collect::<Option<_>>()?;
    let (least, most) = extremes(&ratios)?;
    let whose = pairs.first()?.1.settings.text("side").to_uppercase();
    let networks = pairs.len();
    let ours = format!("{least} to {most} times {whose}'s, over {networks} networks");
    Some(Judgement::counted(parts, ours))
}

fn no_slower(pairs: &[Pair<'_>]) -> Option<Judgement> {
    judged(pairs, versus::RATE, |sctp, quic| {
        sctp.exceeds(quic, versus::RATE, EQUAL)
    })
}

fn earlier_than_tcp(summary: &Summary, side: &str) -> Option<Judgement> {
    let mut pairs = pairs(summary, STREAMS, &many(), [side, TCP]);
    pairs.retain(|(cell, _)| cell.settings.number("loss_percent") > 0.0);
    judged(&pairs, MEAN, |streams, tcp| streams.is_below(tcp, MEAN))
}

fn fair(summary: &Summary) -> Option<Judgement> {
    let cells = summary.cells(NAME, SHARED, &rival(QUIC).with("side", SCTP));
    let parts = cells
        .iter()
        .map(|cell| cell.within(versus::SHARE, versus::FAIR));
    let parts: Vec<Evidence> = parts.collect::<Option<_>>()?;
    let shares = cells.iter().map(|cell| cell.estimate(versus::SHARE));
    let shares: Vec<Estimate> = shares.collect::<Option<_>>()?;
    let (least, most) = extremes(&shares)?;
    let networks = shares.len();
    let ours = format!("{least} to {most} times QUIC's, over {networks} networks");
    Some(Judgement::counted(parts, ours))
}
