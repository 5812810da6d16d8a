use crate::{Effort, Parameter, Run};
pub(super) fn parameters() -> Vec<Parameter> { vec![] }
pub(super) fn plan(_effort: Effort) -> Vec<Run> {
    let mut runs = Vec::new();
    let s = std::env::var("PROBE").unwrap_or_default();
    for line in s.lines() {
        let mut settings = crate::Settings::new();
        let mut exp = "beta".to_owned();
        for kv in line.split(';').map(str::trim).filter(|x| !x.is_empty()) {
            let (k, v) = kv.split_once('=').unwrap();
            if k == "exp" { exp = v.to_owned(); continue; }
            settings = match v.parse::<f64>() { Ok(n) => settings.with(k, n), Err(_) => settings.with(k, v) };
        }
        for seed in 1..=3 {
            runs.push(Run { study: "wireless".into(), experiment: exp.clone(), settings: settings.clone(), seed });
        }
    }
    runs
}
