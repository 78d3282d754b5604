//! Notes as JSON Lines: our own form, and the file of the reference MCP memory server.

use serde::Deserialize;
use serde_json::{Value, json};

use super::arguments::described;
use super::error::{Error, Result};
use super::id::Millis;
use super::note::{MAX_TAG_CHARS, Note, NoteId, NoteLimits, check_content, checked_tags};

/// A note read from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteLine {
    /// Its id, if the line has one.
    pub id: Option<NoteId>,
    /// Its text.
    pub content: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it was made, if the line says so.
    pub created: Option<Millis>,
    /// When it was last changed, if the line says so.
    pub updated: Option<Millis>,
}

#[derive(Deserialize)]
struct Wire {
    id: Option<String>,
    content: String,
    #[serde(default)]
    tags: Vec<String>,
    created: Option<Millis>,
    updated: Option<Millis>,
}

/// What the memory server writes: things with observations, and relations between them.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum GraphWire {
    Entity {
        name: String,
        #[serde(rename = "entityType", default)]
        kind: String,
        #[serde(default)]
        observations: Vec<String>,
    },
    Relation {
        from: String,
        to: String,
        #[serde(rename = "relationType", default)]
        kind: String,
    },
}

/// A note as one line, without its line break.
pub fn encode(note: &Note) -> String {
    json!({
        "id": note.id.to_string(),
        "scope": note.scope.name(),
        "content": note.content,
        "tags": note.tags,
        "created": note.created,
        "updated": note.updated,
    })
    .to_string()
}

/// Reads one line: one note of ours, or what an entity or a relation comes to. Blank lines are none.
pub fn parse(line: &[u8], limits: &NoteLimits) -> Result<Vec<NoteLine>> {
    if line.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| Error::refused(format!("It is not JSON ({}).", at_column(&error))))?;
    if !value.is_object() {
        return Err(Error::refused(format!(
            "It must be a JSON object; {} was given.",
            described(&value)
        )));
    }
    let kind = value.get("type").and_then(Value::as_str);
    if matches!(kind, Some("entity" | "relation")) {
        let graph =
            serde_json::from_value(value).map_err(|error| Error::refused(format!("{error}.")))?;
        return Ok(from_graph(graph, limits));
    }
    let wire: Wire = serde_json::from_value(value)
        .map_err(|error| Error::refused(format!("It is neither a note nor an entity: {error}.")))?;
    check_content(&wire.content, limits)?;
    Ok(vec![NoteLine {
        id: wire.id.as_deref().map(NoteId::parse).transpose()?,
        tags: checked_tags(&wire.tags, limits)?,
        content: wire.content,
        created: wire.created,
        updated: wire.updated,
    }])
}

fn at_column(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The line is always 1 here; the caller knows the real one.
    text.replace(" at line 1 column", " at column")
}

/// One note for each observation, tagged with the entity's name and type; one for each relation.
///
/// What is longer than a note becomes several: nothing of the file is lost.
fn from_graph(graph: GraphWire, limits: &NoteLimits) -> Vec<NoteLine> {
    let (texts, tags) = match graph {
        GraphWire::Entity {
            name,
            kind,
            observations,
        } => {
            let texts = if observations.iter().all(|text| text.trim().is_empty()) {
                vec![format!("{name} ({kind})")]
            } else {
                observations
            };
            (texts, vec![name, kind])
        }
        GraphWire::Relation { from, to, kind } => {
            (vec![format!("{from} {kind} {to}")], vec![from, to])
        }
    };
    let tags: Vec<String> = tags.iter().filter_map(|tag| as_tag(tag)).collect();
    let tags = checked_tags(&tags, limits).unwrap_or_default();
    texts
        .iter()
        .flat_map(|text| pieces(text, limits.chars))
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

/// A name as a tag: on one line, and no longer than a tag may be.
fn as_tag(name: &str) -> Option<String> {
    let tag: String = name
        .chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .take(MAX_TAG_CHARS)
        .collect();
    let tag = tag.trim();
    (!tag.is_empty()).then(|| tag.to_owned())
}

/// The text in pieces of at most so many characters.
fn pieces(text: &str, chars: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(chars.max(1))
        .map(|piece| piece.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
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
  It is not JSON (key must be a string at column 2). Nothing was changed.
[1]
  It must be a JSON object; an array was given. Nothing was changed.
{}
  It is neither a note nor an entity: missing field `content`. Nothing was changed.
{"content":7}
  It is neither a note nor an entity: invalid type: integer `7`, expected a string. Nothing was changed.
{"content":" "}
  Note not saved: the content is blank. Nothing was changed.
{"content":"x","tags":["a","b/n"]}
  Note not saved: the tag "b/n" has the control character '/n'. Nothing was changed.
{"content":"x","id":"7"}
  "7" is not a note id: an id is note_ and digits. Nothing was changed.
{"type":"entity"}
  missing field `name`. Nothing was changed.
"#]]
        );
    }
}
