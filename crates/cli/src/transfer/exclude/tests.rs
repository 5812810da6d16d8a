use super::*;

fn is_left_out(pattern: &str, name: &str) -> bool {
    let pattern: Pattern = pattern.parse().unwrap();
    pattern.matches(name.as_bytes(), Shape::Other)
}

#[test]
fn a_pattern_without_a_slash_is_compared_with_the_last_component() {
    for (pattern, name) in [
        ("*.o", "x.o"),
        ("*.o", "a/b/x.o"),
        ("a?c", "d/abc"),
        ("[a-c]x", "bx"),
        ("[!a-c]x", "dx"),
        ("[]]", "]"),
        ("\\*", "*"),
        ("a*b*c", "aXbYbZc"),
        ("target", "x/target"),
    ] {
        assert!(is_left_out(pattern, name), "{pattern} {name}");
    }
    for (pattern, name) in [
        ("*.o", "x.c"),
        ("*.o", "x.o/y"),
        ("[!a-c]x", "bx"),
        ("\\*", "x"),
        ("a*b", "abc"),
        ("target", "targets"),
    ] {
        assert!(!is_left_out(pattern, name), "{pattern} {name}");
    }
}

#[test]
fn a_pattern_with_a_slash_is_compared_with_the_whole_name() {
    assert!(is_left_out("a/*.o", "a/x.o"));
    assert!(is_left_out("/x.o", "x.o"));
    assert!(is_left_out("**/x/*", "a/b/x/y"));
    assert!(is_left_out("a/**", "a/b/c"));
    assert!(is_left_out("a/**/d", "a/b/c/d"));
    assert!(!is_left_out("a/*.o", "a/b/x.o"));
    assert!(!is_left_out("a/*.o", "b/a/x.o"));
    assert!(!is_left_out("/x.o", "a/x.o"));
}

#[test]
fn a_slash_at_the_end_leaves_out_directories_alone() {
    let pattern: Pattern = "build/".parse().unwrap();
    assert!(pattern.matches(b"a/build", Shape::Directory));
    assert!(!pattern.matches(b"a/build", Shape::Other));
}

#[test]
fn many_stars_take_no_time() {
    let pattern = "*a".repeat(60);
    assert!(!is_left_out(&pattern, &format!("{}b", "a".repeat(250))));
    let pattern = "**a".repeat(60);
    assert!(!is_left_out(&pattern, &format!("{}b", "a".repeat(4000))));
}

#[test]
fn a_set_without_an_end_is_an_error() {
    assert!("[abc".parse::<Pattern>().is_err());
    assert!("/".parse::<Pattern>().is_err());
    assert!("x\\".parse::<Pattern>().is_err());
}
