//! SCTP over DTLS (RFC 8261).

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sheave::dtls::{Dtls, DtlsError, DtlsVersion, Identity, WANTS_DTLS};
use sheave::error::{BindError, ConnectError};
use sheave::{CloseReason, Config, Endpoint, Options, Target};

use crate::pair::{
    LINGER, LONG, PORT, Pair, localhost, next, number_of, numbered, quick, target, within,
};

fn dtls_endpoint(last: u8, dtls: Dtls) -> Endpoint {
    let config = Config {
        linger: LINGER,
        ..Config::dtls([localhost(last)], 0, dtls)
    };
    Endpoint::bind(config).unwrap()
}

fn pair(client: Dtls, server: Dtls, options: Options) -> Pair {
    Pair::over(dtls_endpoint(1, client), dtls_endpoint(2, server), options)
}

/// The settings of a server, and of a client that pins its certificate.
fn pinned(version: DtlsVersion) -> (Dtls, Dtls) {
    let (server, client) = (Identity::generate().unwrap(), Identity::generate().unwrap());
    let pin = (server.fingerprint(), client.fingerprint());
    let server = Dtls::with_certificate(server).trusting([pin.1]);
    let client = Dtls::with_certificate(client).trusting([pin.0]);
    (server.with_version(version), client.with_version(version))
}

/// Sends messages of many sizes both ways, and closes gracefully.
fn exchange(server: Dtls, client: Dtls) {
    within(LONG, move || {
        let Pair {
            near, far, client, ..
        } = pair(client, server, quick());
        for (number, size) in (0..).zip([4, 100, 1180, 5000, 100_000, 1 << 20]) {
            near.send(numbered(0, number, size)).unwrap();
            far.send(numbered(1, number, size)).unwrap();
            assert_eq!(number_of(&next(&far).message.payload), number);
            assert_eq!(number_of(&next(&near).message.payload), number);
        }
        assert_eq!(near.peer_addr().unwrap().ip, localhost(2));
        assert_eq!(far.peer_addr().unwrap().encapsulation, client.udp_port());
        assert_eq!(far.path_stats()[0].local, localhost(2));
        assert_eq!(near.path_stats()[0].remote, localhost(2));
        near.request_heartbeat(localhost(2)).unwrap();
        far.set_primary(localhost(1)).unwrap();
        near.shutdown().unwrap();
        assert!(far.receive_timeout(LONG).unwrap().is_none());
        assert_eq!(far.close_reason(), Some(CloseReason::Graceful));
    });
}

#[test]
fn a_client_that_speaks_both_versions_finds_the_one_of_the_server() {
    for version in [DtlsVersion::V1_2, DtlsVersion::V1_3, DtlsVersion::Newest] {
        let (server, client) = pinned(version);
        exchange(server, client.with_version(DtlsVersion::Newest));
    }
}

#[test]
fn messages_of_any_size_go_both_ways_with_a_pre_shared_key() {
    let dtls = || Dtls::with_pre_shared_key("lab", "a key of sixteen bytes or more");
    exchange(dtls(), dtls());
}

#[test]
fn a_certificate_that_is_not_the_pinned_one_is_refused_at_once_by_name() {
    within(LONG, || {
        let (server, _) = pinned(DtlsVersion::Newest);
        let (_, client) = pinned(DtlsVersion::Newest);
        let server = dtls_endpoint(2, server);
        let client = dtls_endpoint(1, client);
        let _listener = server.listen(PORT, quick()).unwrap();
        // Many times: the refusal may come before or after the association begins.
        for _ in 0..30 {
            let began = Instant::now();
            let outcome = client.connect_timeout(target(&server, quick()), LONG);
            assert!(
                matches!(
                    outcome,
                    Err(ConnectError::Dtls(DtlsError::WrongCertificate { .. }))
                ),
                "{outcome:?}"
            );
            assert!(began.elapsed() < LONG / 2);
        }
    });
}

#[test]
fn a_client_without_the_trusted_certificate_gets_no_association() {
    within(LONG, || {
        let (server, _) = pinned(DtlsVersion::V1_2);
        let server_dtls = server;
        let stranger = Dtls::with_certificate(Identity::generate().unwrap());
        let server = dtls_endpoint(2, server_dtls);
        let client = dtls_endpoint(1, stranger.with_version(DtlsVersion::V1_2));
        let _listener = server.listen(PORT, quick()).unwrap();
        let outcome = client.connect_timeout(target(&server, quick()), Duration::from_secs(3));
        assert!(outcome.is_err());
        assert_eq!(server.stats().associations, 0);
    });
}

#[test]
fn plain_packets_reach_nobody_behind_dtls() {
    within(LONG, || {
        let (server, _) = pinned(DtlsVersion::Newest);
        let server = dtls_endpoint(2, server);
        let _listener = server.listen(PORT, quick()).unwrap();
        let plain = crate::pair::endpoint(&[1]);
        let outcome = plain.connect_timeout(target(&server, quick()), Duration::from_secs(1));
        assert!(outcome.is_err());
        // A server whose thread is late reads them later.
        while server.carrier_stats().packets_received == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        let stats = server.carrier_stats();
        assert_eq!(
            (server.stats().associations, stats.dtls_connections),
            (0, 0)
        );
        // The hint that the server wants DTLS.
        assert!(stats.packets_sent <= stats.packets_received);
    });
}

/// Two clients at one address whose SCTP ports are the same, as behind an address translator.
#[test]
fn peers_behind_one_address_are_told_apart_by_their_udp_ports() {
    within(LONG, || {
        let (server, client) = pinned(DtlsVersion::Newest);
        let server = dtls_endpoint(2, server);
        let listener = server.listen(PORT, quick()).unwrap();
        let clients = [dtls_endpoint(1, client.clone()), dtls_endpoint(1, client)];
        let pairs: Vec<_> = clients
            .iter()
            .map(|client| {
                let target = target(&server, quick()).from_port(5000);
                let near = client.connect_timeout(target, LONG).unwrap();
                (near, listener.accept_timeout(LONG).unwrap())
            })
            .collect();
        assert_eq!(server.stats().associations, 2);
        for (number, ((near, far), client)) in (0..).zip(pairs.iter().zip(&clients)) {
            near.send(numbered(0, number, 3000)).unwrap();
            assert_eq!(number_of(&next(far).message.payload), number);
            assert_eq!(far.peer_addr().unwrap().encapsulation, client.udp_port());
        }
    });
}

#[test]
fn several_associations_with_one_peer_share_a_connection() {
    within(LONG, || {
        let (server, client) = pinned(DtlsVersion::Newest);
        let server = dtls_endpoint(2, server);
        let client = dtls_endpoint(1, client);
        let listener = server.listen(PORT, quick()).unwrap();
        for number in 0..3 {
            let near = client
                .connect_timeout(target(&server, quick()), LONG)
                .unwrap();
            let far = listener.accept_timeout(LONG).unwrap();
            near.send(numbered(0, number, 100)).unwrap();
            assert_eq!(number_of(&next(&far).message.payload), number);
        }
        assert_eq!(server.carrier_stats().dtls_connections, 1);
    });
}

#[test]
fn packets_over_dtls_leave_room_for_their_records() {
    within(LONG, || {
        let (server, client) = pinned(DtlsVersion::V1_2);
        let Pair {
            near, far: _far, ..
        } = pair(client, server, Options::default());
        let plain = Options::default().initial_pmtu;
        let pmtu = near.path_stats()[0].pmtu;
        assert!(
            pmtu + sheave::dtls::RECORD_OVERHEAD <= plain.max(1500),
            "{pmtu}"
        );
    });
}

/// Passes datagrams between one client and a server, and loses one in a hundred.
struct LossyRelay {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    lost: Arc<AtomicU64>,
    thread: Option<thread::JoinHandle<()>>,
}

impl LossyRelay {
    fn new(server: SocketAddr) -> Self {
        let front = UdpSocket::bind((localhost(3), 0)).unwrap();
        let address = front.local_addr().unwrap();
        front
            .set_read_timeout(Some(Duration::from_millis(20)))
            .unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let lost = Arc::new(AtomicU64::new(0));
        let (stopped, count) = (Arc::clone(&stop), Arc::clone(&lost));
        let thread = thread::spawn(move || {
            let (mut client, mut number) = (None, 0u64);
            let mut buffer = [0; 2048];
            while !stopped.load(Ordering::Relaxed) {
                let Ok((length, from)) = front.recv_from(&mut buffer) else {
                    continue;
                };
                let to = if from == server {
                    client
                } else {
                    client = Some(from);
                    Some(server)
                };
                let Some(to) = to else { continue };
                number += 1;
                // A fixed sequence without a period that a protocol could fall into.
                if number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 < (1 << 32) / 100 {
                    count.fetch_add(1, Ordering::Relaxed);
                } else {
                    let _ = front.send_to(&buffer[..length], to);
                }
            }
        });
        Self {
            address,
            stop,
            lost,
            thread: Some(thread),
        }
    }
}

impl Drop for LossyRelay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Sends a thousand messages through a relay and checks them.
fn through_a_relay(version: DtlsVersion) {
    within(LONG, move || {
        let (server, client) = pinned(version);
        let server = dtls_endpoint(2, server);
        let client = dtls_endpoint(1, client);
        let inner = SocketAddr::new(localhost(2), server.udp_port().unwrap());
        let relay = LossyRelay::new(inner);
        let listener = server.listen(PORT, quick()).unwrap();
        let target = Target::over_udp([relay.address.ip()], relay.address.port(), PORT);
        let near = client
            .connect_timeout(target.with_options(quick()), LONG)
            .unwrap();
        let far = listener.accept_timeout(LONG).unwrap();
        let sender = {
            let near = near.clone();
            thread::spawn(move || {
                for number in 0..1000 {
                    near.send(numbered(0, number, 1000)).unwrap();
                }
            })
        };
        for number in 0..1000 {
            assert_eq!(number_of(&next(&far).message.payload), number);
        }
        sender.join().unwrap();
        assert!(relay.lost.load(Ordering::Relaxed) > 0);
    });
}

#[test]
fn a_loss_of_one_in_a_hundred_is_repaired_over_dtls() {
    through_a_relay(DtlsVersion::V1_2);
    through_a_relay(DtlsVersion::V1_3);
}

/// A ClientHello of DTLS 1.2 from a client that never answers.
fn client_hello(number: u32) -> Vec<u8> {
    let mut body = vec![254, 253];
    body.extend_from_slice(&[0x11; 28]);
    body.extend_from_slice(&number.to_be_bytes());
    body.extend_from_slice(&[0, 0]); // no session, no cookie
    body.extend_from_slice(&[0, 2, 0xc0, 0x2b, 1, 0]); // ECDHE-ECDSA-AES128-GCM-SHA256
    let extensions = [
        0, 10, 0, 4, 0, 2, 0, 23, // P-256
        0, 11, 0, 2, 1, 0, // uncompressed points
        0, 13, 0, 4, 0, 2, 4, 3, // ECDSA with SHA-256
        0, 23, 0, 0, // extended master secret
    ];
    body.extend_from_slice(&[0, u8::try_from(extensions.len()).unwrap()]);
    body.extend_from_slice(&extensions);
    let length = u8::try_from(body.len()).unwrap();
    let mut record = vec![22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, length + 12];
    record.extend_from_slice(&[1, 0, 0, length, 0, 0, 0, 0, 0, 0, 0, length]);
    record.extend_from_slice(&body);
    record
}

#[test]
fn a_flood_of_hellos_without_cookies_keeps_little_and_shuts_nobody_out() {
    within(LONG, || {
        let (server, client) = pinned(DtlsVersion::Newest);
        let server = dtls_endpoint(2, server);
        let listener = server.listen(PORT, quick()).unwrap();
        let to = SocketAddr::new(localhost(2), server.udp_port().unwrap());
        let mut answered = 0;
        // A thousand sources: addresses of this machine take the place of forged ones.
        for number in 0..1000 {
            let source = UdpSocket::bind((localhost(4), 0)).unwrap();
            source
                .set_read_timeout(Some(Duration::from_secs(2)))
                .unwrap();
            let hello = client_hello(number);
            source.send_to(&hello, to).unwrap();
            let mut buffer = [0; 2048];
            if let Ok(length) = source.recv(&mut buffer) {
                answered += 1;
                assert!(
                    length <= hello.len(),
                    "an answer of {length} bytes amplifies"
                );
                assert_eq!(buffer[13], 3, "it asks for a cookie");
            }
        }
        assert!(answered > 900, "{answered} were answered");
        assert!(server.carrier_stats().dtls_connections <= 256);
        let client = dtls_endpoint(1, client);
        client
            .connect_timeout(target(&server, quick()), LONG)
            .unwrap();
        listener.accept_timeout(LONG).unwrap();
    });
}

#[test]
fn a_peer_that_closes_its_connection_ends_the_association_at_once() {
    within(LONG, || {
        let (server, client) = pinned(DtlsVersion::Newest);
        let Pair {
            near, far, client, ..
        } = pair(client, server, quick());
        near.send(numbered(0, 1, 100)).unwrap();
        assert_eq!(number_of(&next(&far).message.payload), 1);
        client.close(Duration::ZERO);
        // With an ABORT, or a SHUTDOWN where that was quicker.
        let _ = far.receive_timeout(LONG);
        assert!(far.close_reason().is_some());
    });
}

#[test]
fn dtls_needs_udp() {
    let dtls = Dtls::with_certificate(Identity::generate().unwrap());
    let config = Config {
        carrier: sheave::config::CarrierKind::RawIp,
        ..Config::dtls([localhost(1)], 0, dtls)
    };
    // Without the right to raw sockets that is told first.
    let refusal = Endpoint::bind(config).unwrap_err();
    assert!(matches!(refusal, BindError::Dtls | BindError::NoPermission));
}

#[test]
fn the_secrets_of_a_connection_are_logged_for_wireshark() {
    within(LONG, || {
        let path =
            std::env::temp_dir().join(format!("sheave-loopback-keys-{}", std::process::id()));
        let (server, client) = pinned(DtlsVersion::V1_3);
        exchange(server, client.logging_keys_to(&path));
        let log = fs::read_to_string(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(log.contains("CLIENT_TRAFFIC_SECRET_0 "), "{log}");
        assert!(log.contains("SERVER_TRAFFIC_SECRET_0 "), "{log}");
    });
}

#[test]
fn a_client_without_dtls_is_told_at_once_that_the_server_wants_it() {
    within(LONG, || {
        let (server, _) = pinned(DtlsVersion::Newest);
        let server = dtls_endpoint(2, server);
        let _listener = server.listen(PORT, quick()).unwrap();
        let client = Endpoint::bind(Config::udp([localhost(1)], 0)).unwrap();
        let refused = client
            .connect_timeout(target(&server, quick()), LONG * 2)
            .unwrap_err();
        let ConnectError::Failed(CloseReason::AbortedByPeer { detail, .. }) = refused else {
            panic!("{refused}");
        };
        assert_eq!(detail, WANTS_DTLS);
    });
}

#[test]
fn a_client_with_dtls_is_told_at_once_that_the_server_has_none() {
    within(LONG, || {
        for version in [DtlsVersion::Newest, DtlsVersion::V1_2, DtlsVersion::V1_3] {
            let server = Endpoint::bind(Config::udp([localhost(2)], 0)).unwrap();
            let _listener = server.listen(PORT, quick()).unwrap();
            let client = dtls_endpoint(1, pinned(version).1);
            let refused = client
                .connect_timeout(target(&server, quick()), LONG * 2)
                .unwrap_err();
            assert_eq!(refused, ConnectError::Dtls(DtlsError::NoDtls));
        }
    });
}
