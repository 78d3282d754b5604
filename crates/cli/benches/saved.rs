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
use scratchpad::model::output::tool;
use scratchpad::model::text::quantity::{counted, grouped};
use serde_json::{Value, json};

const HOW: &str = "\
16 frozen tool results (`benches/corpus/outputs`: made up, or made from this repository), each with 2 to 4 fixed questions
(`benches/replay/questions.json`). Each result is kept, and each question answered by real calls of `scratchpad_read`; a question
whose answer is not in what was read fails the run, and `crates/cli/tests/it/output/saved.rs`. Only counts, no times: the same on every machine. Below
zero, outputs cost more than they save.";

const COUNTED: &str = "\
Counted: without, the result's text. With, the reference, its file in a usual home; every call as the agent writes it, name
and arguments; all that it reads then, with what is said beside the part; detours: a look at one item to learn its keys, the
slice that the reference proposes where it does not help, a search that finds too much, reading again what was read before;
and the list of the two tools, once. \"One question\" is the first of the list, \"all\" is all of them.

Not counted: that an agent asks other questions, and asks less well: these were written by people who know the tool. That a
call is a turn: it takes time, and the host sends the window, or has it cached, once more. What hosts put around calls and
results, what agents think, what a server says of itself when it starts. That behind the proxy each server lists the two
tools again. That many hosts cut large results by themselves, and then the rest is lost. That an agent with a shell may read
the file instead. Tokens are those of o200k; other tokenizers count up to twice as many.

What it says: an output pays when a part of it answers. Where all of it is needed at once, it costs the reference, the call
and a remark: much for a text just above the threshold, little for a large one. It costs most to read parts and then all of it.
Sums depend on the mix, so the bad cases are listed separately; a tool whose results are always read whole is better exempted:
`outputs.rules`, `UPSTREAM/TOOL: never`.
";

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
    println!("## Context saved by outputs\n\n{HOW}\n");
    table("tokens", &replayed, |text| tokenizer.count(text));
    table("bytes", &replayed, str::len);
    println!("{COUNTED}");
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
    let shown: Vec<Value> = tool::definitions()
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
