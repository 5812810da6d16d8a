//! The time for which delivery stands still when one of two paths is cut.
//!
//! Two networks of our own, two Ethernet links between them, two endpoints on real sockets. While data
//! flows one link begins to lose what goes into it, in one direction or both, without a word to either
//! end. Measured is the longest time between two deliveries from the cut on.

mod cut;
mod trial;

use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use sheave::options::{ConcurrentTransfer, Multipath};
use sheave::{Options, Profile};
use sheave_measure::Spread;

use self::cut::{Cut, Direction};
use self::trial::{Outcome, Traffic, Trial};
use super::network::Network;
use super::report::{Report, Rows, column, fields};
use super::stage::Offloads;
use crate::failure::{Exit, Failure, While};
use crate::interrupt::Interrupts;

/// Links between the two networks.
const LINKS: u8 = 2;

/// The flags of `sheave bench failover`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Failover")]
pub struct CutArgs {
    /// failover: cuts in all, spread evenly over the cases
    #[arg(long, value_name = "N", default_value_t = 48)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    cuts: u32,

    /// failover: only these profiles, by comma or repeated
    #[arg(long, value_enum, value_name = "NAME", value_delimiter = ',')]
    profile: Vec<Named>,

    /// failover: fail if a goal is missed or an association is lost
    #[arg(long)]
    check: bool,

    /// failover: what the moments and directions of the cuts are drawn from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// A profile that has a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Named {
    Modern,
    Telecom,
    Datacenter,
}

/// The paths that carry data at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The primary path.
    One,
    /// Both.
    All,
}

/// A line of the table.
struct FailoverCase {
    profile: Named,
    paths: Use,
    traffic: Traffic,
    /// The longest gap of each cut, seconds.
    gaps: Vec<f64>,
    lost: u32,
}

impl Named {
    const ALL: [Self; 3] = [Self::Modern, Self::Telecom, Self::Datacenter];

    const fn name(self) -> &'static str {
        match self {
            Self::Modern => "modern",
            Self::Telecom => "telecom",
            Self::Datacenter => "datacenter",
        }
    }

    /// The longest gap that is good enough.
    const fn goal(self) -> Duration {
        Duration::from_millis(match self {
            Self::Modern => 600,
            Self::Telecom => 400,
            Self::Datacenter => 150,
        })
    }

    fn options(self) -> Options {
        match self {
            Self::Modern => Profile::Modern,
            Self::Telecom => Profile::Telecom,
            Self::Datacenter => Profile::Datacenter,
        }
        .options()
    }
}

impl FailoverCase {
    fn new(profile: Named, paths: Use, traffic: Traffic) -> Self {
        Self {
            profile,
            paths,
            traffic,
            gaps: Vec::new(),
            lost: 0,
        }
    }

    fn name(&self) -> String {
        let paths = match self.paths {
            Use::One => "",
            Use::All => " --multipath",
        };
        format!("{}{paths}, {}", self.profile.name(), self.traffic.name())
    }

    fn options(&self) -> Options {
        let mut options = self.profile.options();
        if self.paths == Use::All {
            options.multipath = Multipath::Concurrent(ConcurrentTransfer::default());
        }
        options
    }

    /// Cuts so far, with those that lost their association.
    fn cuts(&self) -> usize {
        self.gaps.len() + usize::try_from(self.lost).unwrap_or(usize::MAX)
    }

    /// Cuts beyond the goal; an association that was lost is one.
    fn missed(&self) -> usize {
        let goal = self.profile.goal().as_secs_f64();
        let late = self.gaps.iter().filter(|gap| **gap > goal).count();
        late + usize::try_from(self.lost).unwrap_or(usize::MAX)
    }

    fn note(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Resumed { gap } => self.gaps.push(gap.as_secs_f64()),
            Outcome::Lost { .. } => self.lost += 1,
        }
    }

    fn row(&self, table: &mut Rows) {
        let spread = Spread::of(self.gaps.iter().copied());
        let millis = |seconds: f64| match seconds.is_nan() {
            true => "-".to_owned(),
            false => format!("{:.0}", seconds * 1e3),
        };
        let goal = self.profile.goal();
        let cells = vec![
            self.name(),
            self.gaps.len().to_string(),
            millis(spread.min),
            millis(spread.median),
            millis(spread.max),
            goal.as_millis().to_string(),
            self.missed().to_string(),
            self.lost.to_string(),
        ];
        table.row(self.fields(spread), cells);
    }

    fn fields(&self, spread: Spread) -> Value {
        json!({
            "profile": self.profile.name(),
            "multipath": self.paths == Use::All,
            "traffic": self.traffic.name(),
            "cuts": self.gaps.len(),
            "gap_seconds": fields(spread),
            "goal_seconds": self.profile.goal().as_secs_f64(),
            "missed": self.missed(),
            "lost": self.lost,
        })
    }
}

/// Runs the section.
///
/// # Errors
/// Without root, or without the programs `ip` and `nft`.
pub fn run(args: &CutArgs, report: &Report, interrupts: &Interrupts) -> Result<Exit, Failure> {
    let network = Network::new(LINKS, Offloads::On);
    let network = network.and_then(|network| Cut::prepare(&network).map(|()| network));
    let network = network.map_err(|error| {
        Failure::new(format!("cannot make two networks with two links: {error}"))
            .fix("this needs root and the programs ip (iproute2) and nft (nftables)")
    })?;
    let profiles = match args.profile.as_slice() {
        [] => Named::ALL.to_vec(),
        given => given.to_vec(),
    };
    let mut cases = cases(&profiles);
    let mut draw = Draw(args.seed);
    let count = usize::try_from(args.cuts).unwrap_or(usize::MAX);
    let turns = (0..cases.len()).cycle().take(count);
    for (number, at) in turns.enumerate() {
        let Some(case) = cases.get_mut(at) else { break };
        if interrupts.exit().is_some() {
            break;
        }
        report.progress(&format!("cut {} of {count}: {}", number + 1, case.name()));
        let trial = trial(case, &mut draw);
        let outcome = trial.run(&network, interrupts);
        let Some(outcome) = outcome.while_doing(format!("cut {}", number + 1))? else {
            break;
        };
        tell(report, case, &trial, &outcome, number + 1)?;
        case.note(&outcome);
    }
    print(report, &cases);
    let missed: usize = cases.iter().map(FailoverCase::missed).sum();
    let made: usize = cases.iter().map(FailoverCase::cuts).sum();
    match args.check && missed > 0 {
        true => Err(Failure::new(format!(
            "{missed} of {made} cuts missed the goal"
        ))),
        false => Ok(Exit::Success),
    }
}

fn cases(profiles: &[Named]) -> Vec<FailoverCase> {
    let mut cases = Vec::new();
    for &profile in profiles {
        for paths in [Use::One, Use::All] {
            for traffic in [Traffic::Bulk, Traffic::Requests] {
                cases.push(FailoverCase::new(profile, paths, traffic));
            }
        }
    }
    cases
}

/// The next cut of a case. Where one path carries the data, that one is cut.
fn trial(case: &FailoverCase, draw: &mut Draw) -> Trial {
    Trial {
        options: case.options(),
        traffic: case.traffic,
        before: Duration::from_millis(100 + draw.below(400)),
        link: match case.paths {
            Use::One => 0,
            Use::All => usize::try_from(draw.below(2)).unwrap_or(0),
        },
        direction: match draw.below(3) {
            0 => Direction::There,
            1 => Direction::Back,
            _ => Direction::Both,
        },
    }
}

/// Notes a cut as a sample; one that went wrong is told at once.
fn tell(
    report: &Report,
    case: &FailoverCase,
    trial: &Trial,
    outcome: &Outcome,
    number: usize,
) -> Result<(), Failure> {
    let (gap, lost) = match outcome {
        Outcome::Resumed { gap } => (Some(gap.as_secs_f64()), None),
        Outcome::Lost { why } => (None, Some(why)),
    };
    let direction = trial.direction.name();
    if let Some(why) = lost {
        let name = case.name();
        let text = format!("cut {number}, {name}, {direction}: association lost: {why}");
        report.note("lost", &text);
    }
    report.sample(
        "failover",
        json!({
            "cut": number,
            "profile": case.profile.name(),
            "multipath": case.paths == Use::All,
            "traffic": case.traffic.name(),
            "link": trial.link,
            "direction": direction,
            "gap_seconds": gap,
            "lost": lost,
        }),
    )
}

fn print(report: &Report, cases: &[FailoverCase]) {
    let names = [
        "what", "cuts", "min", "median", "max", "goal", "missed", "lost",
    ];
    let mut table = report.table(
        "failover: longest gap in delivery after one of two paths is cut, ms",
        &names.map(column),
    );
    for case in cases.iter().filter(|case| case.cuts() > 0) {
        case.row(&mut table);
    }
    table.print();
}

/// Random numbers for the moments of cuts (SplitMix64).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }
}
