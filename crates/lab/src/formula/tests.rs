use super::{Formula, Relation, Scope, Test};

fn value(text: &str) -> f64 {
    let formula = Formula::try_from(text.to_owned()).expect("a formula");
    let of = |name: &str| (name == "link.a-back.lost").then_some(7.0);
    formula.value(&of).expect("a value")
}

#[test]
fn stronger_operators_come_first_and_equal_ones_from_the_left() {
    assert_eq!(value("10 - 4 - 3"), 3.0);
    assert_eq!(value("1 + 2 * 3 ^ 2"), 19.0);
    assert_eq!(value("(1 + 2) * max(3, 2e0) / min(1, 2)"), 9.0);
    assert_eq!(value("link.a-back.lost - 7e-1"), 6.3);
}

#[test]
fn a_value_without_all_names_is_missing() {
    let formula = Formula::try_from("a + b".to_owned()).expect("a formula");
    assert_eq!(formula.names(), ["a", "b"]);
    assert_eq!(formula.value(&|name| (name == "a").then_some(1.0)), None);
}

fn test(text: &str) -> Result<Test, String> {
    Test::try_from(text.to_owned())
}

#[test]
fn a_chain_compares_each_pair_of_neighbours() {
    let relations = |text: &str| {
        let test = test(text).expect("a test");
        let all = test.comparisons.iter().map(|one| one.relation);
        (test.scope, all.collect::<Vec<_>>())
    };
    assert_eq!(
        relations("0.9 * a < b <= 2 and c > 1"),
        (
            Scope::Means,
            vec![Relation::Above, Relation::AtLeast, Relation::Above]
        )
    );
    assert_eq!(
        relations("in every run: a = 0"),
        (Scope::EveryRun, vec![Relation::Equal])
    );
}

#[test]
fn a_formula_that_nests_without_end_is_refused() {
    let answer = test(&"(".repeat(1_000_000)).err();
    let right = "more than 1000 numbers, names and signs";
    assert_eq!(answer.as_deref(), Some(right));
}

#[test]
fn a_wrong_text_is_answered_with_the_fix() {
    for (text, answer) in [
        ("a", "a comparison is missing, such as `a < b`"),
        ("a < ", "a number or a name is expected in place of ``"),
        ("(a < b", "`)` is expected in place of `<`"),
        ("a < b c", "`c` is not expected there"),
        ("a < 1.2.3", "`1.2.3` is not a number"),
        ("a < b % c", "`%` has no meaning here"),
        (
            "a = b",
            "means are never exactly equal; write `0.99 * b < a < 1.01 * b`, or `in every run: a = b`",
        ),
    ] {
        assert_eq!(test(text).err().as_deref(), Some(answer), "{text}");
    }
}
