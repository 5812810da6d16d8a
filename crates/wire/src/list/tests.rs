use std::string::ToString;
use std::vec::Vec;

use crate::{List, Tsn};

#[test]
fn a_list_from_the_wire_equals_the_same_list_from_a_slice() {
    let wire = List::<u16>::from_wire(&[0, 5, 0, 6]).unwrap();
    assert_eq!(wire, List::from(&[5, 6]));
    assert_ne!(wire, List::from(&[5]));
    assert_ne!(wire, List::from(&[5, 7]));
}

#[test]
fn bytes_that_end_within_an_element_are_no_list() {
    assert!(List::<u16>::from_wire(&[0]).is_none());
    assert!(List::<Tsn>::from_wire(&[0, 0, 0, 0, 0, 0]).is_none());
}

#[test]
fn both_kinds_know_their_length() {
    let wire = List::<Tsn>::from_wire(&[0; 12]).unwrap();
    assert_eq!(
        (wire.len(), wire.is_empty(), wire.iter().len()),
        (3, false, 3)
    );
    let slice = List::from(&[Tsn(1), Tsn(2)]);
    assert_eq!(
        (slice.len(), slice.is_empty(), slice.iter().len()),
        (2, false, 2)
    );
    assert!(List::<Tsn>::EMPTY.is_empty());
    assert!(List::<Tsn>::from_wire(&[]).unwrap().is_empty());
}

#[test]
fn both_kinds_write_the_same_bytes() {
    let bytes = [0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff];
    let slice = [Tsn(1), Tsn(u32::MAX)];
    for list in [List::from_wire(&bytes).unwrap(), List::from(&slice)] {
        let mut out = Vec::new();
        list.write(&mut out);
        assert_eq!(out, bytes);
        assert_eq!(list.encoded_len(), bytes.len());
    }
}

#[test]
fn it_prints_at_most_64_elements() {
    assert_eq!(List::from(&[5, 6]).to_string(), "5 6");
    let numbers: Vec<u16> = (0..70).collect();
    assert!(List::from(&numbers[..64]).to_string().ends_with(" 62 63"));
    assert!(
        List::from(&numbers[..])
            .to_string()
            .ends_with(" 62 63 and 6 more")
    );
}
