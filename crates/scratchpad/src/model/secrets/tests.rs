//! Each kind with examples, real and not. The values are random, of the form that the issuer publishes.

use super::kinds::{Alphabet, KINDS};
use super::*;
use proptest::prelude::*;

fn found(text: &str) -> Vec<(String, String)> {
    let secrets = Detector::default().find(text.as_bytes());
    let shown = secrets.into_iter().map(|secret| {
        let value = text.get(secret.at).unwrap();
        (secret.kind, value.to_owned())
    });
    shown.collect()
}

fn kinds_in(text: &str) -> Vec<String> {
    found(text).into_iter().map(|(kind, _)| kind).collect()
}

const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Characters of an alphabet that look random and are always the same.
fn random(alphabet: Alphabet, length: usize, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let characters: Vec<char> = (0..=127_u8)
        .filter(|byte| byte.is_ascii_alphanumeric() && alphabet.has(*byte))
        .map(char::from)
        .collect();
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            characters[usize::try_from(state >> 33).unwrap() % characters.len()]
        })
        .collect()
}

/// The characters that make the CRC32 of GitHub's and npm's tokens right.
fn checksum(random: &str) -> String {
    let mut crc = checks::crc32(random.as_bytes());
    let mut digits = [0; 6];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(crc % 62) as usize];
        crc /= 62;
    }
    String::from_utf8(digits.to_vec()).unwrap()
}

/// A secret of this kind.
fn example(kind: &Kind, seed: u64) -> String {
    let value = match kind.name {
        "github-token" | "npm-token" | "scratchpad-token" if kind.most == 36 => {
            let random = random(Alphabet::Base62, 30, seed);
            format!("{}{random}", checksum(&random)).split_off(6) + &checksum(&random)
        }
        "slack-token" => format!(
            "2374920471-2938471029384-{}",
            random(Alphabet::Base62, 40, seed)
        ),
        "slack-webhook" => format!(
            "{}/{}/{}",
            random(Alphabet::Capitals, 9, seed),
            random(Alphabet::Capitals, 11, seed + 1),
            random(Alphabet::Base62, 24, seed + 2)
        ),
        _ => random(kind.alphabet, kind.least, seed),
    };
    format!("{}{value}", kind.prefix)
}

#[test]
fn every_kind_is_found_wherever_such_values_are_written() {
    for (kind, seed) in KINDS.iter().zip(1..) {
        let value = example(kind, seed);
        for text in [
            value.clone(),
            format!("key={value}\nnext"),
            format!("Authorization: Bearer {value}, and more"),
            format!(r#"{{"token":"{value}"}}"#),
            format!("It is `{value}`."),
            format!("{value}."),
        ] {
            assert_eq!(
                found(&text),
                [(kind.name.to_owned(), value.clone())],
                "{text}"
            );
        }
    }
}

#[test]
fn what_only_looks_like_one_is_left_alone() {
    for (kind, seed) in KINDS.iter().zip(1..) {
        let value = example(kind, seed);
        let too_short = value.get(..kind.prefix.len() + kind.least - 1).unwrap();
        let stand_in = format!("{}{}", kind.prefix, "x".repeat(kind.least));
        for text in [
            format!("a{value}"),
            format!("_{value}"),
            too_short.to_owned(),
            stand_in,
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
        if kind.least == kind.most {
            assert_eq!(found(&format!("{value}a")), [], "{value}a");
        }
    }
}

#[test]
fn a_wrong_checksum_is_no_token() {
    let token = "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";
    assert_eq!(kinds_in(token), ["github-token"]);
    assert_eq!(kinds_in(&token.replace("0mLq17", "0mLq18")), [""; 0]);
    assert_eq!(kinds_in(&token.replace("ghp_z", "npm_y")), [""; 0]);
}

#[test]
fn private_keys_are_found_between_their_lines() {
    let body =
        random(Alphabet::Base62, 64, 3) + "\n" + &random(Alphabet::Base62, 64, 4) + "\nab0=\n";
    let key = |label: &str, body: &str| {
        format!("a\n-----BEGIN {label}-----\n{body}-----END {label}-----\nb")
    };
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
    ] {
        assert_eq!(kinds_in(&key(label, &body)), ["private-key"], "{label}");
        let in_json = serde_json::to_string(&key(label, &body)).unwrap();
        assert_eq!(kinds_in(&in_json), ["private-key"], "{in_json}");
    }
    for other in [
        key("PUBLIC KEY", &body),
        key("CERTIFICATE", &body),
        key("PRIVATE KEY", "…\n"),
        key("PRIVATE KEY", "MIIB…\n"),
        "if text.starts_with(\"-----BEGIN PRIVATE KEY-----\") {".to_owned(),
    ] {
        assert_eq!(kinds_in(&other), [""; 0], "{other}");
    }
}

#[test]
fn passwords_in_addresses_are_found_and_examples_are_not() {
    for (address, password) in [
        (
            "postgres://app:8f3kq02mxz@db.internal:5432/app",
            "8f3kq02mxz",
        ),
        (
            "see https://jane:Gx7-pq19_w@git.acme.org/x.git)",
            "Gx7-pq19_w",
        ),
        ("\"redis://:9d8c7b6a5f@cache:6379\"", "9d8c7b6a5f"),
    ] {
        assert_eq!(
            found(address),
            [("password".to_owned(), password.to_owned())],
            "{address}"
        );
    }
    for address in [
        "postgres://user:password@localhost/db",
        "postgres://user:password1@localhost/db",
        "postgres://USER:PASSWORD@HOST/DATABASE",
        "postgres://app:${PGPASSWORD_1}@db/app",
        "http://user:pass@host",
        "http://127.0.0.1:8765/mcp",
        "https://example.org/a:8f3kq02mxz@b",
        "ssh://git@github.com:22/x",
        "https://jane:hunter2@x",
    ] {
        assert_eq!(kinds_in(address), [""; 0], "{address}");
    }
}

#[test]
fn a_jwt_is_found_if_its_head_names_an_algorithm() {
    use base64::Engine as _;
    let part = |json: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(json);
    let jwt = |head: &str, claims: &str| {
        format!(
            "{}.{}.{}",
            part(head),
            part(claims),
            random(Alphabet::Base62, 43, 9)
        )
    };
    let real = jwt(r#"{"alg":"RS256","kid":"1"}"#, r#"{"sub":"7213","exp":1}"#);
    assert_eq!(
        found(&format!("Bearer {real}\n")),
        [("jwt".to_owned(), real.clone())]
    );
    for other in [
        jwt(r#"{"kid":"1","x":"RS256"}"#, r#"{"sub":"7213"}"#),
        jwt(
            r#"{"alg":"HS256","typ":"JWT"}"#,
            r#"{"sub":"1234567890","name":"John Doe"}"#,
        ),
        real.replace('.', "/"),
        real.rsplit_once('.').unwrap().0.to_owned(),
    ] {
        assert_eq!(kinds_in(&other), [""; 0], "{other}");
    }
}

#[test]
fn the_secret_beside_the_id_of_an_aws_key_is_found_and_the_id_stays() {
    let secret = "Xk3/9fQm2LrT7vWz+0aBcYdEeGhUiJpN4oKs8Z1y";
    let id = "AKIAZ5QXW7RTNVBJ6KLM";
    for text in [
        format!("aws_access_key_id = {id}\naws_secret_access_key = {secret}\n"),
        format!(r#"{{"AccessKeyId":"{id}","SecretAccessKey":"{secret}"}}"#),
    ] {
        assert_eq!(
            found(&text),
            [("aws-secret-key".to_owned(), secret.to_owned())],
            "{text}"
        );
    }
    for other in [
        secret.to_owned(),
        format!("{id} {}", "3fa9c1d2e4b5a6978812f0c3d4e5f6a7b8c9d0e1"),
        "AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
        format!("{id} {} {secret}", "far away ".repeat(20)),
    ] {
        assert_eq!(kinds_in(&other), [""; 0], "{other}");
    }
}

#[test]
fn values_of_secret_variables_and_own_patterns_are_found() {
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let detector = Detector::default()
        .with_variables([
            variable("ACME_API_KEY", "of-no-known-form"),
            variable("EDITOR", "of-another-form"),
            variable("SHORT_TOKEN", "short"),
            variable("SSH_PRIVATE_KEY", "/home/jane/.ssh/id"),
        ])
        .with_patterns(vec![Regex::new("acme_[0-9]{4}").unwrap()])
        .allowing(vec!["jwt".to_owned(), "ghp_zQ".to_owned()]);
    let text = "of-no-known-form of-another-form short /home/jane/.ssh/id acme_1234 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";
    let kinds = detector
        .find(text.as_bytes())
        .into_iter()
        .map(|secret| secret.kind);
    assert_eq!(kinds.collect::<Vec<_>>(), ["ACME_API_KEY", "pattern"]);
}

#[test]
fn a_mark_says_the_kind_and_tells_two_secrets_apart() {
    let (one, two) = (example(&KINDS[0], 1), example(&KINDS[0], 2));
    let text = format!("a {one} b {two} c {one}");
    let replaced = replaced(&text, &Detector::default()).unwrap();
    let [first, second] = &replaced.marks[..] else {
        panic!("{:?}", replaced.marks);
    };
    assert!(first.starts_with("[secret github-token …") && first != second);
    assert_eq!(replaced.text, format!("a {first} b {second} c {first}"));
    assert_eq!(super::replaced(&replaced.text, &Detector::default()), None);
}

#[test]
fn a_secret_on_the_border_of_two_parts_is_found() {
    let secret = example(&KINDS[0], 1);
    for before in (PART + LONGEST - 44..PART + LONGEST + 4).step_by(4) {
        let text = format!("{} {secret}\n", "x".repeat(before));
        let kinds = Detector::default().kinds_in(&mut text.as_bytes()).unwrap();
        assert_eq!(kinds, ["github-token"], "{before}");
    }
}

#[test]
fn all_beginnings_fit_into_one_packed_search() {
    assert!(matches!(Search::new(), Search::Packed(_)) || !cfg!(target_arch = "x86_64"));
}

proptest! {
    #[test]
    fn any_bytes_are_searched_and_what_is_found_is_in_them(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        kind in 0..KINDS.len(),
        at in 0..300_usize,
    ) {
        let mut text = bytes;
        let at = at.min(text.len());
        text.splice(at..at, example(&KINDS[kind], 5).into_bytes());
        let secrets = Detector::default().find(&text);
        let mut end = 0;
        for secret in &secrets {
            prop_assert!(secret.at.start >= end && secret.at.end <= text.len());
            end = secret.at.end;
        }
    }
}
