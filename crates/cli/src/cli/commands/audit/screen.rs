//! The report as lines and a table.

use super::Report;
use crate::cli::i18n::{decimal_mark, number, signed, text};
use crate::cli::ui;
use scratchpad::model::transcript::audit::Factor;

/// The most tools in the table.
const MOST_TOOLS: usize = 15;
/// The most servers that are named.
const MOST_SERVERS: usize = 3;

impl Report {
    pub(super) fn screen(&self) -> String {
        if self.hosts.is_empty() {
            return text!("audit-nothing") + "\n";
        }
        let mut parts = vec![self.read(), self.window(), self.tools()];
        parts.push(self.range());
        parts.push(self.models());
        parts.push(self.advice());
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }

    /// What was read.
    fn read(&self) -> String {
        let hosts: Vec<String> = self
            .hosts
            .iter()
            .map(|(host, audit)| text!("audit-host", host = host.title, files = audit.files))
            .collect();
        let all = &self.all;
        let mut lines = vec![hosts.join(", ")];
        if all.damaged_files + all.damaged_lines > 0 {
            let (files, damaged) = (all.damaged_files, all.damaged_lines);
            lines.push(text!("audit-damaged", files = files, lines = damaged));
        }
        lines.push(text!(
            "audit-requests",
            requests = all.requests,
            input = all.input,
            output = all.output,
            compactions = all.compactions
        ));
        lines.join("\n") + "\n"
    }

    /// What was in the window.
    fn window(&self) -> String {
        let all = &self.all;
        let known = all.known();
        let rest = all.whole().saturating_sub(known);
        let rows = [
            (text!("audit-results"), all.results),
            (text!("audit-said"), all.said),
            (text!("audit-listed"), all.listed),
            (text!("audit-added"), all.added),
            (text!("audit-rest"), rest),
        ];
        let rows = rows
            .into_iter()
            .map(|(what, tokens)| vec![what, number(tokens), share(tokens, all.whole())])
            .collect();
        let header = [
            text!("audit-column-window"),
            text!("audit-column-tokens"),
            text!("audit-column-share"),
        ];
        ui::table(&header.each_ref().map(String::as_str), rows)
    }

    fn tools(&self) -> String {
        let mut tools: Vec<_> = self.all.tools.iter().collect();
        tools.sort_by_key(|(_, tool)| std::cmp::Reverse(tool.sent));
        if tools.is_empty() {
            return String::new();
        }
        let rows = tools
            .iter()
            .take(MOST_TOOLS)
            .map(|(name, tool)| {
                let name = if name.server.is_empty() {
                    name.tool.to_string()
                } else {
                    format!("{}/{}", name.server, name.tool)
                };
                vec![
                    name,
                    number(tool.calls),
                    number(tool.tokens),
                    share(tool.sent, self.all.whole()),
                    number(tool.large),
                    unless_none(tool.cut),
                    unless_none(tool.lost),
                    unless_none(tool.repeated),
                ]
            })
            .collect();
        let header = [
            text!("audit-column-tool"),
            text!("audit-column-calls"),
            text!("audit-column-tokens"),
            text!("audit-column-share"),
            text!("audit-column-large"),
            text!("audit-column-cut"),
            text!("audit-column-lost"),
            text!("audit-column-repeated"),
        ];
        let table = ui::table(&header.each_ref().map(String::as_str), rows);
        match tools.len().saturating_sub(MOST_TOOLS) {
            0 => table,
            more => format!("{table}{}\n", text!("audit-more", count = more)),
        }
    }

    /// What outputs would have saved.
    fn range(&self) -> String {
        let (range, whole) = (self.all.range(), self.all.whole());
        let large: u64 = self.all.tools.values().map(|tool| tool.large).sum();
        if large == 0 {
            return text!("audit-no-large") + "\n";
        }
        let line = |label: String, tokens: i64| {
            let percent = signed_share(tokens, whole);
            format!("  {percent:>8}  {label}: {}\n", signed(tokens))
        };
        text!("audit-range", large = large)
            + "\n"
            + &line(text!("audit-least"), range.least)
            + &line(text!("audit-used"), range.used)
            + &line(text!("audit-most"), range.most)
            + &text!("audit-no-claim")
            + "\n"
    }

    fn models(&self) -> String {
        let mut said = String::new();
        for (model, requests, factor) in self.all.models() {
            let model = if model.is_empty() { "?" } else { model };
            said.push_str(&ui::escaped(&match factor {
                Some(Factor {
                    median,
                    spread,
                    samples,
                }) => text!(
                    "audit-model",
                    model = model,
                    factor = decimal(median),
                    spread = decimal(spread),
                    samples = samples
                ),
                None => text!("audit-model-unknown", model = model, requests = requests),
            }));
            said.push('\n');
        }
        if said.is_empty() {
            return said;
        }
        text!("audit-models") + "\n" + &said
    }

    /// What can be pasted.
    fn advice(&self) -> String {
        let mut lines = Vec::new();
        for (server, tokens, large) in self.servers().into_iter().take(MOST_SERVERS) {
            let server = server.as_str();
            lines.push(text!(
                "audit-server",
                server = server,
                tokens = tokens,
                large = large
            ));
        }
        let rules = self.exempt();
        if !rules.is_empty() {
            let rules = rules.join("; ").replace('\'', r"'\''");
            lines.push(text!("audit-exempt"));
            lines.push(format!("  scratchpad config set outputs.rules '{rules}'"));
        }
        let lines: Vec<String> = lines.iter().map(|line| ui::escaped(line) + "\n").collect();
        lines.concat()
    }
}

fn unless_none(count: u64) -> String {
    match count {
        0 => String::new(),
        count => number(count),
    }
}

/// A share in percent.
fn share(tokens: u64, whole: u64) -> String {
    signed_share(i64::try_from(tokens).unwrap_or(i64::MAX), whole)
}

/// In tenths of a percent below ten percent.
fn signed_share(tokens: i64, whole: u64) -> String {
    let tenths = u128::from(tokens.unsigned_abs()) * 1_000 / u128::from(whole.max(1));
    let sign = if tokens < 0 { "−" } else { "" };
    if tenths >= 100 || tenths == 0 {
        format!("{sign}{} %", tenths / 10)
    } else {
        format!("{sign}{}{}{} %", tenths / 10, decimal_mark(), tenths % 10)
    }
}

fn decimal(number: f64) -> String {
    format!("{number:.2}").replace('.', &decimal_mark().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use scratchpad::model::transcript::audit::Audit;

    #[test]
    fn shares_are_signed_and_small_ones_have_a_decimal() {
        let shown = [(41_300, 100_000), (-2_130, 100_000), (0, 7), (-1, 100_000)]
            .map(|(part, whole)| signed_share(part, whole));
        assert_eq!(shown, ["41 %", "−2.1 %", "0 %", "−0 %"]);
        assert_eq!(Audit::default().whole(), 1);
    }
}
