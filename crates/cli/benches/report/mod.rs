//! What a bench says: a section of `docs/benchmarks.md` on standard output, and plots where they are asked for.
//!
//! `scripts/bench` puts the section in its place and asks for plots (`SCRATCHPAD_BENCH_PLOTS=DIRECTORY`). Goals of all
//! sections make the first table of the document.

use std::fmt::Write as _;
use std::path::Path;

use super::measure::Times;

/// What we want to be true, and what was measured.
pub(crate) struct Goal {
    pub(crate) what: String,
    /// What it is held against: a physical limit, or a peer, with its figure.
    pub(crate) against: String,
    pub(crate) ours: String,
    pub(crate) ratio: f64,
    /// In words.
    pub(crate) wanted: String,
    pub(crate) is_met: bool,
}

impl Goal {
    /// Requires a time to be at most a multiple of another one.
    pub(crate) fn at_most(
        most: f64,
        what: String,
        ours: &Times,
        against: &str,
        floor: &Times,
    ) -> Self {
        let (ours, floor) = (ours.median(), floor.median());
        Self {
            what,
            against: format!("{against}, {floor:.3} ms"),
            ours: format!("{ours:.3} ms"),
            ratio: ours / floor,
            wanted: format!("≤ {most} ×"),
            is_met: ours <= most * floor,
        }
    }
}

/// The beginning of a section: what was measured, and how.
pub(crate) fn section(title: &str, how: &str) {
    println!("## {title}\n\n{how}\n");
}

/// The table of goals.
pub(crate) fn goals(goals: &[Goal]) {
    println!("| what | against | ours | ratio | goal | met |\n|---|---|---|---|---|---|");
    for goal in goals {
        println!(
            "| {} | {} | {} | {:.2} | {} | {} |",
            goal.what,
            goal.against,
            goal.ours,
            goal.ratio,
            goal.wanted,
            if goal.is_met { "yes" } else { "**no**" }
        );
    }
    println!();
}

/// One bar of a plot.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// The value that 99 of 100 are below, where it is known.
    pub(crate) p99: Option<f64>,
    pub(crate) is_ours: bool,
}

impl Bar {
    /// The bar of one figure.
    pub(crate) fn plain(name: &str, value: f64, is_ours: bool) -> Self {
        Self {
            name: name.to_owned(),
            value,
            p99: None,
            is_ours,
        }
    }

    /// The bar of what was measured, in milliseconds.
    pub(crate) fn of(name: &str, times: &Times, is_ours: bool) -> Self {
        Self {
            p99: Some(times.p99()),
            ..Self::plain(name, times.median(), is_ours)
        }
    }
}

const ROW: f64 = 26.0;
const LEFT: f64 = 250.0;
const WIDTH: f64 = 520.0;

/// Draws bars on a logarithmic scale and names the picture in the section. Without a directory for plots, nothing.
pub(crate) fn plot(file: &str, title: &str, unit: &str, bars: &[Bar]) {
    let Some(directory) = std::env::var_os("SCRATCHPAD_BENCH_PLOTS") else {
        return;
    };
    let path = Path::new(&directory).join(format!("{file}.svg"));
    std::fs::write(&path, svg(title, unit, bars)).expect("the plot is written");
    println!("![{title}](plots/{file}.svg)\n");
}

fn svg(title: &str, unit: &str, bars: &[Bar]) -> String {
    let values = || {
        bars.iter()
            .flat_map(|bar| [Some(bar.value), bar.p99])
            .flatten()
    };
    let least = values()
        .fold(f64::INFINITY, f64::min)
        .max(1e-6)
        .log10()
        .floor();
    let most = values()
        .fold(0.0, f64::max)
        .max(1e-6)
        .log10()
        .ceil()
        .max(least + 1.0);
    let x = |value: f64| LEFT + WIDTH * (value.max(1e-6).log10() - least) / (most - least);
    let bottom = bars.iter().fold(40.0, |y, _| y + ROW);
    let (width, height) = (LEFT + WIDTH + 90.0, bottom + 34.0);
    let mut svg = String::new();
    let mut put = |text: std::fmt::Arguments<'_>| {
        svg.write_fmt(text).expect("memory");
        svg.push('\n');
    };
    put(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="white"/>
<text x="10" y="22" font-size="15" font-weight="bold">{} ({unit}, logarithmic; the line reaches to p99)</text>"#,
        escaped(title)
    ));
    let mut power = least;
    while power <= most {
        let at = x(10_f64.powf(power));
        put(format_args!(
            r##"<line x1="{at:.1}" y1="34" x2="{at:.1}" y2="{bottom}" stroke="#ddd"/><text x="{at:.1}" y="{:.1}" text-anchor="middle" fill="#666">{}</text>"##,
            bottom + 18.0,
            10_f64.powf(power)
        ));
        power += 1.0;
    }
    let mut y = 40.0;
    for bar in bars {
        let (end, middle) = (x(bar.value), y + ROW / 2.0);
        let colour = if bar.is_ours { "#2a7" } else { "#99a" };
        put(format_args!(
            r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text><rect x="{LEFT}" y="{:.1}" width="{:.1}" height="16" fill="{colour}"/>"#,
            LEFT - 8.0,
            middle + 4.0,
            escaped(&bar.name),
            y + 5.0,
            (end - LEFT).max(1.0)
        ));
        let mut label = end;
        if let Some(p99) = bar.p99 {
            label = x(p99);
            put(format_args!(
                r##"<line x1="{end:.1}" y1="{middle:.1}" x2="{label:.1}" y2="{middle:.1}" stroke="#333"/>"##
            ));
        }
        put(format_args!(
            r#"<text x="{:.1}" y="{:.1}">{}</text>"#,
            label + 6.0,
            middle + 4.0,
            short(bar.value)
        ));
        y += ROW;
    }
    svg.push_str("</svg>\n");
    svg
}

/// Three digits.
fn short(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
