//! How long bulk stands still when one of two links goes dead in silence.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sheave::options::{ConcurrentTransfer, Multipath};
use sheave::{Options, Profile};
use sheave_interop::gaps::{GOALS, SLACK, settled};
use sheave_interop::session::{self, Load, PATIENCE};
use sheave_interop::{Caller, Cut, DEATHS, Death, KernelPeer, die, tests};

use crate::meeting::{Meeting, Part, revive};
use crate::{QUICK, failover, scenario};

/// How long a transfer is watched after a cut.
const WATCHED: Duration = Duration::from_millis(1500);

/// Bulk without end, in messages of 10,000 bytes.
const BULK: &str = "10000 1000000";

/// The longest time between two messages that found room in a small send buffer: what the kernel
/// acknowledges makes that room.
fn longest_gap_of_ours(meeting: &Meeting<'_>, death: &Death, watched: Duration) -> Duration {
    let mut load = Load::new(10_000, 1, 10);
    longest_gap(meeting, death, watched, || {
        session::send(&meeting.association, &load);
        load = load.continued();
    })
}

/// The longest time between two messages of the kernel's, or parts of them.
fn longest_gap_of_theirs(meeting: &Meeting<'_>, death: &Death, watched: Duration) -> Duration {
    longest_gap(meeting, death, watched, || {
        let received = meeting.association.receive_timeout(PATIENCE);
        assert!(received.is_ok_and(|received| received.is_some()));
    })
}

/// The longest time that one `step` took from the first cut on.
fn longest_gap(
    meeting: &Meeting<'_>,
    death: &Death,
    watched: Duration,
    step: impl FnMut() + Send,
) -> Duration {
    let dying = AtomicBool::new(false);
    let gap = thread::scope(|scope| {
        let worker = scope.spawn(|| longest(&dying, watched, step));
        thread::sleep(Duration::from_millis(300));
        dying.store(true, Ordering::Relaxed);
        die(death, |cut| failover::cut(meeting.kernel, cut));
        worker.join().expect("the association lives")
    });
    revive(meeting.kernel, death);
    assert_eq!(meeting.association.close_reason(), None);
    meeting.association.abort("the test is over");
    gap
}

/// The longest time that one `step` took once the link was `dying`.
fn longest(dying: &AtomicBool, watched: Duration, mut step: impl FnMut()) -> Duration {
    let (mut longest, mut last, mut end) = (Duration::ZERO, Instant::now(), None);
    while end.is_none_or(|end| Instant::now() < end) {
        step();
        if dying.load(Ordering::Relaxed) {
            end.get_or_insert(Instant::now() + watched);
            longest = longest.max(last.elapsed());
        }
        last = Instant::now();
    }
    longest
}

/// The options of a bulk sender whose buffer shows when it stands still.
fn sender(profile: Profile, multipath: Multipath) -> Options {
    Options {
        outbound_streams: 10,
        send_buffer: 200_000,
        multipath,
        ..profile.options()
    }
}

fn assert_short_gaps(kernel: &KernelPeer, caller: Caller, multipath: Multipath) {
    let all = GOALS
        .into_iter()
        .flat_map(|goal| DEATHS.map(|death| (goal, death)));
    let mut late = Vec::new();
    for (number, ((profile, goal), death)) in (0..).zip(all) {
        let goal = Duration::from_millis(goal) + SLACK;
        let gap = settled(goal, |attempt| {
            let number = number + 100 * attempt;
            let options = sender(profile, multipath);
            let meeting = Meeting::new(kernel, number, caller, Part::Sink, options, "streams=10");
            longest_gap_of_ours(&meeting, death, WATCHED)
        });
        println!("{profile:?} {death:?}: {gap:?}");
        if gap > goal {
            late.push((profile, death, gap));
        }
    }
    assert!(late.is_empty(), "{late:?}");
}

tests! {
    our_bulk_to_the_kernel_goes_on_within_the_goal => scenario(|kernel| assert_short_gaps(kernel, Caller::We, Multipath::Off));
    our_bulk_to_the_kernel_that_called_goes_on_within_the_goal => scenario(|kernel| assert_short_gaps(kernel, Caller::They, Multipath::Off));
}

#[test]
fn our_bulk_on_both_links_to_the_kernel_goes_on_within_the_goal() {
    scenario(|kernel| {
        let concurrent = Multipath::Concurrent(ConcurrentTransfer::default());
        assert_short_gaps(kernel, Caller::We, concurrent);
    });
}

/// The kernel has quick timers and its own rules; what is ours to do is done at once.
fn assert_the_kernels_bulk_goes_on(kernel: &KernelPeer, caller: Caller) {
    let _ = kernel.run(QUICK);
    let profiles = [Profile::Modern, Profile::Telecom];
    let all = profiles
        .into_iter()
        .flat_map(|profile| DEATHS.map(|death| (profile, death)));
    for (number, (profile, death)) in (0..).zip(all) {
        let goal = Duration::from_millis(1500);
        let gap = settled(goal, |attempt| {
            let number = number + 100 * attempt;
            let (part, options) = (Part::Source(BULK), profile.options());
            let meeting = Meeting::new(kernel, number, caller, part, options, "streams=10");
            longest_gap_of_theirs(&meeting, death, WATCHED)
        });
        println!("{profile:?} {death:?}: {gap:?}");
        assert!(gap <= goal, "{profile:?}, {death:?}: {gap:?}");
    }
}

tests! {
    the_kernels_bulk_to_us_who_called_goes_on_and_keeps_its_association => scenario(|kernel| assert_the_kernels_bulk_goes_on(kernel, Caller::We));
    the_kernels_bulk_to_us_goes_on_and_keeps_its_association => scenario(|kernel| assert_the_kernels_bulk_goes_on(kernel, Caller::They));
}

/// Linux with its own timers takes minutes to leave a dead path, and sends there the SACKs of what came
/// twice, on and on: what we send is not acknowledged, while heartbeats on the other path are answered.
#[test]
fn a_kernel_whose_sacks_go_astray_is_not_given_up() {
    /// Deaths after which SACKs are lost.
    const DEATHS: [&Death; 4] = [
        &[Cut::Back],
        &[Cut::Both],
        &[Cut::Back, Cut::There],
        &[Cut::There, Cut::Back],
    ];
    /// Longer than Association.Max.Retrans of the profile takes.
    const LONG: Duration = Duration::from_secs(5);
    scenario(|kernel| {
        let all = Caller::BOTH.map(|caller| DEATHS.map(|death| (caller, death)));
        for (number, (caller, death)) in (0..).zip(all.into_iter().flatten()) {
            let goal = Duration::from_millis(400) + SLACK;
            let gap = settled(goal, |attempt| {
                let number = number + 100 * attempt;
                let options = sender(Profile::Telecom, Multipath::Off);
                let words = "streams=10";
                let meeting = Meeting::new(kernel, number, caller, Part::Sink, options, words);
                longest_gap_of_ours(&meeting, death, LONG)
            });
            println!("{caller:?} {death:?}: {gap:?}");
            assert!(gap <= goal, "{caller:?}, {death:?}: {gap:?}");
        }
    });
}
