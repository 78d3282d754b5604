//! Which outputs to prune.

use crate::model::error::Result;
use crate::model::id::Millis;
use crate::model::output::{Candidate, FORSAKEN, IN_USE, OutputLimits};
use crate::store::{Governed, Prunable};

/// The next outputs to prune: first those that are too old, then those of an upstream that has too many, then the least
/// recently used until the rest fits.
///
/// Outputs in use always stay: what has no room beside them is not kept. Considers only the author's own outputs and
/// those that others have abandoned. The queries return only what to prune, never all outputs.
pub(super) fn to_prune(
    outputs: &dyn Prunable,
    author: &str,
    limits: &OutputLimits,
    now: Millis,
) -> Result<Vec<Candidate>> {
    let ago = |time: Millis| now.saturating_sub(time);
    let whose = Governed {
        author,
        forsaken: ago(FORSAKEN),
    };
    let in_use_since = ago(IN_USE).saturating_add(1);
    let old = outputs.old(whose, ago(limits.max_age), in_use_since)?;
    if !old.is_empty() {
        return Ok(old);
    }
    // Otherwise the total is exceeded first.
    if limits.most_of_upstream() < limits.max_total_bytes {
        let beyond = outputs.beyond(whose, in_use_since, limits.most_of_upstream())?;
        if !beyond.is_empty() {
            return Ok(beyond);
        }
    }
    let excess = outputs.bytes(whose)?.saturating_sub(limits.max_total_bytes);
    if excess == 0 {
        return Ok(Vec::new());
    }
    outputs.least_used(whose, Millis::MIN..in_use_since, excess)
}
