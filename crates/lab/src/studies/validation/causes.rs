//! Known causes of differences between the two simulators, explained in `docs/validation.md`.

use super::pairs::{NEAR, Pair};
use super::{BULK, GILBERT, SCTP, TCP};
use crate::Estimate;

/// The cause of a difference of more than 5 %; empty for smaller ones. `ratio` has the displayed
/// interval.
pub(super) fn cause(pair: &Pair<'_>, ratio: Estimate) -> &'static str {
    if (ratio.mean - 1.0).abs() <= NEAR {
        return "";
    }
    match (pair.experiment, pair.transport) {
        (BULK, SCTP) if pair.at < 1.0 => LATE_SACK,
        (BULK | GILBERT, SCTP) => LASTING_RECOVERY,
        (BULK, TCP) if pair.at >= 2.0 => SMALL_WINDOWS,
        (GILBERT, TCP) => HALVED_AGAIN,
        _ if (ratio.mean - 1.0).abs() - ratio.drawn_half_width() <= NEAR => {
            "none: chance is enough"
        }
        _ => "not known",
    }
}

const LATE_SACK: &str = "ns-2 delays the SACK of the chunk that fills the last gap, by 200 ms where \
                         nothing else is in flight";
const LASTING_RECOVERY: &str = "in ns-2 a timeout does not end fast recovery: the window stays one \
                                packet until all that was outstanding is acknowledged";
const SMALL_WINDOWS: &str = "ns-2 halves a window to less than two segments, RFC 5681 §3.1 to no \
                             less: with one packet in flight a loss takes a timeout, and an \
                             acknowledgement comes 200 ms late";
const HALVED_AGAIN: &str = "ns-2 halves ssthresh from the window at every timeout, also in recovery \
                            and when the timer expires again; RFC 5681 halves what is in flight, once";
