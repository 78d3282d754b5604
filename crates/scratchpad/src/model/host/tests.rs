//! What must hold for every host.

use super::install::PartKind;
use super::instructions::HookedHosts;
use super::path::HostDirectory;
use super::*;

#[test]
fn every_host_has_a_name_of_its_own_and_something_that_is_known_of_it() {
    let mut names = Vec::new();
    for host in HOSTS {
        for name in [&[host.name], host.aliases].concat() {
            assert!(!name.is_empty() && !names.contains(&name), "{name}");
            names.push(name);
        }
        assert!(!host.title.is_empty(), "{}", host.name);
        let is_read = host.instructions.project.is_some();
        assert!(is_read || host.is_installable(), "{}", host.name);
    }
}

#[test]
fn every_path_is_of_the_reach_that_it_is_used_for() {
    for host in HOSTS {
        let twin = host.instructions.private_twin;
        assert_eq!(host.private_twin().map(|twin| twin.name), twin);
        for reach in [Reach::Project, Reach::Global] {
            let is_of_reach = |place: HostPath| {
                (place.base == HostDirectory::Project) == (reach == Reach::Project)
            };
            if let Some(file) = host.instruction_file(reach) {
                assert!(is_of_reach(file.place), "{}", host.name);
                let front = file.front_matter;
                assert!(
                    front.is_empty() || front.ends_with("\n---\n"),
                    "{}",
                    host.name
                );
            }
            let parts = host.parts(reach);
            assert!(
                parts.iter().all(|part| is_of_reach(part.place)),
                "{}",
                host.name
            );
        }
    }
}

/// `install` and `inject` each write a region into the file that the host reads.
#[test]
fn the_instructions_of_both_commands_go_into_one_file() {
    let mut compared = 0;
    for host in HOSTS {
        for part in host.user {
            let (PartKind::Region, Some(file)) = (&part.kind, host.instructions.global) else {
                continue;
            };
            assert_eq!(part.place, file.place, "{}", host.name);
            compared += 1;
        }
    }
    assert_eq!(compared, 2);
}

#[test]
fn a_server_is_written_where_the_proxy_looks_for_it() {
    for host in HOSTS {
        for part in host.user.iter().chain(host.project) {
            if let PartKind::Server { servers, .. } = part.kind {
                assert!(host.server_keys.contains(&servers), "{}", host.name);
            }
        }
    }
}

#[test]
fn variables_are_looked_for_in_an_order_that_tells_hosts_apart() {
    let variables: Vec<&str> = session_variables().collect();
    let expected = [
        "COPILOT_AGENT_SESSION_ID",
        "GEMINI_SESSION_ID",
        "QWEN_CODE_SESSION_ID",
        "CLAUDE_CODE_SESSION_ID",
    ];
    assert_eq!(variables, expected);
    let directories = [
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "PI_CODING_AGENT_DIR",
        "OPENCLAW_STATE_DIR",
    ];
    assert_eq!(directory_variables(), directories);
}

#[test]
fn notes_stay_in_a_file_that_somebody_without_a_hook_reads() {
    let hosts =
        |names: &[&str]| -> Vec<&Host> { names.iter().map(|name| called(name).unwrap()).collect() };
    let hooked = HookedHosts {
        calling: hosts(&["codex"]),
        silent: hosts(&["claude"]),
    };
    assert!(hooked.give_notes(&hosts(&["codex"])));
    assert!(hooked.give_notes(&hosts(&["codex", "agents"])));
    assert!(!hooked.give_notes(&hosts(&["codex", "opencode"])));
    assert!(!hooked.give_notes(&hosts(&["agents"])));
    assert!(!HookedHosts::default().give_notes(&hosts(&["claude"])));
}

#[test]
fn the_error_for_an_unknown_name_lists_the_known_ones() {
    let error = with_instructions("cloude").unwrap_err();
    assert_eq!(
        error.to_string(),
        "Unknown tool \"cloude\". Nothing was changed."
    );
    let hint = error.next_step().unwrap();
    let known = names(|host| host.instructions.project.is_some());
    assert!(
        known.iter().all(|name| hint.english().contains(name)),
        "{hint}"
    );
    assert_eq!(with_instructions("claude-code").unwrap().name, "claude");
}
