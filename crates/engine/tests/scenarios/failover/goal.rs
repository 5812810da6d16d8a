//! Delivery gap when a path is cut: 1,000 cuts at random times, of one or both directions, of
//! either path, under bulk transfer and request/response, on one path at a time and on several,
//! with our own peer and a Linux-like one.

use crate::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

use super::hedge::Cut;
use super::without;

/// The traffic of the users.
#[derive(Clone, Copy, Debug)]
enum Traffic {
    /// A always has data to send.
    Bulk,
    /// A sends a request, Z answers, A repeats after 5 ms.
    Requests,
}

/// Kind of peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    Ours,
    /// SACKs that report duplicates use the first path, even if dead.
    LinuxLike,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    profile: Profile,
    multipath: bool,
    traffic: Traffic,
    other: Other,
}

impl Case {
    fn goal(self) -> Duration {
        match self.profile {
            Profile::Telecom => ms(400),
            Profile::Datacenter => ms(150),
            _ => ms(600),
        }
    }

    fn link(self) -> Link {
        let (delay, rate) = match self.profile {
            Profile::Datacenter => (Duration::from_micros(100), 10_000_000),
            _ => (ms(10), 3_000_000),
        };
        Link {
            delay,
            rate: Some(rate),
            queue: 12_000,
            ..Link::default()
        }
    }

    fn world(self, seed: u64) -> World {
        let mut options = self.profile.options();
        options.send_buffer = 100_000;
        options.multipath = match self.multipath {
            true => Multipath::Concurrent(ConcurrentTransfer::default()),
            false => Multipath::Off,
        };
        let mut setup = Setup::with(options);
        setup.seed = seed;
        setup.link = self.link();
        setup.paths(2).confirmed()
    }
}

/// A transfer, and the time of its last delivery.
struct Run {
    world: World,
    case: Case,
    asked: usize,
    answered: usize,
    ask_at: Option<Time>,
    /// Until this time, the first path carries nothing back.
    dead_until: Rc<Cell<Time>>,
}

impl Run {
    fn new(case: Case, seed: u64) -> Self {
        let mut world = case.world(seed);
        let dead_until = Rc::new(Cell::new(Time::ZERO));
        if case.other == Other::LinuxLike {
            let dead = Rc::clone(&dead_until);
            world.add_rule(move |record| {
                if record.at >= dead.get()
                    || record.from == address(A, 1)
                    || record.from == address(A, 2)
                {
                    return Verdict::Deliver;
                }
                without(
                    record,
                    |chunk| matches!(chunk, Chunk::Sack(sack) if !sack.duplicates.is_empty()),
                )
            });
        }
        let now = world.now();
        Self {
            world,
            case,
            asked: 0,
            answered: 0,
            ask_at: Some(now),
            dead_until,
        }
    }

    /// Runs the users for `span`; returns the longest time without delivery.
    fn carry_on(&mut self, span: Duration) -> Duration {
        let until = self.world.now() + span;
        let reader = match self.case.traffic {
            Traffic::Bulk => Z,
            Traffic::Requests => A,
        };
        let (mut last, mut longest) = (self.world.now(), Duration::ZERO);
        let mut seen = self.world.received(reader).len();
        while self.world.now() < until {
            match self.case.traffic {
                Traffic::Bulk => self.feed(),
                Traffic::Requests => self.converse(),
            }
            self.world.run_for(ms(1));
            for (at, ..) in &self.world.received(reader)[seen..] {
                longest = longest.max(at.since(last));
                last = *at;
                seen += 1;
            }
        }
        longest.max(self.world.now().since(last))
    }

    fn feed(&mut self) {
        while self.world.is_open(A) && self.world.waiting(A) < 20 {
            self.world.send(A, blob(self.asked as u16 % 10, 1400));
            self.asked += 1;
        }
    }

    fn converse(&mut self) {
        while self.world.received(Z).len() > self.answered {
            self.answered += 1;
            self.world.send(Z, blob(0, 100));
        }
        let now = self.world.now();
        match self.ask_at {
            Some(at) if at <= now => {
                self.ask_at = None;
                self.asked += 1;
                self.world.send(A, blob(0, 100));
            }
            None if self.world.received(A).len() == self.asked => self.ask_at = Some(now + ms(5)),
            _ => {}
        }
    }

    /// Cuts a path for `span` and runs during the cut and some time after; returns the longest time
    /// without delivery.
    fn survive(&mut self, path: u8, cut: Cut, span: Duration) -> Duration {
        if path == 1 && !matches!(cut, Cut::There) {
            self.dead_until.set(self.world.now() + span);
        }
        cut.make(&mut self.world, path, span);
        self.carry_on(span + ms(700))
    }

    /// Waits without traffic until both ends use both paths again.
    fn heal(&mut self) {
        self.world.wait(secs(400), |world| {
            [A, Z].into_iter().all(|host| {
                let paths = world.assoc(host).path_stats();
                paths.iter().all(|path| path.state == PathState::Active)
            })
        });
        self.ask_at.get_or_insert(self.world.now());
    }
}

/// Cuts random paths, each after both recovered; returns the longest time without delivery.
fn longest_gap(case: Case, seed: u64, cuts: u32) -> Duration {
    let mut run = Run::new(case, seed);
    let mut longest = Duration::ZERO;
    for number in 0..cuts {
        let before = ms(300 + run.world.random().below(700));
        run.carry_on(before);
        let path = 1 + run.world.random().below(2) as u8;
        let cut = Cut::ALL[run.world.random().index(Cut::ALL.len())];
        let span = ms(200 + run.world.random().below(1500));
        let gap = run.survive(path, cut, span);
        let lives = run.world.is_open(A) && run.world.is_open(Z);
        assert!(lives, "{case:?} lost");
        if gap > case.goal() {
            println!("{case:?} {seed} cut {number}: path {path} {cut:?}, {span:?}: {gap:?}");
        }
        longest = longest.max(gap);
        run.heal();
    }
    longest
}

/// Checks all kinds of traffic under a profile: `worlds` runs of each, with `cuts` cuts per run.
fn check(profile: Profile, other: Other, worlds: u64, cuts: u32) {
    let mut missed = Vec::new();
    for multipath in [false, true] {
        for traffic in [Traffic::Bulk, Traffic::Requests] {
            let case = Case {
                profile,
                multipath,
                traffic,
                other,
            };
            let gaps = (0..worlds).map(|seed| longest_gap(case, seed, cuts));
            let longest = gaps.max().unwrap_or_default();
            println!("{case:?}: {longest:?}");
            if longest > case.goal() {
                missed.push((case, longest));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn under_modern_nothing_is_delivered_for_600_ms_at_most() {
    check(Profile::Modern, Other::Ours, 10, 9);
}

#[test]
fn under_telecom_nothing_is_delivered_for_400_ms_at_most() {
    check(Profile::Telecom, Other::Ours, 10, 9);
}

#[test]
fn under_datacenter_nothing_is_delivered_for_150_ms_at_most() {
    check(Profile::Datacenter, Other::Ours, 10, 9);
}

#[test]
fn an_end_that_answers_as_linux_does_is_no_slower() {
    for profile in [Profile::Modern, Profile::Telecom, Profile::Datacenter] {
        check(profile, Other::LinuxLike, 2, 7);
    }
}

/// A path is cut at any time; the paths alternate without a pause.
#[test]
fn an_association_with_a_living_path_at_every_moment_is_never_lost() {
    for profile in [Profile::Modern, Profile::Telecom, Profile::Datacenter] {
        for multipath in [false, true] {
            let case = Case {
                profile,
                multipath,
                traffic: Traffic::Bulk,
                other: Other::Ours,
            };
            let mut run = Run::new(case, 1);
            let mut longest = Duration::ZERO;
            for number in 0..30 {
                let span = ms(500 + run.world.random().below(4000));
                Cut::Both.make(&mut run.world, 1 + number % 2, span);
                longest = longest.max(run.carry_on(span));
                assert!(run.world.is_open(A) && run.world.is_open(Z), "{case:?}");
            }
            println!("{case:?}: {longest:?}");
            assert!(longest < secs(3), "{case:?}: {longest:?}");
        }
    }
}
