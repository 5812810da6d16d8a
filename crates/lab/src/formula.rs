//! Arithmetic over named numbers, for metrics and rules stated in TOML.

use core::fmt;

use serde::Deserialize;

/// A formula such as `1.5 * cubic.main.mbit_per_s`: numbers, names, `+ - * / ^`, brackets, and `min`
/// and `max` of two values.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum Formula {
    Number(f64),
    Name(String),
    Of(Operation, Box<[Self; 2]>),
}

type Operation = fn(f64, f64) -> f64;

/// Comparisons that must all hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Test {
    pub(crate) scope: Scope,
    pub(crate) comparisons: Vec<Comparison>,
    text: String,
}

/// The values that a test compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The means over all runs.
    Means,
    /// The values of each run.
    EveryRun,
}

/// A comparison of two values.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) left: Formula,
    pub(crate) relation: Relation,
    pub(crate) right: Formula,
}

/// The relation of the left value to the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Above,
    AtLeast,
    Equal,
}

/// The words before a test of each run.
const EVERY_RUN: &str = "in every run:";

impl Formula {
    /// The value; `None` if a name has none.
    pub(crate) fn value(&self, of: &impl Fn(&str) -> Option<f64>) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(name) => of(name),
            Self::Of(operation, both) => {
                let [one, other] = &**both;
                Some(operation(one.value(of)?, other.value(of)?))
            }
        }
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name) => vec![name],
            Self::Of(_, both) => both.iter().flat_map(Self::names).collect(),
        }
    }
}

impl Test {
    /// The formulas that it compares.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let comparisons = self.comparisons.iter();
        comparisons.flat_map(|one| [&one.left, &one.right])
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Comparison {
    /// Whether it holds for two values.
    pub(crate) fn holds(&self, left: f64, right: f64) -> bool {
        match self.relation {
            Relation::Above => left > right,
            Relation::AtLeast => left >= right,
            Relation::Equal => left == right,
        }
    }
}

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut words = Words::of(&text)?;
        let formula = words.formula(0)?;
        words.end()?;
        Ok(formula)
    }
}

impl TryFrom<String> for Test {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (scope, rest) = match text.trim().strip_prefix(EVERY_RUN) {
            Some(rest) => (Scope::EveryRun, rest),
            None => (Scope::Means, text.trim()),
        };
        let mut words = Words::of(rest)?;
        let mut comparisons = Vec::new();
        loop {
            words.comparisons(&mut comparisons)?;
            if !words.take("and") {
                break;
            }
        }
        words.end()?;
        let is_equation = |one: &Comparison| one.relation == Relation::Equal;
        if scope == Scope::Means && comparisons.iter().any(is_equation) {
            return Err(format!(
                "means are never exactly equal; write `0.99 * b < a < 1.01 * b`, or `{EVERY_RUN} a = b`"
            ));
        }
        Ok(Self {
            scope,
            comparisons,
            text,
        })
    }
}

/// The most numbers, names and signs of a formula or test; brackets are read recursively.
const MOST_WORDS: usize = 1000;

/// The operators, with their strength.
const OPERATORS: [(&str, u8, Operation); 5] = [
    ("+", 1, |one, other| one + other),
    ("-", 1, |one, other| one - other),
    ("*", 2, |one, other| one * other),
    ("/", 2, |one, other| one / other),
    ("^", 3, f64::powf),
];

/// The signs of comparisons, and whether the values change places.
const SIGNS: [(&str, Relation, Places); 5] = [
    ("<=", Relation::AtLeast, Places::Swapped),
    (">=", Relation::AtLeast, Places::Kept),
    ("<", Relation::Above, Places::Swapped),
    (">", Relation::Above, Places::Kept),
    ("=", Relation::Equal, Places::Kept),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    Kept,
    Swapped,
}

/// The words of a text: numbers, names and signs.
struct Words<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Result<Self, String> {
        let (mut words, mut rest) = (Vec::new(), text.trim_start());
        while let Some(first) = rest.chars().next() {
            if words.len() == MOST_WORDS {
                return Err(format!("more than {MOST_WORDS} numbers, names and signs"));
            }
            let length = match first {
                _ if first.is_alphanumeric() => length_of_name(rest),
                _ if rest.starts_with("<=") || rest.starts_with(">=") => 2,
                _ if "+-*/^()<>=,".contains(first) => 1,
                _ => return Err(format!("`{first}` has no meaning here")),
            };
            let (word, others) = rest.split_at(length);
            words.push(word);
            rest = others.trim_start();
        }
        Ok(Self { words, at: 0 })
    }

    fn peek(&self) -> &'a str {
        self.words.get(self.at).copied().unwrap_or_default()
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.peek() == word;
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        let found = self.peek();
        match self.take(word) {
            true => Ok(()),
            false => Err(format!("`{word}` is expected in place of `{found}`")),
        }
    }

    fn end(&self) -> Result<(), String> {
        match self.peek() {
            "" => Ok(()),
            word => Err(format!("`{word}` is not expected there")),
        }
    }

    /// A formula whose operators are stronger than `weakest`.
    fn formula(&mut self, weakest: u8) -> Result<Formula, String> {
        let mut formula = self.operand()?;
        while let Some((word, strength, operation)) = self.operator(weakest) {
            self.expect(word)?;
            let right = self.formula(strength)?;
            formula = Formula::Of(operation, Box::new([formula, right]));
        }
        Ok(formula)
    }

    fn operator(&self, weakest: u8) -> Option<(&'static str, u8, Operation)> {
        let next = self.peek();
        let mut operators = OPERATORS.into_iter();
        operators.find(|(word, strength, _)| *word == next && *strength > weakest)
    }

    fn operand(&mut self) -> Result<Formula, String> {
        let word = self.peek();
        self.at += 1;
        match word {
            "(" => {
                let inner = self.formula(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            "min" => self.pair(f64::min),
            "max" => self.pair(f64::max),
            _ if word.starts_with(char::is_numeric) => {
                let number = word.parse();
                let number = number.map_err(|_| format!("`{word}` is not a number"))?;
                Ok(Formula::Number(number))
            }
            _ if word.starts_with(char::is_alphabetic) => Ok(Formula::Name(word.to_owned())),
            _ => Err(format!(
                "a number or a name is expected in place of `{word}`"
            )),
        }
    }

    fn pair(&mut self, operation: Operation) -> Result<Formula, String> {
        self.expect("(")?;
        let one = self.formula(0)?;
        self.expect(",")?;
        let other = self.formula(0)?;
        self.expect(")")?;
        Ok(Formula::Of(operation, Box::new([one, other])))
    }

    fn sign(&self) -> Option<(&'static str, Relation, Places)> {
        SIGNS.into_iter().find(|(word, ..)| *word == self.peek())
    }

    /// A chain such as `a < b < c`.
    fn comparisons(&mut self, all: &mut Vec<Comparison>) -> Result<(), String> {
        let mut left = self.formula(0)?;
        let before = all.len();
        while let Some((word, relation, places)) = self.sign() {
            self.expect(word)?;
            let right = self.formula(0)?;
            let mut both = [left, right.clone()];
            if places == Places::Swapped {
                both.reverse();
            }
            left = right;
            let [one, right] = both;
            all.push(Comparison {
                left: one,
                relation,
                right,
            });
        }
        match all.len() > before {
            true => Ok(()),
            false => Err("a comparison is missing, such as `a < b`".to_owned()),
        }
    }
}

/// The length of the number or name at the beginning; `-` belongs to a name between two letters, as
/// in `link.wire-back.lost`, and to a number after `e`, as in `1e-4`.
fn length_of_name(text: &str) -> usize {
    let is_number = text.starts_with(char::is_numeric);
    let mut last = ' ';
    for (at, char) in text.char_indices() {
        let next = text[at + char.len_utf8()..].chars().next().unwrap_or(' ');
        let within = match char {
            '-' if is_number => last == 'e',
            '-' => next.is_alphanumeric(),
            _ => char.is_alphanumeric() || "_.".contains(char),
        };
        if !within {
            return at;
        }
        last = char;
    }
    text.len()
}

#[cfg(test)]
mod tests;
