//! Where the servers are in a configuration file, which its content shows.

use crate::model::host::HOSTS;
use crate::model::host::edit::tree::{Property, Table};

/// A key that other settings may have too: what is under it holds servers only if it looks like it.
const SHARED_KEY: &str = "mcp";

/// The keys that hold servers, for messages: those of all hosts, each once.
pub(super) fn known_keys() -> String {
    let mut keys: Vec<String> = Vec::new();
    for path in HOSTS.iter().flat_map(|host| host.server_keys) {
        let key = format!("`{}`", path.join("."));
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    match keys.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// A server as it is configured.
pub(super) struct ConfiguredServer<'a> {
    pub(super) name: &'a str,
    pub(super) project: Option<&'a str>,
    /// None if it is not a table.
    pub(super) entry: Option<&'a Table>,
}

/// All servers of a file; None if it has no place for any.
pub(super) fn servers(root: &Table) -> Option<Vec<ConfiguredServer<'_>>> {
    let mut found = Vec::new();
    let mut places = 0;
    for property in &root.properties {
        let Some(table) = property.value.table() else {
            continue;
        };
        if property.name == SHARED_KEY {
            let before = found.len();
            found.extend(below_shared_key(table));
            places += usize::from(found.len() > before || table.properties.is_empty());
            continue;
        }
        for path in paths_from(&property.name) {
            match path {
                [_] => {
                    places += 1;
                    found.extend(all_of(table, None));
                }
                [_, "*", key] => {
                    for project in &table.properties {
                        let inner = project.value.table().and_then(|it| it.table(key));
                        places += usize::from(inner.is_some());
                        let servers = inner.into_iter();
                        found.extend(servers.flat_map(|it| all_of(it, Some(&project.name))));
                    }
                }
                _ => {}
            }
        }
    }
    (places > 0).then_some(found)
}

/// The paths of all hosts that begin with this key, each once.
fn paths_from(key: &str) -> Vec<&'static [&'static str]> {
    let mut paths: Vec<&[&str]> = Vec::new();
    for path in HOSTS.iter().flat_map(|host| host.server_keys) {
        if path.first() == Some(&key) && !paths.contains(path) {
            paths.push(path);
        }
    }
    paths
}

fn all_of<'a>(
    table: &'a Table,
    project: Option<&'a str>,
) -> impl Iterator<Item = ConfiguredServer<'a>> + use<'a> {
    let properties = table.properties.iter();
    properties.map(move |property| configured(property, project))
}

/// `mcp` holds servers, or a table `servers` of them beside other settings.
fn below_shared_key(mcp: &Table) -> Vec<ConfiguredServer<'_>> {
    let is_server = |table: &Table| {
        ["command", "url"]
            .iter()
            .any(|key| table.get(key).is_some_and(|it| it.value.table().is_none()))
    };
    if let Some(servers) = mcp.table("servers")
        && !is_server(servers)
    {
        return all_of(servers, None).collect();
    }
    mcp.properties
        .iter()
        .filter(|property| property.value.table().is_some_and(is_server))
        .map(|property| configured(property, None))
        .collect()
}

fn configured<'a>(property: &'a Property, project: Option<&'a str>) -> ConfiguredServer<'a> {
    ConfiguredServer {
        name: &property.name,
        project,
        entry: property.value.table(),
    }
}
