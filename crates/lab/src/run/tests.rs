use super::Run;
use crate::Settings;

fn run(loss: f64, seed: u64) -> Run {
    Run::new(
        "datacenter",
        "loss",
        Settings::new().with("loss", loss).with("transport", "tcp"),
        seed,
    )
}

#[test]
fn the_key_follows_from_settings_seed_and_code() {
    let key = run(0.01, 1).key("a");
    assert_eq!(key, run(0.01, 1).key("a"));
    assert_ne!(key, run(0.02, 1).key("a"));
    assert_ne!(key, run(0.01, 2).key("a"));
    assert_ne!(key, run(0.01, 1).key("b"));
}

#[test]
fn the_last_parts_of_a_key_are_words_of_a_run_and_the_digits_of_a_number_are_not() {
    let settings = Settings::new().with("flow.main.sctp.path_max_retrans", 0.0);
    let run = Run {
        settings: settings.with("link.wire.delay_ms", 2.5),
        ..run(0.01, 1)
    };
    for words in [
        "path_max_retrans = 0",
        "sctp.path_max_retrans = 0",
        "delay_ms = 2.5",
    ] {
        assert!(run.says(words), "{words}");
    }
    for words in ["max_retrans = 0", "delay_ms = 2", "5", "seed 2"] {
        assert!(!run.says(words), "{words}");
    }
}
