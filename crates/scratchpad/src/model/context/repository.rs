//! A name for a repository that is the same in all of its clones.

/// The longest name, in characters.
const MAX_CHARS: usize = 500;

/// The `host/path` of a remote's URL, whatever the protocol.
///
/// User, password, port and `.git` are left out, because different people reach one server by ssh and https, on
/// different ports. `None` for a local path and for anything that is not a URL.
pub fn repository(url: &str) -> Option<String> {
    let url = url.trim();
    let (host, path, user) = match url.split_once("://") {
        Some((scheme, rest)) => of_url(scheme, rest)?,
        None => of_scp(url)?,
    };
    let host = host.trim_end_matches('.').to_lowercase();
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let parts: Vec<String> = path
        .split('/')
        .filter(|part| !part.is_empty())
        .enumerate()
        .map(|(place, part)| match part {
            // `~` is a different directory for each user.
            "~" if place == 0 => format!("~{}", user.unwrap_or_default()),
            part => part.to_owned(),
        })
        .collect();
    let name = format!("{host}/{}", parts.join("/"));
    let is_odd = |char: char| char.is_control() || char.is_whitespace();
    let fits = !host.is_empty()
        && !parts.is_empty()
        && !name.contains(is_odd)
        && name.chars().count() <= MAX_CHARS;
    fits.then_some(name)
}

type Parts<'a> = (&'a str, &'a str, Option<&'a str>);

/// `ssh://[user[:password]@]host[:port]/path`.
fn of_url<'a>(scheme: &str, rest: &'a str) -> Option<Parts<'a>> {
    let scheme = scheme.to_ascii_lowercase();
    let is_web = matches!(scheme.as_str(), "http" | "https");
    if !is_web && !matches!(scheme.as_str(), "ssh" | "git" | "git+ssh" | "ssh+git") {
        return None;
    }
    let (authority, path) = rest.split_once('/')?;
    let path = match path.find(['?', '#']) {
        Some(end) if is_web => path.get(..end)?,
        _ => path,
    };
    let (login, server) = match authority.rsplit_once('@') {
        Some((login, server)) => (Some(login), server),
        None => (None, authority),
    };
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => server.split_at(server.find(':').unwrap_or(server.len())),
    };
    let port = port.strip_prefix(':').unwrap_or(port);
    // Ambiguous, for example a password with a slash in it: keep nothing of it.
    if !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let user = login.map(|login| login.split(':').next().unwrap_or_default());
    Some((host, path, user))
}

/// `[user@]host:path`, the syntax of `scp`.
fn of_scp(url: &str) -> Option<Parts<'_>> {
    let start = if url.contains('[') { url.find(']')? } else { 0 };
    let colon = start + url.get(start..)?.find(':')?;
    let (server, path) = (url.get(..colon)?, url.get(colon + 1..)?);
    let (user, host) = match server.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, server),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    // A local path, or a drive letter.
    if host.contains(['/', '\\']) || (user.is_none() && host.len() < 2) {
        return None;
    }
    Some((host, path, user))
}

/// The URL of `origin` in a git configuration, else of the only remote.
pub fn origin(config: &str) -> Option<String> {
    let mut section = None;
    let mut remotes: Vec<(String, String)> = Vec::new();
    for line in config.lines() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            section = remote_named(header);
            continue;
        }
        let (Some(name), Some((key, value))) = (&section, line.split_once('=')) else {
            continue;
        };
        // git uses the first of several URLs.
        if key.trim().eq_ignore_ascii_case("url") && !remotes.iter().any(|(other, _)| other == name)
        {
            remotes.push((name.clone(), plain(value)));
        }
    }
    let found = remotes.iter().position(|(name, _)| name == "origin");
    let place = found.or((remotes.len() == 1).then_some(0))?;
    Some(remotes.swap_remove(place).1)
}

/// The working tree that the configuration of a submodule names.
pub fn working_tree(config: &str) -> Option<String> {
    let mut is_core = false;
    for line in config.lines() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            is_core = header.to_ascii_lowercase().starts_with("core]");
        } else if let (true, Some((key, value))) = (is_core, line.split_once('='))
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            return Some(plain(value));
        }
    }
    None
}

/// The remote in a header like `[remote "origin"]`, given without its opening bracket.
fn remote_named(header: &str) -> Option<String> {
    let header = header.split(']').next()?.trim();
    let (kind, name) = header.split_once(char::is_whitespace)?;
    let name = name.trim().strip_prefix('"')?.strip_suffix('"')?;
    kind.eq_ignore_ascii_case("remote").then(|| name.to_owned())
}

/// A value without its quotes, escapes and trailing comment.
fn plain(value: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    let mut chars = value.trim().chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => quoted = !quoted,
            '\\' => text.extend(chars.next()),
            '#' | ';' if !quoted => break,
            char => text.push(char),
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_url_of_a_repository_gives_one_name_without_credentials() {
        for url in [
            "https://github.com/acme/shop.git",
            "https://GitHub.com/acme/shop/",
            "https://ann:s3cret@github.com/acme/shop.git",
            "https://ann@corp.com:s3cret@github.com:443/acme/shop",
            "https://github.com/acme/shop.git?token=s3cret#x",
            "http://github.com//acme//shop",
            "git@github.com:acme/shop.git",
            "github.com:acme/shop.git",
            "git@github.com:/acme/shop.git/",
            "ssh://git@github.com/acme/shop.git",
            "ssh://git@github.com.:2222/acme/shop",
            "git+ssh://git@github.com/acme/shop",
            "git://github.com/acme/shop.git",
            " git@github.com:acme/shop.git\n",
        ] {
            assert_eq!(
                repository(url).as_deref(),
                Some("github.com/acme/shop"),
                "{url}"
            );
        }
        let own = |url| repository(url).unwrap();
        assert_eq!(own("ssh://ann@host/~/shop"), "host/~ann/shop");
        assert_eq!(own("ann@host:~/shop.git"), "host/~ann/shop");
        assert_eq!(own("ssh://git@[2001:DB8::1]:22/shop"), "2001:db8::1/shop");
        assert_eq!(own("git@[::1]:shop.git"), "::1/shop");
        assert_eq!(own("https://host/Acme/Shop"), "host/Acme/Shop");
    }

    #[test]
    fn urls_that_name_no_remote_repository_have_no_name() {
        for url in [
            "",
            "/srv/git/shop.git",
            "./shop",
            "../shop:x",
            "file:///srv/shop.git",
            "C:\\work\\shop",
            "C:/work/shop",
            "https://",
            "https://host",
            "https://host/",
            "https:///path",
            "git@:x",
            "host:",
            "https://ann:s3/cret@host/shop",
            "ext::sh -c x",
            "https://ho st/x",
            "https://host/a\u{7}b",
            "s3://bucket/x",
        ] {
            assert_eq!(repository(url), None, "{url}");
        }
        assert_eq!(
            repository(&format!("https://host/{}", "x".repeat(600))),
            None
        );
    }

    #[test]
    fn the_remote_is_origin_or_the_only_one() {
        let config = "[core]\n\turl = no\n[remote \"fork\"]\n url = a:b ; mine\n\
                      [Remote \"origin\"] # here\n\tfetch = x\n\tURL = \"c:d#e\" # f\n\turl = later:x\n[branch \"m\"]\nurl=no";
        assert_eq!(origin(config).as_deref(), Some("c:d#e"));
        assert_eq!(
            origin("[remote \"up\"]\nurl=a:b\\\\c").as_deref(),
            Some("a:b\\c")
        );
        let two = "[remote \"a\"]\nurl=a:b\n[remote \"b\"]\nurl=c:d\n";
        assert_eq!(origin(two), None);
        assert_eq!(origin(""), None);
    }

    proptest! {
        #[test]
        fn no_input_breaks_it_and_no_password_passes(text in "\\PC{0,60}", password in "[a-z]{8}") {
            let _ = (origin(&text), repository(&text));
            if let Some(name) = repository(&format!("https://ann:{password}@host/{text}")) {
                prop_assert!(text.contains(&password) || !name.contains(&password));
            }
        }
    }
}
