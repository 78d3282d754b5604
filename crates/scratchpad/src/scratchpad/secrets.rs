//! Secrets stay out: what is certainly one is replaced before anything is stored.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::{Scratchpad, Whose};
use crate::model::error::Result;
use crate::model::id::OutputId;
use crate::model::note::jsonl::NoteLine;
use crate::model::pad::action::Action;
use crate::model::secrets::{Detector, replaced};
use crate::model::settings::secrets::{SecretMode, SecretPattern, SecretSettings};
use crate::store::{Rewriting, TextPlace};

/// Reads the environment: names and values.
pub type Variables = fn() -> Vec<(String, String)>;

/// What is looked for, and whether.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    settings: SecretSettings,
    variables: Option<Variables>,
    /// Made when the first text is stored.
    detector: Arc<OnceLock<Detector>>,
}

impl Secrets {
    fn detector(&self) -> &Detector {
        self.detector.get_or_init(|| {
            let variables = self.variables.map(|read| read()).unwrap_or_default();
            let patterns = self.settings.patterns.iter();
            Detector::default()
                .with_variables(variables)
                .with_patterns(patterns.filter_map(SecretPattern::compiled).collect())
                .allowing(self.settings.allow.clone())
        })
    }
}

/// Secrets that are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSecrets {
    /// Where they are, outside outputs.
    pub texts: Vec<TextPlace>,
    /// What stands, or would stand, in their places.
    pub marks: Vec<String>,
    /// The outputs that contain some, with their kinds.
    pub outputs: Vec<(OutputId, Vec<String>)>,
}

#[doc(hidden)]
impl Scratchpad {
    /// Sets what counts as a secret. `variables` reads the environment: the values of those whose names say so count too.
    #[must_use]
    pub fn with_secrets(mut self, settings: SecretSettings, variables: Variables) -> Self {
        self.secrets = Secrets {
            settings,
            variables: Some(variables),
            detector: Arc::default(),
        };
        self
    }

    /// The secrets that are stored already, in all projects.
    pub fn stored_secrets(&self) -> Result<StoredSecrets> {
        let mut outputs = Vec::new();
        let store = self.store()?;
        for output in self.all_outputs(Whose::Everybody)? {
            // What is damaged or was removed meanwhile can't be read.
            let Ok(Some((mut content, _))) = store.read(&output.id) else {
                continue;
            };
            let kinds = self.secrets.detector().kinds_in(&mut content);
            let kinds = kinds.unwrap_or_default();
            if !kinds.is_empty() {
                outputs.push((output.id, kinds));
            }
        }
        Ok(StoredSecrets {
            outputs,
            ..self.rewrite_secrets(Rewriting::Look)?
        })
    }

    /// Replaces the secrets on pads, in their past and in notes that are stored already. Outputs stay as they are.
    pub fn mask_stored_secrets(&self) -> Result<StoredSecrets> {
        self.rewrite_secrets(Rewriting::Write)
    }

    fn rewrite_secrets(&self, how: Rewriting) -> Result<StoredSecrets> {
        let marks = RefCell::new(BTreeSet::new());
        let rewrite = |text: &str| {
            let replaced = replaced(text, self.secrets.detector())?;
            marks.borrow_mut().extend(replaced.marks);
            Some(replaced.text)
        };
        let texts = self.store()?.rewrite(&rewrite, how)?;
        Ok(StoredSecrets {
            texts,
            marks: marks.into_inner().into_iter().collect(),
            outputs: Vec::new(),
        })
    }

    /// What stands in place of the secrets of a text once it is stored.
    pub fn marks_in(&self, text: &str) -> Vec<String> {
        self.cleaned(text).1
    }

    /// The text as it is stored, and what stands in place of its secrets.
    pub(super) fn cleaned<'a>(&self, text: &'a str) -> (Cow<'a, str>, Vec<String>) {
        let replaced = match self.secrets.settings.mode {
            SecretMode::Keep => None,
            SecretMode::Mask => replaced(text, self.secrets.detector()),
        };
        match replaced {
            Some(replaced) => (Cow::Owned(replaced.text), replaced.marks),
            None => (Cow::Borrowed(text), Vec::new()),
        }
    }

    /// The action with its texts as they are stored.
    pub(super) fn cleaned_action<'a>(&self, action: &'a Action) -> (Cow<'a, Action>, Vec<String>) {
        let mut marks = Vec::new();
        let mut clean = |text: &str| {
            let (text, found) = self.cleaned(text);
            marks.extend(found);
            text.into_owned()
        };
        let cleaned = match action {
            Action::SetNotes(text) => Action::SetNotes(clean(text)),
            Action::AppendNotes(text) => Action::AppendNotes(clean(text)),
            Action::SetPlan(text) => Action::SetPlan(clean(text)),
            Action::AddRef(text) => Action::AddRef(clean(text)),
            Action::RemoveRef(text) => Action::RemoveRef(clean(text)),
            Action::SetRefs { refs, not_strings } => Action::SetRefs {
                refs: refs.iter().map(|text| clean(text)).collect(),
                not_strings: *not_strings,
            },
            Action::ReplaceByTokens(text) => Action::ReplaceByTokens(clean(text)),
            Action::AppendByTokens(text) => Action::AppendByTokens(clean(text)),
            Action::Mark { .. } => return (Cow::Borrowed(action), marks),
        };
        if marks.is_empty() {
            return (Cow::Borrowed(action), marks);
        }
        marks.sort_unstable();
        marks.dedup();
        (Cow::Owned(cleaned), marks)
    }

    /// An imported note as it is stored.
    pub(super) fn cleaned_line(&self, line: NoteLine) -> NoteLine {
        match self.cleaned(&line.content) {
            (Cow::Owned(content), _) => NoteLine { content, ..line },
            (Cow::Borrowed(_), _) => line,
        }
    }
}
