//! The search for the paper's network.

use super::shown;
use crate::estimate::shown as number;
use crate::studies::failover::paper;
use crate::studies::failover::plan::Cross;
use crate::studies::failover::{NAME, SURFACE};
use crate::{Cell, Chart, Curve, Exhibit, Point, Settings, Summary, Table};

/// Rows of the table.
const NEAREST: usize = 15;

/// A network of the search, with its distance from the paper's standard column.
struct Network<'a> {
    standard: &'a Cell,
    always: &'a Cell,
    distance: f64,
}

impl Network<'_> {
    fn setting(&self, name: &str) -> f64 {
        self.standard.settings.number(name)
    }

    fn is(&self, cross: Cross) -> bool {
        self.standard.settings.include(&cross.settings())
    }

    /// The bursts of the network in words.
    fn bursts(&self) -> String {
        match (self.setting("on_ms"), self.setting("off_ms")) {
            (_, 0.0) => "no pauses".to_owned(),
            (on, off) => format!("{on} ms on, {off} ms off"),
        }
    }

    fn rate(&self) -> String {
        format!("{} Mb/s", self.setting("bottleneck_mbit"))
    }
}

/// The networks of the search, the nearest first.
fn networks(summary: &Summary) -> Vec<Network<'_>> {
    let standard = Settings::new().with("algorithm", "standard");
    let cells = summary.cells(NAME, SURFACE, &standard).into_iter();
    let mut networks: Vec<Network<'_>> = cells
        .filter_map(|standard| {
            let other = standard.settings.clone().with("algorithm", "always");
            Some(Network {
                standard,
                always: summary.cell(NAME, SURFACE, &other)?,
                distance: paper::distance(standard)?,
            })
        })
        .collect();
    networks.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    networks
}

pub(super) fn exhibits(summary: &Summary) -> Vec<Exhibit> {
    let networks = networks(summary);
    if networks.is_empty() {
        return Vec::new();
    }
    let found = Cross::found();
    let distance = |network: &Network<'_>| (network.distance, 0.0);
    let life = |of: fn(&Network<'_>) -> Option<crate::Estimate>| {
        move |network: &Network<'_>| {
            of(network).map_or((f64::NAN, 0.0), |life| (life.mean, life.drawn_half_width()))
        }
    };
    let standard = life(|network| network.standard.estimate("sender_life_s"));
    let always = life(|network| network.always.estimate("sender_life_s"));
    let same_bursts = |network: &&Network<'_>| same(network, found, &["on_ms", "off_ms"]);
    let same_rate = |network: &&Network<'_>| same(network, found, &["bottleneck_mbit"]);
    let both = |network: &&Network<'_>| same_bursts(network) && same_rate(network);
    let all = || networks.iter();
    let lives = chart(
        "Lifetime on the bottleneck and with the bursts that were found",
        "s",
    );
    let lives = curves(
        lives,
        all().filter(both),
        |_| "standard".to_owned(),
        standard,
    );
    let lives = curves(lives, all().filter(both), |_| "always".to_owned(), always);
    let rates = chart(
        "Distance of the standard algorithm from the paper's standard column, by bottleneck, with \
         the bursts that were found",
        "distance",
    );
    let bursts = chart(
        "The same by bursts, on the bottleneck that was found",
        "distance",
    );
    let ratios = chart(
        "Lifetime with `always` over that of the standard algorithm, by bottleneck, with the \
         bursts that were found",
        "ratio",
    );
    vec![
        Exhibit::Table(nearest(&networks)),
        Exhibit::Note(verdicts(&networks, found)),
        Exhibit::Chart(curves(
            rates,
            all().filter(same_bursts),
            Network::rate,
            distance,
        )),
        Exhibit::Chart(curves(
            bursts,
            all().filter(same_rate),
            Network::bursts,
            distance,
        )),
        Exhibit::Chart(lives),
        Exhibit::Chart(curves(
            ratios,
            all().filter(same_bursts),
            Network::rate,
            ratio,
        )),
    ]
}

fn same(network: &Network<'_>, found: Cross, names: &[&str]) -> bool {
    let found = found.settings();
    let mut names = names.iter();
    names.all(|name| network.setting(name) == found.number(name))
}

fn ratio(network: &Network<'_>) -> (f64, f64) {
    let paired = network.always.against(network.standard, "sender_life_s");
    let mean = network.standard.mean("sender_life_s");
    match (paired, mean) {
        (Some(paired), Some(mean)) if mean > 0.0 => {
            (paired.ratio, paired.difference.drawn_half_width() / mean)
        }
        _ => (f64::NAN, 0.0),
    }
}

fn chart(title: &str, y: &str) -> Chart {
    let chart = Chart::new(title, "cross traffic over bottleneck, while it is on", y);
    chart.with_runs(SURFACE, &[])
}

/// Draws a curve for each name, over the load.
fn curves<'a>(
    mut chart: Chart,
    networks: impl Iterator<Item = &'a Network<'a>>,
    name: impl Fn(&Network<'a>) -> String,
    value: impl Fn(&Network<'a>) -> (f64, f64),
) -> Chart {
    let mut sorted: Vec<&Network<'a>> = networks.collect();
    let key = |network: &Network<'_>| {
        ["bottleneck_mbit", "on_ms", "off_ms", "burst_load"].map(|name| network.setting(name))
    };
    sorted.sort_by(|one, other| {
        key(one)
            .partial_cmp(&key(other))
            .unwrap_or(core::cmp::Ordering::Equal)
    });
    let mut curve = Curve::new(String::new(), Vec::new());
    for network in sorted {
        if curve.name != name(network) {
            chart.push(core::mem::replace(
                &mut curve,
                Curve::new(name(network), Vec::new()),
            ));
        }
        let (y, half_width) = value(network);
        if y.is_finite() {
            curve.points.push(Point {
                x: network.setting("burst_load"),
                y,
                half_width,
            });
        }
    }
    chart.push(curve);
    chart
}

fn nearest(networks: &[Network<'_>]) -> Table {
    let head = [
        "bottleneck (Mb/s)",
        "load",
        "bursts",
        "distance",
        "lifetime (s)",
        "again (bytes)",
        "cwnd, mean",
        "RTO, mean (s)",
        "RTT, mean (s)",
        "delay, mean (s)",
        "lifetime with `always` (s)",
    ];
    let title = format!(
        "The search: the standard algorithm on {} networks, those {NEAREST} that come nearest to \
         the paper's standard column (distance: the factor between the two in lifetime, \
         retransmitted bytes, and mean cwnd, RTO, RTT and delay, on the geometric average, less \
         1). The modified algorithm has no say in it",
        networks.len()
    );
    let mut table = Table::new(&title, &head).with_runs(SURFACE, &[]);
    for network in networks.iter().take(NEAREST) {
        let mut row = vec![
            network.setting("bottleneck_mbit").to_string(),
            network.setting("burst_load").to_string(),
            network.bursts(),
            number(network.distance),
        ];
        let metrics = [
            "sender_life_s",
            "again_bytes",
            "cwnd_mean",
            "rto_s_mean",
            "rtt_s_mean",
            "delay_s_mean",
        ];
        row.extend(metrics.map(|metric| shown(Some(network.standard), metric)));
        row.push(shown(Some(network.always), "sender_life_s"));
        table.push(row);
    }
    table
}

/// Describes how the verdict depends on the network.
fn verdicts(networks: &[Network<'_>], found: Cross) -> String {
    let (mut shorter, mut longer) = (0, 0);
    for network in networks {
        let paired = network.always.against(network.standard, "sender_life_s");
        shorter += usize::from(paired.is_some_and(|paired| paired.is_below()));
        longer += usize::from(paired.is_some_and(|paired| paired.is_above()));
    }
    let all = networks.len();
    let open = all - shorter - longer;
    let place = networks.iter().position(|network| network.is(found));
    let place = place.map_or_else(
        || "is not among them".to_owned(),
        |place| {
            format!(
                "is number {} of them by distance ({})",
                place + 1,
                number(networks[place].distance)
            )
        },
    );
    format!(
        "How the verdict depends on the network: of {all} networks, `always` shortens the \
         association's life beyond doubt on {shorter} and lengthens it on {longer}; on {open} the \
         seeds do not decide. With this many networks and 95 % intervals some {:.0} on either \
         side are chance. The network that the comparison uses {place}.",
        all as f64 * 0.025
    )
}
