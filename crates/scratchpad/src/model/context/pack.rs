//! Packs, which are directories of Markdown for instruction files, and profiles, which choose packs.

use toml_edit::{Document, Item};

use crate::model::error::{Error, ErrorKind, Result};
use crate::model::text::message::{Message, message, quoted};
use crate::model::text::nearest::did_you_mean;
use crate::model::text::quantity::shortened;

/// The file that makes a directory a pack.
pub const PACK_FILE: &str = "pack.toml";
/// The profile if none is chosen: it has every pack.
pub const DEFAULT_PROFILE: &str = "default";

/// A pack, with the text of its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pack {
    /// The id by which profiles choose it.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// Heavier packs come first, and are the last to be left out.
    pub weight: i64,
    pub source: PackSource,
    /// The text of each of [`PARTS`]; empty if the pack has none.
    pub parts: [String; PARTS.len()],
}

/// Where a pack or a profile comes from; later sources win.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackSource {
    /// Part of the program.
    #[default]
    BuiltIn,
    /// The person's own.
    User,
    /// The project's: somebody else's repository.
    Project,
}

impl PackSource {
    pub fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built in",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// A part of a pack: one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackPart {
    /// An introduction without a heading.
    Preamble,
    /// Rules to follow.
    Constraints,
    /// Background, in a section with the pack's name.
    Context,
    /// How things are done.
    Patterns,
    /// What to read.
    Learning,
    /// Known errors and their causes.
    Errors,
}

/// All parts with their files, in the order in which they are written.
pub const PARTS: [(PackPart, &str); 6] = [
    (PackPart::Preamble, "preamble.md"),
    (PackPart::Constraints, "constraints.md"),
    (PackPart::Context, "context.md"),
    (PackPart::Patterns, "patterns.md"),
    (PackPart::Learning, "learning.md"),
    (PackPart::Errors, "errors.md"),
];

impl Pack {
    /// Parses `pack.toml`; the caller fills in the parts.
    pub fn parse(text: &str, source: PackSource) -> Result<Self> {
        let mut pack = Self {
            source,
            ..Self::default()
        };
        for (key, item) in fields(text, &["id", "name", "weight"])? {
            match key.as_str() {
                "id" => pack.id = checked_id(&text_of(&key, &item)?)?,
                "name" => pack.name = text_of(&key, &item)?,
                _ => {
                    let wrong = || refused("`weight` takes a whole number.");
                    pack.weight = item.as_integer().ok_or_else(wrong)?;
                }
            }
        }
        if pack.id.is_empty() {
            return Err(refused("`id` is missing."));
        }
        if pack.name.is_empty() {
            pack.name.clone_from(&pack.id);
        }
        Ok(pack)
    }

    pub fn part(&self, part: PackPart) -> &str {
        let mut parts = PARTS.iter().zip(&self.parts);
        parts
            .find(|((other, _), _)| *other == part)
            .map_or("", |(_, text)| text.as_str())
    }

    /// The built-in pack.
    pub fn base() -> Result<Self> {
        let mut pack = Self::parse(include_str!("packs/base/pack.toml"), PackSource::BuiltIn)?;
        let [preamble, constraints, ..] = &mut pack.parts;
        include_str!("packs/base/preamble.md").clone_into(preamble);
        include_str!("packs/base/constraints.md").clone_into(constraints);
        Ok(pack)
    }
}

/// A profile: a choice of packs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The id for `profile use`.
    pub id: String,
    /// What agents read about the person who uses it.
    pub name: String,
    pub source: PackSource,
    /// The packs by id; `None` chooses all.
    pub packs: Option<Vec<String>>,
}

impl Profile {
    /// The profile if none is chosen.
    pub fn default_one() -> Self {
        Self {
            id: DEFAULT_PROFILE.to_owned(),
            name: String::new(),
            source: PackSource::BuiltIn,
            packs: None,
        }
    }

    /// Parses the file of a profile.
    pub fn parse(id: &str, text: &str, source: PackSource) -> Result<Self> {
        let mut profile = Self {
            id: checked_id(id)?,
            name: id.to_owned(),
            source,
            packs: None,
        };
        for (key, item) in fields(text, &["name", "packs"])? {
            if key == "name" {
                profile.name = text_of(&key, &item)?;
                continue;
            }
            let wrong = || refused("`packs` takes a list of ids.");
            let ids = item.as_array().ok_or_else(wrong)?.iter().map(|id| {
                let id = id.as_str().ok_or_else(wrong)?;
                Ok(id.to_owned())
            });
            profile.packs = Some(ids.collect::<Result<_>>()?);
        }
        Ok(profile)
    }

    /// The packs that it chooses, heaviest first, and the chosen ids that don't exist.
    pub fn choose(&self, packs: &[Pack]) -> (Vec<Pack>, Vec<String>) {
        let is_chosen = |pack: &&Pack| {
            let ids = self.packs.as_ref();
            ids.is_none_or(|ids| ids.contains(&pack.id))
        };
        let mut chosen: Vec<Pack> = packs.iter().filter(is_chosen).cloned().collect();
        chosen.sort_by(|left, right| (right.weight, &left.id).cmp(&(left.weight, &right.id)));
        let is_missing = |id: &&String| packs.iter().all(|pack| pack.id != **id);
        let missing = self.packs.iter().flatten().filter(is_missing).cloned();
        (chosen, missing.collect())
    }
}

/// Keeps one item per id: the project's wins over the user's, which wins over the built-in one.
pub fn one_of_each<T>(mut all: Vec<T>, key: impl Fn(&T) -> (String, PackSource)) -> Vec<T> {
    all.sort_by_key(|item| {
        let (id, source) = key(item);
        (id, std::cmp::Reverse(source))
    });
    all.dedup_by_key(|item| key(item).0);
    all
}

/// Checks an id, which is also a file name.
pub fn checked_id(id: &str) -> Result<String> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    if !id.is_empty() && id.len() <= 64 && id.chars().all(is_plain) && !id.starts_with('.') {
        return Ok(id.to_owned());
    }
    Err(refused(message!(
        "{id} is not an id: use up to 64 letters, digits, `-`, `_` and `.`.",
        id = quoted(shortened(id, 80))
    )))
}

fn refused(message: impl Into<Message>) -> Error {
    Error::new(ErrorKind::Refused, message)
}

fn text_of(key: &str, item: &Item) -> Result<String> {
    let text = item.as_str().map(str::to_owned);
    text.ok_or_else(|| refused(message!("`{key}` takes a text.", key)))
}

/// The fields of a file; an error if it has unknown ones.
fn fields(text: &str, known: &[&str]) -> Result<Vec<(String, Item)>> {
    let document = Document::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let line = text.get(..start).unwrap_or(text).matches('\n').count() + 1;
        refused(message!(
            "not valid TOML: line {line}: {what}.",
            line = line.to_string(),
            what = error.message().trim_end_matches('.').replace('\n', ", ")
        ))
    })?;
    let mut found = Vec::new();
    for (key, item) in document.as_table() {
        if !known.contains(&key) {
            let error = refused(message!(
                "unknown key {key}.",
                key = quoted(shortened(key, 80))
            ));
            let hint = did_you_mean(key, known.iter().copied());
            return Err(error.hint(
                hint.unwrap_or_else(|| message!("the keys are {keys}.", keys = known.join(", "))),
            ));
        }
        found.push((key.to_owned(), item.clone()));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_pack_is_whole() {
        let base = Pack::base().unwrap();
        assert_eq!(
            (base.id.as_str(), base.name.as_str()),
            ("base", "Working rules")
        );
        assert!(base.part(PackPart::Preamble).starts_with("Current Context"));
        assert!(base.part(PackPart::Constraints).starts_with("- Don't edit"));
        assert_eq!(base.part(PackPart::Errors), "");
    }

    #[test]
    fn the_projects_pack_wins_and_the_heavier_comes_first() {
        let pack = |id: &str, source, weight| Pack {
            id: id.to_owned(),
            source,
            weight,
            ..Pack::default()
        };
        let all = vec![
            pack("a", PackSource::User, 0),
            pack("b", PackSource::User, 5),
            pack("a", PackSource::Project, 1),
            pack("c", PackSource::BuiltIn, 1),
        ];
        let packs = one_of_each(all, |pack| (pack.id.clone(), pack.source));
        let profile = Profile::parse(
            "p",
            "packs = [\"a\", \"c\", \"gone\", \"b\"]",
            PackSource::User,
        )
        .unwrap();
        let (chosen, missing) = profile.choose(&packs);
        let chosen: Vec<_> = chosen
            .iter()
            .map(|pack| (pack.id.as_str(), pack.source))
            .collect();
        assert_eq!(
            chosen,
            [
                ("b", PackSource::User),
                ("a", PackSource::Project),
                ("c", PackSource::BuiltIn)
            ]
        );
        assert_eq!(missing, ["gone"]);
        assert_eq!(Profile::default_one().choose(&packs).0.len(), 3);
    }

    #[test]
    fn errors_in_a_pack_or_profile_are_named() {
        let pack = |text| Pack::parse(text, PackSource::User).unwrap_err().to_string();
        let profile = |text| {
            Profile::parse("p", text, PackSource::User)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            [
                pack("name = \"x\""),
                pack("id = \"../x\""),
                pack("id = 5"),
                pack("id = \"a\"\nweight = \"heavy\""),
                pack("id = \"a\"\nwieght = 1"),
                pack("id = \"a\"\nb"),
                profile("packs = \"a\""),
                profile("packs = [1]"),
            ],
            [
                "`id` is missing.",
                "\"../x\" is not an id: use up to 64 letters, digits, `-`, `_` and `.`.",
                "`id` takes a text.",
                "`weight` takes a whole number.",
                "unknown key \"wieght\".",
                "not valid TOML: line 2: key with no value, expected `=`.",
                "`packs` takes a list of ids.",
                "`packs` takes a list of ids.",
            ]
        );
    }
}
