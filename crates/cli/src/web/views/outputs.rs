//! The outputs of a project.

use askama::Template;
use axum::response::Response;

use super::rows::OutputRow;
use crate::web::ask::{Ask, go_to, page};
use crate::web::html::{Frame, of_project};
use scratchpad::model::error::Result;
use scratchpad::model::id::ProjectId;
use scratchpad::model::output::find::Query;
use scratchpad::store::Removal;
use scratchpad::{OutputId, Whose};

/// How many outputs are on one page.
const OUTPUTS: usize = 100;

#[derive(Template)]
#[template(path = "outputs.html")]
struct View {
    p: Frame,
    query: String,
    tool: String,
    outputs: Vec<OutputRow>,
    total: usize,
    bytes: u64,
}

pub(in crate::web) fn show(ask: &Ask, project: &str) -> Result<Response> {
    let id = ProjectId::new(project);
    let pad = ask.pad_in(&id);
    let (query, tool) = (ask.query.get("q").trim(), ask.query.get("tool").trim());
    let text = (!query.is_empty()).then(|| Query::new(query)).transpose()?;
    let all = pad.all_outputs(Whose::Project)?;
    let tool_wanted = (!tool.is_empty()).then_some(tool);
    let found = pad.find_outputs(all, text.as_ref(), tool_wanted)?;
    let rows = found.iter().take(OUTPUTS);
    page(&View {
        query: query.to_owned(),
        tool: tool.to_owned(),
        total: found.len(),
        bytes: found.iter().map(|(head, _)| head.bytes).sum(),
        outputs: rows
            .map(|(head, hits)| OutputRow::new(head, hits.as_ref().map(|hits| hits.count)))
            .collect(),
        p: ask.frame("outputs", Some(id)),
    })
}

pub(in crate::web) fn delete(ask: &Ask, id: &str) -> Result<Response> {
    let id = OutputId::new(id)?;
    let project = ProjectId::new(ask.form.get("project"));
    ask.pad().delete_outputs(&[id], Removal::Unpinned)?;
    Ok(go_to(&format!(
        "{}/outputs?done=deleted",
        of_project(&project)
    )))
}
