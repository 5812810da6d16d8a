//! Sheave and sctp-proto, in virtual time. It cannot be made to send an ABORT, and
//! its own SHUTDOWN acknowledges TSNs at random.

use std::time::Duration;

use sheave_engine::{Options, PartialReliability, Profile};
use sheave_interop::partial;
use sheave_interop::scenario::{self, beside, exchanges, many_streams};
use sheave_interop::session::offering;
use sheave_interop::{Condition, Impairment, Pair, SctpProto, Sheave, Side, Stack, tests};

fn stacks() -> impl Fn() -> (Sheave, SctpProto) {
    beside(many_streams(), SctpProto::new)
}

tests! {
    messages_cross_whatever_their_size_and_the_links => exchanges::all(stacks());
    our_data_arrives_before_our_shutdown => scenario::everything_sent_arrives_before_the_end(stacks(), Side::Left);
}

#[test]
fn whatever_its_shutdown_says_the_association_ends() {
    for seed in 0..20 {
        let (sheave, peer) = stacks()();
        let mut pair = Pair::new(sheave, peer, Impairment::CLEAN, seed);
        scenario::establish(&mut pair, Side::Left);
        let now = pair.now();
        pair.right.shutdown(now);
        let ended = pair.run_until(Duration::from_secs(60), |pair| {
            matches!(pair.left.condition(), Condition::Closed(_))
        });
        assert!(ended);
    }
}

tests! {
    the_peer_hears_our_abort => scenario::abort(stacks(), Side::Left);
    calls_that_cross_make_one_association => scenario::call_each_other(stacks());
    extensions_that_it_does_not_have_are_offered_in_vain => exchanges::fair_and_foul(beside(offering(), SctpProto::new));
}

/// Messages may be given up at both ends.
fn stacks_that_give_up() -> impl Fn() -> (Sheave, SctpProto) {
    let options = Options {
        partial_reliability: PartialReliability::On,
        ..Profile::Rfc9260.options()
    };
    beside(options, SctpProto::new)
}

#[test]
fn messages_are_given_up_and_the_others_arrive() {
    partial::all(stacks_that_give_up());
}
