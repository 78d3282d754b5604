//! Verbs on all that is kept: lists, deletion, pruning, figures.

use super::Scratchpad;
use super::prune::to_prune;
use crate::model::error::Result;
use crate::model::id::{OutputId, SessionId};
use crate::model::output::find::Query;
use crate::model::output::reply::Listed;
use crate::model::output::stats::OutputStats;
use crate::model::output::stay::{Stay, stays};
use crate::model::output::{OutputHead, Pruned};
use crate::store::{OutputFilter, Prunable, Removal, Scopes};

/// Whose outputs are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Those of this project.
    Project,
    /// Those of all projects.
    Everybody,
}

/// What became of outputs that were to be deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Those that are deleted.
    pub gone: Vec<OutputHead>,
    /// Those that stay, because a pad has a revision that was cut from them.
    pub pinned: Vec<OutputHead>,
}

impl Scratchpad {
    /// How much is kept, of this project or of all.
    pub fn output_stats(&self, of: Whose) -> Result<OutputStats> {
        Ok(OutputStats::of(&self.all_outputs(of)?))
    }

    /// Deletes the outputs of this project, or of all projects, except those that a pad was cut from. Returns how much
    /// that was.
    pub fn clear_outputs(&self, of: Whose) -> Result<OutputStats> {
        let deleted = self.clear_outputs_as(of, Removal::Unpinned)?;
        Ok(OutputStats::of(&deleted.gone))
    }
}

#[doc(hidden)]
impl Scratchpad {
    /// Like [`Self::clear_outputs`], and says which outputs may go.
    pub fn clear_outputs_as(&self, of: Whose, what: Removal) -> Result<Deleted> {
        let all = self.all_outputs(of)?;
        let ids: Vec<OutputId> = all.into_iter().map(|output| output.id).collect();
        self.delete_outputs(&ids, what)
    }

    /// Removes outputs that are too old, over the size limit, damaged or orphaned.
    pub fn prune_outputs(&self) -> Result<Pruned> {
        let now = self.now();
        let choose =
            |outputs: &dyn Prunable| to_prune(outputs, &self.author, &self.output_limits, now);
        self.store()?.prune(now, &choose)
    }

    /// Why the outputs that a prune left are still there.
    pub fn kept_outputs(&self) -> Result<Vec<Stay>> {
        Ok(stays(&self.all_outputs(Whose::Everybody)?, self.now()))
    }

    /// The outputs that a session can see (its own and its project's), most recently kept first.
    pub fn list_outputs(&self, session: &SessionId) -> Result<Vec<OutputHead>> {
        let project = &self.project;
        self.outputs_on(OutputFilter::Seen(Scopes { session, project }))
    }

    pub(super) fn outputs_on(&self, on: OutputFilter<'_>) -> Result<Vec<OutputHead>> {
        let mut outputs = self.store()?.outputs(on)?;
        for output in &mut outputs {
            self.unless_own(&mut output.author);
        }
        Ok(outputs)
    }

    /// All outputs, or those of this project, most recently kept first.
    pub fn all_outputs(&self, of: Whose) -> Result<Vec<OutputHead>> {
        self.outputs_on(match of {
            Whose::Project => OutputFilter::Project(&self.project),
            Whose::Everybody => OutputFilter::Everything,
        })
    }

    /// What is known about an output.
    pub fn output_head(&self, id: &OutputId) -> Result<OutputHead> {
        let found = self.outputs_on(OutputFilter::Ids(std::slice::from_ref(id)))?;
        match found.into_iter().next() {
            Some(head) => Ok(head),
            None => Err(self.no_such_output(id)?),
        }
    }

    /// Filters outputs by tool and by content.
    pub fn find_outputs(
        &self,
        mut outputs: Vec<OutputHead>,
        query: Option<&Query>,
        tool: Option<&str>,
    ) -> Result<Vec<Listed>> {
        if let Some(tool) = tool.map(str::to_lowercase) {
            let names = |output: &OutputHead| {
                let mut names = output.tools.iter().map(|name| name.to_lowercase());
                names.any(|name| name.contains(&tool))
            };
            outputs.retain(names);
        }
        let Some(query) = query else {
            return Ok(outputs.into_iter().map(|output| (output, None)).collect());
        };
        let store = self.store()?;
        let mut found = Vec::new();
        for output in outputs {
            // Skip outputs that are damaged or were removed meanwhile.
            let Ok(Some((mut content, _))) = store.read(&output.id) else {
                continue;
            };
            if let Ok(Some(hits)) = query.find(&mut content) {
                found.push((output, Some(hits)));
            }
        }
        Ok(found)
    }

    /// Removes outputs, as far as they may be removed.
    pub fn delete_outputs(&self, ids: &[OutputId], what: Removal) -> Result<Deleted> {
        let store = self.store()?;
        let gone = store.remove(ids, self.now(), what)?;
        let pinned = match what {
            Removal::Any => Vec::new(),
            Removal::Unpinned => store.outputs(OutputFilter::Ids(ids))?,
        };
        Ok(Deleted { gone, pinned })
    }
}
