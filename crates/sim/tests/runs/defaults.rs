//! The default options where they have to prove themselves.

use sheave_engine::{AssocStats, Options, WindowRules};
use sheave_sim::{
    AgentId, Bitrate, Bulk, Discipline, Errors, Expected, Limit, LinkSpec, Probability, Sink,
};

use crate::town::{Client, Server, Town, ms, secs, town};

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
fn the_first_slow_start_loses_less_than_two_thirds_of_what_one_does_that_only_a_loss_ends() {
    let blind = Options {
        window_rules: WindowRules::SlowStartL8,
        ..Options::default()
    };
    let (watched, blind) = (dropped(&Options::default(), 834), dropped(&blind, 834));
    println!("{watched} packets dropped, {blind} where only a loss ends slow start");
    assert!(3 * watched < 2 * blind, "{watched}, {blind}");
}

/// Counts of chunks sent again and received twice, of packets that the network lost, and of timeouts.
#[derive(Clone, Copy, Debug, Default)]
struct Repairs {
    again: u64,
    twice: u64,
    lost: u64,
    timeouts: u64,
}

/// The repairs of 20 s over a full link, in messages of ten packets.
fn repairs(options: &Options, seed: u64, link: &LinkSpec) -> Repairs {
    let mut town = town(seed, core::slice::from_ref(link));
    let bulk = Bulk::endless(14_520, 1);
    let sink = Sink::counting(Expected::Everything);
    let (client, server) = town.associate(options, bulk, sink);
    town.world.run_until(secs(20));
    let there = town.world.link_stats(town.links[0].0);
    let client = client_stats(&mut town, client);
    Repairs {
        again: client.retransmissions,
        twice: server_stats(&mut town, server).duplicates_received,
        lost: there.lost + there.dropped,
        timeouts: client.timeouts,
    }
}

fn client_stats(town: &mut Town, id: AgentId) -> AssocStats {
    let client: &Client<Bulk> = town.world.agent(id).expect("a client");
    let stats = client.transport().stats();
    stats.expect("an association").assoc
}

fn server_stats(town: &mut Town, id: AgentId) -> AssocStats {
    let server: &Server = town.world.agent(id).expect("a server");
    let stats = server.transport().stats();
    stats.expect("an association").assoc
}

#[test]
fn as_many_chunks_are_sent_again_as_packets_are_lost() {
    // The queue is so many quarters of the product, which is a packet for 12,000 bits.
    let link = |mbit: u64, rtt: u64, loss, quarters: u64| LinkSpec {
        loss: Errors::Uniform(Probability::new(loss)),
        queue: Discipline::DropTail(Limit::Packets(
            usize::try_from(mbit * rtt * quarters / 48).expect("a few packets"),
        )),
        ..LinkSpec::new(Bitrate::mbit(mbit), ms(rtt / 2))
    };
    for (mbit, rtt, loss, quarters) in [
        (100, 50, 0.001, 4),
        (100, 50, 0.001, 1),
        (10, 50, 0.001, 16),
        (100, 50, 0.01, 4),
        (10, 300, 0.001, 4),
    ] {
        let mut sum = Repairs::default();
        for seed in 1..=4 {
            let spec = link(mbit, rtt, loss, quarters);
            let one = repairs(&Options::default(), seed, &spec);
            sum.again += one.again;
            sum.twice += one.twice;
            sum.lost += one.lost;
            sum.timeouts += one.timeouts;
        }
        println!("{mbit} Mb/s, {rtt} ms, {loss}, {quarters} quarters: {sum:?}");
        let ratio = sum.again as f64 / sum.lost as f64;
        assert!(ratio < 1.1, "{ratio}");
        assert!(sum.twice * 10 <= sum.lost, "{sum:?}");
    }
}

#[test]
fn what_a_sack_has_no_room_to_report_is_not_sent_again() {
    // Every second packet of a window is lost: more gaps than fit a SACK.
    let link = LinkSpec {
        queue: Discipline::DropTail(Limit::Packets(625)),
        ..LinkSpec::new(Bitrate::mbit(100), ms(150))
    };
    let repairs = repairs(&Options::default(), 1, &link);
    println!("{repairs:?}");
    assert!(repairs.lost > 500, "{repairs:?}");
    assert!(repairs.twice <= 2, "{repairs:?}");
}
