//! Gap in delivery when one of two paths is cut.
//!
//! Uses two network namespaces, two emulated links, and a connection between real sockets. During a
//! transfer, a link silently starts to drop packets in one or both directions, or its interface
//! goes down. Measures the longest time between two deliveries from the cut on.

mod association;
mod cut;
mod rival;
mod trial;

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;
use sheave::options::{ConcurrentTransfer, Multipath};
use sheave::{Options, Profile};
use sheave_measure::{Report, Row, Spread, Table};
use sheave_sim::Random;

use self::association::Pair;
use self::cut::Cut;
pub use self::rival::Rival;
use self::trial::{Flow, GIVEN_UP, Outcome, Traffic, Trial};
use super::network::Network;
use super::{BenchArgs, Beside, Session};
use crate::failure::{Failure, While};

/// Links between the two networks.
const LINKS: u8 = 2;

/// Flags of `sheave bench failover`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Failover")]
pub struct CutArgs {
    /// failover: cuts in all, spread evenly over the cases
    #[arg(long, value_name = "N", default_value_t = 120)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    cuts: u32,

    /// failover: only these profiles, by comma or repeated
    #[arg(long, value_parser = profiles(), value_name = "NAME", value_delimiter = ',')]
    profile: Vec<Profile>,

    /// failover: only these kinds of cut, by comma or repeated
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    kind: Vec<Cut>,

    /// failover: one-way delays of the links, milliseconds, by comma or repeated
    #[arg(long, value_name = "MS", value_delimiter = ',', default_values_t = [0, 5, 25])]
    #[arg(value_parser = clap::value_parser!(u64).range(..=1000))]
    delay: Vec<u64>,

    /// failover: fail if a goal is missed or an association is lost
    #[arg(long)]
    check: bool,

    /// failover: seed of the times and kinds of cuts
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// The profiles to which the goal applies.
const PROFILES: [Profile; 3] = [Profile::Modern, Profile::Telecom, Profile::Datacenter];

fn profiles() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(PROFILES.map(Profile::name)).try_map(|name| name.parse::<Profile>())
}

/// The kind of connection that sends the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contender {
    /// An association that sends on its primary path.
    Association(Profile),
    /// An association that sends on both paths.
    Multipath(Profile),
    Rival(Rival),
}

/// A table row.
struct FailoverCase {
    contender: Contender,
    traffic: Traffic,
    delay: Duration,
    /// Longest gap of each cut, seconds.
    gaps: Vec<f64>,
    /// Maximum gap allowed by the goal, for each cut that has one, seconds.
    goals: Vec<f64>,
    /// Number of gaps beyond their goal.
    late: usize,
    lost: usize,
}

impl Contender {
    fn name(self) -> String {
        match self {
            Self::Association(profile) => profile.name().to_owned(),
            Self::Multipath(profile) => format!("{} --multipath", profile.name()),
            Self::Rival(rival) => rival.name().to_owned(),
        }
    }

    fn connect(self, network: &Network) -> Result<Box<dyn Flow>, Failure> {
        let options = match self {
            Self::Rival(rival) => return rival.connect(network),
            Self::Association(profile) => profile.options(),
            Self::Multipath(profile) => Options {
                multipath: Multipath::Concurrent(ConcurrentTransfer::default()),
                ..profile.options()
            },
        };
        Ok(Box::new(Pair::connect(network, &options)?))
    }

    /// The link to cut: the one that carries the data, or a random one if both do.
    fn link(self, draw: &mut Random) -> usize {
        match self {
            Self::Association(_) | Self::Rival(Rival::Tcp | Rival::Quinn) => 0,
            Self::Multipath(_) | Self::Rival(_) => usize::from(draw.below(2) == 1),
        }
    }
}

impl FailoverCase {
    fn new(contender: Contender, traffic: Traffic, delay: u64) -> Self {
        Self {
            contender,
            traffic,
            delay: Duration::from_millis(delay),
            gaps: Vec::new(),
            goals: Vec::new(),
            late: 0,
            lost: 0,
        }
    }

    fn name(&self) -> String {
        format!("{}, {}", self.contender.name(), self.traffic.name())
    }

    /// Number of cuts so far, including those that lost the connection.
    fn cuts(&self) -> usize {
        self.gaps.len() + self.lost
    }

    fn note(&mut self, outcome: &Outcome) {
        let (gap, round_trip) = match outcome {
            Outcome::Resumed { gap, round_trip } => (gap.as_secs_f64(), *round_trip),
            Outcome::Lost { .. } => {
                self.lost += 1;
                return;
            }
        };
        self.gaps.push(gap);
        if let Some(goal) = round_trip.map(goal) {
            self.goals.push(goal);
            self.late += usize::from(gap > goal);
        }
    }

    /// Number of cuts that missed the goal, if one applies; a lost connection counts as missed.
    fn missed(&self) -> Option<usize> {
        let judged = !matches!(self.contender, Contender::Rival(_));
        judged.then_some(self.late + self.lost)
    }

    /// 95th percentile of the gaps, seconds.
    fn p95(&self) -> f64 {
        let mut gaps = self.gaps.clone();
        gaps.sort_by(f64::total_cmp);
        let at = (gaps.len() * 95).div_ceil(100);
        gaps.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
    }

    fn row(&self) -> Row {
        let spread = Spread::of(self.gaps.iter().copied());
        let goal = Spread::of(self.goals.iter().copied()).median;
        let millis = |seconds: f64| match seconds.is_nan() {
            true => "-".to_owned(),
            false => format!("{:.0}", seconds * 1e3),
        };
        let missed = self.missed();
        Row::new()
            .field("what", self.contender.name())
            .field("traffic", self.traffic.name())
            .cell("what", self.name())
            .field("delay_seconds", self.delay.as_secs_f64())
            .cell("delay", self.delay.as_millis())
            .count("cuts", "cuts", self.cuts())
            .field("gap_seconds", spread)
            .cell("min", millis(spread.min))
            .cell("median", millis(spread.median))
            .field("gap_p95_seconds", self.p95())
            .cell("p95", millis(self.p95()))
            .cell("max", millis(spread.max))
            .field("goal_seconds", goal)
            .cell("goal", millis(goal))
            .field("missed", missed)
            .cell(
                "missed",
                missed.map_or_else(|| "-".to_owned(), |missed| missed.to_string()),
            )
            .count("lost", "lost", self.lost)
    }
}

/// Maximum gap by the goal, seconds: three round trips plus 20 ms.
fn goal(round_trip: Duration) -> f64 {
    (round_trip * 3 + Duration::from_millis(20)).as_secs_f64()
}

/// Measures all cases, including the rivals'.
/// Errors: Root or the programs `ip` and `nft` are missing.
pub fn run(args: &BenchArgs, session: &Session<'_>) -> Result<(), Failure> {
    let Session {
        report, interrupts, ..
    } = session;
    let rivals = args.beside.iter().filter_map(|beside| match beside {
        Beside::Rival(rival) => Some(*rival),
        Beside::Messages(_) => None,
    });
    let rivals: Vec<Rival> = rivals.collect();
    let args = &args.cuts;
    let networks = networks(&args.delay)?;
    let mut cases = cases(args, &present(&rivals, report));
    let mut draw = Random::new(args.seed);
    let kinds = match args.kind.as_slice() {
        [] => &Cut::ALL,
        given => given,
    };
    let count = usize::try_from(args.cuts).unwrap_or(usize::MAX);
    let turns = (0..cases.len()).cycle().take(count);
    for (number, at) in turns.enumerate() {
        let case = &mut cases[at];
        if interrupts.exit().is_some() {
            break;
        }
        report.progress(&format!("cut {} of {count}: {}", number + 1, case.name()));
        let network = &networks[&case.delay];
        let trial = trial(case, kinds, &mut draw);
        let flow = case.contender.connect(network)?;
        let outcome = trial.run(network, &*flow, interrupts);
        let Some(outcome) = outcome.while_doing(format!("cut {}", number + 1))? else {
            break;
        };
        tell(report, case, &trial, &outcome, number + 1)?;
        case.note(&outcome);
    }
    print(report, &cases);
    let missed: usize = cases.iter().filter_map(FailoverCase::missed).sum();
    match args.check && missed > 0 {
        true => Err(Failure::new(format!("{missed} cuts missed the goal"))),
        false => Ok(()),
    }
}

/// Creates two namespaces with two links for each delay.
fn networks(delays: &[u64]) -> Result<BTreeMap<Duration, Network>, Failure> {
    let made = delays.iter().map(|delay| {
        let delay = Duration::from_millis(*delay);
        let network = Network::emulated(LINKS, delay)?;
        Cut::prepare(&network)?;
        Ok((delay, network))
    });
    let made: std::io::Result<_> = made.collect();
    let made = made.while_doing("cannot make two networks with two links");
    made.map_err(|failure| {
        failure.fix("this needs root and the programs ip (iproute2) and nft (nftables)")
    })
}

/// The rivals available here; prints a line for each other one.
fn present(rivals: &[Rival], report: &Report) -> Vec<Rival> {
    let mut present = Vec::new();
    for &rival in rivals {
        report.progress(&format!("preparing {}", rival.name()));
        match rival.prepare() {
            Ok(()) => present.push(rival),
            Err(why) => report.note("left out", &format!("{} left out: {why}", rival.name())),
        }
    }
    present
}

fn cases(args: &CutArgs, rivals: &[Rival]) -> Vec<FailoverCase> {
    let profiles = match args.profile.as_slice() {
        [] => PROFILES.to_vec(),
        given => given.to_vec(),
    };
    let ours = profiles.into_iter().flat_map(|profile| {
        [
            Contender::Association(profile),
            Contender::Multipath(profile),
        ]
    });
    let contenders: Vec<Contender> = ours
        .chain(rivals.iter().map(|rival| Contender::Rival(*rival)))
        .collect();
    let mut cases = Vec::new();
    for traffic in Traffic::ALL {
        for &delay in &args.delay {
            let each = contenders.iter();
            cases.extend(each.map(|contender| FailoverCase::new(*contender, traffic, delay)));
        }
    }
    cases
}

/// The next trial of a case; the kinds of cut take turns.
fn trial(case: &FailoverCase, kinds: &[Cut], draw: &mut Random) -> Trial {
    Trial {
        traffic: case.traffic,
        before: Duration::from_millis(300 + draw.below(500)),
        link: case.contender.link(draw),
        cut: kinds[case.cuts() % kinds.len()],
    }
}

/// Records a cut as a sample; prints a failed one at once.
fn tell(
    report: &Report,
    case: &FailoverCase,
    trial: &Trial,
    outcome: &Outcome,
    number: usize,
) -> Result<(), Failure> {
    let (gap, goal, lost) = match outcome {
        Outcome::Resumed { gap, round_trip } => {
            (Some(gap.as_secs_f64()), round_trip.map(goal), None)
        }
        Outcome::Lost { why } => (None, None, Some(why)),
    };
    let cut = trial.cut.name();
    if let Some(why) = lost {
        let name = case.name();
        report.note("lost", &format!("cut {number}, {name}, {cut}: lost: {why}"));
    }
    let noted = report.sample(
        "failover",
        json!({
            "cut": number,
            "what": case.contender.name(),
            "traffic": case.traffic.name(),
            "delay_seconds": case.delay.as_secs_f64(),
            "link": trial.link,
            "kind": cut,
            "gap_seconds": gap,
            "goal_seconds": goal,
            "lost": lost,
        }),
    );
    noted.while_doing("cannot note a sample")
}

fn print(report: &Report, cases: &[FailoverCase]) {
    let mut table = Table::new(format!(
        "failover: longest gap at the receiver after one of two links of 20 Mbit/s died, ms; goal: 3 \
         round trips under load and 20 ms; lost: ended, or nothing for {} s",
        GIVEN_UP.as_secs()
    ));
    let cut = cases.iter().filter(|case| case.cuts() > 0);
    cut.for_each(|case| table.push(case.row()));
    report.print(&table);
}
