//! `docs/extensions.md`: every extension, whether it is on by default, and the tests that show it.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::generated::{self, Page};
use crate::{peers, sources};

const SOURCE: &str = "docs/extensions.toml";

const HEAD: &str = "\
# Extensions

Everything that Sheave has beyond RFC 9260, with the tests that show it. *By default* is what a connection
has whose options are not given; [the guide](guide/tuning.md) says how to choose. *Tried with* lists the
other stacks in the tests below. `cargo xtask extensions` writes this page, and a test keeps it current.

| Extension | Defined in | By default | Tried with |
| --- | --- | --- | --- |
";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Extensions {
    extension: Vec<Extension>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Extension {
    name: String,
    /// RFC, draft or paper.
    source: String,
    /// State where no options are given.
    default: String,
    /// Names of test functions.
    tests: Vec<String>,
    /// Features of SCTP alone in `interop/peers.toml`, of which tests are made.
    #[serde(default)]
    peers: Vec<String>,
}

/// The files of each test, by its name.
type Places<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// The page as it should be.
/// Errors: a source cannot be read, or a test in the table is not there.
pub(crate) fn page(root: &Path) -> generated::Result {
    let sources = sources::read(root)?;
    let places = sources::tests(&sources);
    let extensions = all(root)?;
    let mut text = HEAD.to_owned();
    for extension in &extensions {
        text += &extension.row(&places)?;
    }
    for extension in &extensions {
        text += &extension.section(&places)?;
    }
    Ok(Page {
        path: "docs/extensions.md",
        text,
    })
}

/// The extensions, in the order of the page.
fn all(root: &Path) -> Result<Vec<Extension>, Box<dyn Error>> {
    let text = fs::read_to_string(root.join(SOURCE))?;
    Ok(toml::from_str::<Extensions>(&text)?.extension)
}

impl Extension {
    fn row(&self, places: &Places<'_>) -> Result<String, Box<dyn Error>> {
        let mut peers: Vec<String> = Vec::new();
        for place in self.places(places)?.iter().flat_map(|(_, files)| *files) {
            peers.extend(stacks(place).iter().copied().map(str::to_owned));
        }
        for feature in &self.peers {
            peers.extend(peers::tried_with(crate::root(), feature)?);
        }
        peers.sort_unstable();
        peers.dedup();
        let peers = if peers.is_empty() {
            "–".to_owned()
        } else {
            peers.join(", ")
        };
        let Self {
            name,
            source,
            default,
            ..
        } = self;
        let anchor = anchor(name);
        Ok(format!(
            "| [{name}](#{anchor}) | {source} | {default} | {peers} |\n"
        ))
    }

    fn section(&self, places: &Places<'_>) -> Result<String, Box<dyn Error>> {
        let mut text = format!("\n## {}\n\n", self.name);
        for (test, files) in self.places(places)? {
            let links = files.iter().map(|file| {
                let name = file.trim_start_matches("crates/");
                format!("[{name}](../{file})")
            });
            let links: Vec<_> = links.collect();
            text += &format!("- `{test}`: {}\n", links.join(", "));
        }
        for feature in &self.peers {
            let stacks = peers::tried_with(crate::root(), feature)?.join(", ");
            text += &format!("- `{feature}` with {stacks}: [Other stacks](peers.md#sctp-alone)\n");
        }
        Ok(text)
    }

    /// The tests, each with the files that have one of its name.
    fn places<'a>(
        &'a self,
        places: &'a Places<'_>,
    ) -> Result<Vec<(&'a str, &'a [&'a str])>, String> {
        let find = |test: &'a String| {
            let files = places.get(test.as_str());
            let files = files.ok_or(format!("{}: there is no test {test}", self.name))?;
            Ok((test.as_str(), files.as_slice()))
        };
        self.tests.iter().map(find).collect()
    }
}

/// The other stacks that the tests of this file have for peers.
fn stacks(file: &str) -> &'static [&'static str] {
    const STARTS: [(&str, &[&str]); 4] = [
        ("kernel/", &["Linux"]),
        ("usrsctp", &["usrsctp"]),
        ("dcsctp", &["dcsctp"]),
        ("streams", &["pion/sctp", "usrsctp"]),
    ];
    let name = file.strip_prefix("interop/peers/tests/");
    let mut starts = STARTS.iter();
    let found = name.and_then(|name| starts.find(|(start, _)| name.starts_with(start)));
    found.map_or(&[], |(_, stacks)| stacks)
}

/// The anchor of a heading, as browsers of repositories and mdBook make it.
pub(crate) fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
