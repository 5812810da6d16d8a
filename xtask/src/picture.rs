//! `docs/pictures/dark-path.svg`: a failover beside TCP, drawn by the laboratory.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

const SCENARIO: &str = "scenarios/dark-path.toml";
const PICTURE: &str = "docs/pictures/dark-path.svg";
/// Title of the chart in the report.
const TITLE: &str = "Goodput over time, seed 1";

/// Runs the scenario with `tool`, or with the tool built from these sources, and keeps the chart of
/// goodput over time.
/// Errors: the scenario cannot be run, or its report has no such chart.
pub(crate) fn draw(root: &Path, tool: Option<&str>) -> Result<&'static str, Box<dyn Error>> {
    let folder = root.join("target/picture");
    let mut command = Command::new(tool.unwrap_or(env!("CARGO")));
    if tool.is_none() {
        command.args(["run", "--package", "sheave-cli", "--"]);
    }
    let status = command
        .args(["lab", "run", SCENARIO, "--out"])
        .arg(&folder)
        .current_dir(root)
        .status()?;
    if !status.success() {
        return Err(format!("the laboratory: {status}").into());
    }
    let figures = fs::read_dir(folder.join("report/figures"))?;
    let figures: Result<Vec<String>, _> = figures
        .map(|entry| fs::read_to_string(entry?.path()))
        .collect();
    let is_it = |figure: &String| figure.contains(&format!("<title>{TITLE}</title>"));
    let figure = figures?.into_iter().find(is_it);
    let figure = figure.ok_or("the report has no such chart")?;
    let picture = root.join(PICTURE);
    fs::create_dir_all(picture.with_file_name(""))?;
    fs::write(picture, figure)?;
    Ok(PICTURE)
}
