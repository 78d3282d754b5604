//! How far `estimate` is from a real tokenizer (`o200k_base`), and how fast it is.
//!
//! `cargo bench --bench tokens [-- FILE|DIRECTORY …]`: by default this project's sources and documents.
//! Kinds are file extensions (`.txt`: the directory's name), plus samples embedded here.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

#[path = "corpus/texts.rs"]
mod texts;

use std::hint::black_box;
use std::time::{Duration, Instant};

use scratchpad::model::host::hook::{Event, EventKind, Mirror, task_call};
use scratchpad::model::host::with_hooks;
use scratchpad::model::pad::plan::items;
use scratchpad::model::pad::{Pad, block};
use scratchpad::model::text::tokens::{estimate, prefix_within};
use serde_json::Value;

use texts::{errors, pieces, quantile, texts};

/// What hosts sent to hooks.
const RECORDED: [(&str, &str); 4] = [
    (
        "claude",
        include_str!("../tests/fixtures/hooks/claude-code-2.1.325.jsonl"),
    ),
    (
        "codex",
        include_str!("../tests/fixtures/hooks/codex-0.166.0.jsonl"),
    ),
    (
        "gemini",
        include_str!("../tests/fixtures/hooks/gemini-cli-0.61.0.jsonl"),
    ),
    (
        "qwen",
        include_str!("../tests/fixtures/hooks/qwen-code-0.24.4.jsonl"),
    ),
];

const HOW: &str = "\
The estimate that needs no tokenizer against the real count (o200k), on this project's own sources and on samples: error of single
pieces in per cent. A factor on the estimate stays above the real count in 99.5 of 100 cases.";

fn main() {
    let Some(tokenizer) = tiktoken::get_encoding("o200k_base") else {
        println!("tiktoken was built without o200k_base");
        return;
    };
    let real = |text: &str| tokenizer.count(text);
    let quarter = |text: &str| text.len().div_ceil(4);

    let texts = texts();
    println!("## Tokens\n\n{HOW}\n");
    println!("| kind | bytes | pieces | estimate: mean, bias, p95 | bytes / 4: mean, bias, p95 |");
    println!("|---|---|---|---|---|");
    let mut factors = Vec::new();
    for size in [300, 3000] {
        let mut all = Vec::new();
        for (kind, texts) in &texts {
            let cut: Vec<_> = texts.iter().flat_map(|text| pieces(text, size)).collect();
            let cut: Vec<_> = cut
                .iter()
                .map(|p| (real(p), estimate(p), quarter(p)))
                .collect();
            row(kind, size, &cut);
            all.extend(cut);
        }
        row("all", size, &all);
        let mut ratios: Vec<_> = all
            .iter()
            .map(|&(real, ours, _)| real as f64 / ours as f64)
            .collect();
        ratios.sort_by(f64::total_cmp);
        factors.push(format!(
            "{:.2} for pieces of {size} bytes",
            quantile(&ratios, 0.995)
        ));
    }
    println!("\nThe factor: {}.\n", factors.join(", "));

    println!("| runs of 10 KB | real | estimate |\n|---|---|---|");
    for unit in [
        " ", "\n", "\t", "a", "=", "7", "😀", "🚀", "中", "я", "é", "─", "\r\n", "ab", "-=",
    ] {
        let run = unit.repeat(10_000 / unit.len());
        println!("| `{unit:?}` | {} | {} |", real(&run), estimate(&run));
    }

    let whole: String = texts.values().flatten().map(String::as_str).collect();
    println!(
        "\n| speed over {:.1} MB | MB/s |\n|---|---|",
        whole.len() as f64 / 1e6
    );
    speed("estimate", &whole, estimate);
    speed("prefix_within", &whole, |text| {
        prefix_within(text, usize::MAX)
    });
    speed("bytes/4", &whole, quarter);
    speed("tiktoken", &whole, real);
    println!();
    plans(real);
}

/// What the block costs with a plan as a whole, and with what is open of it: task lists that hosts sent, in the tests' records.
fn plans(real: impl Fn(&str) -> usize) {
    println!(
        "| recorded task list | items | done | block with all, tokens | with what is open |\n|---|---|---|---|---|"
    );
    for (name, file) in RECORDED {
        let Ok(host) = with_hooks(name) else { continue };
        let mut mirror = Mirror::default();
        let mut plan = String::new();
        for line in file.lines() {
            let recorded: Value = serde_json::from_str(line).unwrap_or_default();
            let event = recorded
                .get("stdin")
                .map(|it| Event::read(host, it, None, "scratchpad"));
            let Some(Ok(Some(event))) = event else {
                continue;
            };
            let EventKind::Tool(call) = &event.kind else {
                continue;
            };
            let call = task_call(host.hooks.task_tools, call);
            let new = call.and_then(|call| mirror.hear(&call, Some(&plan), 2_000, 0));
            plan = new.unwrap_or(plan);
        }
        let items = items(&plan);
        let done = items.iter().filter(|item| !item.state.is_open()).count();
        let pad = Pad {
            plan: plan.clone(),
            ..Pad::default()
        };
        let tokens = |block: Option<String>| block.map_or(0, |text| real(&text));
        println!(
            "| {} | {} | {done} | {} | {} |",
            host.title,
            items.len(),
            tokens(block::render_whole(&pad)),
            tokens(block::render(&pad))
        );
    }
    println!();
}

/// One line of the table, from the real count, ours, and a quarter of the bytes of each piece.
fn row(kind: &str, size: usize, counts: &[(usize, usize, usize)]) {
    let (mean, bias, p95) = errors(counts.iter().map(|&(real, ours, _)| (real, ours)));
    let (mean4, bias4, p95_4) = errors(counts.iter().map(|&(real, _, quarter)| (real, quarter)));
    println!(
        "| {kind} | {size} | {} | {mean:.1}, {bias:+.1}, {p95:.1} | {mean4:.1}, {bias4:+.1}, {p95_4:.1} |",
        counts.len()
    );
}

/// Runs `count` over `text` for half a second or once, whichever is longer.
fn speed(name: &str, text: &str, count: impl Fn(&str) -> usize) {
    let start = Instant::now();
    let mut bytes = 0;
    while bytes == 0 || start.elapsed() < Duration::from_millis(500) {
        black_box(count(black_box(text)));
        bytes += text.len().max(1);
    }
    println!(
        "| {name} | {:.0} |",
        bytes as f64 / start.elapsed().as_secs_f64() / 1e6
    );
}
