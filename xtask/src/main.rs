//! Commands of this repository that cargo has none for: `cargo xtask book` and others.

#[cfg(test)]
mod architecture;
mod book;
mod capi;
mod cargo;
mod chart;
mod deviations;
mod dist;
mod extensions;
mod features;
mod generated;
#[cfg(test)]
mod guide;
mod handover;
mod header;
mod house;
mod links;
mod options;
mod pages;
mod peers;
mod picture;
mod release;
mod sources;
mod usrsctp;
mod words;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use generated::Page;

const USAGE: &str = include_str!("usage.txt");

fn main() -> ExitCode {
    let words = || std::env::args_os().skip(2);
    let done = match std::env::args().nth(1).as_deref() {
        Some("words") => report_words(),
        Some("house") => report_house(),
        Some("links") => report_links(),
        Some("deviations") => write(&deviations::page),
        Some("extensions") => write(&extensions::page),
        Some("features") => write(&features::page).and_then(|_| write(&features::readme)),
        Some("options") => write(&options::page),
        Some("peers") => write(&peers::page),
        Some("newest") => peers::report(root()).and_then(|report| print([report.trim_end()])),
        Some("handover") => write(&handover::page),
        Some("header") => write(&header::page),
        Some("capi") => capi::install(root(), words()).and_then(|paths| list(&paths)),
        Some("usrsctp") => usrsctp::install(root(), words()).and_then(|paths| list(&paths)),
        Some("dist") => dist::build(root(), words()).and_then(|paths| list(&paths)),
        Some("release") => release::rehearse(root(), words()).and_then(|said| print([said])),
        Some("picture") => {
            let tool = std::env::args().nth(2);
            picture::draw(root(), tool.as_deref()).and_then(|picture| print([picture]))
        }
        Some("chart") => draw_chart(),
        Some("book") => build_book(),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    done.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

type Outcome = Result<ExitCode, Box<dyn std::error::Error>>;

/// Root of the repository.
fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

fn report_words() -> Outcome {
    let counts = words::count(root())?;
    for (name, count) in &counts {
        println!("{name:20} {count}");
    }
    let exceeded = counts.iter().any(|(_, count)| count.exceeds_bound());
    if exceeded {
        eprintln!("name the subject first: see CONTRIBUTING.md");
    }
    Ok(ExitCode::from(u8::from(exceeded)))
}

fn report_house() -> Outcome {
    let figures = house::figures(root())?;
    let mut excess = Vec::new();
    for one in &figures {
        println!("{one}");
        excess.extend(one.excess());
    }
    for line in &excess {
        eprintln!("{line}");
    }
    Ok(ExitCode::from(u8::from(!excess.is_empty())))
}

fn report_links() -> Outcome {
    let broken = links::broken(root())?;
    for link in &broken {
        eprintln!("{link}");
    }
    Ok(ExitCode::from(u8::from(!broken.is_empty())))
}

fn write(page: &dyn Fn(&Path) -> generated::Result) -> Outcome {
    let Page { path, text } = page(root())?;
    std::fs::write(root().join(path), text)?;
    print([path])
}

fn list(paths: &[PathBuf]) -> Outcome {
    print(paths.iter().map(|path| path.display()))
}

fn print(lines: impl IntoIterator<Item = impl Display>) -> Outcome {
    for line in lines {
        println!("{line}");
    }
    Ok(ExitCode::SUCCESS)
}

fn draw_chart() -> Outcome {
    let Some(samples) = std::env::args().nth(2) else {
        return Err("the file of samples is missing: cargo xtask chart FILE".into());
    };
    print([chart::draw(root(), &samples)?])
}

fn build_book() -> Outcome {
    let folder = root().join("target/book");
    book::build(root(), &folder)?;
    list(&[folder.join("index.html")])
}
