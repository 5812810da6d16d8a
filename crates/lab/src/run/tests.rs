use super::Run;
use crate::Settings;

fn run(loss: f64, seed: u64) -> Run {
    Run {
        study: "datacenter".to_owned(),
        experiment: "loss".to_owned(),
        settings: Settings::new().with("loss", loss).with("transport", "tcp"),
        seed,
    }
}

#[test]
fn the_key_follows_from_settings_seed_and_code() {
    let key = run(0.01, 1).key("a");
    assert_eq!(key, run(0.01, 1).key("a"));
    assert_ne!(key, run(0.02, 1).key("a"));
    assert_ne!(key, run(0.01, 2).key("a"));
    assert_ne!(key, run(0.01, 1).key("b"));
}
