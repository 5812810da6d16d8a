use std::collections::BTreeSet;

use super::*;
use crate::root;

fn parse(words: &[&str]) -> Result<Request, String> {
    let words = words.iter().map(OsString::from);
    Request::parse(words).map_err(|error| error.to_string())
}

#[test]
fn a_request_without_a_name_asks_for_everything() {
    let request = parse(&["--debug"]).unwrap();
    assert_eq!(request.products, Product::ALL);
    assert_eq!(request.machines, MACHINES);
    assert_eq!(request.build, Build::Plain(Profile::Debug));
}

#[test]
fn what_is_built_after_a_training_is_for_release() {
    let request = parse(&["deb", "--guided"]).unwrap();
    assert_eq!(request.build, Build::Guided);
    assert_eq!(request.plain(), Build::Plain(Profile::Dist));
}

#[test]
fn products_are_built_once_each_in_their_order() {
    let request = parse(&["deb", "man", "deb"]).unwrap();
    assert_eq!(request.products, [Product::Man, Product::Deb]);
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    assert!(
        parse(&["rpm"])
            .unwrap_err()
            .contains("man, completions, static, image, deb")
    );
    assert!(
        parse(&["static", "--target"])
            .unwrap_err()
            .contains("aarch64-unknown-linux-musl")
    );
    let other = parse(&["static", "--target", "x86_64-unknown-linux-gnu"]);
    assert!(other.unwrap_err().contains("not one of"));
}

#[test]
fn a_program_with_a_loader_is_not_static() {
    let own = fs::read(std::env::current_exe().unwrap()).unwrap();
    assert_eq!(elf::is_static(&own), Some(false));
    assert_eq!(elf::is_static(b"#!/bin/sh\n"), None);
    assert_eq!(elf::is_static(&own[..100]), None);
}

#[test]
fn a_program_of_busybox_static_is_static() {
    let Ok(busybox) = fs::read("/bin/busybox") else {
        return eprintln!("skipped: no /bin/busybox (Debian: busybox-static)");
    };
    assert_eq!(elf::is_static(&busybox), Some(true));
}

#[test]
fn a_library_in_a_program_is_found() {
    let library = [b"\x7fELF\x02\x01".as_slice(), &[0; 10], &[3, 0], &[0; 40]].concat();
    assert!(!elf::carries_library(&library), "it is no program");
    let program = [&library[..16], &[2, 0], &[0; 64]].concat();
    assert!(!elf::carries_library(&program));
    assert!(elf::carries_library(&[program, library].concat()));
}

/// Instructions of the image's recipe.
fn recipe() -> Vec<String> {
    let text = fs::read_to_string(root().join("packaging/Dockerfile")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_image_holds_the_binary_of_each_machine_and_nothing_else() {
    let recipe = recipe();
    assert_eq!(recipe[0], "FROM scratch");
    let copies: Vec<&String> = recipe
        .iter()
        .filter(|line| line.starts_with("COPY"))
        .collect();
    assert_eq!(copies, ["COPY ${TARGETARCH}/sheave /sheave"]);
    let platforms = MACHINES.map(|machine| machine.platform);
    assert_eq!(platforms, ["amd64", "arm64"], "names of TARGETARCH");
}

/// The package's description in the manifest of the tool.
fn deb() -> String {
    let manifest = fs::read_to_string(root().join("crates/cli/Cargo.toml")).unwrap();
    let (_, deb) = manifest.split_once("[package.metadata.deb]").unwrap();
    deb.split("\n[").next().unwrap().to_owned()
}

#[test]
fn the_package_takes_files_that_are_built_or_in_the_repository() {
    let deb = deb();
    let assets: BTreeSet<&str> = deb
        .split('"')
        .filter(|word| word.starts_with("../../"))
        .collect();
    for (_, name) in pages::SHELLS {
        let built = format!("../../target/packages/completions/{name}");
        assert!(assets.contains(built.as_str()), "{built}");
    }
    for asset in assets {
        let path = asset.trim_start_matches("../../");
        let built = path.starts_with("target/packages/");
        assert!(built || root().join(path).exists(), "{asset}");
    }
    assert!(deb.contains(debian::MAINTAINER), "{deb}");
}

#[test]
fn each_crate_has_both_licences_in_full() {
    let root = root();
    for entry in fs::read_dir(root.join("crates")).expect("the crates") {
        let folder = entry.expect("a crate").path();
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let (own, whole) = (folder.join(licence), root.join(licence));
            let is_link = own.is_symlink();
            let text = fs::read_to_string(&own).unwrap_or_default();
            let wanted = fs::read_to_string(whole).expect("the licence");
            assert!(!is_link && text == wanted, "{}", own.display());
        }
    }
}
