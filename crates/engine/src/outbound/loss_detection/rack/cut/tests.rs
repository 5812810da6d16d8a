use super::*;

fn lost_and_cut(seqs: &[u64]) -> CutLosses {
    let mut losses = CutLosses::default();
    for seq in seqs {
        losses.on_lost(*seq);
    }
    losses.on_cut();
    losses.on_search_ended();
    losses
}

#[test]
fn a_cut_is_refuted_when_all_its_losses_are() {
    let mut losses = lost_and_cut(&[5, 7]);
    assert_eq!(losses.on_spurious(5), CutVerdict::Right);
    assert_eq!(losses.on_spurious(7), CutVerdict::Refuted);
}

#[test]
fn a_loss_in_the_recovery_after_a_cut_belongs_to_it() {
    let mut losses = lost_and_cut(&[5]);
    losses.on_lost(8);
    losses.on_search_ended();
    assert_eq!(losses.on_spurious(5), CutVerdict::Right);
}

#[test]
fn losses_that_an_earlier_cut_answered_refute_nothing() {
    let mut losses = lost_and_cut(&[5]);
    losses.on_lost(9);
    losses.on_cut();
    losses.on_search_ended();
    assert_eq!(losses.on_spurious(5), CutVerdict::Right);
    assert_eq!(losses.on_spurious(9), CutVerdict::Refuted);
}

#[test]
fn many_losses_are_never_refuted() {
    let seqs: alloc::vec::Vec<u64> = (0..20).collect();
    let mut losses = lost_and_cut(&seqs);
    assert!(
        seqs.iter()
            .all(|seq| losses.on_spurious(*seq) == CutVerdict::Right)
    );
}
