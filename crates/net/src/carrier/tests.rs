use std::io::IoSliceMut;
use std::net::{Ipv4Addr, Ipv6Addr, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use sheave_engine::{Ecn, Fragmentation, Marking, PeerAddress};

use super::*;

/// Longer than any test step may take.
const LONG: Duration = Duration::from_secs(60);

fn localhost(last: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, last).into()
}

fn udp(last: u8, offload: Offload) -> Carrier {
    let mut config = Config::udp([localhost(last)], 0);
    config.offload = offload;
    Carrier::bind_on(&config, Arc::new(Real)).unwrap()
}

/// Sizes of the packets that arrive at `carrier`, until there are `count`.
fn arrivals(carrier: &Carrier, count: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut batch = Batch::default();
    let deadline = Instant::now() + LONG;
    while sizes.len() < count && Instant::now() < deadline {
        if carrier.receive(0, &mut batch).is_ok() {
            sizes.extend(batch.datagrams().map(|(packet, _)| packet.payload.len()));
        }
    }
    sizes
}

fn train_to(carrier: &Carrier, from: &Carrier, segment_size: usize) -> Transmit {
    Transmit {
        local: from.addresses()[0],
        remote: PeerAddress {
            ip: carrier.addresses()[0],
            encapsulation: carrier.udp_port(),
        },
        ecn: Ecn::NotEct,
        segment_size: Some(segment_size),
        fragmentation: Fragmentation::Allowed,
        marking: Marking::default(),
    }
}

#[test]
fn a_train_arrives_as_its_packets() {
    for offload in [Offload::Automatic, Offload::Off] {
        let (one, two) = (udp(1, offload), udp(2, offload));
        let transmit = train_to(&two, &one, 1000);
        assert_eq!(one.send(&transmit, &[7; 10_500]), Sent::Done);
        let mut expected = vec![1000; 10];
        expected.push(500);
        assert_eq!(arrivals(&two, 11), expected, "{offload:?}");
        assert_eq!(one.stats().packets_sent, 11);
        assert_eq!(two.stats().packets_received, 11);
        if offload == Offload::Off {
            assert_eq!(one.stats().send_calls, 11);
        }
    }
}

#[test]
fn the_ecn_bits_arrive_with_every_packet_of_a_train() {
    for offload in [Offload::Automatic, Offload::Off] {
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ce] {
            let (one, two) = (udp(1, offload), udp(2, offload));
            let transmit = Transmit {
                ecn,
                ..train_to(&two, &one, 1000)
            };
            assert_eq!(one.send(&transmit, &[7; 5000]), Sent::Done);
            let mut seen = Vec::new();
            let mut batch = Batch::default();
            let deadline = Instant::now() + LONG;
            while seen.len() < 5 && Instant::now() < deadline {
                if two.receive(0, &mut batch).is_ok() {
                    seen.extend(batch.datagrams().map(|(packet, _)| packet.ecn));
                }
            }
            assert_eq!(seen, [ecn; 5], "{offload:?}");
        }
    }
}

#[test]
fn the_code_point_leaves_with_every_packet_of_a_train() {
    for (ip, lasting) in [(localhost(1), "v4"), (Ipv6Addr::LOCALHOST.into(), "v6")] {
        for offload in [Offload::Automatic, Offload::Off] {
            let config = Config {
                offload,
                ..Config::udp([ip], 0)
            };
            let there = match UdpSocket::bind((ip, 0)) {
                // Not every machine has IPv6.
                Err(_) if ip.is_ipv6() => continue,
                bound => bound.unwrap(),
            };
            let one = Carrier::bind_on(&config, Arc::new(Real)).unwrap();
            there.set_read_timeout(Some(LONG)).unwrap();
            match ip {
                IpAddr::V4(_) => socket2::SockRef::from(&there)
                    .set_recv_tos_v4(true)
                    .unwrap(),
                IpAddr::V6(_) => socket2::SockRef::from(&there)
                    .set_recv_tclass_v6(true)
                    .unwrap(),
            }
            let transmit = Transmit {
                local: ip,
                remote: PeerAddress::encapsulated(ip, there.local_addr().unwrap().port()),
                ecn: Ecn::Ect0,
                segment_size: Some(1000),
                fragmentation: Fragmentation::Allowed,
                marking: Marking {
                    dscp: 46,
                    flow_label: 0x1_2345,
                },
            };
            assert_eq!(one.send(&transmit, &[7; 2500]), Sent::Done);
            let classes: Vec<_> = (0..3).map(|_| class_of_next(&there)).collect();
            assert_eq!(
                classes,
                [(1000, 46 << 2 | 2), (1000, 46 << 2 | 2), (500, 46 << 2 | 2)],
                "{lasting} {offload:?}"
            );
        }
    }
}

/// Length of the next datagram, and its IP traffic class.
fn class_of_next(socket: &UdpSocket) -> (usize, i32) {
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg};
    let mut bytes = [0; 2000];
    let mut room = [IoSliceMut::new(&mut bytes)];
    let mut control = nix::cmsg_space!(i32);
    let fd = socket.as_raw_fd();
    let received =
        recvmsg::<SockaddrStorage>(fd, &mut room, Some(&mut control), MsgFlags::empty()).unwrap();
    let class = received.cmsgs().unwrap().find_map(|message| match message {
        ControlMessageOwned::Ipv4Tos(class) => Some(class.into()),
        ControlMessageOwned::Ipv6TClass(class) => Some(class),
        _ => None,
    });
    (received.bytes, class.unwrap())
}

#[test]
fn a_train_larger_than_a_datagram_leaves_in_several_calls() {
    let (one, two) = (udp(1, Offload::Automatic), udp(2, Offload::Automatic));
    let transmit = train_to(&two, &one, 1472);
    assert_eq!(one.send(&transmit, &vec![7; 64 * 1472]), Sent::Done);
    assert_eq!(arrivals(&two, 64), vec![1472; 64]);
}

#[test]
fn all_addresses_share_one_port() {
    let config = Config::udp([localhost(3), localhost(4), localhost(5)], 0);
    let carrier = Carrier::bind_on(&config, Arc::new(Real)).unwrap();
    let ports: Vec<_> = carrier
        .sockets()
        .map(|socket| socket.port().unwrap())
        .collect();
    assert_eq!(ports, [carrier.udp_port().unwrap(); 3]);
}

#[test]
fn a_taken_port_is_refused_with_its_address() {
    let holder = udp(6, Offload::Automatic);
    let config = Config::udp([localhost(6)], holder.udp_port().unwrap());
    let refusal = Carrier::bind_on(&config, Arc::new(Real)).unwrap_err();
    assert!(matches!(refusal, BindError::Address { ip, .. } if ip == localhost(6)));
}

#[test]
fn a_packet_to_the_wrong_carrier_is_lost_and_counted() {
    let one = udp(1, Offload::Automatic);
    let transmit = Transmit {
        local: localhost(1),
        remote: PeerAddress::native(localhost(2)),
        ecn: Ecn::NotEct,
        segment_size: None,
        fragmentation: Fragmentation::Allowed,
        marking: Marking::default(),
    };
    assert_eq!(one.send(&transmit, &[0; 12]), Sent::Done);
    assert_eq!(one.stats().send_errors, 1);
}

#[test]
fn an_overflowing_socket_counts_its_drops() {
    let (one, mut config) = (udp(1, Offload::Automatic), Config::udp([localhost(2)], 0));
    config.socket_buffer = 8192;
    let two = Carrier::bind_on(&config, Arc::new(Real)).unwrap();
    let transmit = train_to(&two, &one, 1000);
    for _ in 0..50 {
        one.send(&transmit, &[7; 10_000]);
    }
    assert!(two.stats().dropped > 0, "{:?}", two.stats());
}

#[test]
fn an_ipv4_header_is_stripped_with_its_options() {
    let mut packet = vec![0x46, 0b10];
    packet.resize(24, 0);
    packet.extend([1, 2, 3]);
    let (payload, ecn) = raw::strip_ipv4(&packet).unwrap();
    assert_eq!((payload, ecn), (&[1, 2, 3][..], Ecn::Ect0));
    assert!(raw::strip_ipv4(&packet[..23]).is_none());
    assert!(raw::strip_ipv4(&[]).is_none());
}

#[cfg(feature = "dtls")]
#[test]
fn over_dtls_packets_are_shorter_by_a_record_and_need_no_crc32c() {
    use crate::dtls::{Dtls, Identity};

    let dtls = Dtls::with_certificate(Identity::generate().unwrap());
    let config = Config::dtls([localhost(1)], 0, dtls);
    let carrier = Carrier::bind_on(&config, Arc::new(Real)).unwrap();
    let plain = udp(1, Offload::Automatic).fit(Options::default(), &[]);
    let fitted = carrier.fit(Options::default(), &[]);
    assert_eq!(fitted.initial_pmtu, plain.initial_pmtu - RECORD_OVERHEAD);
    let max = |options: &Options| match options.path_mtu_discovery {
        PathMtuDiscovery::Plpmtud { max } => max,
        _ => 0,
    };
    assert_eq!(max(&fitted), max(&plain).saturating_sub(RECORD_OVERHEAD));
    assert_eq!(fitted.zero_checksum, ZeroChecksum::Dtls);
    assert_eq!(plain.zero_checksum, ZeroChecksum::Off);
}
