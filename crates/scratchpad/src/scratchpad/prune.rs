//! Which outputs to prune.

use crate::model::error::Result;
use crate::model::id::Millis;
use crate::model::output::{Candidate, FORSAKEN, IN_USE, OutputLimits};
use crate::store::{Governed, Prunable};

/// The next outputs to prune: first those that are too old, then the least recently used until the rest fits.
///
/// Outputs in use stay, unless the total exceeds ten times the limit. Considers only the author's own outputs and
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
    let total = outputs.bytes(whose)?;
    let tenfold = limits.max_total_bytes.saturating_mul(10);
    for (used, limit) in [
        (Millis::MIN..in_use_since, limits.max_total_bytes),
        (in_use_since..Millis::MAX, tenfold),
    ] {
        let excess = total.saturating_sub(limit);
        if excess > 0 {
            let gone = outputs.least_used(whose, used, excess)?;
            if !gone.is_empty() {
                return Ok(gone);
            }
        }
    }
    Ok(Vec::new())
}
