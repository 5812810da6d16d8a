//! The stack survives any arguments that a program passes.

use std::env;
use std::time::Duration;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use sheave_engine::Profile;
use sheave_sockets::{Abi, Domain, Errno, How, Limits, SendCall, SocketId, Style};

use crate::pair::{Pair, address, control, second_address};

/// Size of each control message type in Linux, bytes.
const LINUX_SIZES: [usize; 9] = [8, 32, 16, 28, 16, 8, 2, 4, 16];
/// Size of each control message type in usrsctp, which counts from 1, bytes.
const USRSCTP_SIZES: [usize; 11] = [16, 8, 32, 16, 16, 28, 16, 8, 2, 4, 16];

#[derive(Clone, Debug)]
enum Call {
    Socket(bool, bool),
    Bind(usize, u16, bool),
    BindTwo(usize, u16),
    Listen(usize, u32),
    Connect(usize, u16, bool),
    Accept(usize),
    PeelOff(usize, i32),
    Send(usize, Option<u16>, Vec<u8>, i32, Vec<u8>),
    Described(usize, Option<u16>, i32, Vec<u8>, Vec<u8>),
    Read(usize, usize, usize, i32),
    Set(usize, i32, i32, Vec<u8>),
    Get(usize, i32, i32, Vec<u8>),
    Shutdown(usize, i32),
    Close(usize),
    Pass(u64),
}

fn call() -> impl Strategy<Value = Call> {
    let socket = 0_usize..6;
    let port = 5000_u16..5003;
    let level =
        prop_oneof![4 => Just(132), 1 => Just(1), 1 => Just(0), 1 => Just(41), 1 => any::<i32>()];
    // Linux's numbers, usrsctp's further ones, and arbitrary ones.
    let name = prop_oneof![
        8 => 0..136_i32,
        2 => 0x100..0x10a_i32,
        1 => 0x900..0x905_i32,
        1 => 0x1200..0x1208_i32,
        1 => 0x8000..0x8006_i32,
        1 => any::<i32>()
    ];
    let small = vec(
        prop_oneof![2 => Just(0_u8), 2 => 0..8_u8, 1 => any::<u8>()],
        0..180,
    );
    prop_oneof![
        any::<(bool, bool)>().prop_map(|(v6, many)| Call::Socket(v6, many)),
        (socket.clone(), port.clone(), any::<bool>()).prop_map(|(s, p, all)| Call::Bind(s, p, all)),
        (socket.clone(), port.clone()).prop_map(|(s, p)| Call::BindTwo(s, p)),
        (socket.clone(), 0..3_u32).prop_map(|(s, n)| Call::Listen(s, n)),
        (socket.clone(), port.clone(), any::<bool>())
            .prop_map(|(s, p, two)| Call::Connect(s, p, two)),
        socket.clone().prop_map(Call::Accept),
        (socket.clone(), -1..8_i32).prop_map(|(s, a)| Call::PeelOff(s, a)),
        (
            socket.clone(),
            proptest::option::of(port.clone()),
            small.clone(),
            any::<i32>(),
            small.clone()
        )
            .prop_map(|(s, to, control, flags, payload)| Call::Send(
                s, to, control, flags, payload
            )),
        (
            socket.clone(),
            proptest::option::of(port.clone()),
            -1..11_i32,
            small.clone(),
            small.clone()
        )
            .prop_map(|(s, to, kind, body, payload)| Call::Described(s, to, kind, body, payload)),
        (
            socket.clone(),
            0..300_usize,
            0..200_usize,
            prop_oneof![Just(0), Just(2), Just(0x40), any::<i32>()]
        )
            .prop_map(|(s, p, c, f)| Call::Read(s, p, c, f)),
        (socket.clone(), level.clone(), name.clone(), small.clone())
            .prop_map(|(s, l, n, v)| Call::Set(s, l, n, v)),
        (socket.clone(), level, name, small).prop_map(|(s, l, n, v)| Call::Get(s, l, n, v)),
        (socket.clone(), 0..4_i32).prop_map(|(s, how)| Call::Shutdown(s, how)),
        socket.prop_map(Call::Close),
        (0..3000_u64).prop_map(Call::Pass),
    ]
}

/// Makes a call on a socket of one end; ignores its result.
fn make(pair: &mut Pair, end: usize, sockets: &mut Vec<SocketId>, call: Call, sizes: &[usize]) {
    let now = pair.now;
    let pick = |at: usize, sockets: &[SocketId]| sockets[at % sockets.len()];
    let stack = &mut pair.ends[end];
    match call {
        Call::Socket(v6, many) => {
            let domain = if v6 { Domain::V6 } else { Domain::V4 };
            let style = if many {
                Style::OneToMany
            } else {
                Style::OneToOne
            };
            if sockets.len() < 12 {
                sockets.push(stack.socket(domain, style));
            }
        }
        Call::Bind(s, port, all) => {
            let one = if all {
                format!("0.0.0.0:{port}").parse().unwrap()
            } else {
                address(end, port)
            };
            let _ = stack.bind(now, pick(s, sockets), &[one]);
        }
        Call::BindTwo(s, port) => {
            let both = [address(end, port), second_address(end, port)];
            let _ = stack.bind(now, pick(s, sockets), &both);
        }
        Call::Listen(s, backlog) => drop(stack.listen(now, pick(s, sockets), backlog)),
        Call::Connect(s, port, two) => {
            let peer = [address(1 - end, port), second_address(1 - end, port)];
            let peer = if two { &peer[..] } else { &peer[..1] };
            let _ = stack.connect(now, pick(s, sockets), peer);
        }
        Call::Accept(s) => sockets.extend(stack.accept(pick(s, sockets))),
        Call::PeelOff(s, assoc) => sockets.extend(stack.peel_off(now, pick(s, sockets), assoc)),
        Call::Send(s, to, control, flags, payload) => {
            let payload = Bytes::from(payload);
            let destination = to.map(|port| address(1 - end, port));
            let call = SendCall {
                destination,
                control: &control,
                flags,
                payload,
            };
            let _ = stack.check_send(now, pick(s, sockets), &call);
            let _ = stack.send(now, pick(s, sockets), call);
        }
        Call::Described(s, to, kind, mut body, payload) => {
            let size = usize::try_from(kind).ok().and_then(|kind| sizes.get(kind));
            body.resize(*size.unwrap_or(&16), 0);
            let control = control(kind, &body);
            let destination = to.map(|port| address(1 - end, port));
            let payload = Bytes::from(payload);
            let call = SendCall {
                destination,
                control: &control,
                flags: 0,
                payload,
            };
            let checked = stack.check_send(now, pick(s, sockets), &call);
            let sent = stack.send(now, pick(s, sockets), call);
            // A message that passed the check is accepted.
            if checked.is_ok() && destination.is_none() && kind > 1 {
                assert!(sent.is_ok(), "{sent:?}");
            }
        }
        Call::Read(s, payload, control, flags) => {
            let id = pick(s, sockets);
            if let Ok(incoming) = stack.peek(
                now,
                id,
                Limits {
                    payload,
                    control,
                    flags,
                },
            ) {
                assert!(incoming.payload.len() <= payload && incoming.control.len() <= control);
                stack.consume(now, id, incoming.token);
            }
        }
        Call::Set(s, level, name, value) => {
            let _ = stack.special(level, name, &value);
            let _ = stack.set_option(now, pick(s, sockets), level, name, &value);
        }
        Call::Get(s, level, name, given) => {
            let answer = stack.option(now, pick(s, sockets), level, name, &given);
            assert!(answer.is_err() || answer.is_ok_and(|answer| answer.len() <= given.len()));
        }
        Call::Shutdown(s, how) => {
            if let Ok(how) = How::from_number(how) {
                let _ = stack.shutdown(now, pick(s, sockets), how);
            }
        }
        Call::Close(s) => stack.close(now, pick(s, sockets)),
        Call::Pass(millis) => pair.pass(Duration::from_millis(millis)),
    }
    for socket in sockets.iter() {
        let stack = &pair.ends[end];
        let _ = (
            stack.readiness(*socket),
            stack.local_name(*socket),
            stack.peer_name(*socket),
        );
    }
}

/// Number of cases, set by `SHEAVE_SOCKETS_CASES`.
fn cases() -> ProptestConfig {
    let cases = env::var("SHEAVE_SOCKETS_CASES").ok();
    ProptestConfig {
        cases: cases.map_or(300, |cases| cases.parse().expect("a number")),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn arbitrary_calls_never_panic_and_all_ends_when_all_sockets_are_closed(
        calls in vec((0..2_usize, call()), 0..60),
        of_usrsctp in any::<bool>(),
    ) {
        let (abi, sizes) = match of_usrsctp {
            true => (Abi::USRSCTP, &USRSCTP_SIZES[..]),
            false => (Abi::LINUX, &LINUX_SIZES[..]),
        };
        let mut pair = Pair::of(abi, &Profile::Linux.options());
        let mut sockets: [Vec<SocketId>; 2] = [0, 1].map(|end| {
            [Style::OneToOne, Style::OneToMany].map(|style| pair.socket(end, style)).into()
        });
        for (end, call) in calls {
            let mut own = core::mem::take(&mut sockets[end]);
            make(&mut pair, end, &mut own, call, sizes);
            sockets[end] = own;
        }
        let now = pair.now;
        for (stack, sockets) in pair.ends.iter_mut().zip(&sockets) {
            for socket in sockets {
                stack.close(now, *socket);
            }
        }
        pair.pass(Duration::from_secs(100_000));
        prop_assert!(pair.ends.iter().all(sheave_sockets::Stack::is_idle));
    }
}

/// Found by the search above: the check passed, the call failed.
#[test]
fn a_check_says_what_the_end_of_what_is_not_up_would() {
    let mut pair = Pair::of(Abi::USRSCTP, &Profile::Linux.options());
    let id = pair.socket(0, Style::OneToOne);
    let connecting = pair.ends[0].connect(pair.now, id, &[address(1, 5000)]);
    assert!(connecting.is_ok(), "{connecting:?}");
    // SCTP_ABORT, in SCTP_SNDINFO.
    let mut body = [0; 16];
    body[2..4].copy_from_slice(&0x200_u16.to_le_bytes());
    let control = control(4, &body);
    let call = || SendCall {
        destination: None,
        control: &control,
        flags: 0,
        payload: Bytes::new(),
    };
    let checked = pair.ends[0].check_send(pair.now, id, &call());
    let sent = pair.ends[0].send(pair.now, id, call());
    assert_eq!((checked, sent), (Err(Errno::EINVAL), Err(Errno::EINVAL)));
}
