//! `docs/pictures/dark-path.svg`: a failover beside TCP, drawn by the laboratory.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

const SCENARIO: &str = "scenarios/dark-path.toml";
const PICTURE: &str = "docs/pictures/dark-path.svg";
/// Title of the chart in the report.
const TITLE: &str = "Goodput over time, seed 1";
/// Colours for a picture that stands alone.
const STYLE: &str = include_str!("picture/style.css");

/// Runs the scenario with `tool`, or with the tool built from these sources, and keeps the chart of
/// goodput over time.
///
/// # Errors
/// The scenario cannot be run, or its report has no such chart.
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
    let report = fs::read_to_string(folder.join("report.html"))?;
    let chart = standalone(&report).ok_or("the report has no such chart")?;
    let picture = root.join(PICTURE);
    fs::create_dir_all(picture.with_file_name(""))?;
    fs::write(picture, chart)?;
    Ok(PICTURE)
}

/// The chart of a report as a file of its own, with the names of its curves.
fn standalone(report: &str) -> Option<String> {
    let title = report.find(&format!("aria-label=\"{TITLE}\""))?;
    let chart = &report[report[..title].rfind("<svg")?..];
    let chart = &chart[..chart.find("</svg>")?];
    let (head, body) = chart.split_once('>')?;
    let head = head.replace("<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    let names = attributes(body, "data-name=\"").enumerate();
    let legend: String = names
        .map(|(number, name)| {
            let y = 34 + 20 * number;
            format!(
                "<g class=\"c{number}\"><path d=\"M300 {y}h24\"/><text x=\"332\" y=\"{}\">{name}</text></g>",
                y + 4
            )
        })
        .collect();
    let body = without(&without(body, " data-points=\""), " data-name=\"");
    Some(format!(
        "{head}><style>{STYLE}</style>{body}{legend}</svg>\n"
    ))
}

/// The values of an attribute, given by its name, `=` and the opening quotation mark.
fn attributes<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    let values = text.split(start).skip(1);
    values.filter_map(|rest| rest.split('"').next())
}

/// The text without an attribute, which begins with `start`.
fn without(text: &str, start: &str) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('"').map_or("", |(_, rest)| rest)
    })
}

#[cfg(test)]
mod tests {
    use super::standalone;

    #[test]
    fn a_chart_stands_alone_with_the_names_of_its_curves() {
        let report = "<svg class=\"chart\" aria-label=\"Goodput over time, seed 1\"><path/>\
                      <g class=\"curve c0\" data-name=\"tcp\" data-points=\"1,2\"><path/></g></svg>";
        let chart = standalone(report).unwrap();
        assert!(chart.starts_with("<svg xmlns="), "{chart}");
        assert!(chart.contains(">tcp</text>"), "{chart}");
        assert!(!chart.contains("data-points"), "{chart}");
    }

    #[test]
    fn a_report_without_the_chart_gives_none() {
        assert_eq!(
            standalone("<svg class=\"chart\" aria-label=\"Delay\"></svg>"),
            None
        );
    }
}
