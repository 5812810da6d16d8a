use std::net::Ipv4Addr;

use super::*;

fn socket(last: u8, port: u16) -> UdpSocket {
    let socket = UdpSocket::bind((Ipv4Addr::new(127, 0, 0, last), port)).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    socket
}

#[test]
fn packets_keep_their_source_and_a_cut_stops_one_network() {
    let ip = |last| IpAddr::from(Ipv4Addr::new(127, 0, 0, last));
    let (a, b) = (socket(21, 0), socket(23, 0));
    let free = socket(22, 0).local_addr().unwrap().port();
    let (a_port, b_port) = (
        a.local_addr().unwrap().port(),
        b.local_addr().unwrap().port(),
    );
    let (a2, b2) = (socket(22, a_port), socket(24, b_port));
    let layout = Layout {
        sender: [ip(21), ip(22)],
        receiver: [ip(23), ip(24)],
        sender_port: a_port,
        receiver_port: b_port,
        port: free,
    };
    let relay = Relay::start(layout, 9).unwrap();
    let mut buffer = [0; 100];
    a.send_to(b"there", (ip(23), free)).unwrap();
    let (len, from) = b.recv_from(&mut buffer).unwrap();
    assert_eq!(
        (&buffer[..len], from),
        (&b"there"[..], SocketAddr::new(ip(21), free))
    );
    b.send_to(b"back", from).unwrap();
    let (len, from) = a.recv_from(&mut buffer).unwrap();
    assert_eq!(
        (&buffer[..len], from),
        (&b"back"[..], SocketAddr::new(ip(23), free))
    );
    assert_eq!(relay.cut().unwrap().passed, [9, 0]);
    a.send_to(b"lost", (ip(23), free)).unwrap();
    a2.send_to(b"kept", (ip(24), free)).unwrap();
    let (len, _) = b2.recv_from(&mut buffer).unwrap();
    assert_eq!(&buffer[..len], b"kept");
    b.set_nonblocking(true).unwrap();
    assert!(b.recv_from(&mut buffer).is_err());
    assert_eq!(relay.passed(), [9, 4]);
}
