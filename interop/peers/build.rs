//! Writes the tests of `tests/webrtc` and `tests/plain`: one of each stack, feature and role in `interop/peers.toml`.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

#[path = "src/table.rs"]
#[expect(dead_code, unreachable_pub, reason = "the tests read the rest")]
mod table;

const TABLE: &str = "../peers.toml";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={TABLE}");
    let table: table::Table = toml::from_str(&fs::read_to_string(TABLE)?)?;
    let folder = env::var("OUT_DIR")?;
    for (file, matrix) in [
        ("channels.rs", table.channels()),
        ("plain.rs", table.plain()),
    ] {
        fs::write(Path::new(&folder).join(file), tests(&matrix)?)?;
    }
    Ok(())
}

/// The source of a matrix's tests, a module for each stack.
fn tests(matrix: &table::Matrix<'_>) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for column in &matrix.columns {
        let stack = &column.stack.name;
        writeln!(
            text,
            "mod {} {{",
            stack.to_lowercase().replace(['/', '-'], "_")
        )?;
        for feature in matrix.features {
            for (role, value) in matrix
                .roles
                .iter()
                .filter(|role| column.tries(feature, role.0))
            {
                let feature = &feature.name;
                writeln!(text, "#[test] fn {feature}_where_{role}() {{")?;
                writeln!(
                    text,
                    "crate::run({stack:?}, {feature:?}, crate::{value}); }}"
                )?;
            }
        }
        writeln!(text, "}}")?;
    }
    Ok(text)
}
