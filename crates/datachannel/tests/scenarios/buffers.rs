//! Buffered amounts and their low-water marks, and who sends first of what is buffered.

use core::time::Duration;

use sheave_datachannel::{ChannelConfig, ChannelEvent, Message, Priority};
use sheave_sim::{Bitrate, LinkSpec};

use crate::world::{A, Pair, Reading, Setup, Z, blob};

fn lows(pair: &mut Pair) -> usize {
    pair.count(A, |event| matches!(event, ChannelEvent::BufferLow { .. }))
}

#[test]
fn the_buffered_amount_falls_to_nothing() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("data"));
    assert_eq!(pair.host(A).channels().buffered(here), 0);
    pair.send(A, here, blob(30_000));
    pair.send(A, here, blob(20_000));
    assert_eq!(pair.host(A).channels().buffered(here), 50_000);
    pair.run(2);
    assert_eq!(pair.host(A).channels().buffered(here), 0);
    assert_eq!(lows(&mut pair), 1);
}

#[test]
fn opening_a_channel_lowers_no_buffer() {
    let mut pair = Setup::default().established();
    pair.opened(A, ChannelConfig::new("data"));
    assert_eq!(lows(&mut pair), 0);
}

#[test]
fn a_user_who_fills_up_at_each_mark_is_told_each_time() {
    let (mut pair, here, there) = Setup::default()
        .lossy(0.01)
        .opened(A, ChannelConfig::new("data"));
    pair.host(A).channels().set_low_water(here, 20_000);
    for round in 1..=10 {
        pair.send(A, here, blob(60_000));
        while lows(&mut pair) < round {
            pair.run_ms(5);
        }
        assert!(pair.host(A).channels().buffered(here) <= 20_000);
    }
    pair.run(10);
    assert_eq!(pair.messages(Z, there).len(), 10);
    assert_eq!(lows(&mut pair), 10);
}

#[test]
fn a_full_send_buffer_is_told_and_so_is_its_end() {
    let (mut pair, here, there) = Setup::default().opened(A, ChannelConfig::new("data"));
    pair.set_reading(Z, Reading::Stopped);
    for _ in 0..100 {
        pair.send(A, here, blob(60_000));
    }
    pair.run(5);
    let held = pair.host(A).outbox.len();
    assert!(held > 50, "{held} wait");
    pair.set_reading(Z, Reading::Eager);
    pair.run(30);
    assert_eq!(pair.messages(Z, there).len(), 100);
    assert!(pair.count(A, |event| *event == ChannelEvent::Writable) > 0);
}

#[test]
fn a_channel_can_be_opened_while_the_send_buffer_is_full() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("data"));
    pair.set_reading(Z, Reading::Stopped);
    for _ in 0..60 {
        pair.send(A, here, blob(60_000));
    }
    pair.host(A).outbox.clear();
    let more: Vec<_> = (0..2000)
        .map(|n| pair.open(A, ChannelConfig::new(format!("{n:100}"))))
        .collect();
    pair.run(2);
    pair.set_reading(Z, Reading::Eager);
    pair.run(20);
    for id in more {
        let opened = ChannelEvent::Opened { channel: id };
        assert_eq!(pair.count(A, |event| *event == opened), 1);
    }
}

#[test]
fn an_empty_message_counts_as_a_byte() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("data"));
    pair.send(A, here, Message::text(""));
    assert_eq!(pair.host(A).channels().buffered(here), 1);
}

#[test]
fn a_channel_sends_in_proportion_to_its_priority() {
    let link = LinkSpec::new(Bitrate::mbit(10), Duration::from_millis(5));
    let setup = Setup {
        link,
        ..Setup::default()
    };
    let mut pair = setup.established();
    let config = |priority| ChannelConfig::new("data").with_priority(priority);
    let [low, high] = [Priority::BELOW_NORMAL, Priority::EXTRA_HIGH]
        .map(|priority| pair.opened(A, config(priority)));
    for _ in 0..90 {
        pair.send(A, low.0, blob(5000));
        pair.send(A, high.0, blob(5000));
    }
    pair.run_ms(350);
    let [low, high] = [low, high].map(|(_, there)| pair.messages(Z, there).len());
    assert!(high < 90, "all {high} are there already");
    let ratio = high as f64 / low as f64;
    assert!((6.0..=10.0).contains(&ratio), "{high} beside {low}");
}
