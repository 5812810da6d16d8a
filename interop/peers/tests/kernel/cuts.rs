//! Extensions at work while the first of two links goes dead, one way first and then the other way,
//! too.

use std::thread;
use std::time::{Duration, Instant};

use sheave::authentication::{HmacAlgorithm, KeyId, SharedKey};
use sheave::events::{AddressChange, AuthenticationChange, PathChange};
use sheave::options::{AddressChanges, Authentication, Failover, PeerRequests, Reconfiguration};
use sheave::streams::StreamDirection;
use sheave::{Event, Options, SendOptions, StreamId};
use sheave_interop::session::{self, PATIENCE};
use sheave_interop::{Caller, Cut, Death, KernelPeer, Told};

use crate::failover;
use crate::meeting::{Meeting, Part, revive};
use crate::partial::{self, giving_up};
use crate::{OURS, QUICK, THEIRS, options, scenario, set};

/// Our direction first, then the kernel's; and the other way round.
const DEATHS: [&Death; 2] = [&[Cut::There, Cut::Back], &[Cut::Back, Cut::There]];

/// Messages without end.
const ECHO: Part = Part::Echo("2000 1000000");

/// What is changed at both ends after each cut, of which the second argument is the number.
type Change = fn(&Meeting<'_>, &mut Told, u16);

/// Changes something after each cut of a link while messages go to the kernel and back, and once
/// more when the link works again.
fn change_while_a_link_dies(kernel: &KernelPeer, ours: &Options, words: &str, change: Change) {
    let _ = kernel.run(QUICK);
    // A machine that is busy may stop the kernel for longer than `Telecom` waits for its answer.
    let ours = Options {
        association_max_retrans: 50,
        ..ours.clone()
    };
    let all = Caller::BOTH.map(|caller| DEATHS.map(|death| (caller, death)));
    for (number, (caller, death)) in (0..).zip(all.into_iter().flatten()) {
        println!("{caller:?} {death:?}");
        let words = format!("streams=8 gap=8 {words}");
        let meeting = Meeting::new(kernel, number, caller, ECHO, ours.clone(), &words);
        let mut told = Told::of(&meeting.association);
        let mut all = || {
            for (at, one) in (0..).zip(death) {
                failover::cut(kernel, *one);
                change(&meeting, &mut told, at);
            }
            revive(kernel, death);
            change(&meeting, &mut told, 2);
        };
        match caller {
            Caller::We => {
                session::while_pinging(&meeting.association, all);
                let text = meeting.shut_down();
                assert!(text.contains("wrong 0 end shutdown"), "{}", end_of(&text));
            }
            Caller::They => {
                let tally = thread::scope(|scope| {
                    let echo = scope.spawn(|| session::echo(&meeting.association));
                    all();
                    kernel.tell(&meeting.log, "stop");
                    echo.join().expect("it does not panic")
                });
                let tally = tally.expect("the kernel ends gracefully");
                let end = format!("messages {} wrong 0 end shutdown", tally.messages);
                let text = meeting.last_words();
                let text = end_of(&text);
                assert!(tally.wrong == 0 && text.contains(&end), "{tally:?}: {text}");
            }
        }
    }
}

/// The last line.
fn end_of(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

fn reset_streams(meeting: &Meeting<'_>, told: &mut Told, at: u16) {
    use StreamDirection::{Incoming, Outgoing};
    let was_reset = |direction, stream| Event::StreamsReset {
        direction,
        streams: vec![StreamId(stream)],
    };
    for direction in [Outgoing, Incoming] {
        let asked = meeting
            .association
            .reset_streams(&[StreamId(at)], direction);
        asked.expect("the kernel reconfigures");
        told.wait_for(&was_reset(direction, at));
    }
    let kernels = 4 + at;
    meeting
        .kernel
        .tell(&meeting.log, &format!("reset out {kernels}"));
    told.wait_for(&was_reset(Incoming, kernels));
    meeting
        .kernel
        .tell(&meeting.log, &format!("reset in {kernels}"));
    told.wait_for(&was_reset(Outgoing, kernels));
}

#[test]
fn streams_are_reset_by_both_ends_while_a_link_dies() {
    scenario(|kernel| {
        set(kernel, "reconf_enable", 1);
        let ours = Options {
            reconfiguration: Reconfiguration::On(PeerRequests::ALL),
            outbound_streams: 8,
            ..options()
        };
        change_while_a_link_dies(kernel, &ours, "reset", reset_streams);
    });
}

/// Both ends go on to the next key, and let go of the one before.
fn change_keys(meeting: &Meeting<'_>, told: &mut Told, at: u16) {
    let (kernel, log, association) = (meeting.kernel, &meeting.log, &meeting.association);
    let (old, new) = (at + 1, at + 2);
    kernel.tell(log, &format!("key {new} open{new}"));
    let key = SharedKey::new(KeyId(new), format!("open{new}"));
    association.insert_key(key).expect("it is new");
    association.activate_key(KeyId(new)).expect("it is there");
    association
        .deactivate_key(KeyId(old))
        .expect("it is not active");
    let _ = kernel.wait_for_line(log, &format!("key {new} new"), PATIENCE);
    kernel.tell(log, &format!("active {new}"));
    let changed = |change| Event::Authentication(change);
    told.wait_for(&changed(AuthenticationChange::NewKey(KeyId(new))));
    told.wait_for(&changed(AuthenticationChange::FreeKey(KeyId(old))));
    let stats = association.stats().expect("it is open");
    let refused = (stats.unauthenticated, stats.failed_authentications);
    assert_eq!(refused, (0, 0));
}

#[test]
fn keys_are_changed_at_both_ends_while_a_link_dies() {
    scenario(|kernel| {
        set(kernel, "auth_enable", 1);
        let ours = Options {
            authentication: session::authentication("sesame", HmacAlgorithm::Sha256),
            ..options()
        };
        let words = "auth=0,3,5 keys=1:sesame active=1";
        change_while_a_link_dies(kernel, &ours, words, change_keys);
    });
}

/// We let go of our address on the dying link, the kernel of its own, and both take them back.
fn change_addresses(meeting: &Meeting<'_>, told: &mut Told, at: u16) {
    let (kernel, log, association) = (meeting.kernel, &meeting.log, &meeting.association);
    let ours = AddressChange::Delete(OURS[0]);
    match at {
        0 => {
            association.delete_address(OURS[0]).expect("it is ours");
            told.wait_for(&Event::AddressChanged { change: ours });
        }
        1 => {
            kernel.tell(log, &format!("unbind {}", THEIRS[0]));
            told.wait_for_path(THEIRS[0], PathChange::Removed);
        }
        _ => {
            let ours = AddressChange::Add(OURS[0]);
            association.add_address(OURS[0]).expect("it is there");
            told.wait_for(&Event::AddressChanged { change: ours });
            // Where we called its listening socket has that address, too: it is "in use".
            if meeting.caller == Caller::They {
                kernel.tell(log, &format!("bind {}", THEIRS[0]));
                told.wait_for_path(THEIRS[0], PathChange::Added);
                told.wait_for_path(THEIRS[0], PathChange::Confirmed);
            }
        }
    }
}

#[test]
fn addresses_on_a_link_that_dies_go_and_come_back_at_both_ends() {
    scenario(|kernel| {
        set(kernel, "auth_enable", 1);
        set(kernel, "addip_enable", 1);
        let ours = Options {
            authentication: Authentication::on(),
            address_changes: AddressChanges::On,
            ..options()
        };
        change_while_a_link_dies(kernel, &ours, "", change_addresses);
    });
}

/// Cuts one way, waits until the association has been in trouble for a while, and cuts the other way.
fn die_slowly(kernel: &KernelPeer, death: &Death) {
    for one in death {
        failover::cut(kernel, *one);
        thread::sleep(Duration::from_millis(600));
    }
}

/// From one message of ours to the next.
const PAUSE: Duration = Duration::from_millis(5);

/// We send and give up, on a link that dies.
fn we_give_up(kernel: &KernelPeer, caller: Caller, number: u16, death: &Death) {
    let how = |_| SendOptions::default().with_lifetime(Duration::from_millis(60));
    let ours = Options {
        // Within round trips nothing would have to be given up.
        failover: Failover::Timeouts,
        ..giving_up()
    };
    let meeting = Meeting::new(kernel, number, caller, Part::Sink, ours, "");
    thread::scope(|scope| {
        let sender = scope.spawn(|| partial::send_partly(&meeting.association, how, PAUSE));
        die_slowly(kernel, death);
        sender.join().expect("everything is accepted");
    });
    let given_up = partial::drained(&meeting.association, sheave::stats::Policy::Timed);
    revive(kernel, death);
    let text = meeting.shut_down();
    assert!(text.contains("wrong 0 end shutdown"), "{text}");
    let counts = partial::counts(&text);
    assert_eq!(counts[0], partial::RELIABLE, "{text}");
    assert!(given_up > 0, "{text}");
}

/// The kernel sends and may give up, on a link that dies. Returns the number of messages that it gave
/// up: none where the other link took over in time.
fn the_kernel_gives_up(kernel: &KernelPeer, caller: Caller, number: u16, death: &Death) -> u32 {
    let words = "streams=4 reliable-stream=0 policy=ttl:60 gap=5";
    let part = Part::Source("3000 321");
    let meeting = Meeting::new(kernel, number, caller, part, giving_up(), words);
    let counts = thread::scope(|scope| {
        let receiver = scope.spawn(|| partial::receive_partly(&meeting.association, 3000));
        die_slowly(kernel, death);
        receiver.join().expect("the kernel ends gracefully")
    });
    revive(kernel, death);
    let text = meeting.last_words();
    assert!(text.contains("end shutdown"), "{text}");
    assert_eq!(counts[0], partial::RELIABLE, "{counts:?}");
    partial::MESSAGES - counts.iter().sum::<u32>()
}

#[test]
fn messages_that_both_ends_give_up_while_a_link_dies_are_skipped() {
    scenario(|kernel| {
        let _ = kernel.run(QUICK);
        let all = Caller::BOTH.map(|caller| DEATHS.map(|death| (caller, death)));
        let mut given_up = 0;
        for (number, (caller, death)) in (0..).zip(all.into_iter().flatten()) {
            let start = Instant::now();
            we_give_up(kernel, caller, 2 * number, death);
            given_up += the_kernel_gives_up(kernel, caller, 2 * number + 1, death);
            println!("{caller:?} {death:?}: {:?}", start.elapsed());
        }
        assert!(given_up > 0, "the kernel gave nothing up");
    });
}
