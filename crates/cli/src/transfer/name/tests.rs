use super::*;

fn native(name: &[u8]) -> Result<Name, BadName> {
    Name::parse(name, NameRule::Native)
}

#[test]
fn a_plain_name_is_split_into_its_parts() {
    let name = native(b"a/b/c.txt").unwrap();
    assert_eq!(name.parent(), b"a/b");
    assert_eq!(name.file_name(), "c.txt");
    assert_eq!(name.depth(), 2);
    let name = native(b"c.txt").unwrap();
    assert_eq!((name.parent(), name.depth()), (&b""[..], 0));
}

#[test]
fn names_that_lead_outside_are_refused() {
    for (name, why) in [
        (&b""[..], BadName::Empty),
        (b"/etc/passwd", BadName::Absolute),
        (b"//x", BadName::Absolute),
        (b"..", BadName::Dots),
        (b".", BadName::Dots),
        (b"a/../../b", BadName::Dots),
        (b"a/./b", BadName::Dots),
        (b"a//b", BadName::Dots),
        (b"a/", BadName::Dots),
        (b"a\0b", BadName::Nul),
        (b".sheave-partial/x", BadName::Reserved),
        (b".SHEAVE-partial", BadName::Reserved),
    ] {
        assert_eq!(native(name), Err(why), "{}", printable(name));
    }
    assert_eq!(native(&[b'a'; 256]), Err(BadName::TooLong));
    assert_eq!(native(&b"a/".repeat(2049)), Err(BadName::TooLong));
    assert_eq!(
        native(&[b"a/".repeat(128), b"b".to_vec()].concat()),
        Err(BadName::TooLong)
    );
}

#[test]
fn a_portable_name_exists_on_every_system() {
    for name in [
        &b"con"[..],
        b"AUX.c",
        b"x/nul.txt",
        b"com1",
        b"LPT9.log",
        b"a.",
        b"a ",
        b"c:x",
        b"a\\b",
        b"..\\x",
        b"a\x1b[2J",
        b"\xff",
    ] {
        let portable = Name::parse(name, NameRule::Portable);
        assert_eq!(portable, Err(BadName::NotPortable), "{}", printable(name));
        assert!(native(name).is_ok(), "{}", printable(name));
    }
    for name in [
        &b"console"[..],
        b"com",
        b"com10",
        "ü/é.txt".as_bytes(),
        b".hidden",
    ] {
        assert!(Name::parse(name, NameRule::Portable).is_ok());
    }
}

#[test]
fn printed_names_contain_no_terminal_controls() {
    assert_eq!(printable(b"a\x1b[2J\xffb"), "a\\u{1b}[2J\\xffb");
    assert_eq!(printable("é\u{202e}".as_bytes()), "é\\u{202e}");
}

#[test]
fn a_link_may_point_only_below_the_directory() {
    let deep = native(b"a/b/link").unwrap();
    for target in [
        &b"x"[..],
        b"../x",
        b"../../x/y",
        b"./x",
        b".",
        b"../..",
        b"x/./y",
    ] {
        assert!(deep.may_link_to(target), "{}", printable(target));
    }
    for target in [
        &b""[..],
        b"/etc",
        b"../../../x",
        b"x/../y",
        b"x/../../../../y",
        b"a\0b",
    ] {
        assert!(!deep.may_link_to(target), "{}", printable(target));
    }
    assert!(!native(b"link").unwrap().may_link_to(b".."));
}
