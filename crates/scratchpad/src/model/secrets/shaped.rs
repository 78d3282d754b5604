//! Secrets that have a shape instead of a prefix: PEM keys, passwords in addresses, JWTs, AWS keys.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use memchr::memmem;
use serde_json::{Map, Value};

use super::checks::{is_figures_and_letters, is_mixed, is_placeholder};
use super::{LONGEST, Secret, is_inside};

/// How such secrets begin. An AWS secret has no beginning; the id beside it has.
pub(super) const BEGINNINGS: [&[u8]; 5] = [b"-----BEGIN", b"://", b"eyJ", b"AKIA", b"ASIA"];

pub(super) fn at(text: &[u8], at: usize) -> Option<Secret> {
    let rest = text.get(at..)?;
    match rest.first()? {
        b'-' => private_key(text, at),
        b':' => password(text, at),
        b'e' => jwt(text, at),
        b'A' => aws_secret(text, at),
        _ => None,
    }
}

/// From the line that begins a private key to the one that ends it.
fn private_key(text: &[u8], at: usize) -> Option<Secret> {
    const HEAD: &[u8] = b"-----BEGIN ";
    const DASHES: &[u8] = b"-----";
    /// The fewest characters of a key.
    const LEAST: usize = 100;
    let rest = text.get(at..)?;
    let rest = rest.get(..LONGEST).unwrap_or(rest);
    let label = rest.strip_prefix(HEAD)?;
    let label = label.get(..memmem::find(label, DASHES)?)?;
    if label.len() > 40 || !label.ends_with(b"PRIVATE KEY") {
        return None;
    }
    let head = HEAD.len() + label.len() + DASHES.len();
    let body = rest.get(head..)?;
    let length = memmem::find(body, b"-----END ")?;
    let body = body.get(..length)?;
    // Lines of Base64, perhaps with line breaks as JSON has them, and with a head of their own.
    let is_key = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'+' | b'/' | b'=');
    let is_break =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'\\' | b':' | b',' | b'-');
    let characters = body.iter().filter(is_key).count();
    if characters < LEAST
        || !body.iter().all(|byte| is_key(&byte) || is_break(byte))
        || !is_mixed(body)
    {
        return None;
    }
    Some(Secret {
        kind: "private-key".to_owned(),
        at: at + head..at + head + length,
    })
}

/// The password in `scheme://user:password@host`.
fn password(text: &[u8], at: usize) -> Option<Secret> {
    const MOST: usize = 256;
    /// Shorter ones, and those of one kind of characters, are mostly examples.
    const LEAST: usize = 8;
    let before = at.checked_sub(1).and_then(|before| text.get(before))?;
    if !before.is_ascii_alphanumeric() {
        return None;
    }
    let start = at + b"://".len();
    let rest = text.get(start..)?;
    let rest = rest.get(..MOST).unwrap_or(rest);
    let ends = |byte: &u8| {
        matches!(
            byte,
            b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'?' | b'#'
        ) || byte.is_ascii_whitespace()
    };
    let authority = rest.get(..rest.iter().position(ends)?)?;
    let login = authority.get(..memchr::memrchr(b'@', authority)?)?;
    let colon = memchr::memchr(b':', login)?;
    let (user, value) = (login.get(..colon)?, login.get(colon + 1..)?);
    let is_filled_in = |byte: &u8| {
        matches!(
            byte,
            b'$' | b'{' | b'}' | b'*' | b'[' | b']' | b'(' | b')' | b'|' | b',' | b';' | b'@'
        )
    };
    let has_word = |word: &&[u8]| memmem::find(&value.to_ascii_lowercase(), word).is_some();
    if value.len() < LEAST
        || value == user
        || value.iter().any(is_filled_in)
        || !is_figures_and_letters(value)
        || [&b"pass"[..], b"secret", b"token", b"pwd"]
            .iter()
            .any(has_word)
    {
        return None;
    }
    let value = start + colon + 1..start + login.len();
    Some(Secret {
        kind: "password".to_owned(),
        at: value,
    })
}

/// Three parts of Base64, of which the first names an algorithm.
fn jwt(text: &[u8], at: usize) -> Option<Secret> {
    if at
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_some_and(|byte| is_inside(*byte))
    {
        return None;
    }
    let rest = text.get(at..)?;
    let rest = rest.get(..LONGEST).unwrap_or(rest);
    let part = |from: usize| {
        let part = rest.get(from..)?;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let length = part.iter().take_while(|byte| is_part(byte)).count();
        part.get(..length)
    };
    let head = part(0)?;
    let claims = part(head.len() + 1)?;
    let second = head.len() + 1 + claims.len();
    if rest.get(head.len()) != Some(&b'.') || rest.get(second) != Some(&b'.') {
        return None;
    }
    let signature = part(second + 1)?;
    let object = |part: &[u8]| -> Option<Map<String, Value>> {
        let bytes = URL_SAFE_NO_PAD.decode(part).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    if signature.len() < 20 || !object(head)?.contains_key("alg") {
        return None;
    }
    // The one that every document about them shows.
    if object(claims)?
        .get("sub")
        .is_some_and(|sub| sub == "1234567890")
    {
        return None;
    }
    let end = at + second + 1 + signature.len();
    Some(Secret {
        kind: "jwt".to_owned(),
        at: at..end,
    })
}

/// The secret that comes soon after the id of an AWS key.
fn aws_secret(text: &[u8], at: usize) -> Option<Secret> {
    const ID: usize = 20;
    const SECRET: usize = 40;
    const NEAR: usize = 100;
    let id = text.get(at..at + ID)?;
    let is_id = |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7');
    let is_alone = at
        .checked_sub(1)
        .and_then(|before| text.get(before))
        .is_none_or(|byte| !is_inside(*byte));
    if !is_alone
        || !id.iter().all(is_id)
        || text.get(at + ID).is_some_and(u8::is_ascii_alphanumeric)
    {
        return None;
    }
    let after = at + ID;
    let near = text.get(after..)?;
    let near = near.get(..NEAR + SECRET + 1).unwrap_or(near);
    let is_secret = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut from = 0;
    while let Some(run) = near.get(from..).filter(|run| !run.is_empty()) {
        let length = run.iter().take_while(|byte| is_secret(byte)).count();
        let value = run.get(..length)?;
        if length == SECRET
            && is_mixed(value)
            && !value.iter().all(u8::is_ascii_hexdigit)
            && !is_placeholder(value)
        {
            let at = after + from..after + from + SECRET;
            return Some(Secret {
                kind: "aws-secret-key".to_owned(),
                at,
            });
        }
        from += length + 1;
    }
    None
}
