//! A retransmission timeout whose constants adapt.

use crate::prelude::*;

/// SRTT after the link's delay has risen from 10 ms to 110 ms, ten messages later.
fn srtt_after_a_rise(gains: RtoGains) -> u128 {
    let mut world = Setup::quiet(|options| {
        options.rto_gains = gains;
        options.sack_delay = ms(0);
    })
    .established();
    world.send_every(A, ms(500), 20, &blob(0, 100));
    world.edit_link(address(A, 1), address(Z, 1), |link| link.delay = ms(110));
    world.send_every(A, ms(500), 4, &blob(0, 100));
    world.run_for(secs(1));
    world.first_path(A).srtt.unwrap().as_millis()
}

#[test]
fn adaptive_gains_follow_a_change_of_delay_sooner() {
    let (fixed, adaptive) = (
        srtt_after_a_rise(RtoGains::Fixed),
        srtt_after_a_rise(RtoGains::Adaptive),
    );
    assert!(adaptive > fixed + 10, "{adaptive} ms against {fixed} ms");
}
