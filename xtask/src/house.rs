//! The weight of the house: files of a crate that import each other in circles, and types with many methods.

mod circles;
mod imports;
mod methods;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use self::circles::circles;
use self::imports::Imports;
use self::methods::Methods;
use crate::sources;

/// The most that a crate may have, unless it has more already.
const GOAL: Bound = Bound::new(12, 60);

/// Crates that have more, or that have less and shall stay there: a change may lower a bound, never raise it.
const REACHED: [(&str, Bound); 5] = [
    ("engine", Bound::new(11, 402)),
    ("lab", Bound::new(16, 60)),
    ("net", Bound::new(12, 66)),
    ("run", Bound::new(12, 68)),
    ("sockets", Bound::new(12, 59)),
];

/// Files in the largest circle, and methods of the largest type.
#[derive(Clone, Copy, Debug)]
struct Bound {
    circle: usize,
    methods: usize,
}

impl Bound {
    const fn new(circle: usize, methods: usize) -> Self {
        Self { circle, methods }
    }

    /// The bound of a crate, by its folder's name.
    fn of(name: &str) -> Self {
        let reached = REACHED.iter().find(|(listed, _)| *listed == name);
        reached.map_or(GOAL, |(_, bound)| *bound)
    }
}

/// The texts of a crate's files, by their paths below `src`.
type Files<'a> = BTreeMap<&'a str, &'a str>;

/// The figures of a crate.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    name: String,
    files: usize,
    /// Each a list of modules, the largest first.
    circles: Vec<Vec<String>>,
    methods: Methods,
}

impl Figures {
    /// Files in the largest circle.
    fn largest_circle(&self) -> usize {
        self.circles.first().map_or(0, Vec::len)
    }

    /// The figures above the crate's bound, in words.
    pub(crate) fn excess(&self) -> Vec<String> {
        let Bound { circle, methods } = Bound::of(&self.name);
        let mut excess = Vec::new();
        if self.largest_circle() > circle {
            excess.push(format!(
                "{}: {} files import each other in a circle, {circle} may: {}",
                self.name,
                self.largest_circle(),
                self.circles[0].join(", ")
            ));
        }
        for (name, found) in self.methods.above(methods) {
            excess.push(format!(
                "{}: {name} has {} methods, {methods} are allowed",
                self.name, found.methods
            ));
        }
        excess
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let largest: Vec<String> = (self.circles.iter().take(3))
            .map(|circle| circle.len().to_string())
            .collect();
        let in_circles: usize = self.circles.iter().map(Vec::len).sum();
        write!(
            f,
            "{:12} {:4} files, {in_circles:3} in circles (largest: {}); {}",
            self.name,
            self.files,
            if largest.is_empty() {
                "none".to_owned()
            } else {
                largest.join(", ")
            },
            self.methods
        )
    }
}

/// The figures of each crate in `crates`.
/// Errors: a file cannot be read, or is no Rust.
pub(crate) fn figures(root: &Path) -> Result<Vec<Figures>, Box<dyn std::error::Error>> {
    let sources = sources::read(root)?;
    let mut crates: BTreeMap<&str, Files<'_>> = BTreeMap::new();
    for (path, text) in &sources {
        let Some((name, file)) = path
            .strip_prefix("crates/")
            .and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        crates.entry(name).or_default().insert(file, text);
    }
    crates
        .iter()
        .map(|(name, files)| weigh(name, files))
        .collect()
}

/// The figures of one crate.
fn weigh(name: &str, files: &Files<'_>) -> Result<Figures, Box<dyn std::error::Error>> {
    let mut imports = Imports::default();
    let mut methods = Methods::default();
    for (file, text) in files.iter().filter(|(file, _)| !is_test(file)) {
        let syntax =
            syn::parse_file(text).map_err(|error| format!("crates/{name}/src/{file}: {error}"))?;
        methods.add(file, &syntax);
        imports.add(file, &syntax);
    }
    Ok(Figures {
        name: name.to_owned(),
        files: imports.len(),
        circles: circles(&imports.graph()),
        methods,
    })
}

/// Whether a file holds tests alone.
fn is_test(file: &str) -> bool {
    let mut parts = file.trim_end_matches(".rs").split('/');
    parts.any(|part| part == "tests" || part == "testing")
}

#[cfg(test)]
mod tests;
