//! The screen: a line or a table for each thing.

use std::path::Path;

use super::{HostStatus, Status};
use crate::cli::commands::session::list::table;
use crate::cli::env;
use crate::cli::i18n::{signed, text};
use crate::cli::ui;
use crate::cli::ui::Paint;
use scratchpad::OutputStats;
use scratchpad::model::output::ledger::stats::Sums;
use scratchpad::scratchpad::NoteCounts;

/// How many tags are named.
const MOST_TAGS: usize = 3;

impl Status {
    pub(super) fn screen(&self) -> String {
        let labels = [
            text!("status-project"),
            text!("status-sessions"),
            text!("status-notes"),
            text!("status-outputs"),
            text!("status-savings"),
            text!("status-retention"),
            text!("status-hosts"),
            text!("status-problems"),
        ];
        let indent = labels.iter().map(|label| label.chars().count()).max();
        let indent = indent.unwrap_or(0) + 2;
        let [
            project,
            sessions,
            notes,
            outputs,
            savings,
            retention,
            hosts,
            problems,
        ] = &labels;
        let part = |label: &str, lines: &[Line]| laid_out(label, indent, lines);
        let mut parts = vec![part(project, &[Line::plain(&self.in_project())])];
        parts.push(match &self.sessions {
            None => part(sessions, &[unreadable()]),
            Some(found) if found.shown.is_empty() => {
                part(sessions, &[Line::plain(&text!("status-no-sessions"))])
            }
            Some(found) => {
                let more = if found.has_more {
                    Paint::Quiet.on(&text!("status-more")) + "\n"
                } else {
                    String::new()
                };
                format!("\n{}{more}\n", table(&found.shown, &self.worktree, false))
            }
        });
        let in_notes = self.notes.as_ref().map(in_notes);
        parts.push(part(notes, &[in_notes.unwrap_or_else(unreadable)]));
        let in_outputs = self.outputs.as_ref().map(in_outputs);
        parts.push(part(outputs, &[in_outputs.unwrap_or_else(unreadable)]));
        let in_savings = self.savings.as_ref().map(in_savings);
        parts.push(part(savings, &[in_savings.unwrap_or_else(unreadable)]));
        let expiring = self.retention.lines();
        if !expiring.is_empty() {
            let lines: Vec<Line> = expiring.iter().map(|line| Line::plain(line)).collect();
            parts.push(part(retention, &lines));
        }
        let mut lines: Vec<Line> = self.hosts.iter().map(HostStatus::line).collect();
        if lines.is_empty() {
            lines.push(Line::plain(&text!("status-no-hosts")));
        }
        parts.push(part(hosts, &lines));
        parts.push(part(problems, &self.in_problems()));
        parts.concat()
    }

    fn in_project(&self) -> String {
        let path = env::shown(Path::new(&self.project));
        match &self.branch {
            Some(branch) => text!("status-on-branch", path = path, branch = branch.as_str()),
            None => path,
        }
    }

    fn in_problems(&self) -> Vec<Line> {
        if self.problems.is_empty() {
            return vec![Line {
                text: text!("status-no-problems"),
                paint: Some(Paint::Good),
            }];
        }
        let problems = self.problems.iter().map(|problem| Line {
            text: problem.clone(),
            paint: Some(Paint::Bad),
        });
        let more = Line::plain(&text!("status-doctor"));
        problems.chain([more]).collect()
    }
}

fn in_notes(found: &NoteCounts) -> Line {
    let tags = found.tags.iter().take(MOST_TAGS);
    let tags: Vec<String> = tags.map(|(tag, count)| format!("{tag} {count}")).collect();
    let count = found.notes;
    Line::plain(&if tags.is_empty() {
        text!("status-note-count", count = count)
    } else {
        text!("status-note-tags", count = count, tags = tags.join(", "))
    })
}

fn in_outputs(found: &OutputStats) -> Line {
    Line::plain(&match found.outputs {
        0 => text!("status-no-outputs"),
        count => text!(
            "status-output-count",
            count = count,
            size = ui::size(found.bytes)
        ),
    })
}

fn in_savings(sums: &Sums) -> Line {
    let net = sums.net();
    if sums.is_empty() {
        return Line::plain(&text!("status-no-savings"));
    }
    Line::plain(&text!("status-net", tokens = signed(net)))
}

/// In place of what the store does not give: it may not be empty.
fn unreadable() -> Line {
    Line {
        text: text!("status-unreadable"),
        paint: Some(Paint::Bad),
    }
}

impl HostStatus {
    fn line(&self) -> Line {
        let host = self.findings.host;
        if !self.findings.is_set_up {
            return Line {
                text: text!("status-host-found", host = host.title, name = host.name),
                paint: Some(Paint::Quiet),
            };
        }
        let (title, age) = (host.title, self.last.as_ref().map(|call| ui::age(call.at)));
        let text = match age {
            _ if !host.has_hooks() => text!("status-host-tools", host = title),
            None if !self.is_readable => text!("status-host-unreadable", host = title),
            None => text!("status-host-silent", host = title),
            Some(age) if self.has_written => text!("status-host-last", host = title, age = age),
            Some(age) => text!("status-host-empty", host = title, age = age),
        };
        let is_broken = self.findings.failures().next().is_some();
        Line {
            text,
            paint: Some(if is_broken { Paint::Bad } else { Paint::Good }),
        }
    }
}

/// One line, and what it is to the reader.
struct Line {
    text: String,
    paint: Option<Paint>,
}

impl Line {
    fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            paint: None,
        }
    }
}

/// A label and the lines beside it.
fn laid_out(label: &str, indent: usize, lines: &[Line]) -> String {
    let mut out = String::new();
    for (place, line) in lines.iter().enumerate() {
        let label = if place == 0 { label } else { "" };
        let laid = ui::labelled(label, indent, &ui::escaped(&line.text));
        // The label is as long as its columns: its letters are narrow.
        let (head, text) = laid
            .split_at_checked(head_bytes(label, indent))
            .unwrap_or(("", &laid));
        let text = text.trim_end_matches('\n');
        out.push_str(&Paint::Heading.over(head));
        out.push_str(
            &line
                .paint
                .map_or_else(|| text.to_owned(), |paint| paint.over_lines(text)),
        );
        out.push('\n');
    }
    out
}

fn head_bytes(label: &str, indent: usize) -> usize {
    label.len() + indent.saturating_sub(label.chars().count())
}
