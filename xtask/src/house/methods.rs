//! The methods of types, over all files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use syn::{ImplItem, Item, Type};

/// The methods of a type, traits' not counted, and the files that they stand in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) methods: usize,
    files: BTreeSet<String>,
}

/// The types of a crate, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Methods(BTreeMap<String, Count>);

impl Methods {
    /// Adds the types of a file.
    pub(super) fn add(&mut self, file: &str, syntax: &syn::File) {
        for item in &syntax.items {
            let Item::Impl(block) = item else { continue };
            let (None, Type::Path(path)) = (&block.trait_, &*block.self_ty) else {
                continue;
            };
            let Some(name) = path.path.segments.last() else {
                continue;
            };
            let methods = block
                .items
                .iter()
                .filter(|item| matches!(item, ImplItem::Fn(_)));
            let count = self.0.entry(name.ident.to_string()).or_default();
            count.methods += methods.count();
            count.files.insert(file.to_owned());
        }
    }

    /// The types with more methods than that.
    pub(super) fn above(&self, bound: usize) -> impl Iterator<Item = (&str, &Count)> {
        let all = self.0.iter().map(|(name, count)| (name.as_str(), count));
        all.filter(move |(_, count)| count.methods > bound)
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut largest: Vec<_> = self.0.iter().collect();
        largest.sort_by_key(|(_, count)| std::cmp::Reverse(count.methods));
        for (n, (name, count)) in largest.iter().take(3).enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            write!(
                f,
                "{comma}{name} {} methods in {} files",
                count.methods,
                count.files.len()
            )?;
        }
        Ok(())
    }
}
