use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Form;
use crate::KeyMethods;

/// Numbers of methods of key management, such as `192+0`.
pub(in crate::options) struct Methods;

impl Form<KeyMethods> for Methods {
    fn read(&self, text: &str) -> Option<KeyMethods> {
        let numbers = text.split('+').map(|number| number.trim().parse().ok());
        numbers.collect::<Option<_>>().map(KeyMethods)
    }

    fn write(&self, value: &KeyMethods) -> String {
        let numbers: Vec<String> = value.0.iter().map(u8::to_string).collect();
        numbers.join("+")
    }

    fn contains(&self, value: &KeyMethods) -> bool {
        let mut numbers = value.0.clone();
        numbers.sort_unstable();
        numbers.dedup();
        !numbers.is_empty() && numbers.len() == value.0.len()
    }

    fn range(&self) -> String {
        "numbers from 0 to 255, each once, such as 192+0".into()
    }
}
