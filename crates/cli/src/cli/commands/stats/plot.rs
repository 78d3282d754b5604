//! The net of each day as a picture: above the line what was kept out, below it what that cost.

use std::fmt::Write as _;

use super::Shown;
use crate::cli::i18n::{signed, text};
use scratchpad::model::output::ledger::stats::Sums;
use scratchpad::model::output::ledger::{What, start_of};
use scratchpad::model::text::quantity::moment;

const WIDTH: i64 = 720;
const HEIGHT: i64 = 260;
const LEFT: i64 = 90;
const TOP: i64 = 48;
const BOTTOM: i64 = 34;
/// The most days that have a bar of their own; of more, the last are shown.
const MOST_DAYS: usize = 60;

/// A day, what was kept out, what that cost (below zero), and the net.
struct Day {
    name: String,
    won: i64,
    cost: i64,
    net: i64,
}

impl Day {
    fn of(day: i64, sums: &Sums) -> Self {
        let tokens = |what| i64::try_from(sums.of(what).size.tokens).unwrap_or(i64::MAX);
        let won = tokens(What::Kept).saturating_add(tokens(What::Passed));
        let net = sums.net();
        Self {
            name: moment(start_of(day), "%m-%d"),
            won,
            cost: net.saturating_sub(won),
            net,
        }
    }
}

impl Shown {
    /// An SVG of its own: no script, no font, no link.
    pub(super) fn plot(&self) -> String {
        let mut days: Vec<Day> = self
            .stats
            .days()
            .map(|(day, sums)| Day::of(day, sums))
            .collect();
        days.drain(..days.len().saturating_sub(MOST_DAYS));
        let most = days.iter().map(|day| day.won).max().unwrap_or(0).max(1);
        let least = days
            .iter()
            .map(|day| day.cost.min(day.net))
            .min()
            .unwrap_or(0)
            .min(0);
        let scale = Scale {
            most,
            range: most.saturating_sub(least).max(1),
        };
        let title = text!("stats-plot-title", net = signed(self.stats.sums.net()));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" font-family=\"sans-serif\" font-size=\"11\">\
             <style>.a{{fill:#8fb4dd}}.b{{fill:#e0a08a}}.c{{fill:none;stroke:#1f3a5f;stroke-width:2}}.d{{fill:#1f3a5f}}text{{fill:#333}}line{{stroke:#999}}\
             @media(prefers-color-scheme:dark){{text{{fill:#ddd}}.c{{stroke:#fff}}.d{{fill:#fff}}}}</style>\
             <title>{title}</title><text x=\"{LEFT}\" y=\"18\" font-size=\"14\">{title}</text>\
             <text x=\"{LEFT}\" y=\"36\">{}</text>",
            text!("stats-plot-legend")
        );
        for tokens in [most, 0, least] {
            let (y, label) = (scale.y(tokens), signed(tokens));
            // Writing to a string can't fail.
            let _ = write!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>",
                WIDTH - 10,
                LEFT - 6,
                y + 4
            );
        }
        let step = (WIDTH - LEFT - 10) / i64::try_from(days.len().max(1)).unwrap_or(1);
        let mut line = String::new();
        for (place, day) in (0..).zip(&days) {
            let (x, zero) = (LEFT + place * step, scale.y(0));
            let width = (step - 3).clamp(2, 40);
            let (up, down, net) = (scale.y(day.won), scale.y(day.cost), scale.y(day.net));
            let said = text!(
                "stats-plot-day",
                day = day.name.as_str(),
                kept = signed(day.won),
                cost = signed(day.cost),
                net = signed(day.net)
            );
            let middle = x + width / 2;
            let _ = write!(
                svg,
                "<g><title>{said}</title><rect class=\"a\" x=\"{x}\" y=\"{up}\" width=\"{width}\" height=\"{}\"/>\
                 <rect class=\"b\" x=\"{x}\" y=\"{zero}\" width=\"{width}\" height=\"{}\"/><circle class=\"d\" cx=\"{middle}\" cy=\"{net}\" r=\"3\"/></g>",
                zero - up,
                down - zero
            );
            let _ = write!(line, "{middle},{net} ");
            let every = i64::try_from(days.len() / 10 + 1).unwrap_or(1);
            if place % every == 0 {
                let y = HEIGHT - 12;
                let _ = write!(
                    svg,
                    "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{}</text>",
                    day.name
                );
            }
        }
        let _ = writeln!(
            svg,
            "<polyline class=\"c\" points=\"{}\"/></svg>",
            line.trim_end()
        );
        svg
    }
}

/// From tokens to places.
struct Scale {
    most: i64,
    range: i64,
}

impl Scale {
    fn y(&self, tokens: i64) -> i64 {
        let down = i128::from(self.most.saturating_sub(tokens)) * i128::from(HEIGHT - TOP - BOTTOM);
        TOP + i64::try_from(down / i128::from(self.range)).unwrap_or(0)
    }
}
