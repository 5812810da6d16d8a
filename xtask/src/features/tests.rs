use super::*;

#[test]
fn the_pages_are_current() {
    for page in [page(crate::root()), readme(crate::root())] {
        page.unwrap().assert_committed("cargo xtask features");
    }
}

#[test]
fn a_stack_is_read_in_the_version_that_interop_tests_against() {
    let root = crate::root();
    let features = Features::read(root).unwrap();
    let pinned = features.stack.iter().filter(|stack| stack.pinned.is_some());
    for stack in pinned {
        let dependency = stack.pinned.as_deref().unwrap();
        let tested = tested(root, dependency).unwrap_or_else(|| panic!("no {dependency}"));
        assert_eq!(
            tested, stack.version,
            "{SOURCE} was read from {} {}: look again, or change the version that interop pins",
            stack.key, stack.version
        );
    }
}

/// Version of a dependency, from the lock file or the Go module of `interop/pion`.
fn tested(root: &Path, dependency: &str) -> Option<String> {
    let (kind, name) = dependency.split_once(' ')?;
    let read = |file: &str| std::fs::read_to_string(root.join(file)).ok();
    if kind == "crate" {
        let lock = read("Cargo.lock")?;
        let after = lock
            .split_once(&format!("name = \"{name}\"\nversion = \""))?
            .1;
        return Some(after.split_once('"')?.0.to_owned());
    }
    let module = read("interop/pion/go.mod")?;
    let after = module.split_once(&format!("{name} v"))?.1;
    Some(after.split_whitespace().next()?.to_owned())
}
