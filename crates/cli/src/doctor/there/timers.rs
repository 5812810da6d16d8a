//! Checks that RTO.Min exceeds the peer's delay of acknowledgements.

use std::time::Duration;

use crate::doctor::check::{Check, State};

/// The usual SACK delay (RFC 9260 §6.2), also Linux's.
const USUAL_DELAY: Duration = Duration::from_millis(200);

/// The timers of both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timers {
    /// The profile of `rto_min`.
    pub profile: &'static str,
    /// RTO.Min of Sheave.
    pub rto_min: Duration,
    /// RTO.Min of the local kernel's SCTP, if present.
    pub kernel_rto_min: Option<Duration>,
    /// Round-trip time.
    pub rtt: Duration,
    /// The peer's measured SACK delay; `None` assumes the usual one.
    pub measured: Option<Duration>,
}

impl Timers {
    /// Reports a mismatch of the timers.
    pub fn check(&self) -> Check {
        let name = "Timers";
        let delay = self.measured.unwrap_or(USUAL_DELAY);
        let needed = delay + self.rtt;
        let millis = |span: Duration| span.as_millis();
        let of_peer = match self.measured {
            Some(delay) => format!(
                "the peer holds acknowledgements back for {} ms",
                millis(delay)
            ),
            None => format!(
                "peers hold acknowledgements back for {} ms as a rule",
                millis(delay)
            ),
        };
        let mut ours = format!(
            "RTO.Min {} ms (profile {})",
            millis(self.rto_min),
            self.profile
        );
        if let Some(kernel) = self.kernel_rto_min {
            ours.push_str(&format!(", {} ms in the kernel here", millis(kernel)));
        }
        let saw = format!(
            "{ours}; {of_peer}, after {} ms of round trip",
            millis(self.rtt)
        );
        let mut misfits = Vec::new();
        if self.rto_min < delay {
            misfits.push(format!("--rto-min {}ms", millis(needed) + 1));
        }
        if self.kernel_rto_min.is_some_and(|kernel| kernel < delay) {
            misfits.push(format!(
                "sudo sysctl net.sctp.rto_min={}",
                millis(needed) + 1
            ));
        }
        match misfits.is_empty() {
            true => Check::new(
                State::Ok,
                name,
                saw,
                "A delayed acknowledgement is no loss.",
            ),
            false => Check::new(
                State::Warn,
                name,
                saw,
                "A single message may be sent again before its acknowledgement can come, and the \
                 congestion window shrinks for nothing.",
            )
            .fix(format!(
                "{}, or a shorter SACK delay at the peer (--sack-delay, SCTP_DELAYED_SACK)",
                misfits.join(" and ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn timers(rto_min: u64, measured: Option<u64>) -> Timers {
        Timers {
            profile: "test",
            rto_min: ms(rto_min),
            kernel_rto_min: None,
            rtt: ms(10),
            measured: measured.map(ms),
        }
    }

    #[test]
    fn a_timeout_below_the_usual_delay_does_not_fit() {
        assert_eq!(timers(200, None).check().state, State::Ok);
        let check = timers(120, None).check();
        assert_eq!(check.state, State::Warn);
        assert!(check.fix.unwrap().starts_with("--rto-min 211ms"));
    }

    #[test]
    fn a_measured_delay_decides_over_the_usual_one() {
        assert_eq!(timers(120, Some(40)).check().state, State::Ok);
        assert_eq!(timers(200, Some(500)).check().state, State::Warn);
    }

    #[test]
    fn the_kernel_here_has_timers_of_its_own() {
        let timers = Timers {
            kernel_rto_min: Some(ms(50)),
            ..timers(1000, None)
        };
        let fix = timers.check().fix.unwrap();
        assert!(fix.starts_with("sudo sysctl net.sctp.rto_min=211"), "{fix}");
    }
}
