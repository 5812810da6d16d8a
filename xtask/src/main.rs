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

use std::path::Path;
use std::process::ExitCode;

use generated::Page;

const USAGE: &str = "\
usage: cargo xtask COMMAND

words       counts the doc comments whose first line begins with a pronoun or a question word,
            crate by crate, and fails where a crate has too many
house       prints for each crate the files that import each other in circles and the types with most methods,
            and fails where a crate is above what was reached
links       checks that every relative link and anchor of the pages leads somewhere
deviations  writes docs/deviations.md from the DEVIATION comments in the sources
extensions  writes docs/extensions.md: each extension, its default and the tests that show it
features    writes docs/features.md and the table of README.md from docs/features.toml
options     writes docs/options.md from the engine's table of options
handover    writes docs/handover.md from the documentation of the engine's module
header      writes crates/capi/include/sheave.h from the sources of the C library
peers       writes docs/peers.md: the stacks that are tested with, and the features tried with each
newest      compares the versions of those stacks with the newest releases in their registries
capi        builds the C library and installs it, with its header and pkg-config file, below a folder:
            cargo xtask capi --prefix DIR [--debug]
usrsctp     builds the library that stands in for usrsctp's and installs it, with a pkg-config file:
            cargo xtask usrsctp --prefix DIR [--debug]
dist        builds what is handed to others, in target/packages: man pages, completions, archives with static
            binaries, the files of an image, a Debian package; all of them, or those that are named:
            cargo xtask dist [man|completions|static|image|deb]... [--target TRIPLE]... [--debug]
            --guided trains the tool of the Debian package first: its simulator is 8 to 30 % faster
release     checks that a release is ready, packages each crate, runs README's program with the packages and
            prints what publishing would do, and does none of it: cargo xtask release --dry-run [--no-verify]
picture     runs scenarios/dark-path.toml and writes its chart, docs/pictures/dark-path.svg;
            with the path of a `sheave` behind it, that one runs it
chart       draws docs/pictures/throughput.svg from the samples of a bench, whose file stands behind
            it: cargo bench -- throughput --json samples.jsonl
book        builds the pages as a book, target/book/index.html";

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("words") => report_words(),
        Some("house") => report_house(),
        Some("links") => report_links(),
        Some("deviations") => write(&deviations::page),
        Some("extensions") => write(&extensions::page),
        Some("features") => write(&features::page).and_then(|_| write(&features::readme)),
        Some("options") => write(&options::page),
        Some("peers") => write(&peers::page),
        Some("newest") => report_newest(),
        Some("handover") => write(&handover::page),
        Some("header") => write(&header::page),
        Some("capi") => install_capi(),
        Some("usrsctp") => install_usrsctp(),
        Some("dist") => build_dist(),
        Some("release") => rehearse_release(),
        Some("picture") => draw(),
        Some("chart") => draw_chart(),
        Some("book") => build_book(),
        _ => {
            eprintln!("{USAGE}");
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

fn report_newest() -> Outcome {
    print!("{}", peers::report(root())?);
    Ok(ExitCode::SUCCESS)
}

fn write(page: &dyn Fn(&Path) -> generated::Result) -> Outcome {
    let Page { path, text } = page(root())?;
    std::fs::write(root().join(path), text)?;
    println!("{path}");
    Ok(ExitCode::SUCCESS)
}

fn install_capi() -> Outcome {
    let files = capi::install(root(), std::env::args_os().skip(2))?;
    for file in files {
        println!("{}", file.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn install_usrsctp() -> Outcome {
    let files = usrsctp::install(root(), std::env::args_os().skip(2))?;
    for file in files {
        println!("{}", file.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn build_dist() -> Outcome {
    for path in dist::build(root(), std::env::args_os().skip(2))? {
        println!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn rehearse_release() -> Outcome {
    println!(
        "{}",
        release::rehearse(root(), std::env::args_os().skip(2))?
    );
    Ok(ExitCode::SUCCESS)
}

fn draw() -> Outcome {
    let tool = std::env::args().nth(2);
    println!("{}", picture::draw(root(), tool.as_deref())?);
    Ok(ExitCode::SUCCESS)
}

fn draw_chart() -> Outcome {
    let Some(samples) = std::env::args().nth(2) else {
        return Err("the file of samples is missing: cargo xtask chart FILE".into());
    };
    println!("{}", chart::draw(root(), &samples)?);
    Ok(ExitCode::SUCCESS)
}

fn build_book() -> Outcome {
    let folder = root().join("target/book");
    book::build(root(), &folder)?;
    println!("{}", folder.join("index.html").display());
    Ok(ExitCode::SUCCESS)
}
