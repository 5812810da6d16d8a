//! The default options where they have to prove themselves.

use sheave_engine::{Options, WindowRules};
use sheave_sim::{Bitrate, Discipline, Limit, LinkSpec};

use crate::town::{ms, secs, town};

/// 100 Mbit/s over a round trip of 100 ms, with a queue of that many packets; a product is 834.
fn link(queue: usize) -> LinkSpec {
    LinkSpec {
        queue: Discipline::DropTail(Limit::Packets(queue)),
        ..LinkSpec::new(Bitrate::mbit(100), ms(50))
    }
}

/// Megabits per second of user data from the fifth second to the fifteenth.
fn goodput(options: &Options, queue: usize) -> f64 {
    let mut town = town(1, &[link(queue)]);
    let (_, server) = town.greedy(options);
    town.world.run_until(secs(5));
    let before = town.server(server).workload().bytes();
    town.world.run_until(secs(15));
    let bytes = town.server(server).workload().bytes() - before;
    bytes as f64 * 8.0 / 10e6
}

/// Packets that the queue dropped in the first three seconds.
fn dropped(options: &Options, queue: usize) -> u64 {
    let mut town = town(1, &[link(queue)]);
    town.greedy(options);
    town.world.run_until(secs(3));
    town.world.link_stats(town.links[0].0).dropped
}

#[test]
fn a_long_fast_path_is_filled() {
    let goodput = goodput(&Options::default(), 834);
    println!("{goodput:.1} of 100 Mbit/s over 100 ms");
    // 96.8 are the user's at most; 1 MiB in a round trip would be 84.
    assert!(goodput > 90.0, "{goodput}");
}

#[test]
fn the_first_slow_start_loses_less_than_half_of_what_one_does_that_only_a_loss_ends() {
    let blind = Options {
        window_rules: WindowRules::SlowStartL8,
        ..Options::default()
    };
    let (watched, blind) = (dropped(&Options::default(), 834), dropped(&blind, 834));
    println!("{watched} packets dropped, {blind} where only a loss ends slow start");
    assert!(2 * watched < blind, "{watched}, {blind}");
}
