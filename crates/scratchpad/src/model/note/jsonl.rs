//! Notes as JSON Lines: our own format, and that of the reference MCP memory server.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::reply::note_json;
use super::{MAX_TAG_CHARS, Note, NoteId, NoteLimits, check_content, checked_tags, is_unfit};
use crate::model::error::{Error, Result};
use crate::model::id::Millis;
use crate::model::json::arguments;
use crate::model::text::bytes::one_line;
use crate::model::text::message::message;

/// A note parsed from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteLine {
    pub id: Option<NoteId>,
    pub content: String,
    pub tags: Vec<String>,
    pub created: Option<Millis>,
    pub updated: Option<Millis>,
}

#[derive(Deserialize, JsonSchema)]
struct NoteWire {
    content: String,
    id: Option<String>,
    tags: Option<Vec<String>>,
    created: Option<Value>,
    updated: Option<Value>,
}

/// The memory server writes entities with observations …
#[derive(Deserialize, JsonSchema)]
struct EntityWire {
    name: String,
    #[serde(rename = "entityType")]
    kind: Option<String>,
    observations: Option<Vec<String>>,
}

/// … and relations between them.
#[derive(Deserialize, JsonSchema)]
struct RelationWire {
    from: String,
    to: String,
    #[serde(rename = "relationType")]
    kind: Option<String>,
}

/// A note as one line, without the line break.
pub fn encode(note: &Note) -> String {
    note_json(note).to_string()
}

/// Parses one line: one of our notes, or the notes made from an entity or a relation. A blank line has none.
pub fn parse(line: &[u8], limits: &NoteLimits) -> Result<Vec<NoteLine>> {
    if line.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        Error::refused(message!(
            "It is not valid JSON ({error}).",
            error = at_column(&error)
        ))
    })?;
    match value.get("type").and_then(Value::as_str) {
        Some("entity") => Ok(from_entity(fields("entity", &value)?, limits)),
        Some("relation") => Ok(from_relation(fields("relation", &value)?, limits)),
        _ => from_note(fields("note", &value)?, limits).map(|note| vec![note]),
    }
}

/// Parses the known fields and ignores others.
fn fields<T: JsonSchema + DeserializeOwned>(kind: &str, value: &Value) -> Result<T> {
    let known = arguments::schema::<T>();
    let known = known.get("properties").and_then(Value::as_object);
    let given = match value {
        Value::Object(given) => given
            .iter()
            .filter(|(name, _)| known.is_some_and(|known| known.contains_key(*name)))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        other => other.clone(),
    };
    arguments::parse(kind, &given, &[])
}

fn from_note(wire: NoteWire, limits: &NoteLimits) -> Result<NoteLine> {
    check_content(&wire.content, limits)?;
    let time = |value: Option<Value>| value.as_ref().and_then(Value::as_i64);
    Ok(NoteLine {
        id: wire.id.as_deref().map(NoteId::parse).transpose()?,
        tags: checked_tags(&wire.tags.unwrap_or_default(), limits)?,
        content: wire.content,
        created: time(wire.created),
        updated: time(wire.updated),
    })
}

fn at_column(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // Drop the line, which is always 1 here: the caller knows the real one.
    text.replace(" at line 1 column", " at column")
}

/// One note for each observation, tagged with the entity's name and type.
fn from_entity(entity: EntityWire, limits: &NoteLimits) -> Vec<NoteLine> {
    let EntityWire {
        name,
        kind,
        observations,
    } = entity;
    let kind = kind.unwrap_or_default();
    let mut texts = observations.unwrap_or_default();
    texts.retain(|text| !text.trim().is_empty());
    // A name that is too long for a tag, or has no observations, becomes a note of its own.
    if texts.is_empty() || name.chars().count() > MAX_TAG_CHARS {
        texts.insert(
            0,
            if kind.is_empty() {
                name.clone()
            } else {
                format!("{name} ({kind})")
            },
        );
    }
    notes_of(&texts, &[name, kind], limits)
}

/// One note for a relation, tagged with both ends.
fn from_relation(relation: RelationWire, limits: &NoteLimits) -> Vec<NoteLine> {
    let RelationWire { from, to, kind } = relation;
    let kind = kind.unwrap_or_else(|| "is related to".to_owned());
    notes_of(&[format!("{from} {kind} {to}")], &[from, to], limits)
}

/// Notes with these texts and as many of the tags as allowed; a text that is too long becomes several notes.
fn notes_of(texts: &[String], tags: &[String], limits: &NoteLimits) -> Vec<NoteLine> {
    let tags: Vec<String> = tags
        .iter()
        .filter_map(|tag| as_tag(tag))
        .take(limits.max_tags)
        .collect();
    let tags = checked_tags(&tags, limits).unwrap_or_default();
    texts
        .iter()
        .flat_map(|text| pieces(text, limits.max_chars))
        .filter(|text| !text.trim().is_empty())
        .map(|content| NoteLine {
            id: None,
            content,
            tags: tags.clone(),
            created: None,
            updated: None,
        })
        .collect()
}

/// A name as a tag: on one line, and truncated to the limit.
fn as_tag(name: &str) -> Option<String> {
    let line = one_line(name);
    let shown = line.chars().filter(|char| !is_unfit(*char));
    let tag: String = shown.take(MAX_TAG_CHARS).collect();
    let tag = tag.trim();
    (!tag.is_empty()).then(|| tag.to_owned())
}

/// Splits the text into pieces of at most `chars` characters.
fn pieces(text: &str, chars: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(chars.max(1))
        .map(|piece| piece.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use snapbox::{assert_data_eq, str};

    fn read(line: &str) -> Vec<NoteLine> {
        parse(line.as_bytes(), &NoteLimits::default()).unwrap()
    }

    #[test]
    fn an_entity_becomes_a_note_for_each_observation() {
        let notes = read(
            r#"{"type":"entity","name":"Ada\nL","entityType":"person","observations":["likes tea","","wrote it"]}"#,
        );
        let seen: Vec<_> = notes
            .iter()
            .map(|note| (note.content.as_str(), note.tags.join("|")))
            .collect();
        assert_eq!(
            seen,
            [
                ("likes tea", "Ada L|person".to_owned()),
                ("wrote it", "Ada L|person".to_owned())
            ]
        );
        let bare =
            read(r#"{"type":"entity","name":"Ada","entityType":"person","observations":[]}"#);
        assert_eq!(bare[0].content, "Ada (person)");
        let relation =
            read(r#"{"type":"relation","from":"Ada","to":"Engine","relationType":"programs"}"#);
        assert_eq!(relation[0].content, "Ada programs Engine");
    }

    #[test]
    fn a_long_observation_becomes_several_notes_and_loses_nothing() {
        let long = "ß".repeat(9_000);
        let line =
            json!({"type": "entity", "name": "n", "entityType": "t", "observations": [long]});
        let notes = read(&line.to_string());
        assert_eq!(notes.len(), 3);
        assert_eq!(
            notes
                .iter()
                .map(|note| note.content.as_str())
                .collect::<String>(),
            long
        );
    }

    #[test]
    fn bad_lines_say_what_is_wrong() {
        let lines = [
            "{nope",
            "[1]",
            "{}",
            r#"{"content":7}"#,
            r#"{"content":" "}"#,
            r#"{"content":"x","tags":["a","b\n"]}"#,
            r#"{"content":"x","id":"7"}"#,
            r#"{"type":"entity"}"#,
        ];
        let errors: Vec<String> = lines
            .iter()
            .map(|line| {
                format!(
                    "{line}\n  {}",
                    parse(line.as_bytes(), &NoteLimits::default()).unwrap_err()
                )
            })
            .collect();
        assert_data_eq!(
            errors.join("\n"),
            str![[r#"
{nope
  It is not valid JSON (key must be a string at column 2). Nothing was changed.
[1]
  note: the arguments must be a JSON object, an array was given. Nothing was changed.
{}
  note needs `content`. Nothing was changed.
{"content":7}
  note: `content` must be a string; the number 7 was given. Nothing was changed.
{"content":" "}
  Note not saved: the content is blank. Nothing was changed.
{"content":"x","tags":["a","b/n"]}
  Note not saved: the tag "b/n" has the character U+000A, which no tag may have. Nothing was changed.
{"content":"x","id":"7"}
  "7" is not a note id: an id is note_ and digits. Nothing was changed.
{"type":"entity"}
  entity needs `name`. Nothing was changed.
"#]]
        );
    }
}
