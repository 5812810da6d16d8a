use std::time::{Duration, Instant};

/// Virtual time per turn of [`Pair::carry`](super::Pair::carry) if packets have no delay.
const TURN: Duration = Duration::from_micros(10);
/// Virtual time per turn if packets have a delay, which a turn should not lengthen.
const FINE_TURN: Duration = Duration::from_nanos(10);

/// Virtual time, the same for all stacks.
#[derive(Debug)]
pub struct Clock {
    origin: Instant,
    passed: Duration,
    turn: Duration,
}

impl Clock {
    /// Creates a clock at its origin.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two clocks are equal")]
    pub fn new() -> Self {
        Self {
            origin: Instant::now(),
            passed: Duration::ZERO,
            turn: TURN,
        }
    }

    /// Shortens turns to 10 ns.
    pub const fn refine(&mut self) {
        self.turn = FINE_TURN;
    }

    /// Time since the origin.
    pub const fn passed(&self) -> Duration {
        self.passed
    }

    /// Current virtual time as an `Instant`, for stacks that need one.
    pub fn instant(&self) -> Instant {
        self.origin + self.passed
    }

    /// Time from the origin to `instant`.
    pub fn since_origin(&self, instant: Instant) -> Duration {
        instant.saturating_duration_since(self.origin)
    }

    /// Advances by one turn.
    pub fn turn(&mut self) {
        self.passed += self.turn;
    }

    /// Advances to `passed`, by at least one turn.
    pub fn skip_to(&mut self, passed: Duration) {
        self.turn();
        self.passed = self.passed.max(passed);
    }
}
