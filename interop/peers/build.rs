//! Writes the tests of `tests/webrtc`: one of each stack, feature and role in `interop/peers.toml`.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

#[path = "src/webrtc/table.rs"]
#[expect(dead_code, unreachable_pub, reason = "the tests read the rest")]
mod table;

const TABLE: &str = "../peers.toml";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={TABLE}");
    let table: table::Table = toml::from_str(&fs::read_to_string(TABLE)?)?;
    let mut text = String::new();
    for stack in &table.stacks {
        let Some(channels) = &stack.channels else {
            continue;
        };
        writeln!(text, "mod {} {{", stack.name)?;
        for feature in table.features.iter().filter(|it| channels.tries(it)) {
            for (role, offerer) in [("we_offer", "Here"), ("it_offers", "Peer")] {
                let (stack, feature) = (&stack.name, &feature.name);
                writeln!(text, "#[test] fn {feature}_where_{role}() {{")?;
                writeln!(
                    text,
                    "crate::cases::run({stack:?}, {feature:?}, crate::Offerer::{offerer}); }}"
                )?;
            }
        }
        writeln!(text, "}}")?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("matrix.rs"), text)?;
    Ok(())
}
