use crate::{Run, Settings};

/// The extent of the experiments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Every experiment with coarse sweeps, and more seeds for undecided claims: takes minutes.
    #[default]
    Quick,
    /// Every experiment with full sweeps.
    Full,
}

/// The effort for a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effort {
    /// Width of the sweeps.
    pub extent: Extent,
    /// Initial number of seeds per setting; `None` leaves it to the extent.
    pub seeds: Option<u32>,
    /// The seeds start after this number; a different one gives different samples.
    pub after: u64,
}

impl Effort {
    /// The initial seeds of each setting: 10 in the full extent, else 6.
    pub fn seeds(self) -> impl Iterator<Item = u64> + Clone {
        let usual = self.choose(6, 10);
        self.seeded(u64::from(self.seeds.unwrap_or(usual)))
    }

    /// The rounds of live runs, in which variants take turns: one per seed, but at most 5 in the
    /// quick extent.
    pub fn rounds(self) -> impl Iterator<Item = u64> + Clone {
        let most = self.choose(5, usize::MAX);
        self.seeds().take(most)
    }

    /// The first `count` seeds.
    pub fn seeded(self, count: u64) -> impl Iterator<Item = u64> + Clone {
        self.after + 1..=self.after + count
    }

    /// The runs of an experiment of a study with these settings, one per seed.
    pub(crate) fn runs(
        self,
        study: &str,
        experiment: &str,
        settings: Settings,
    ) -> impl Iterator<Item = Run> {
        let seeds = self.seeds();
        seeds.map(move |seed| Run::new(study, experiment, settings.clone(), seed))
    }

    /// Chooses a value by extent.
    #[must_use]
    pub fn choose<T>(self, quick: T, full: T) -> T {
        match self.extent {
            Extent::Quick => quick,
            Extent::Full => full,
        }
    }
}
