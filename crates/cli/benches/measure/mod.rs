//! Times, and what to say about them.

use std::time::{Duration, Instant};

/// Many measurements of one thing.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    /// Measures one run.
    pub(crate) fn run<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let answer = work();
        self.0.push(started.elapsed());
        answer
    }

    /// The middle one, in milliseconds.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(50)
    }

    /// The one that 99 of 100 are below, in milliseconds.
    pub(crate) fn p99(&self) -> f64 {
        self.quantile(99)
    }

    /// Between which two the middle half lies, in milliseconds.
    #[allow(dead_code, reason = "each bench uses its part")]
    pub(crate) fn middle_half(&self) -> String {
        format!("{:.2}–{:.2}", self.quantile(25), self.quantile(75))
    }

    fn quantile(&self, part: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let index = sorted.len().saturating_sub(1) * part / 100;
        sorted
            .get(index)
            .map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
    }
}
