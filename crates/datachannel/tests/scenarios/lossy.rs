//! Channels of all kinds over networks that lose and reorder packets.

use core::time::Duration;

use sheave_datachannel::{ChannelConfig, Message, Role};

use sheave_engine::Delivery;

use crate::world::{A, End, Setup, Z, blob};

/// Sends on reliable, ordered, unordered and unreliable channels, both ways. Returns on how many of the
/// reliable unordered ones a message was overtaken.
fn all_kinds(role: Role, loss: f64, seed: u64) -> usize {
    let setup = Setup {
        seed,
        role,
        ..Setup::default()
    };
    let mut pair = setup.lossy(loss).established();
    let kinds = [
        ChannelConfig::new("reliable"),
        ChannelConfig::new("unordered").unordered(),
        ChannelConfig::new("twice").with_max_retransmissions(2),
        ChannelConfig::new("once")
            .unordered()
            .with_max_retransmissions(0),
        ChannelConfig::new("brief").with_lifetime(Duration::from_millis(200)),
        ChannelConfig::new("wild")
            .unordered()
            .with_lifetime(Duration::from_millis(150)),
    ];
    let mut channels = Vec::new();
    for end in [A, Z] {
        for kind in &kinds {
            channels.push((end, pair.opened(end, kind.clone())));
        }
    }
    let text = |end: End, n: usize| Message::text(format!("{end:?} {n} {}", "x".repeat(n * 37)));
    for n in 0..100 {
        for (end, (here, _)) in &channels {
            pair.send(*end, *here, text(*end, n));
        }
        pair.run_ms(10);
    }
    pair.run(60);
    let mut overtaken = 0;
    for (place, (end, (here, there))) in channels.into_iter().enumerate() {
        let got = pair.messages(end.other(), there);
        let sent: Vec<Message> = (0..100).map(|n| text(end, n)).collect();
        let kind = place % kinds.len();
        let channel = pair
            .host(end)
            .channels()
            .channels
            .channel(here)
            .unwrap()
            .clone();
        match kind {
            0 => assert_eq!(got, sent),
            1 => {
                let mut sorted = got.clone();
                sorted.sort_by_key(|message| message.payload.len());
                assert_eq!(sorted, sent);
                overtaken += usize::from(got != sent);
            }
            _ => {
                assert!(got.iter().all(|message| sent.contains(message)));
                assert!(got.len() > 20, "{} got only {}", channel.label(), got.len());
                let lost = 100 - got.len() as u64;
                // A message that was given up may have arrived all the same.
                assert!(channel.stats().messages_abandoned >= lost);
                if channel.delivery() == Delivery::Ordered {
                    let mut sorted = got.clone();
                    sorted.sort_by_key(|message| message.payload.len());
                    assert_eq!(got, sorted, "{} is in order", channel.label());
                }
            }
        }
        assert_eq!(pair.host(end).channels().buffered(here), 0);
    }
    overtaken
}

#[test]
fn channels_of_all_kinds_keep_their_promises_at_a_loss_of_5_percent() {
    for (role, seed) in [(Role::Client, 3), (Role::Server, 4)] {
        let overtaken = all_kinds(role, 0.05, seed);
        assert_eq!(overtaken, 2, "nothing was overtaken");
    }
}

#[test]
fn large_messages_arrive_at_a_loss_of_5_percent() {
    let mut setup = Setup::default();
    (setup.limits.max_send_size, setup.limits.max_receive_size) = (0, 0);
    let mut pair = setup.lossy(0.05).established();
    let (here, there) = pair.opened(Z, ChannelConfig::new("file"));
    let sent = [blob(1 << 20), blob(16 << 20), Message::text("done")];
    for message in &sent {
        pair.send(Z, here, message.clone());
    }
    pair.run(600);
    assert!(pair.messages(A, there) == sent);
}
