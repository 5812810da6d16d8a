use std::time::{Duration, Instant};

/// Virtual time of one turn of [`Pair::carry`](super::Pair::carry) where packets take none.
const TURN: Duration = Duration::from_micros(10);
/// The same where packets take a time of their own, which it should not add to.
const FINE_TURN: Duration = Duration::from_nanos(10);

/// Virtual time, the same for all stacks.
#[derive(Debug)]
pub struct Clock {
    origin: Instant,
    passed: Duration,
    turn: Duration,
}

impl Clock {
    /// A clock that stands at its origin.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two clocks are equal")]
    pub fn new() -> Self {
        Self {
            origin: Instant::now(),
            passed: Duration::ZERO,
            turn: TURN,
        }
    }

    /// Lets turns take ten nanoseconds from here on.
    pub const fn refine(&mut self) {
        self.turn = FINE_TURN;
    }

    /// Time since the origin.
    #[must_use]
    pub const fn passed(&self) -> Duration {
        self.passed
    }

    /// The same as an instant, for stacks that want one.
    #[must_use]
    pub fn instant(&self) -> Instant {
        self.origin + self.passed
    }

    /// Time from the origin to `instant`.
    #[must_use]
    pub fn since_origin(&self, instant: Instant) -> Duration {
        instant.saturating_duration_since(self.origin)
    }

    /// Moves on by one turn.
    pub fn turn(&mut self) {
        self.passed += self.turn;
    }

    /// Moves on to `passed`, by one turn at least.
    pub fn skip_to(&mut self, passed: Duration) {
        self.turn();
        self.passed = self.passed.max(passed);
    }
}
