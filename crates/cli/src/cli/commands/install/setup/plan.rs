//! What would be written and changed, in about ten lines.

use super::super::nudges::Nudges;
use super::super::report::Results;
use crate::cli::env;
use crate::cli::i18n::{in_one_line, text, translated};
use crate::cli::ui;
use crate::cli::ui::Paint;
use scratchpad::hosts::install::{FileOutcome, HostChanges};
use scratchpad::hosts::places::Places;
use scratchpad::model::host::{HOSTS, Host};

/// The plan, for a person.
pub(super) fn plan(changes: &[HostChanges], results: &Results, nudges: Option<Nudges>) -> String {
    let head = text!("setup-found", count = changes.len());
    let mut lines = vec![format!("{}\n", Paint::Heading.over(&head))];
    let hosts: Vec<(&str, String)> = changes
        .iter()
        .map(|it| (it.host.title, files_of(it)))
        .collect();
    lines.push(listed(&hosts));
    let mut said = vec![
        text!("setup-changes-pad"),
        results.in_words(),
        text!("setup-undo"),
    ];
    if nudges.is_none() {
        said.push(text!("setup-hints"));
    }
    lines.extend(
        said.iter()
            .map(|line| ui::labelled("", 0, &ui::escaped(line))),
    );
    lines.concat()
}

/// Where the hosts were looked for.
pub(super) fn looked_for(places: &Places) -> String {
    let hosts = HOSTS.into_iter().filter(|host| host.is_installable());
    let marks = |host: &Host| {
        let marks = host.marks.iter().filter_map(|mark| places.path(*mark).ok());
        let marks: Vec<String> = marks.map(|path| env::shown(&path)).collect();
        marks.join(", ")
    };
    let hosts: Vec<(&str, String)> = hosts.map(|host| (host.title, marks(host))).collect();
    let head = Paint::Heading.over(&text!("setup-none-found"));
    let next = ui::labelled("", 0, &text!("setup-none-next"));
    format!("{head}\n{}{next}", listed(&hosts))
}

/// Names and what belongs to each, side by side.
fn listed(rows: &[(&str, String)]) -> String {
    let widest = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = rows.iter().map(|(name, text)| {
        let label = format!("  {name}");
        ui::labelled(&label, widest + 4, &ui::escaped(text))
    });
    lines.collect()
}

/// The files that are written, and what goes into each.
fn files_of(changes: &HostChanges) -> String {
    let files = match &changes.files {
        Ok(files) => files,
        Err(error) => return in_one_line(error),
    };
    if files.iter().all(|it| it.outcome == FileOutcome::Already) {
        return text!("setup-already");
    }
    let files: Vec<String> = files
        .iter()
        .map(|it| [&env::shown(&it.path), " (", &translated(&it.parts), ")"].concat())
        .collect();
    files.join(", ")
}
