//! How many tokens of a model our estimate is.
//!
//! Between two requests of a conversation, the model's own count grows by what was added. That, over our estimate of the
//! same, is the factor.

/// Additions below this many tokens say little: what hosts put around them weighs too much.
const LEAST: u64 = 200;
/// The most samples of one model.
const MOST: usize = 10_000;

/// A factor with its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    pub median: f64,
    /// Half the distance between the quarters.
    pub spread: f64,
    pub samples: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Samples(Vec<f64>);

impl Samples {
    /// Adds how much the count grew, and our estimate of what was added.
    pub(super) fn add(&mut self, grew: u64, estimate: u64) {
        if estimate >= LEAST && grew > 0 && self.0.len() < MOST {
            #[expect(
                clippy::cast_precision_loss,
                reason = "windows are far below 2^52 tokens"
            )]
            self.0.push(grew as f64 / estimate as f64);
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
        self.0.truncate(MOST);
    }

    /// `None` with too few samples to tell.
    pub(super) fn factor(&self) -> Option<Factor> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |quarter: usize| sorted.get(sorted.len() * quarter / 4).copied();
        let samples = sorted.len();
        (samples >= 5).then_some(Factor {
            median: at(2)?,
            spread: (at(3)? - at(1)?) / 2.0,
            samples,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_the_middle_and_outliers_do_not_move_it() {
        let mut samples = Samples::default();
        for (grew, estimate) in [
            (1_500, 1_000),
            (1_480, 1_000),
            (1_520, 1_000),
            (9_000, 1_000),
            (1_510, 1_000),
            (50, 10),
        ] {
            samples.add(grew, estimate);
        }
        let factor = samples.factor().unwrap();
        assert_eq!((factor.samples, factor.median), (5, 1.51));
        assert!(factor.spread < 0.05, "{factor:?}");
        assert_eq!(Samples::default().factor(), None);
    }
}
