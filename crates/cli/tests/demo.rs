//! The README's first command, smaller.

mod support;

use support::{run, text};

#[test]
fn a_path_dies_half_way_and_every_byte_arrives() {
    let output = run("demo transfer --size 400M --files 300 --json");
    let out = text(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{out}{}",
        text(&output.stderr)
    );
    let last: serde_json::Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!(last["files"], 300);
    assert_eq!(last["identical"], true);
    let before = last["bytes_before_cut"].as_u64().unwrap();
    assert!((200_000_000..370_000_000).contains(&before), "{last}");
}
