use std::time::Duration;

use sheave::dtls::session::Limit;
use sheave::dtls::{Dtls, Identity};

use super::*;

/// Time from one look at an end to the next, and that a datagram takes.
const TICK: Duration = Duration::from_millis(50);

fn settings() -> Settings {
    let dtls = Dtls::with_certificate(Identity::generate().unwrap());
    Settings::new(&dtls, Limit::Attempts).unwrap()
}

/// Has both ends shake hands, with nothing lost; the number of datagrams of the server's.
fn shake_hands(now: &mut Instant, client: &mut Secured, server: &mut Secured) -> usize {
    let mut sent = 0;
    client.start(*now).unwrap();
    for _ in 0..40 {
        *now += TICK;
        let [to_server, to_client] = [&mut *client, &mut *server].map(|end| {
            if end.poll_timeout().is_some_and(|due| due <= *now) {
                end.handle_timeout(*now).unwrap();
            }
            std::iter::from_fn(|| end.poll_datagram()).collect::<Vec<_>>()
        });
        sent += to_client.len();
        for (end, datagrams) in [(&mut *server, to_server), (&mut *client, to_client)] {
            for datagram in datagrams {
                end.handle(*now, &datagram, &mut |_| {}).unwrap();
            }
        }
    }
    assert!(client.is_up() && server.is_up());
    sent
}

#[test]
fn a_record_long_before_the_handshake_makes_nothing_late() {
    let mut now = Instant::now();
    let ends = || {
        (
            Secured::new(settings(), Role::Client, now),
            Secured::new(settings(), Role::Server, now),
        )
    };
    let ((mut client, mut server), (mut another, mut early)) = (ends(), ends());
    let usual = shake_hands(&mut now, &mut client, &mut server);
    // Data of a connection before.
    let mut stray = vec![23, 254, 253, 0, 1, 0, 0, 0, 0, 0, 0, 0, 40];
    stray.extend([0x5a; 40]);
    early.handle(now, &stray, &mut |_| {}).unwrap();
    now += Duration::from_secs(30);
    assert_eq!(shake_hands(&mut now, &mut another, &mut early), usual);
}

#[test]
fn an_unanswered_hello_is_sent_every_few_seconds_for_ever() {
    let mut now = Instant::now();
    let mut client = Secured::new(settings(), Role::Client, now);
    client.start(now).unwrap();
    let mut last = now;
    for _ in 0..200 {
        now = client.poll_timeout().unwrap();
        client.handle_timeout(now).unwrap();
        if client.poll_datagram().is_some() {
            assert!(
                now - last <= Duration::from_millis(5500),
                "{:?}",
                now - last
            );
            last = now;
        }
    }
    assert_eq!(last, now);
}
