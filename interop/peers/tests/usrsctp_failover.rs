//! Sheave and usrsctp on two links: bulk goes on while the first link goes dead, works again, and the second one
//! goes dead.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sheave::options::Heartbeats;
use sheave::{Association, Options, Profile};
use sheave_interop::gaps::{GOALS, SLACK, settled};
use sheave_interop::session::{self, Load};
use sheave_interop::{
    Caller, DEATHS, Death, Linked, Links, Part, Program, Tally, die, on_two_links,
};

/// How long a transfer is watched after a cut.
const WATCHED: Duration = Duration::from_secs(1);

/// The longest message that usrsctp sends, bytes.
const LARGEST: usize = 10_000;

/// Bulk without end, one message at a time: as much as leaves the processor to others.
const BULK: Load = Load::new(LARGEST, 1, 10).with_gap(Duration::from_millis(3));

/// Options with which bulk shows when it stands still, and a path that works again is soon found.
fn options(profile: Profile) -> Options {
    Options {
        outbound_streams: 10,
        send_buffer: 100_000,
        rto_max: Duration::from_millis(400),
        heartbeats: Heartbeats::Every(Duration::from_millis(500)),
        ..profile.options()
    }
}

/// The longest step of a transfer from the first cut on, and of a thread that does nothing but sleep beside it.
#[derive(Default)]
struct Steps {
    has_begun: AtomicBool,
    longest: Mutex<Duration>,
    /// By how much a sleep was too long.
    late: Mutex<Duration>,
}

impl Steps {
    /// Takes a step, and counts it where the first link was cut before it ended.
    fn take<T>(&self, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let outcome = step();
        if self.has_begun.load(Ordering::SeqCst) {
            raise(&self.longest, start.elapsed());
        }
        outcome
    }

    fn sleep_until(&self, over: &AtomicBool) {
        const NAP: Duration = Duration::from_millis(5);
        while !over.load(Ordering::Relaxed) {
            let start = Instant::now();
            thread::sleep(NAP);
            raise(&self.late, start.elapsed().saturating_sub(NAP));
        }
    }

    /// The longest step, less what the machine was late.
    fn gap(&self) -> Duration {
        let [longest, late] =
            [&self.longest, &self.late].map(|one| *one.lock().expect("it is whole"));
        println!("longest step {longest:?}, the machine is late by {late:?}");
        longest.saturating_sub(3 * late)
    }
}

fn raise(longest: &Mutex<Duration>, step: Duration) {
    let mut longest = longest.lock().expect("it is whole");
    *longest = step.max(*longest);
}

/// Lets the first link die, mends it, waits until both ends trust it, and lets the second one die.
fn kill_one_link_after_the_other(linked: &mut Linked<'_>, death: &Death, steps: &Steps) {
    for link in [0, 1] {
        thread::sleep(Duration::from_millis(200));
        steps.has_begun.store(true, Ordering::SeqCst);
        die(death, |cut| linked.links.cut(link, cut));
        thread::sleep(WATCHED);
        linked.links.mend(link);
        if link == 0 {
            linked.prove();
        }
    }
}

/// Sends until it is over; the number of messages.
fn send_until(over: &AtomicBool, association: &Association, steps: &Steps) -> u32 {
    let mut load = BULK;
    while !over.load(Ordering::Relaxed) {
        steps.take(|| session::send(association, &load));
        load = load.continued();
    }
    load.first
}

/// We send, and everything arrives once and in order. Returns the longest gap.
fn send_while_links_die(
    links: &Links,
    caller: Caller,
    profile: Profile,
    death: &Death,
) -> Duration {
    let mut linked = Linked::new(links, caller, Part::Sink, options(profile), "");
    let (steps, over) = (Steps::default(), AtomicBool::new(false));
    let association = linked.association.clone();
    let sent = thread::scope(|scope| {
        scope.spawn(|| steps.sleep_until(&over));
        let sender = scope.spawn(|| send_until(&over, &association, &steps));
        kill_one_link_after_the_other(&mut linked, death, &steps);
        over.store(true, Ordering::Relaxed);
        sender.join().expect("the association lives")
    });
    let end = linked.shut_down();
    let bytes = u64::from(sent) * LARGEST as u64;
    let expected = format!("bytes {bytes} messages {sent} wrong 0 end shutdown");
    assert!(end.ends_with(&expected), "not {expected}: {end}");
    steps.gap()
}

/// Receives until the peer's end.
fn receive_all(association: &Association, steps: &Steps) -> Tally {
    let mut tally = Tally::default();
    while let Some(message) = steps
        .take(|| association.receive_whole(LARGEST))
        .expect("the association lives")
    {
        tally.add(&message);
    }
    tally
}

/// The peer sends, and everything arrives once and in order. Returns the longest gap.
fn receive_while_links_die(
    links: &Links,
    caller: Caller,
    profile: Profile,
    death: &Death,
) -> Duration {
    let mut linked = Linked::new(links, caller, Part::Source, options(profile), "");
    let (steps, over) = (Steps::default(), AtomicBool::new(false));
    let association = linked.association.clone();
    let (tally, sent) = thread::scope(|scope| {
        scope.spawn(|| steps.sleep_until(&over));
        let receiver = scope.spawn(|| receive_all(&association, &steps));
        kill_one_link_after_the_other(&mut linked, death, &steps);
        over.store(true, Ordering::Relaxed);
        linked.peer.tell("stop");
        let sent = linked.peer.line("sent ", session::PATIENCE);
        let tally = receiver.join().expect("the peer ends gracefully");
        (tally, sent)
    });
    let count = format!("sent {}", tally.messages);
    assert_eq!((tally.wrong, sent), (0, count));
    assert_eq!(tally.bytes, tally.messages * LARGEST);
    let end = linked.last_words();
    assert!(end.ends_with("end shutdown"), "{end}");
    steps.gap()
}

/// A transfer while links die so; its longest gap.
type Transfer = fn(&Links, Caller, Profile, &Death) -> Duration;

/// Asserts that the transfer goes on within that time, whatever dies.
fn assert_short_gaps(
    transfer: Transfer,
    links: &Links,
    caller: Caller,
    profile: Profile,
    goal: Duration,
) {
    let mut late = Vec::new();
    for death in DEATHS {
        let gap = settled(goal, |_| transfer(links, caller, profile, death));
        println!("{profile:?} {death:?}: {gap:?}");
        if gap > goal {
            late.push((death, gap));
        }
    }
    assert!(late.is_empty(), "{late:?}");
}

fn assert_our_bulk_goes_on(links: &Links, caller: Caller, profile: Profile) {
    let mut goals = GOALS.into_iter();
    let goal = goals.find(|(of, _)| *of == profile);
    let (_, goal) = goal.expect("the profile has a goal");
    let goal = Duration::from_millis(goal) + SLACK;
    assert_short_gaps(send_while_links_die, links, caller, profile, goal);
}

#[test]
fn our_bulk_to_the_peer_goes_on_within_the_goal_of_modern() {
    on_two_links(Program::usrsctp, |links| {
        assert_our_bulk_goes_on(links, Caller::We, Profile::Modern);
    });
}

#[test]
fn our_bulk_to_the_peer_goes_on_within_the_goal_of_telecom() {
    on_two_links(Program::usrsctp, |links| {
        assert_our_bulk_goes_on(links, Caller::We, Profile::Telecom);
    });
}

#[test]
fn our_bulk_to_the_peer_that_called_goes_on_within_the_goal_of_modern() {
    on_two_links(Program::usrsctp, |links| {
        assert_our_bulk_goes_on(links, Caller::They, Profile::Modern);
    });
}

#[test]
fn our_bulk_to_the_peer_that_called_goes_on_within_the_goal_of_telecom() {
    on_two_links(Program::usrsctp, |links| {
        assert_our_bulk_goes_on(links, Caller::They, Profile::Telecom);
    });
}

/// The peer has quick timers and its own rules; what is ours to do is done at once.
fn assert_the_peers_bulk_goes_on(links: &Links, caller: Caller, profile: Profile) {
    let goal = Duration::from_millis(1500);
    assert_short_gaps(receive_while_links_die, links, caller, profile, goal);
}

#[test]
fn the_peers_bulk_to_us_who_called_goes_on() {
    on_two_links(Program::usrsctp, |links| {
        assert_the_peers_bulk_goes_on(links, Caller::We, Profile::Modern);
    });
}

#[test]
fn the_peers_bulk_to_us_goes_on() {
    on_two_links(Program::usrsctp, |links| {
        assert_the_peers_bulk_goes_on(links, Caller::They, Profile::Telecom);
    });
}
