//! Server passwords that are not in the URL, looked up where every `PostgreSQL` client looks for them.

/// Where to look for a password that is not in the URL.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Passwords {
    /// The value of `PGPASSWORD`.
    pub given: Option<String>,
    /// The content of the password file: lines `HOST:PORT:DATABASE:USER:PASSWORD`.
    pub listed: String,
    /// The user if the URL has none.
    pub user: String,
}

/// Omits all passwords.
impl std::fmt::Debug for Passwords {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Passwords")
    }
}

impl Passwords {
    /// The password for a server: `PGPASSWORD`, else the first matching line of the password file.
    pub fn find(&self, host: &str, port: u16, database: &str, user: &str) -> Option<String> {
        if self.given.is_some() {
            return self.given.clone();
        }
        let asked = [host, &port.to_string(), database, user];
        self.listed.lines().find_map(|line| {
            let fields = fields(line)?;
            let (password, key) = fields.split_last()?;
            let fits = |(field, asked): (&Field, &&str)| field.any || field.text == **asked;
            let is_it = key.len() == asked.len() && key.iter().zip(&asked).all(fits);
            (is_it && !password.text.is_empty()).then(|| password.text.clone())
        })
    }
}

/// A field of a line.
#[derive(Default)]
struct Field {
    text: String,
    /// A lone `*` matches anything.
    any: bool,
}

/// Splits a line; a backslash escapes `:` and `\`. `None` for a comment.
fn fields(line: &str) -> Option<Vec<Field>> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![Field::default()];
    let mut is_escaped = false;
    for char in line.chars() {
        match char {
            '\\' if !is_escaped => is_escaped = true,
            // The fifth field is the password: it extends to the end of the line.
            ':' if !is_escaped && fields.len() < 5 => fields.push(Field::default()),
            _ => {
                is_escaped = false;
                fields.last_mut()?.text.push(char);
            }
        }
    }
    for field in &mut fields {
        field.any = field.text == "*";
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_line_has_the_password() {
        let listed = "\
# host:5432:pads:ann:a comment
host:5433:pads:ann:other port
host:*:pads:ann:a\\:b\\\\c:d
short:line
fe80\\:\\:1:5432:*:bob:by address
*:*:*:*:anybody's";
        let passwords = Passwords {
            listed: listed.to_owned(),
            ..Passwords::default()
        };
        let find = |host, port, user| passwords.find(host, port, "pads", user);
        for (host, port, user, found) in [
            ("host", 5432, "ann", "a:b\\c:d"),
            ("host", 5433, "ann", "other port"),
            ("fe80::1", 5432, "bob", "by address"),
            ("host", 5432, "eve", "anybody's"),
        ] {
            assert_eq!(find(host, port, user).as_deref(), Some(found));
        }
        assert_eq!(Passwords::default().find("host", 5432, "pads", "ann"), None);
        let given = Passwords {
            given: Some("given".to_owned()),
            ..passwords.clone()
        };
        assert_eq!(
            given.find("host", 5432, "pads", "ann").as_deref(),
            Some("given")
        );
        assert_eq!(format!("{given:?}"), "Passwords");
    }
}
