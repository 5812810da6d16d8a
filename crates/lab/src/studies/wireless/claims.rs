pub(super) fn claims() -> Vec<crate::Claim> { vec![] }
