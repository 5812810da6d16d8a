//! RFC 6458 §5.3.8, §8.1.17, §8.1.18, §8.2.3, §8.2.4, §8.3.2 to §8.3.5: authentication.

use sheave_sockets::{Errno, SocketId, Style};

use crate::pair::{Pair, Wire, address, chunks, control, u16_at};

const AUTH_CHUNK: i32 = 21;
const AUTH_KEY: i32 = 23;
const ACTIVE_KEY: i32 = 24;
const DELETE_KEY: i32 = 25;
const PEER_CHUNKS: i32 = 26;
const DEACTIVATE_KEY: i32 = 35;
const AUTH_SUPPORTED: i32 = 129;
const AUTH: u8 = 15;
/// Control message type `SCTP_AUTHINFO`.
const AUTH_INFO: i32 = 6;
/// SCTP_AUTHENTICATION_EVENT, and the indications used here.
const KEY_EVENT: u16 = 0x8008;
const FREE_KEY: u16 = 1;

fn key(number: u16, secret: &[u8]) -> Vec<u8> {
    let length = u16::try_from(secret.len()).unwrap();
    let header = [0_u16, 0, number, length].map(u16::to_ne_bytes).concat();
    [&header[..], secret].concat()
}

fn named(number: u16) -> Vec<u8> {
    [0_u16, 0, number, 0].map(u16::to_ne_bytes).concat()
}

/// Makes a socket require authenticated DATA, with one key.
fn prepare(pair: &mut Pair, end: usize, socket: SocketId, secret: &[u8]) {
    let on = [0_u32, 1].map(u32::to_ne_bytes).concat();
    pair.set(end, socket, AUTH_SUPPORTED, &on).unwrap();
    pair.set(end, socket, AUTH_KEY, &key(1, secret)).unwrap();
    pair.set(end, socket, ACTIVE_KEY, &named(1)).unwrap();
    pair.set(end, socket, AUTH_CHUNK, &[0]).unwrap();
}

fn connected(secrets: [&[u8]; 2]) -> (Pair, SocketId, SocketId) {
    let mut pair = Pair::new();
    let server = pair.socket(1, Style::OneToOne);
    prepare(&mut pair, 1, server, secrets[1]);
    pair.subscribe(1, server, &[8]);
    pair.bind(1, server, &[address(1, 5000)]).unwrap();
    pair.listen(1, server, 5).unwrap();
    let client = pair.socket(0, Style::OneToOne);
    prepare(&mut pair, 0, client, secrets[0]);
    pair.establish(client);
    let accepted = pair.ends[1].accept(server).unwrap();
    (pair, client, accepted)
}

#[test]
fn sections_8_3_2_and_8_3_3_data_comes_through_with_the_same_key_alone() {
    let (mut pair, client, accepted) = connected([b"secret", b"secret"]);
    pair.deliver(0, client, b"proved");
    assert_eq!(pair.read(1, accepted).unwrap().payload, "proved");
    let (_, _, packet) = pair.sent.iter().rfind(|one| one.0 == 0).unwrap();
    assert_eq!(chunks(packet).next().unwrap().0, AUTH);

    let (mut pair, client, accepted) = connected([b"secret", b"another"]);
    pair.deliver(0, client, b"forged");
    assert_eq!(pair.read(1, accepted), Err(Errno::EAGAIN));
}

#[test]
fn sections_8_1_18_and_8_3_3_to_8_3_5_and_6_1_8_keys_change_while_the_association_lives() {
    let (mut pair, client, accepted) = connected([b"secret", b"secret"]);
    pair.deliver(0, client, b"with key 1");
    assert_eq!(pair.read(1, accepted).unwrap().payload, "with key 1");
    for (end, socket) in [(0, client), (1, accepted)] {
        pair.set(end, socket, AUTH_KEY, &key(2, b"newer")).unwrap();
    }
    let outcome = pair.set(0, client, DELETE_KEY, &named(1));
    assert_eq!(outcome, Err(Errno::EINVAL));
    pair.set(0, client, ACTIVE_KEY, &named(2)).unwrap();
    assert_eq!(
        u16_at(&pair.get(0, client, ACTIVE_KEY, &[0; 8]).unwrap(), 4),
        2
    );
    pair.set(0, client, DEACTIVATE_KEY, &named(1)).unwrap();
    let outcome = pair.set(0, client, ACTIVE_KEY, &named(1));
    assert_eq!(outcome, Err(Errno::EINVAL));
    pair.set(0, client, DELETE_KEY, &named(1)).unwrap();
    pair.deliver(0, client, b"with key 2");
    assert_eq!(pair.read(1, accepted).unwrap().payload, "with key 2");
    let told = pair.read(1, accepted).unwrap().payload;
    assert_eq!((u16_at(&told, 0), u16_at(&told, 8)), (0x8008, 2));
}

#[test]
fn section_8_1_17_packets_are_proved_by_the_algorithm_that_the_program_lists() {
    const HMAC_IDENT: i32 = 22;
    const SHA_1: u16 = 1;
    const SHA_256: u16 = 3;
    let list = |numbers: &[u16]| {
        let count = u32::try_from(numbers.len()).unwrap();
        let numbers: Vec<u8> = numbers.iter().flat_map(|one| one.to_ne_bytes()).collect();
        [&count.to_ne_bytes()[..], &numbers].concat()
    };
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    prepare(&mut pair, 0, socket, b"secret");
    let mut set = |numbers: &[u16]| pair.set(0, socket, HMAC_IDENT, &list(numbers));
    // SHA-1 is mandatory (RFC 4895 §3.3); 2 is not an algorithm.
    assert_eq!(set(&[SHA_256]), Err(Errno::EINVAL));
    assert_eq!(set(&[]), Err(Errno::EINVAL));
    assert_eq!(set(&[SHA_1, 2]), Err(Errno::EOPNOTSUPP));

    // The peer's list decides; its first entry is preferred.
    for (numbers, used) in [(&[SHA_1][..], SHA_1), (&[SHA_256, SHA_1], SHA_256)] {
        let mut pair = Pair::new();
        let server = pair.socket(1, Style::OneToOne);
        prepare(&mut pair, 1, server, b"secret");
        pair.set(1, server, HMAC_IDENT, &list(numbers)).unwrap();
        let told = pair.get(1, server, HMAC_IDENT, &[0; 16]);
        assert_eq!(told, Ok(list(numbers)));
        pair.bind(1, server, &[address(1, 5000)]).unwrap();
        pair.listen(1, server, 5).unwrap();
        let client = pair.socket(0, Style::OneToOne);
        prepare(&mut pair, 0, client, b"secret");
        pair.establish(client);
        pair.deliver(0, client, b"proved");
        let (.., packet) = pair.sent.iter().rfind(|one| one.0 == 0).unwrap();
        let (kind, body) = chunks(packet).next().unwrap();
        let algorithm = u16::from_be_bytes([body[2], body[3]]);
        assert_eq!((kind, algorithm), (AUTH, used));
    }
}

#[test]
fn sections_8_2_4_and_8_3_2_the_chunks_that_this_end_asks_for_are_listed() {
    const LOCAL_CHUNKS: i32 = 27;
    const INIT: u8 = 1;
    const SACK: u8 = 3;
    let (mut pair, client, _) = connected([b"secret", b"secret"]);
    let list = pair.get(0, client, LOCAL_CHUNKS, &[0; 64]).unwrap();
    assert_eq!(list[4..], [1, 0, 0, 0, 0], "DATA");
    // Set on a socket, for future associations.
    let other = pair.socket(0, Style::OneToOne);
    prepare(&mut pair, 0, other, b"secret");
    pair.set(0, other, AUTH_CHUNK, &[SACK]).unwrap();
    let list = pair.get(0, other, LOCAL_CHUNKS, &[0; 64]).unwrap();
    assert_eq!(list[4..], [2, 0, 0, 0, 0, SACK]);
    let refused = pair.set(0, other, AUTH_CHUNK, &[INIT]);
    assert_eq!(refused, Err(Errno::EINVAL));
    let answer = pair.get(0, other, AUTH_CHUNK, &[0; 64]);
    assert_eq!(answer, Err(Errno::EOPNOTSUPP));
}

#[test]
fn section_8_2_3_the_chunks_that_the_peer_asks_for_are_listed() {
    let (mut pair, client, _) = connected([b"secret", b"secret"]);
    let list = pair.get(0, client, PEER_CHUNKS, &[0; 64]).unwrap();
    assert!(list[8..].contains(&0), "{list:?}");
    let answer = pair.get(0, client, PEER_CHUNKS, &[0; 8]);
    assert_eq!(answer, Err(Errno::EINVAL));
}

/// Sends a message with its own key.
fn send_by(pair: &mut Pair, end: usize, socket: SocketId, number: u16) -> Result<usize, Errno> {
    let info = control(AUTH_INFO, &number.to_ne_bytes());
    pair.send_with(end, socket, None, &info, b"with a key of its own")
}

/// Key ids of the packets with AUTH and DATA sent by an end.
fn keys_of_data(pair: &Pair, end: usize) -> Vec<u16> {
    let sent = pair.sent.iter().filter(|packet| packet.0 == end);
    let keys = sent.filter_map(|(_, _, packet)| {
        let mut all = chunks(packet);
        let (kind, body) = all.next()?;
        let is_data = (kind, all.next()?.0) == (AUTH, 0);
        is_data.then(|| u16::from_be_bytes([body[0], body[1]]))
    });
    keys.collect()
}

#[test]
fn section_5_3_8_a_message_leaves_with_the_key_that_it_names() {
    let (mut pair, client, accepted) = connected([b"secret", b"secret"]);
    for (end, socket) in [(0, client), (1, accepted)] {
        pair.set(end, socket, AUTH_KEY, &key(2, b"newer")).unwrap();
    }
    send_by(&mut pair, 0, client, 2).unwrap();
    pair.send(0, client, b"with the active key").unwrap();
    send_by(&mut pair, 0, client, 1).unwrap();
    pair.settle();
    assert_eq!(keys_of_data(&pair, 0), [2, 1]);
    let mut came = Vec::new();
    while let Ok(incoming) = pair.read(1, accepted) {
        came.extend((incoming.flags & crate::pair::NOTIFICATION == 0).then_some(incoming.payload));
    }
    let own = &b"with a key of its own"[..];
    assert_eq!(came, [own, b"with the active key", own]);
}

#[test]
fn section_5_3_8_a_key_that_there_is_not_is_refused() {
    let (mut pair, client, _) = connected([b"secret", b"secret"]);
    assert_eq!(send_by(&mut pair, 0, client, 9), Err(Errno::EINVAL));
    pair.set(0, client, AUTH_KEY, &key(2, b"newer")).unwrap();
    pair.set(0, client, DEACTIVATE_KEY, &named(2)).unwrap();
    assert_eq!(send_by(&mut pair, 0, client, 2), Err(Errno::EINVAL));
    pair.set(0, client, DELETE_KEY, &named(2)).unwrap();
    assert_eq!(send_by(&mut pair, 0, client, 2), Err(Errno::EINVAL));
    let short = control(AUTH_INFO, &[1]);
    let outcome = pair.send_with(0, client, None, &short, b"no number");
    assert_eq!(outcome, Err(Errno::EINVAL));
}

#[test]
fn section_5_3_8_a_key_that_there_is_not_begins_no_association() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    let client = pair.socket(0, Style::OneToMany);
    prepare(&mut pair, 0, client, b"secret");
    let send = |pair: &mut Pair, number: u16| {
        let info = control(AUTH_INFO, &number.to_ne_bytes());
        pair.send_with(0, client, Some(address(1, 5000)), &info, b"hello")
    };
    assert_eq!(send(&mut pair, 9), Err(Errno::EINVAL));
    pair.settle();
    assert!(pair.sent.is_empty());
    // The peer does not require authenticated DATA.
    assert_eq!(send(&mut pair, 1), Ok(5));
    pair.settle();
    assert_eq!(pair.read(1, server).unwrap().payload, "hello");
    assert_eq!(send(&mut pair, 9), Ok(5));
}

#[test]
fn sections_8_3_4_and_6_1_8_a_key_is_free_when_its_messages_are_acknowledged() {
    let (mut pair, client, accepted) = connected([b"secret", b"secret"]);
    pair.subscribe(0, client, &[8]);
    pair.set(0, client, AUTH_KEY, &key(2, b"newer")).unwrap();
    pair.wire = Wire::Cut;
    send_by(&mut pair, 0, client, 2).unwrap();
    pair.settle();
    pair.set(0, client, DEACTIVATE_KEY, &named(2)).unwrap();
    let deleted = pair.set(0, client, DELETE_KEY, &named(2));
    assert_eq!(deleted, Err(Errno::EINVAL));
    assert_eq!(pair.read(0, client), Err(Errno::EAGAIN));
    pair.wire = Wire::Up;
    // Without the key, the peer cannot acknowledge anything.
    pair.set(1, accepted, AUTH_KEY, &key(2, b"newer")).unwrap();
    pair.pass(std::time::Duration::from_secs(10));
    let told = pair.read(0, client).unwrap().payload;
    let numbers = [0, 8, 12].map(|at| u16_at(&told, at));
    assert_eq!(numbers, [KEY_EVENT, 2, FREE_KEY]);
    pair.set(0, client, DELETE_KEY, &named(2)).unwrap();
}
