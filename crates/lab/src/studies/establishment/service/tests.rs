use core::time::Duration;

use sheave_sim::Random;

use super::ServiceTimes;
use crate::studies::establishment::opening::Opening;

const TIMES: ServiceTimes = ServiceTimes {
    init: Duration::from_micros(1),
    cookie_echo: Duration::from_micros(2),
    syn: Duration::from_micros(3),
    other: Duration::from_micros(4),
};

#[test]
fn a_packet_takes_the_time_of_its_kind() {
    let mut random = Random::new(1);
    for (opening, time) in [(Opening::Init, TIMES.init), (Opening::Syn, TIMES.syn)] {
        let mut packet = Vec::new();
        opening.forge(&mut packet, &mut random);
        assert_eq!(TIMES.of(opening, &packet), time);
        assert_eq!(TIMES.of(opening, &packet[..12]), TIMES.other);
    }
    let mut cookie_echo = vec![0; 16];
    cookie_echo[12] = 10;
    assert_eq!(TIMES.of(Opening::Init, &cookie_echo), TIMES.cookie_echo);
}
