//! Where hosts keep their servers in a file, told by its content.

use crate::model::host::edit::tree::{Property, Table};

/// The keys that hold servers, for messages.
pub const SHAPES: &str = "`mcpServers` (also in `projects`), `servers`, `context_servers`, `amp.mcpServers`, \
                          `mcp`, `mcp.servers` and `mcp_servers`";

/// Keys at the top whose value is a table of servers.
const AT_TOP: [&str; 5] = [
    "mcpServers",
    "servers",
    "context_servers",
    "amp.mcpServers",
    "mcp_servers",
];

/// A server as it is configured.
pub(super) struct Found<'a> {
    pub(super) name: &'a str,
    pub(super) project: Option<&'a str>,
    /// None if it is no table.
    pub(super) entry: Option<&'a Table>,
}

/// All servers of a file; None if it has no place for any.
pub(super) fn servers(root: &Table) -> Option<Vec<Found<'_>>> {
    let mut found = Vec::new();
    let mut places = 0;
    for property in &root.properties {
        let Some(table) = property.value.table() else {
            continue;
        };
        match property.name.as_str() {
            name if AT_TOP.contains(&name) => {
                places += 1;
                found.extend(all_of(table, None));
            }
            "mcp" => {
                let before = found.len();
                found.extend(of_mcp(table));
                // Some hosts keep other settings under this key: without a server it says nothing.
                places += usize::from(found.len() > before || table.properties.is_empty());
            }
            "projects" => {
                for project in &table.properties {
                    let inner = project.value.table().and_then(|it| it.table("mcpServers"));
                    places += usize::from(inner.is_some());
                    found.extend(
                        inner
                            .into_iter()
                            .flat_map(|inner| all_of(inner, Some(&project.name))),
                    );
                }
            }
            _ => {}
        }
    }
    (places > 0).then_some(found)
}

fn all_of<'a>(
    table: &'a Table,
    project: Option<&'a str>,
) -> impl Iterator<Item = Found<'a>> + use<'a> {
    table
        .properties
        .iter()
        .map(move |property| found(property, project))
}

/// `mcp` holds servers, or a table `servers` of them beside other settings.
fn of_mcp(mcp: &Table) -> Vec<Found<'_>> {
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
        .map(|property| found(property, None))
        .collect()
}

fn found<'a>(property: &'a Property, project: Option<&'a str>) -> Found<'a> {
    Found {
        name: &property.name,
        project,
        entry: property.value.table(),
    }
}
