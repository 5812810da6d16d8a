use clap::{Args, ValueEnum};
use sheave::{ConcurrentTransfer, Coupling, Multipath, Options, PathScheduler};

/// Options of commands that may send on several paths at a time.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct MultipathArgs {
    /// Send new data on all paths at a time, those first whose turn it is
    #[arg(long, value_enum, value_name = "WHOSE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "lowest-rtt")]
    multipath: Option<SchedulerName>,

    /// How the windows of such paths grow together
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        requires = "multipath",
        hide_short_help = true
    )]
    coupling: Option<CouplingName>,
}

/// Which path with room is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SchedulerName {
    /// The one with the shortest round trip.
    LowestRtt,
    /// The one with the most room in its window.
    LargestWindow,
    /// One after the other.
    RoundRobin,
}

/// How congestion windows know of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CouplingName {
    /// Each for itself.
    Uncoupled,
    /// By shares of slow-start thresholds (CMT/RPv1).
    PooledThresholds,
    /// By shares of rates (CMT/RPv2).
    PooledRates,
    /// Linked increases (RFC 6356).
    LinkedIncreases,
}

impl MultipathArgs {
    pub(super) fn apply(&self, options: &mut Options) {
        let Some(scheduler) = self.multipath else {
            return;
        };
        let scheduler = match scheduler {
            SchedulerName::LowestRtt => PathScheduler::LowestRtt,
            SchedulerName::LargestWindow => PathScheduler::LargestWindow,
            SchedulerName::RoundRobin => PathScheduler::RoundRobin,
        };
        let coupling = match self.coupling {
            None | Some(CouplingName::Uncoupled) => Coupling::Uncoupled,
            Some(CouplingName::PooledThresholds) => Coupling::PooledThresholds,
            Some(CouplingName::PooledRates) => Coupling::PooledRates,
            Some(CouplingName::LinkedIncreases) => Coupling::LinkedIncreases,
        };
        options.multipath = Multipath::Concurrent(ConcurrentTransfer {
            scheduler,
            coupling,
            ..ConcurrentTransfer::default()
        });
    }
}
