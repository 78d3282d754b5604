//! A recording of screens as one animated picture that needs nothing else: no script, no font, no other file.

use std::fmt::Write as _;

use super::Screen;

/// How long each screen is shown, in seconds.
const SECONDS: usize = 6;
const COLUMNS: usize = 82;
const LINE_HEIGHT: usize = 18;
/// The width of a character of most monospaced fonts at this size.
const CHAR_WIDTH: f64 = 7.83;
const TOP: usize = 56;
const LEFT: usize = 16;

const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d6deeb;white-space:pre}
.b{font-weight:bold}.g{fill:#7fd962}.y{fill:#e6b450}.r{fill:#f07178;font-weight:bold}.q{fill:#7d8799}.p{fill:#59c2ff}";

/// The picture: one screen after another, again and again. Where nothing moves, the status is seen.
pub(super) fn recording(screens: &[Screen]) -> String {
    let texts: Vec<Vec<String>> = screens.iter().map(lines).collect();
    let rows = texts.iter().map(Vec::len).max().unwrap_or(0);
    let height = TOP + rows * LINE_HEIGHT + 8;
    #[allow(clippy::cast_precision_loss, reason = "a small number")]
    let width = (COLUMNS as f64)
        .mul_add(CHAR_WIDTH, 2.0 * LEFT as f64)
        .ceil();
    let count = screens.len();
    let shown = 100.0 / f64::from(u32::try_from(count).unwrap());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" xml:space=\"preserve\" role=\"img\" aria-label=\"Scratchpad in a terminal: set up, a plan that survives a compaction, status, taking it all back\">
<style>
{STYLE}
.f{{opacity:0;animation:f {}s infinite step-end}}.f2{{opacity:1}}
@keyframes f{{0%{{opacity:1}}{shown:.3}%,100%{{opacity:0}}}}
@media (prefers-reduced-motion:reduce){{.f{{animation:none}}}}
</style>
<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#0f1419\"/>
<g fill=\"#3d4752\"><circle cx=\"20\" cy=\"18\" r=\"6\"/><circle cx=\"40\" cy=\"18\" r=\"6\"/><circle cx=\"60\" cy=\"18\" r=\"6\"/></g>
",
        count * SECONDS
    );
    for (number, lines) in texts.iter().enumerate() {
        // All run from the start, each at its own point of the round.
        let delay = (count - number) * SECONDS;
        writeln!(
            svg,
            "<g class=\"f f{number}\" style=\"animation-delay:-{delay}s\">"
        )
        .unwrap();
        for (row, line) in lines.iter().enumerate() {
            let y = TOP + row * LINE_HEIGHT;
            writeln!(svg, "<text x=\"{LEFT}\" y=\"{y}\">{line}</text>").unwrap();
        }
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

/// The lines of a screen as SVG.
fn lines(screen: &Screen) -> Vec<String> {
    let command = format!("<tspan class=\"p\">$</tspan> {}", escaped(&screen.title));
    let seen = screen.seen.trim_end().lines().flat_map(wrapped);
    let seen = seen.map(|line| painted(&line));
    [command].into_iter().chain(seen).collect()
}

/// As a terminal breaks it. What has colours is laid out for its width.
fn wrapped(line: &str) -> Vec<String> {
    if line.contains('\x1b') || line.is_empty() {
        return vec![line.to_owned()];
    }
    let chars: Vec<char> = line.chars().collect();
    let parts = chars.chunks(COLUMNS - 2);
    parts.map(|part| part.iter().collect()).collect()
}

/// A line with colours as classes.
fn painted(line: &str) -> String {
    let mut out = String::new();
    let mut parts = line.split("\x1b[");
    out.push_str(&escaped(parts.next().unwrap_or_default()));
    for part in parts {
        let (code, text) = part.split_once('m').unwrap();
        let class = match code {
            "1" => "b",
            "32" => "g",
            "33" | "1;33" => "y",
            "1;31" => "r",
            "2" => "q",
            _ => "",
        };
        let text = escaped(text);
        if class.is_empty() || text.is_empty() {
            out.push_str(&text);
        } else {
            write!(out, "<tspan class=\"{class}\">{text}</tspan>").unwrap();
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
