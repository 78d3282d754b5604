//! Least squares on the relative error, by coordinate descent.

use std::collections::BTreeMap;

use scratchpad::model::text::tokens::Cell;

/// Thousandths in a token.
const TOKEN: f64 = 1000.0;
const MOST_SWEEPS: usize = 300;
/// The sweeps end when no weight moves by more thousandths than this.
const SETTLED: f64 = 0.05;
/// What holds a weight where it is: as much as about twenty pieces that use it once. So a weight that texts rarely use
/// does not follow a few of them.
const INERTIA: f64 = 2e-9;
/// No run is free, so a weight that counts in thousandths is at least this.
const LEAST: f64 = 8.0;
/// The digit `z` of a pair's weight.
const MOST_UNITS: f64 = 35.0;

/// A text: how often it uses each weight, and its tokens.
pub(crate) struct Sample {
    uses: BTreeMap<Cell, u32>,
    pub(crate) tokens: usize,
}

impl Sample {
    pub(crate) fn new(cells: impl Iterator<Item = Cell>, tokens: usize) -> Self {
        let mut uses = BTreeMap::new();
        for cell in cells {
            *uses.entry(cell).or_default() += 1;
        }
        let tokens = tokens.max(1);
        Self { uses, tokens }
    }

    /// What the estimate says with these weights.
    pub(crate) fn estimate(&self, weight: impl Fn(Cell) -> u16) -> usize {
        let sum: usize = self
            .uses
            .iter()
            .map(|(cell, count)| *count as usize * usize::from(weight(*cell)))
            .sum();
        sum.div_ceil(1000)
    }
}

/// A weight while it is fitted.
struct Column {
    cell: Cell,
    weight: f64,
    /// The samples that use it, each with how much one thousandth adds to its estimate, as a share of its tokens.
    shares: Vec<(usize, f64)>,
}

impl Column {
    fn bounds(&self) -> (f64, f64) {
        match f64::from(self.cell.unit()) {
            1.0 => (LEAST, f64::from(u16::MAX)),
            unit => (0.0, unit * MOST_UNITS),
        }
    }

    /// Moves the weight to where the squares of the rests are least, and returns by how much.
    fn improve(&mut self, rests: &mut [f64]) -> f64 {
        let (mut slope, mut curve) = (0.0, INERTIA);
        for (sample, share) in &self.shares {
            slope += share * rests.get(*sample).copied().unwrap_or(0.0);
            curve += share * share;
        }
        slope += INERTIA * (f64::from(self.cell.weight()) - self.weight);
        let (least, most) = self.bounds();
        let step = (self.weight + slope / curve).clamp(least, most) - self.weight;
        for (sample, share) in &self.shares {
            if let Some(rest) = rests.get_mut(*sample) {
                *rest -= share * step;
            }
        }
        self.weight += step;
        step.abs()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within its bounds"
    )]
    fn rounded(&self) -> u16 {
        let unit = f64::from(self.cell.unit());
        ((self.weight / unit).round() * unit) as u16
    }
}

/// The weights that fit these samples best; those that none of them uses are left out.
pub(crate) fn fitted(samples: &[Sample]) -> BTreeMap<Cell, u16> {
    let mut columns = BTreeMap::new();
    let mut rests = Vec::with_capacity(samples.len());
    for (number, sample) in samples.iter().enumerate() {
        let mut rest = 1.0;
        for (cell, count) in &sample.uses {
            let share = f64::from(*count) / TOKEN / sample.tokens as f64;
            let column = columns.entry(*cell).or_insert_with(|| Column {
                cell: *cell,
                weight: f64::from(cell.weight()),
                shares: Vec::new(),
            });
            rest -= share * column.weight;
            column.shares.push((number, share));
        }
        rests.push(rest);
    }
    for _ in 0..MOST_SWEEPS {
        let steps = columns
            .values_mut()
            .map(|column| column.improve(&mut rests));
        if steps.fold(0.0, f64::max) < SETTLED {
            break;
        }
    }
    columns
        .values()
        .map(|column| (column.cell, column.rounded()))
        .collect()
}
