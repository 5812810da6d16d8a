use super::*;

fn crate_of(files: &[(&str, &str)]) -> Figures {
    weigh("wire", &files.iter().copied().collect()).unwrap()
}

#[test]
fn files_that_import_each_other_are_a_circle() {
    let figures = crate_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use super::c::{C, D as E}; pub struct B;"),
        ("c.rs", "use crate::{a::A, d::Other}; pub struct C;"),
        ("d.rs", "pub struct Other;"),
    ]);
    assert_eq!(figures.circles, [["a", "b", "c"]]);
}

#[test]
fn a_name_that_is_exported_again_leads_to_its_file() {
    let figures = crate_of(&[
        ("lib.rs", "mod a; mod room; pub use a::A;"),
        ("a.rs", "use crate::room::thing::T; pub struct A;"),
        ("room.rs", "pub mod thing; pub use self::thing::T;"),
        ("room/thing.rs", "use crate::A; pub struct T;"),
    ]);
    assert_eq!(figures.circles, [["a", "room::thing"]]);
}

#[test]
fn tests_and_traits_do_not_count() {
    let figures = crate_of(&[
        (
            "lib.rs",
            "pub struct T; impl T { fn a() {} } impl Default for T { fn default() -> T { T } }",
        ),
        ("b.rs", "use crate::T; impl T { fn b() {} }"),
        ("b/tests.rs", "use super::*; impl T { fn c() {} }"),
    ]);
    assert_eq!(
        figures
            .methods
            .above(1)
            .next()
            .map(|(_, count)| count.methods),
        Some(2)
    );
    assert!(figures.circles.is_empty());
}

#[test]
fn what_is_above_its_bound_is_named() {
    let methods = "fn f() {}".repeat(61);
    let figures = crate_of(&[("lib.rs", &format!("struct T; impl T {{ {methods} }}"))]);
    assert_eq!(figures.excess(), ["wire: T has 61 methods, 60 are allowed"]);
}

#[test]
fn no_crate_is_above_what_was_reached() {
    let excess: Vec<String> = figures(crate::root())
        .unwrap()
        .iter()
        .flat_map(Figures::excess)
        .collect();
    assert!(excess.is_empty(), "{}", excess.join("\n"));
}
