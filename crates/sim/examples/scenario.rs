//! Runs a scenario file, every case of its sweep with every seed, and prints what each flow
//! delivered:
//!
//! `cargo run --release -p sheave-sim --example scenario -- crates/sim/examples/radio.toml`
//!
//! With a folder as second argument, also writes a capture of each link and the event log of each
//! association of the first run there.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::{env, fs};

use sheave_sim::scenario::{self, Case, Run};
use sheave_sim::{Tap, VantagePoint, write_event_log};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let file = args.next().ok_or("which scenario?")?;
    let cases = scenario::read(&fs::read_to_string(file)?)?;
    if let (Some(folder), Some(first)) = (args.next(), cases.first()) {
        document(first, Path::new(&folder))?;
    }
    for case in &cases {
        let settings: Vec<String> = case
            .settings
            .iter()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        println!("{}", settings.join(", "));
        for seed in 1..=u64::from(case.scenario.seeds) {
            let mut run = case.scenario.build(seed)?;
            run.world.run_to_completion(run.end);
            report(case, &run);
        }
    }
    Ok(())
}

/// Prints a line for each flow.
fn report(case: &Case, run: &Run) {
    for flow in &case.scenario.flows {
        let Some(sink) = run.sink(&flow.name) else {
            continue;
        };
        let seconds = run.world.now().as_secs_f64();
        println!(
            "    {}: {} messages, {:.3} Mbit/s in {seconds:.1} s, run {}",
            flow.name,
            sink.messages(),
            sink.bytes() as f64 * 8e-6 / seconds,
            run.world.fingerprint(),
        );
    }
}

/// Writes the captures and logs of the first run.
fn document(case: &Case, folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let mut run = case.scenario.build_logged(1)?;
    let links = run.world.links().map(|(id, label)| (id, label.to_owned()));
    for (id, label) in links.collect::<Vec<_>>() {
        let file = BufWriter::new(File::create(folder.join(format!("{label}.pcapng")))?);
        run.world.capture(id, Tap::Arrival, Box::new(file));
    }
    run.world.run_to_completion(run.end);
    run.world.finish_captures()?;
    for flow in &case.scenario.flows {
        let Some(sctp) = run.sctp(&flow.name, VantagePoint::Client) else {
            continue;
        };
        let mut file = BufWriter::new(File::create(folder.join(format!("{}.sqlog", flow.name)))?);
        write_event_log(&mut file, &case.scenario.name, VantagePoint::Client, sctp)?;
    }
    Ok(())
}
