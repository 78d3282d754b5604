//! How much of an agent's window outputs save, after what it costs to read them again.
//!
//! `cargo bench --bench saved`: frozen outputs (`corpus/outputs`), each with questions (`replay/questions.json`) that are
//! answered by real calls. Counts only, no times: the figures are the same on every machine.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a bench fails by panicking"
)]
#![expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]

mod replay;

use std::ops::AddAssign;

use replay::{Agent, Case, Frozen, Replayed, frozen};
use scratchpad::model::output_tools;
use scratchpad::model::quantity::{counted, grouped};
use serde_json::{Value, json};

fn main() {
    let tokenizer = tiktoken::get_encoding("o200k_base").expect("o200k_base");
    let agent = Agent::new(env!("CARGO_BIN_EXE_scratchpad"));
    let replayed: Vec<(Frozen, Replayed)> = frozen()
        .into_iter()
        .map(|frozen| {
            let replayed = agent.replay(&frozen);
            for (question, answer) in frozen.questions.iter().zip(&replayed.answers) {
                assert!(answer.is_right, "{}: {}", frozen.file, question.ask);
            }
            (frozen, replayed)
        })
        .collect();
    table("tokens", &replayed, |text| tokenizer.count(text));
    table("bytes", &replayed, str::len);
}

fn table(unit: &str, replayed: &[(Frozen, Replayed)], size: impl Fn(&str) -> usize) {
    println!(
        "| {unit} | without | reference | reads for one question | saved | reads for all questions | saved |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut all = Row::default();
    for (case, title) in [(Case::Usual, "usual"), (Case::Bad, "bad")] {
        let mut sum = Row::default();
        for (frozen, replayed) in replayed.iter().filter(|(frozen, _)| frozen.case == case) {
            let row = Row::of(replayed, &size);
            row.print(&frozen.file);
            sum += row;
        }
        sum.print(&format!("**all {title} cases**"));
        all += sum;
    }
    let tools = size(&tools());
    all.reference += tools;
    all.print(&format!(
        "**all, and the list of tools ({})**",
        grouped(tools)
    ));
    println!();
}

/// The two tools as hosts show them.
fn tools() -> String {
    let shown: Vec<Value> = output_tools::definitions()
        .into_iter()
        .map(|tool| {
            json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema})
        })
        .collect();
    json!(shown).to_string()
}

/// What outputs cost in the window, without us and with us.
#[derive(Clone, Copy, Default)]
struct Row {
    original: usize,
    reference: usize,
    first: Reads,
    all: Reads,
}

/// What reading an output costs: what the agent writes, and what it reads.
#[derive(Clone, Copy, Default)]
struct Reads {
    calls: usize,
    cost: usize,
}

impl Row {
    fn of(replayed: &Replayed, size: impl Fn(&str) -> usize) -> Self {
        let mut row = Self {
            original: size(&replayed.original),
            reference: size(&replayed.reference),
            ..Self::default()
        };
        for (position, answer) in replayed.answers.iter().enumerate() {
            for call in &answer.calls {
                row.all.calls += 1;
                row.all.cost += size(&call.written) + size(&call.read);
            }
            if position == 0 {
                row.first = row.all;
            }
        }
        row
    }

    fn print(&self, name: &str) {
        let saved = |reads: Reads| {
            let with = self.reference + reads.cost;
            let share = 100.0 - with as f64 * 100.0 / self.original as f64;
            let (sign, difference) = if with > self.original {
                ("−", with - self.original)
            } else {
                ("", self.original - with)
            };
            format!("{sign}{} ({sign}{:.0} %)", grouped(difference), share.abs())
        };
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} |",
            grouped(self.original),
            grouped(self.reference),
            self.first,
            saved(self.first),
            self.all,
            saved(self.all)
        );
    }
}

impl std::fmt::Display for Reads {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let calls = counted(self.calls, "call", "calls");
        write!(formatter, "{} ({calls})", grouped(self.cost))
    }
}

impl AddAssign for Reads {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.cost += other.cost;
    }
}

impl AddAssign for Row {
    fn add_assign(&mut self, other: Self) {
        self.original += other.original;
        self.reference += other.reference;
        self.first += other.first;
        self.all += other.all;
    }
}
