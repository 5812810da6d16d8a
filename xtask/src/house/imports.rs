//! The modules that each file of a crate imports, through `pub use` as well.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, UseTree, Visibility};

/// A module's name, from the crate's root on.
type Module = Vec<String>;

/// An imported path, and the name that it has from there on.
#[derive(Clone, Debug)]
struct Use {
    path: Vec<String>,
    name: String,
    exports: bool,
}

/// The imports of each file. A module that imports its own children is their facade: that is no dependency.
#[derive(Clone, Debug, Default)]
pub(super) struct Imports {
    files: BTreeMap<Module, Vec<Use>>,
}

impl Imports {
    /// Adds a file, by its path below `src`.
    pub(super) fn add(&mut self, file: &str, syntax: &syn::File) {
        let mut uses = Vec::new();
        for item in &syntax.items {
            if let Item::Use(item) = item {
                let exports = !matches!(item.vis, Visibility::Inherited);
                walk(&item.tree, &mut Vec::new(), exports, &mut uses);
            }
        }
        self.files.insert(module(file), uses);
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// Each file's dependencies, by the names of modules.
    pub(super) fn graph(&self) -> BTreeMap<String, BTreeSet<String>> {
        let exports = self.exports();
        let mut graph = BTreeMap::new();
        for (module, uses) in &self.files {
            let targets = uses.iter().filter_map(|one| {
                let path = absolute(module, &one.path)?;
                self.follow(&exports, &path)
            });
            let others = targets.filter(|target| target != module && !target.is_empty());
            graph.insert(
                module.join("::"),
                others.map(|target| target.join("::")).collect(),
            );
        }
        graph
    }

    /// The modules behind names that are exported again.
    fn exports(&self) -> BTreeMap<(Module, &str), Module> {
        let mut exports = BTreeMap::new();
        for (module, uses) in &self.files {
            for one in uses.iter().filter(|one| one.exports) {
                let path = absolute(module, &one.path)
                    .unwrap_or_else(|| [&module[..], &one.path].concat());
                let target = self.holder(&path);
                if !target.is_empty() && target != *module {
                    exports.insert((module.clone(), one.name.as_str()), target);
                }
            }
        }
        exports
    }

    /// The module that holds a path's last name, wherever it is exported.
    fn follow(
        &self,
        exports: &BTreeMap<(Module, &str), Module>,
        path: &[String],
    ) -> Option<Module> {
        let mut holder = self.holder(path);
        let name = path.last()?;
        if holder.len() + 1 == path.len() {
            // A name is exported a few times at most.
            for _ in 0..4 {
                match exports.get(&(holder.clone(), name.as_str())) {
                    Some(next) => holder.clone_from(next),
                    None => break,
                }
            }
        }
        Some(holder)
    }

    /// The longest beginning of a path that is a module with a file.
    fn holder(&self, path: &[String]) -> Module {
        let lens = (0..=path.len()).rev();
        let mut beginnings = lens.map(|len| path[..len].to_vec());
        beginnings
            .find(|beginning| self.files.contains_key(beginning))
            .unwrap_or_default()
    }
}

fn module(file: &str) -> Module {
    let mut parts: Module = file
        .trim_end_matches(".rs")
        .split('/')
        .map(String::from)
        .collect();
    if parts.last().is_some_and(|last| last == "mod") || parts == ["lib"] || parts == ["main"] {
        parts.pop();
    }
    parts
}

/// A path from the crate's root on; `None` if it begins with another crate, or with a child.
fn absolute(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let first = path.first()?;
    match first.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let from = &module[..module.len().saturating_sub(ups)];
            Some([from, &path[ups..]].concat())
        }
        _ => None,
    }
}

fn walk(tree: &UseTree, before: &mut Vec<String>, exports: bool, uses: &mut Vec<Use>) {
    let mut add = |last: Option<String>, name: String| {
        let path = before.iter().cloned().chain(last).collect();
        uses.push(Use {
            path,
            name,
            exports,
        });
    };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            walk(&path.tree, before, exports, uses);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            add(None, before.last().cloned().unwrap_or_default());
        }
        UseTree::Name(name) => add(Some(name.ident.to_string()), name.ident.to_string()),
        UseTree::Rename(rename) => add(Some(rename.ident.to_string()), rename.rename.to_string()),
        UseTree::Glob(_) => add(None, String::new()),
        UseTree::Group(group) => {
            for tree in &group.items {
                walk(tree, before, exports, uses);
            }
        }
    }
}
