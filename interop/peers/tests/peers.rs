//! The in-process peers among themselves: what fails here is not our stack's fault.

use sheave_interop::scenario::{self, LARGE, LONG, MIXED, SMALL};
use sheave_interop::{Dcsctp, SctpProto, Side, Weather};

fn different() -> (Dcsctp, SctpProto) {
    (Dcsctp::new(), SctpProto::new())
}

#[test]
fn they_exchange_messages_in_fair_weather() {
    for traffic in [SMALL, MIXED, LARGE] {
        scenario::exchange_in_both_roles(different, Weather::FAIR, &traffic, &traffic, 0..1);
    }
}

#[test]
fn they_survive_foul_weather() {
    scenario::exchange_in_both_roles(different, Weather::FOUL, &LONG, &LONG, 0..3);
}

#[test]
fn they_shut_down() {
    scenario::everything_sent_arrives_before_the_end(different, Side::Left);
    scenario::shut_down_together(different);
}

#[test]
fn an_abort_is_heard() {
    scenario::abort(different, Side::Left);
    scenario::abort(|| (Dcsctp::new(), Dcsctp::new()), Side::Right);
}

#[test]
fn their_calls_may_cross() {
    scenario::call_each_other(|| (Dcsctp::new(), Dcsctp::new()));
}
