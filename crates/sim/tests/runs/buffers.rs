use sheave_engine::{BufferSizes, CongestionAlgorithm, LossDetection, Options, Profile, Time};
use sheave_sim::{Bitrate, Bulk, Discipline, Limit, LinkSpec};

use crate::town::{Client, ms, secs, town};

/// The share of 1 Gbit/s over a round trip of 100 ms that is used from the fifth second on.
fn share(buffers: BufferSizes, start: usize) -> f64 {
    // Deep enough for whatever slow start sends: this is about buffers, not about losses.
    let link = LinkSpec {
        queue: Discipline::DropTail(Limit::Packets(100_000)),
        ..LinkSpec::new(Bitrate::mbit(1000), ms(50))
    };
    let mut town = town(1, &[link]);
    let options = Options {
        buffers,
        send_buffer: start,
        receive_buffer: start,
        congestion: CongestionAlgorithm::Cubic,
        loss_detection: LossDetection::Rack,
        // Else each SACK releases four packets, and slow start takes longer.
        max_burst: None,
        ..Profile::Rfc9260.options()
    };
    let (_, server) = town.greedy(&options);
    town.world.run_until(secs(5));
    let before = town.server(server).workload().bytes();
    town.world.run_until(secs(8));
    let bytes = town.server(server).workload().bytes() - before;
    // 1452 of each 1500 bytes are the user's.
    bytes as f64 * 8.0 / (3.0 * 1e9 * 1452.0 / 1500.0)
}

#[test]
fn buffers_that_follow_the_path_fill_a_long_fast_one_where_fixed_ones_cannot() {
    let auto = share(BufferSizes::AUTO, 256 << 10);
    let fixed = share(BufferSizes::Fixed, 1 << 20);
    println!("of 1 Gbit/s over 100 ms: {auto:.3} with buffers from 256 KiB, {fixed:.3} with 1 MiB");
    assert!((0.9..=1.0).contains(&auto), "{auto}");
    // 1 MiB in 100 ms.
    assert!(fixed < 0.09, "{fixed}");
}

#[test]
fn a_send_buffer_that_follows_the_path_is_bounded_by_ten_products_however_long_the_queue_is() {
    // 100 Mbit/s over 40 ms are 500,000 bytes; the queue holds 30 times as much.
    const PRODUCT: usize = 500_000;
    let link = LinkSpec {
        queue: Discipline::DropTail(Limit::Packets(10_000)),
        ..LinkSpec::new(Bitrate::mbit(100), ms(20))
    };
    let mut town = town(1, &[link]);
    let (client, _) = town.greedy(&Options::default());
    let mut most = 0;
    for step in 1..=2000 {
        town.world.run_until(Time::from_millis(step * 5));
        let client: &Client<Bulk> = town.world.agent(client).expect("a client");
        let stats = client.transport().stats();
        most = most.max(stats.map_or(0, |stats| stats.assoc.send_buffered));
    }
    println!(
        "{most} bytes in the send buffer, {:.1} products",
        most as f64 / PRODUCT as f64
    );
    assert!((3 * PRODUCT..11 * PRODUCT).contains(&most), "{most}");
}
