//! Sheave and sctp-proto, in virtual time: its own SHUTDOWN acknowledges TSNs at random.

use std::time::Duration;

use sheave_interop::scenario::{self, beside, many_streams};
use sheave_interop::{Condition, Impairment, Pair, SctpProto, Side, Stack};

#[test]
fn whatever_its_shutdown_says_the_association_ends() {
    for seed in 0..20 {
        let stacks = beside(many_streams(), SctpProto::new)();
        let mut pair = Pair::of(stacks, Impairment::CLEAN, seed);
        scenario::establish(&mut pair, Side::Left);
        let now = pair.now();
        pair.right.shutdown(now);
        let ended = pair.run_until(Duration::from_secs(60), |pair| {
            matches!(pair.left.condition(), Condition::Closed(_))
        });
        assert!(ended);
    }
}
