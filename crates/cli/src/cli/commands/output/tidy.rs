//! `output delete`, `prune`, `clear` and `stats`: what is kept, and what goes.

use serde_json::{Map, Value, json};

use super::pad;
use crate::cli::app::{App, OpenSession};
use crate::cli::commands::forget::scrub;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::id::OutputId;
use scratchpad::model::output::OutputHead;
use scratchpad::model::output::stay::{Stay, Why};
use scratchpad::store::Removal;
use scratchpad::{OutputStats, Whose};

pub(super) fn delete(ids: &[String], what: Removal, global: &Global) -> Result<Done> {
    let pad = pad(global)?;
    let ids: Vec<OutputId> = ids
        .iter()
        .map(|id| pad.meant_output(id))
        .collect::<Result<_>>()?;
    let deleted = pad.delete_outputs(&ids, what)?;
    if !deleted.gone.is_empty() {
        scrub(&pad);
    }
    let find = |among: &[OutputHead], id: &OutputId| {
        let found = among.iter().find(|output| output.id == *id);
        found.cloned()
    };
    if global.json {
        let outputs: Vec<Value> = ids
            .iter()
            .map(|id| {
                let pinned_by = find(&deleted.pinned, id).and_then(|output| output.pinned_by);
                let mut output =
                    json!({"id": id.as_str(), "deleted": find(&deleted.gone, id).is_some()});
                if let (Some(session), Some(fields)) = (pinned_by, output.as_object_mut()) {
                    fields.insert("pinned_by".to_owned(), Value::from(session.as_str()));
                }
                output
            })
            .collect();
        ui::print_json(&json!({"outputs": outputs}))?;
    } else {
        for id in &ids {
            let pinned_by = find(&deleted.pinned, id).and_then(|output| output.pinned_by);
            let said = match (find(&deleted.gone, id), pinned_by) {
                (Some(output), _) => {
                    text!("output-deleted", id = id.as_str(), bytes = output.bytes)
                }
                (None, Some(session)) => {
                    let session = session.as_str();
                    text!("output-pinned", id = id.as_str(), session = session)
                }
                (None, None) => text!("output-absent", id = id.as_str()),
            };
            ui::print(&format!("{said}\n"))?;
        }
    }
    Ok(if deleted.gone.len() == ids.len() {
        Done::Well
    } else {
        Done::WithErrorReply
    })
}

pub(super) fn prune(global: &Global) -> Result<Done> {
    let pad = pad(global)?;
    let pruned = pad.prune_outputs()?;
    let left = pad.kept_outputs()?;
    if global.json {
        let stayed: Map<String, Value> = left
            .iter()
            .map(|stay| {
                let figures = json!({"outputs": stay.outputs, "bytes": stay.bytes});
                (stay.why.name().to_owned(), figures)
            })
            .collect();
        ui::print_json(&json!({
            "outputs": pruned.outputs, "bytes": pruned.bytes, "strays": pruned.strays, "stayed": stayed,
        }))?;
        return Ok(Done::Well);
    }
    let (count, bytes) = (pruned.outputs, pruned.bytes);
    let mut said = match pruned.strays {
        0 => text!("output-pruned", count = count, bytes = bytes),
        strays => text!(
            "output-pruned-strays",
            count = count,
            bytes = bytes,
            strays = strays
        ),
    };
    said.push('\n');
    for stay in &left {
        said.push_str(&stayed(stay));
        said.push('\n');
    }
    ui::print(&said)?;
    Ok(Done::Well)
}

/// How many outputs stay, and why.
fn stayed(stay: &Stay) -> String {
    let (count, bytes) = (stay.outputs, stay.bytes);
    match stay.why {
        Why::Pinned => text!("output-stays-pinned", count = count, bytes = bytes),
        Why::Others => text!("output-stays-others", count = count, bytes = bytes),
        Why::InUse => text!("output-stays-in-use", count = count, bytes = bytes),
        Why::WithinLimits => text!("output-stays-within", count = count, bytes = bytes),
    }
}

pub(super) fn clear(all: bool, what: Removal, global: &Global) -> Result<Done> {
    let whose = if all {
        Whose::Everybody
    } else {
        Whose::Project
    };
    let pad = pad(global)?;
    let deleted = pad.clear_outputs_as(whose, what)?;
    if !deleted.gone.is_empty() {
        scrub(&pad);
    }
    let (gone, pinned) = (
        OutputStats::of(&deleted.gone),
        OutputStats::of(&deleted.pinned),
    );
    if global.json {
        ui::print_json(&json!({
            "outputs": gone.outputs, "bytes": gone.bytes,
            "pinned": {"outputs": pinned.outputs, "bytes": pinned.bytes},
        }))?;
        return Ok(Done::Well);
    }
    let said = text!("output-cleared", count = gone.outputs, bytes = gone.bytes);
    ui::print(&format!("{said}\n"))?;
    if pinned.outputs > 0 {
        ui::remark(&text!("output-not-cleared", count = pinned.outputs));
    }
    Ok(Done::Well)
}

pub(super) fn stats(global: &Global) -> Result<Done> {
    let limits = App::find(global)?.settings.outputs.limits;
    let opened = OpenSession::open(global, None, None)?;
    let pad = &opened.scratchpad;
    // The same that `output list` lists.
    let project = match opened.named_session()? {
        Some(session) => OutputStats::of(&pad.list_outputs(&session)?),
        None => pad.output_stats(Whose::Project)?,
    };
    let all = pad.output_stats(Whose::Everybody)?;
    if global.json {
        ui::print_json(&json!({
            "outputs": all.outputs, "bytes": all.bytes, "oldest": all.oldest, "newest": all.newest,
            "largest": all.largest,
            "project": {"outputs": project.outputs, "bytes": project.bytes},
            "max_total_bytes": limits.max_total_bytes, "max_age_ms": limits.max_age,
        }))?;
        return Ok(Done::Well);
    }
    let size =
        |stats: &OutputStats| text!("output-size", count = stats.outputs, bytes = stats.bytes);
    let bytes = |bytes: u64| text!("output-bytes", bytes = bytes);
    let moment = |at: Option<_>| at.map_or("-".to_owned(), ui::moment);
    let minutes = limits.max_age / 60_000;
    let longest = match (minutes / 60, minutes % 60) {
        (hours, 0) => text!("output-hours", hours = hours),
        _ => text!("output-minutes", minutes = minutes),
    };
    let rows = vec![
        vec![text!("output-stat-project"), size(&project)],
        vec![text!("output-stat-all"), size(&all)],
        vec![text!("output-stat-most"), bytes(limits.max_total_bytes)],
        vec![text!("output-stat-longest"), longest],
        vec![text!("output-stat-oldest"), moment(all.oldest)],
        vec![text!("output-stat-newest"), moment(all.newest)],
        vec![text!("output-stat-largest"), bytes(all.largest)],
    ];
    let header = [text!("output-column-what"), text!("output-column-how-much")];
    let header = header.each_ref().map(String::as_str);
    ui::print(&ui::table(&header, rows))?;
    Ok(Done::Well)
}
