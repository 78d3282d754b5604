//! The parts of an address that may be shown: none that could be a password, wherever it was written.

/// The scheme of `SCHEME://…`. In other texts, a colon may separate a name from a password.
pub(super) fn scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, place) = url.split_once("://")?;
    let is_scheme = scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
    is_scheme.then_some((scheme, place))
}

/// The user, hosts and database of a server's URL, given without its scheme; `…` for any of them that may contain a password.
pub(super) fn without_password(rest: &str) -> String {
    shown(rest).unwrap_or_else(|| "…".to_owned())
}

fn shown(rest: &str) -> Option<String> {
    let (address, options) = rest.split_once('?').unwrap_or((rest, ""));
    let Some((person, place)) = address.rsplit_once('@') else {
        // If there is an @ among the options, everything before it may be a password that contains a `?`.
        return (!options.contains('@') && is_place(address)).then(|| address.to_owned());
    };
    let user = person.split([':', '/']).next().unwrap_or_default();
    let is_user = user.chars().all(|char| is_plain(char) || char == '+');
    (is_user && is_place(place)).then(|| format!("{user}@{place}"))
}

/// Whether this is `HOST:PORT,HOST:PORT/DATABASE` and nothing else.
fn is_place(place: &str) -> bool {
    let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
    hosts.split(',').all(is_host) && database.chars().all(|char| is_plain(char) || char == '%')
}

fn is_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|it| it.split_once(']')) {
        Some((address, port)) => {
            let is_address = address
                .chars()
                .all(|char| char.is_ascii_hexdigit() || ":.".contains(char));
            return is_address && is_port(port);
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    // The directory of a Unix socket is written with %2F.
    name.chars().all(|char| is_plain(char) || char == '%') && is_port(port)
}

/// Nothing, or a colon and a port.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text
            .strip_prefix(':')
            .is_some_and(|port| port.is_empty() || port.parse::<u16>().is_ok())
}

fn is_plain(char: char) -> bool {
    char.is_alphanumeric() || "-._".contains(char)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_no_password_is_shown() {
        for (rest, seen) in [
            ("me:secret@host/db", "me@host/db"),
            ("me:sec@ret@host/db", "me@host/db"),
            (
                "me:sec/ret@host:5432,other:1/d%20b",
                "me@host:5432,other:1/d%20b",
            ),
            ("host:5432/db?user=me&password=secret", "host:5432/db"),
            ("me@[fe80::1]:5432/db", "me@[fe80::1]:5432/db"),
            ("%2Frun%2Fpg/db", "%2Frun%2Fpg/db"),
            ("/db", "/db"),
            ("user:secret", "…"),
            ("user:secret/db", "…"),
            ("user%3Asecret@host/db", "…"),
            ("me:secret?secret@host/db", "…"),
            ("host/db;password=secret", "…"),
            ("host/db&password=secret", "…"),
            ("host/db#secret", "…"),
            ("me@host:secret/db", "…"),
            ("me@host:65536", "…"),
        ] {
            assert_eq!(without_password(rest), seen, "{rest}");
        }
    }

    #[test]
    fn a_scheme_is_followed_by_two_slashes() {
        assert_eq!(scheme("s3://x/y"), Some(("s3", "x/y")));
        for no_scheme in ["me:secret@host", "secret@x://host", "://x", "secret"] {
            assert_eq!(scheme(no_scheme), None, "{no_scheme}");
        }
    }
}
