//! Fits the weights of the token estimate (`model/text/tokens.rs`) to the counts of `o200k_base`.
//!
//! `cargo run --release -p scratchpad-mcp --example fit_tokens [FILE|DIRECTORY …]`: by default this project's sources
//! and documents. Prints the tables as they stand in `tokens.rs`, for pasting there before `cargo fmt`, and the error of
//! the weights before and after on every fifth text, which they were not fitted to.
#![expect(clippy::print_stdout, reason = "the tables are its answer")]
#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

mod fit;
mod tables;
#[path = "../../benches/corpus/texts.rs"]
mod texts;

use std::collections::BTreeMap;

use scratchpad::model::text::tokens::{Cell, cells};

use fit::{Sample, fitted};
use texts::{errors, pieces, texts};

const PIECE_BYTES: usize = 300;
const HELD_OUT_ONE_IN: usize = 5;

fn main() {
    let Some(tokenizer) = tiktoken::get_encoding("o200k_base") else {
        println!("tiktoken was built without o200k_base");
        return;
    };
    let (mut fitted_to, mut held_out) = (Vec::new(), BTreeMap::new());
    for (kind, texts) in texts() {
        for (number, text) in texts.iter().enumerate() {
            let samples = pieces(text, PIECE_BYTES)
                .into_iter()
                .map(|piece| Sample::new(cells(piece), tokenizer.count(piece)));
            if number % HELD_OUT_ONE_IN == HELD_OUT_ONE_IN - 1 {
                held_out
                    .entry(kind.clone())
                    .or_insert_with(Vec::new)
                    .extend(samples);
            } else {
                fitted_to.extend(samples);
            }
        }
    }
    let weights = fitted(&fitted_to);
    let after = |cell: Cell| weights.get(&cell).copied().unwrap_or(cell.weight());
    println!("{}", tables::with_weights(tables::SOURCE, after));

    println!(
        "// Error in per cent (mean, bias, 95th percentile) of pieces of {PIECE_BYTES} bytes:"
    );
    println!("// | texts | pieces | before | after |\n// |---|---|---|---|");
    row("fitted to", &fitted_to, after);
    for (kind, samples) in &held_out {
        row(kind, samples, after);
    }
    let held_out: Vec<Sample> = held_out.into_values().flatten().collect();
    row("held out", &held_out, after);
}

fn row(name: &str, samples: &[Sample], after: impl Fn(Cell) -> u16) {
    let error = |weight: &dyn Fn(Cell) -> u16| {
        let pairs = samples
            .iter()
            .map(|sample| (sample.tokens, sample.estimate(weight)));
        let (mean, bias, p95) = errors(pairs);
        format!("{mean:.2}, {bias:+.2}, {p95:.1}")
    };
    let (before, after) = (error(&Cell::weight), error(&after));
    println!("// | {name} | {} | {before} | {after} |", samples.len());
}
