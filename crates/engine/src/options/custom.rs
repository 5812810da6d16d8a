use alloc::vec::Vec;

use super::Options;
use crate::{
    AcknowledgementPolicy, CongestionAlgorithm, CustomAcknowledgement, CustomCongestion,
    CustomScheduler, OptionError, StreamScheduler,
};

/// User-defined policies that options in text form may name.
///
/// A user-defined name takes precedence over an equal built-in one.
///
/// ```
/// use sheave_engine::{CongestionAlgorithm, CustomCongestion, CustomPolicies, NewReno, Options};
///
/// let mine = CustomCongestion {
///     name: "mine",
///     signals: Default::default(),
///     make: |path| Box::new(NewReno::new(path.pmdcs, path.rules, path.initial)),
/// };
/// let policies = CustomPolicies::default().with_congestion(mine);
/// let mut options = Options::default();
/// policies.apply(&mut options, &[("congestion", "mine"), ("rto_min", "100 ms")])?;
/// assert_eq!(options.congestion, CongestionAlgorithm::Custom(mine));
/// # Ok::<(), sheave_engine::OptionError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CustomPolicies {
    congestion: Vec<CustomCongestion>,
    acknowledgements: Vec<CustomAcknowledgement>,
    schedulers: Vec<CustomScheduler>,
}

impl CustomPolicies {
    /// Adds a congestion control, selectable by the option `congestion`.
    #[must_use]
    pub fn with_congestion(mut self, custom: CustomCongestion) -> Self {
        self.congestion.push(custom);
        self
    }

    /// Adds an acknowledgement policy, selectable by the option `acknowledgement_policy`.
    #[must_use]
    pub fn with_acknowledgement(mut self, custom: CustomAcknowledgement) -> Self {
        self.acknowledgements.push(custom);
        self
    }

    /// Adds a stream scheduler, selectable by the option `scheduler`.
    #[must_use]
    pub fn with_scheduler(mut self, custom: CustomScheduler) -> Self {
        self.schedulers.push(custom);
        self
    }

    /// Sets several options as [`Options::apply`] does; values may name these policies.
    ///
    /// # Errors
    /// The first option that cannot be set, or that conflicts with another.
    pub fn apply(&self, options: &mut Options, given: &[(&str, &str)]) -> Result<(), OptionError> {
        let mut built_in = Vec::with_capacity(given.len());
        for (name, value) in given {
            if !self.choose(options, name, value.trim()) {
                built_in.push((*name, *value));
            }
        }
        options.apply(&built_in)
    }

    /// Sets an option to a user-defined policy; returns whether one of that name exists.
    fn choose(&self, options: &mut Options, option: &str, name: &str) -> bool {
        match option {
            "congestion" => {
                let custom = self.congestion.iter().find(|custom| custom.name == name);
                let custom = custom.copied().map(CongestionAlgorithm::Custom);
                replace(&mut options.congestion, custom)
            }
            "acknowledgement_policy" => {
                let mut all = self.acknowledgements.iter();
                let custom = all.find(|custom| custom.name == name);
                let custom = custom.copied().map(AcknowledgementPolicy::Custom);
                replace(&mut options.acknowledgement_policy, custom)
            }
            "scheduler" => {
                let custom = self.schedulers.iter().find(|custom| custom.name == name);
                let custom = custom.copied().map(StreamScheduler::Custom);
                replace(&mut options.scheduler, custom)
            }
            _ => false,
        }
    }
}

fn replace<T>(place: &mut T, value: Option<T>) -> bool {
    let found = value.is_some();
    if let Some(value) = value {
        *place = value;
    }
    found
}

#[cfg(test)]
mod tests;
