//! Whether there is room for another output beside those in use, which no prune removes.

use super::{IN_USE, Origin, OutputLimits};
use crate::model::error::{Error, Result};
use crate::model::id::Millis;
use crate::model::text::message::{message, number, quoted};

/// The room that outputs in use may take up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Outputs last used at this time or later are in use.
    pub in_use_since: Millis,
    most: u64,
    most_of_upstream: u64,
}

/// The room that outputs in use take up, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    pub all: u64,
    pub of_upstream: u64,
}

impl Room {
    pub fn new(limits: &OutputLimits, now: Millis) -> Self {
        Self {
            in_use_since: now.saturating_sub(IN_USE).saturating_add(1),
            most: limits.most_in_use(),
            most_of_upstream: limits.most_of_upstream(),
        }
    }

    /// Refuses a new output for which there is no room.
    pub fn admit(&self, origin: Origin<'_>, bytes: u64, taken: Taken) -> Result<()> {
        if taken.all.saturating_add(bytes) > self.most {
            return Err(Error::refused(message!(
                "No room to keep {bytes} bytes: outputs used within the last hour have {taken} bytes, the limit is {limit}, ten times `outputs.max_total_bytes`.",
                bytes = number(bytes),
                taken = number(taken.all),
                limit = number(self.most)
            ))
            .hint("raise `outputs.max_total_bytes`, or make room with `scratchpad output clear`."));
        }
        if taken.of_upstream.saturating_add(bytes) > self.most_of_upstream {
            return Err(Error::refused(message!(
                "No room to keep {bytes} bytes of {upstream}: its outputs used within the last hour have {taken} bytes, the limit is {limit} (`outputs.max_bytes_per_upstream`).",
                bytes = number(bytes),
                upstream = quoted(origin.upstream),
                taken = number(taken.of_upstream),
                limit = number(self.most_of_upstream)
            ))
            .hint("raise `outputs.max_bytes_per_upstream`, or make room with `scratchpad output clear`."));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_exactly_is_admitted_and_a_byte_more_is_not() {
        let limits = OutputLimits {
            max_total_bytes: 100,
            ..OutputLimits::default()
        };
        let room = Room::new(&limits, 0);
        let origin = Origin {
            upstream: "fs",
            tool: "read",
        };
        for (all, of_upstream, bytes, is_admitted) in [
            (0, 0, 900, true),
            (0, 0, 901, false),
            (600, 0, 400, true),
            (600, 0, 401, false),
            (600, 600, 300, true),
            (600, 600, 301, false),
            (u64::MAX, 0, 1, false),
        ] {
            let taken = Taken { all, of_upstream };
            let admitted = room.admit(origin, bytes, taken);
            assert_eq!(admitted.is_ok(), is_admitted, "{taken:?} {bytes}");
        }
    }
}
