use super::{passive, place};

#[test]
fn an_address_comes_back_from_the_answer_to_pasv() {
    let address = "10.9.0.2:4711".parse().expect("an address");
    let answer = format!("227 Entering Passive Mode ({}).", passive(address));
    assert_eq!(place(&answer), Some(address));
    assert_eq!(place("227 Entering Passive Mode (10,9,0,2,18)."), None);
    assert_eq!(place("227 Entering Passive Mode."), None);
}
