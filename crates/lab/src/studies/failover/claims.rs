mod temporary;

use crate::Rule;
use crate::studies::rivals;

pub(super) fn rules() -> Vec<Rule> {
    vec![rivals::rule("FO-10", temporary::judge)]
}
