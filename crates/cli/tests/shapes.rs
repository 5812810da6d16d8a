//! Random shapes of networks between two hosts: several addresses on several links, aliases, routes that cross, NATs,
//! strict filters of return paths, links and addresses that come and go. A transfer must end whole in each.
//!
//! A sample runs by default; `just shapes` runs 1,000, or `SHEAVE_SHAPES=N SHEAVE_SHAPES_FROM=SEED cargo test -p
//! sheave-cli --test shapes` others.

#[path = "shapes/plan.rs"]
mod plan;
#[path = "shapes/script.rs"]
mod script;

use std::collections::BTreeSet;
use std::env;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use plan::Shape;

/// Draws of a run that names no other number.
const SAMPLE: u64 = 50;
/// Draws that run at the same time: each waits for its network most of the time.
const AT_A_TIME: usize = 6;

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number, not {text}"))
    })
}

/// The output of a script in network namespaces of its own, and its exit status.
fn outcome(script: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["--map-root-user", "--net", "--pid", "--fork"])
        .args(["--kill-child", "--mount-proc", "bash", "-c", script])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        String::from_utf8_lossy(&said).into_owned(),
        output.status.success(),
    )
}

fn can_run() -> bool {
    let (said, works) = outcome(script::PROBE);
    if !works {
        eprintln!("skipped: no network namespaces with nft and iproute2: {said}");
    }
    works
}

#[test]
fn a_transfer_ends_whole_in_networks_of_any_shape() {
    if !can_run() {
        return;
    }
    let first = number("SHEAVE_SHAPES_FROM", 1);
    let count = number("SHEAVE_SHAPES", SAMPLE);
    let seeds = Mutex::new(first..first + count);
    let failed = Mutex::new(BTreeSet::new());
    let work = || {
        loop {
            let Some(seed) = seeds.lock().unwrap().next() else {
                return;
            };
            let shape = Shape::draw(seed);
            let began = Instant::now();
            let (said, whole) = outcome(&script::of(&shape, env!("CARGO_BIN_EXE_sheave")));
            if !whole {
                eprintln!("seed {seed}: {shape:#?}\n{said}");
                failed.lock().unwrap().insert(seed);
            } else if began.elapsed() > Duration::from_secs(20) {
                eprintln!("seed {seed} took {:?}", began.elapsed());
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "seeds {failed:?}");
}
