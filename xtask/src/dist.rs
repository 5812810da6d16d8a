//! `cargo xtask dist`: what is handed to those who do not build: man pages, completions, static
//! binaries, the files of an image, a Debian package.

mod debian;
mod elf;
mod guided;
mod image;
mod pages;
mod statics;

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::capi::{Profile, run};
use crate::cargo::{cargo, target_folder};

/// The version of all that is built.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Something that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Product {
    Man,
    Completions,
    Static,
    Image,
    Deb,
}

impl Product {
    const ALL: [Self; 5] = [
        Self::Man,
        Self::Completions,
        Self::Static,
        Self::Image,
        Self::Deb,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Man => "man",
            Self::Completions => "completions",
            Self::Static => "static",
            Self::Image => "image",
            Self::Deb => "deb",
        }
    }
}

/// A kind of machine that static binaries are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    /// The target's name in Rust.
    triple: &'static str,
    /// The machine's name in images.
    platform: &'static str,
}

const MACHINES: [Machine; 2] = [
    Machine {
        triple: "x86_64-unknown-linux-musl",
        platform: "amd64",
    },
    Machine {
        triple: "aarch64-unknown-linux-musl",
        platform: "arm64",
    },
];

impl Machine {
    /// Whether programs for that machine run on this one.
    fn is_this(self) -> bool {
        cfg!(target_os = "linux") && self.triple.starts_with(std::env::consts::ARCH)
    }
}

/// The way in which the tool for this machine is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Build {
    Plain(Profile),
    /// For release, after a training run.
    Guided,
}

impl Build {
    const fn profile(self) -> Profile {
        match self {
            Self::Plain(profile) => profile,
            Self::Guided => Profile::Dist,
        }
    }
}

/// The request on the command line.
#[derive(Debug)]
pub(crate) struct Request {
    products: Vec<Product>,
    machines: Vec<Machine>,
    build: Build,
}

impl Request {
    fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Self, Box<dyn Error>> {
        let mut arguments = arguments;
        let (mut products, mut machines) = (Vec::new(), Vec::new());
        let mut build = Build::Plain(Profile::Dist);
        while let Some(argument) = arguments.next() {
            let word = argument.to_string_lossy();
            match word.as_ref() {
                "--debug" => build = Build::Plain(Profile::Debug),
                "--guided" => build = Build::Guided,
                "--target" => machines.push(machine(arguments.next())?),
                _ => products.push(product(&word)?),
            }
        }
        products.sort_unstable();
        products.dedup();
        if products.is_empty() {
            products = Product::ALL.to_vec();
        }
        if machines.is_empty() {
            machines = MACHINES.to_vec();
        }
        Ok(Self {
            products,
            machines,
            build,
        })
    }

    /// The build of what does not gain by training: pages, and programs for other machines.
    fn plain(&self) -> Build {
        Build::Plain(self.build.profile())
    }
}

fn product(word: &str) -> Result<Product, String> {
    let found = Product::ALL
        .into_iter()
        .find(|product| product.name() == word);
    found.ok_or_else(|| {
        let names = Product::ALL.map(Product::name).join(", ");
        format!("{word}: no such product; there are {names}")
    })
}

fn machine(word: Option<OsString>) -> Result<Machine, String> {
    let names = MACHINES.map(|machine| machine.triple).join(", ");
    let word = word.ok_or_else(|| format!("--target needs one of {names}"))?;
    let found = MACHINES.into_iter().find(|machine| word == machine.triple);
    found.ok_or_else(|| format!("--target {}: not one of {names}", word.display()))
}

/// Builds what is asked for in `target/packages`. Returns the files and folders to hand out.
/// Errors: the arguments are wrong, a program that builds is missing or fails, or a file cannot be
/// written.
pub(crate) fn build(
    root: &Path,
    arguments: impl Iterator<Item = OsString>,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let request = Request::parse(arguments)?;
    let folder = folder(root);
    fs::create_dir_all(&folder)?;
    let mut made = Vec::new();
    for product in &request.products {
        match product {
            Product::Man => made.push(pages::man(&host_tool(root, request.plain())?, &folder)?),
            Product::Completions => {
                let tool = host_tool(root, request.plain())?;
                made.push(pages::completions(&tool, &folder)?);
            }
            Product::Static => made.extend(statics::archives(root, &request)?),
            Product::Image => made.push(image::context(root, &request)?),
            Product::Deb => made.push(debian::package(root, request.build)?),
        }
    }
    Ok(made)
}

/// The folder of all products.
fn folder(root: &Path) -> PathBuf {
    root.join("target/packages")
}

/// The tool for this machine; its path.
fn host_tool(root: &Path, build: Build) -> Result<PathBuf, Box<dyn Error>> {
    let mut cargo = cargo(root);
    cargo.args(["build", "--quiet", "--locked", "--bin", "sheave"]);
    if build == Build::Guided {
        let profile = guided::train(root)?;
        cargo.env("CARGO_ENCODED_RUSTFLAGS", guided::flag_to_use(&profile));
    }
    let profile = build.profile();
    match profile {
        Profile::Dist => cargo.args(["--profile", "dist", "--package", "sheave-cli"]),
        // With the features of the whole workspace, whose tests have built all it needs.
        Profile::Debug => cargo.arg("--workspace"),
    };
    run(&mut cargo)?;
    Ok(target_folder(root).join(profile.folder()).join("sheave"))
}

/// That the tool with those bytes carries the library of `sheave run --door preload`, which
/// `SHEAVE_WITHOUT_PRELOAD` leaves out.
fn has_library(tool: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    match elf::carries_library(bytes) {
        true => Ok(()),
        false => Err(format!(
            "{}: carries no library for `sheave run --door preload`; is SHEAVE_WITHOUT_PRELOAD set?",
            tool.display()
        )
        .into()),
    }
}

/// An empty folder of that name.
fn emptied(folder: PathBuf) -> Result<PathBuf, Box<dyn Error>> {
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

#[cfg(test)]
mod tests;
