use std::time::{Duration, Instant};

use sheave::error::{BindError, ConnectError, ListenError, SendError};
use sheave::{Config, Endpoint, Message, Options, PeerAddress, StreamId, Target};

use crate::pair::{LONG, PORT, Pair, endpoint, localhost, quick, target, within};

#[test]
fn connecting_to_nobody_fails_after_the_time_allowed() {
    within(LONG, || {
        let (client, server) = (endpoint(&[1]), endpoint(&[2]));
        server.unplug(localhost(2));
        let (begin, wait) = (Instant::now(), Duration::from_millis(100));
        let outcome = client.connect_timeout(target(&server, quick()), wait);
        assert_eq!(outcome.unwrap_err(), ConnectError::Deadline(wait));
        assert!(begin.elapsed() < LONG / 2);
        assert_eq!(client.stats().associations, 0);
    });
}

#[test]
fn a_port_that_nobody_listens_on_refuses() {
    within(LONG, || {
        let (client, server) = (endpoint(&[1]), endpoint(&[2]));
        let refusal = client.connect(target(&server, quick())).unwrap_err();
        assert!(matches!(refusal, ConnectError::Failed(_)), "{refusal:?}");
        let expected =
            "an ABORT without a cause, as SCTP does where nobody listens at the SCTP port";
        assert!(refusal.to_string().ends_with(expected), "{refusal}");
    });
}

#[test]
fn a_port_is_listened_on_once_and_again_after_it_is_free() {
    let server = endpoint(&[2]);
    let listener = server.listen(PORT, quick()).unwrap();
    assert_eq!(
        server.listen(PORT, quick()).unwrap_err(),
        ListenError::InUse
    );
    drop(listener);
    server.listen(PORT, quick()).unwrap();
    assert_eq!(
        server.listen(0, quick()).unwrap_err(),
        ListenError::PortZero
    );
    let wrong = Options {
        sack_frequency: 0,
        ..quick()
    };
    let refusal = server.listen(6, wrong).unwrap_err();
    assert!(matches!(refusal, ListenError::Option(_)));
}

#[test]
fn an_address_of_another_carrier_is_refused() {
    let client = endpoint(&[1]);
    let outcome = client.connect(Target::over_ip([localhost(2)], PORT));
    let native = PeerAddress::native(localhost(2));
    assert_eq!(outcome.unwrap_err(), ConnectError::Carrier(native));
}

#[test]
fn an_address_that_is_not_here_cannot_be_bound() {
    let elsewhere = "192.0.2.77".parse().unwrap();
    let refusal = Endpoint::bind(Config::udp([elsewhere], 0)).unwrap_err();
    assert!(matches!(refusal, BindError::Address { ip, .. } if ip == elsewhere));
    assert!(refusal.to_string().contains("192.0.2.77"));
}

#[test]
fn lacking_the_right_to_raw_ip_names_the_alternative() {
    let text = BindError::NoPermission.to_string();
    assert!(text.contains("CAP_NET_RAW") && text.contains("UDP"));
}

#[test]
fn a_message_that_can_never_be_sent_is_refused() {
    within(LONG, || {
        let options = Options {
            max_message_size: 1000,
            ..quick()
        };
        let pair = Pair::new(options);
        let send = |stream, size| {
            pair.near
                .send(Message::new(StreamId(stream), vec![0; size]))
        };
        let too_large = send(0, 1001).unwrap_err();
        let (size, limit) = (1001, 1000);
        assert_eq!(too_large, SendError::TooLarge { size, limit });
        assert!(too_large.to_string().contains("`max_message_size`"));
        assert_eq!(send(0, 0), Err(SendError::Empty));
        let beyond = pair.near.outbound_streams();
        let refused = send(beyond, 1).unwrap_err();
        let expected = format!("stream {beyond} of {beyond}, which count from 0: raise `outb");
        assert!(refused.to_string().starts_with(&expected), "{refused}");
        assert_eq!(send(0, 1000), Ok(()));
    });
}

#[test]
fn all_addresses_of_the_machine_serve_a_loopback_peer() {
    within(LONG, || {
        let any = |port| Endpoint::bind(Config::udp([], port)).unwrap();
        let (client, server) = (any(0), any(0));
        let _listener = server.listen(PORT, quick()).unwrap();
        let port = server.udp_port().unwrap();
        let to = Target::over_udp([localhost(1)], port, PORT).with_options(quick());
        let association = client.connect(to).unwrap();
        association.shutdown().unwrap();
    });
}

#[test]
fn a_shutdown_that_fails_is_an_error_for_the_question_mark() {
    fn close(association: &sheave::Association) -> Result<(), Box<dyn std::error::Error>> {
        association.shutdown()?;
        Ok(())
    }
    within(LONG, || {
        let pair = Pair::new(quick());
        pair.far.abort("enough");
        let error = close(&pair.near).unwrap_err();
        let expected = "the peer aborted it, cause 12: enough";
        assert_eq!(error.to_string(), expected);
    });
}

#[test]
fn the_peers_address_is_known_beyond_the_end() {
    within(LONG, || {
        let pair = Pair::new(quick());
        let server = PeerAddress {
            ip: localhost(2),
            encapsulation: pair.server.udp_port(),
        };
        assert_eq!(pair.near.peer_addr(), Some(server));
        assert_eq!(pair.far.peer_addr().map(|peer| peer.ip), Some(localhost(1)));
        pair.near.shutdown().unwrap();
        assert_eq!(pair.near.peer_addr(), Some(server));
    });
}
