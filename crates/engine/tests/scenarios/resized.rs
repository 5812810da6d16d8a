//! Buffers that change their size while an association lives (RFC 6458 §8.1.6, §8.1.7).

use crate::prelude::*;

fn retune(world: &mut World, host: HostId, edit: impl FnOnce(&mut Options)) {
    let now = world.now();
    let mut assoc = world.assoc(host);
    let mut options = assoc.options().clone();
    edit(&mut options);
    assoc.retune(now, &options).unwrap();
}

#[test]
fn a_larger_receive_buffer_lets_a_stuck_peer_go_on_at_once() {
    let mut setup = Setup::quiet(|_| {});
    setup.z.receive_buffer = 20_000;
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send_times(A, 60, &blob(0, 1000));
    world.run_for(secs(3));
    assert!(world.stats(A).bytes_sent < 22_000);
    retune(&mut world, Z, |options| options.receive_buffer = 200_000);
    world.run_for(ms(500));
    assert!(world.stats(A).bytes_sent > 40_000);
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(1));
    assert_eq!(world.messages(Z).len(), 60);
}

#[test]
fn a_smaller_receive_buffer_takes_nothing_back() {
    let mut setup = Setup::quiet(|options| options.send_buffer = 1 << 20);
    setup.z.receive_buffer = 100_000;
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 40_000));
    world.run_for(secs(1));
    retune(
        &mut world,
        Z,
        set("receive_buffer=20000, partial_delivery_point=10000"),
    );
    assert_eq!(world.assoc(Z).options().receive_buffer, 100_000);
    world.send(A, blob(1, 600_000));
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(60));
    assert_eq!(world.messages(Z), [blob(0, 40_000), blob(1, 600_000)]);
    let last = world.sent_with(Z, ChunkType::SACK).last().unwrap();
    assert!(last.sack().unwrap().a_rwnd > 90_000);
}

#[test]
fn a_larger_send_buffer_is_told_to_whom_was_refused() {
    let mut world = Setup::quiet(|options| options.send_buffer = 10_000).established();
    while world.offer(A, blob(0, 1000)).is_ok() {}
    world.cut_path(1);
    let told = |world: &World| {
        let events = world.events(A);
        events
            .iter()
            .filter(|event| **event == Event::Writable)
            .count()
    };
    let before = told(&world);
    retune(&mut world, A, |options| options.send_buffer = 100_000);
    world.run_for(ms(1));
    assert_eq!(told(&world), before + 1);
    assert_eq!(world.offer(A, blob(0, 50_000)), Ok(()));
}

#[test]
fn a_smaller_send_buffer_takes_no_more_until_there_is_room() {
    let mut world = Setup::quiet(|options| options.send_buffer = 100_000).established();
    for _ in 0..50 {
        assert_eq!(world.offer(A, blob(0, 1000)), Ok(()));
    }
    retune(&mut world, A, |options| options.send_buffer = 10_000);
    assert!(matches!(
        world.offer(A, blob(1, 1000)),
        Err(SendError::BufferFull(_))
    ));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 50, "what was taken is delivered");
    assert_eq!(world.offer(A, blob(1, 1000)), Ok(()));
}
