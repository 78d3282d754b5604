//! Outputs: references, slices, previews, lists and pruning.

use crate::support::Machine;
use crate::support::outputs::{call, keep, put, texts};
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call as upstream_call, proxy, text_result};
use scratchpad::{Kept, ProjectId, Scratchpad, SessionId, Whose};
use serde_json::{Value, json};
use snapbox::{assert_data_eq, str};

/// Makes all outputs older.
fn hours_pass(machine: &Machine, hours: i64) {
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let past = hours * 3_600_000;
    database
        .execute("UPDATE output SET used = used - ?1", [past])
        .unwrap();
    database
        .execute("UPDATE output_keep SET kept = kept - ?1", [past])
        .unwrap();
}

/// Writes something too long for its space.
type Cut<'a> = dyn Fn(&Machine) + 'a;

#[test]
fn the_whole_of_a_cut_text_stays_while_a_revision_needs_it() {
    let refs: Vec<String> = (0..60).map(|number| format!("src/{number}.rs")).collect();
    let notes = "n".repeat(5_000);
    let log = json!({"type": "custom", "customType": "openclaw:scratchpad:notes", "data": notes});
    let ways: [(&str, &Cut<'_>); 3] = [
        ("set_notes", &|machine| {
            let run = machine.run_with(
                &["session", "set-notes", "-", "--session", "s"],
                notes.as_bytes(),
            );
            run.ok();
        }),
        ("refs.set", &|machine| {
            let arguments = json!({"action": "refs.set", "items": refs, "session": "s"});
            call(machine, "session_scratchpad", &arguments);
        }),
        ("import", &|machine| {
            let log = format!("{log}\n");
            let run = machine.run_with(
                &["session", "import", "-", "--session", "s"],
                log.as_bytes(),
            );
            run.ok();
        }),
    ];
    for (how, cut) in ways {
        let machine = Machine::new();
        cut(&machine);
        let passing = keep(&machine, "t", &[b'x'; 5_000]);
        let all = machine.run(&["output", "list", "--all", "--json"]).json();
        let outputs = all["outputs"].as_array().unwrap();
        let pinned = outputs
            .iter()
            .find(|output| output["pinned_by"] == "s")
            .unwrap();
        let id = pinned["id"].as_str().unwrap();
        let whole = machine.run(&["output", "read", id]).ok();

        // Neither age nor size, not even tenfold, removes it.
        hours_pass(&machine, 9_600);
        let tight = [
            "--config",
            "outputs.max_total_bytes=100",
            "output",
            "prune",
            "--json",
        ];
        let pruned = machine.run(&tight).json();
        assert_eq!(pruned["outputs"], 1, "{how}: {pruned}");
        assert_eq!(pruned["stayed"]["pinned"]["outputs"], 1, "{how}: {pruned}");
        assert!(!machine.run(&["output", "read", &passing]).err.is_empty());
        // Clearing does not remove it either, and deleting it needs --force.
        let cleared = machine.run(&["output", "clear", "--all"]);
        assert!(cleared.err.contains("--force"), "{cleared:?}");
        let refused = machine.run(&["output", "delete", id]);
        assert_eq!(refused.code, Some(1));
        assert_eq!(
            refused.out,
            format!(
                "Output {id} was not deleted: it is the whole of a text that was cut for a pad, of session s. --force deletes it.\n"
            )
        );
        assert_eq!(machine.run(&["output", "read", id]).ok(), whole, "{how}");
        machine.run(&["output", "delete", id, "--force"]).ok();
        assert!(machine.run(&["output", "read", id]).code != Some(0));
    }
}

#[test]
fn what_an_older_version_cut_for_a_pad_is_not_pruned_either() {
    let machine = Machine::new();
    let notes = "n".repeat(5_000);
    machine
        .run(&["session", "set-notes", &notes, "--session", "s"])
        .ok();
    keep(&machine, "t", &[b'x'; 5_000]);
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let version: i64 = database
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    let base = version - version % 0x1_0000;
    database
        .execute_batch(&format!(
            "CREATE TABLE old (output TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL, tool TEXT NOT NULL,
                 kept INTEGER NOT NULL, author TEXT NOT NULL DEFAULT '', PRIMARY KEY (output, session, project)
             ) STRICT, WITHOUT ROWID;
             INSERT INTO old SELECT output, session, project, tool, kept, author FROM output_keep;
             DROP TABLE output_keep;
             ALTER TABLE old RENAME TO output_keep;
             CREATE INDEX output_of_session ON output_keep (session);
             CREATE INDEX output_of_project ON output_keep (project);
             ALTER TABLE output DROP COLUMN preview;
             DROP INDEX output_by_use;
             ALTER TABLE output DROP COLUMN upstream;
             DROP INDEX output_removed_by_time;
             ALTER TABLE output_removed DROP COLUMN sha256;
             DROP INDEX note_pinned; ALTER TABLE note DROP COLUMN pinned;
             DROP TRIGGER note_source_goes; DROP TABLE note_source; DROP TABLE repository; DROP TABLE project_name; DROP TABLE ledger; ALTER TABLE revision DROP COLUMN spilled;
             PRAGMA user_version = {}",
            base + 5
        ))
        .unwrap();
    drop(database);
    machine.run(&["output", "stats"]).ok();
    hours_pass(&machine, 9_600);
    let pruned = machine.run(&["output", "prune", "--json"]).json();
    assert_eq!(
        (&pruned["outputs"], &pruned["stayed"]["pinned"]["outputs"]),
        (&json!(1), &json!(1))
    );
}

/// What keeping a text with these settings prints to stdout, and to stderr.
fn put_with(machine: &Machine, settings: &[&str], text: &[u8]) -> (String, String) {
    let settings = settings.iter().flat_map(|setting| ["--config", setting]);
    let words: Vec<&str> = settings.chain(["output", "put"]).collect();
    let run = machine.run_with(&words, text);
    assert_eq!(run.code, Some(0), "{run:?}");
    (run.out, run.err)
}

#[test]
fn what_has_no_room_passes_as_it_came_and_says_so() {
    let machine = Machine::new();
    let text = "x".repeat(10_001);
    let (out, err) = put_with(&machine, &["outputs.max_total_bytes=1000"], text.as_bytes());
    assert!(out == text, "{} bytes", out.len());
    assert_data_eq!(
        err,
        str![[r#"
Warning: the output was not kept and is printed whole: No room to keep 10,001 bytes: outputs used within the last hour have 0 bytes, the limit is 10,000, ten times `outputs.max_total_bytes`. Nothing was changed. (raise `outputs.max_total_bytes`, or make room with `scratchpad output clear`.)

"#]]
    );
    let stats = machine.run(&["output", "stats", "--json"]).json();
    assert_eq!(stats["outputs"], 0);
    // German too.
    let run = machine.run_with(
        &[
            "--lang",
            "de",
            "--config",
            "outputs.max_total_bytes=1000",
            "output",
            "put",
        ],
        text.as_bytes(),
    );
    assert!(
        run.err.contains("Kein Platz für 10.001 Bytes"),
        "{}",
        run.err
    );

    // Through the proxy, to the byte.
    let mut client = Pipe::start(&mut proxy(
        &machine,
        &["--name", "demo", "--config", "outputs.max_total_bytes=1000"],
    ));
    let long = json!({"id": 2, "result": text_result(&text)}).to_string();
    client.send(upstream_call("2", json!([{"say": long}])));
    assert_eq!(client.line(), long + "\n");
    let (_, stderr, exit) = client.end();
    assert_eq!(exit.code(), Some(0));
    let no_room = "scratchpad: A result of demo passes unchanged: No room to keep 10,001 bytes";
    assert!(stderr.starts_with(no_room), "{stderr}");
}

#[test]
fn a_flood_removes_nothing_that_was_used_within_the_hour() {
    let machine = Machine::new();
    let limit = ["outputs.max_total_bytes=5000"];
    let first = "a".repeat(9_000);
    let (reference, _) = put_with(&machine, &limit, first.as_bytes());
    let mut ids = vec![reference.split(' ').nth(1).unwrap().to_owned()];
    let mut passed = 0;
    for number in 0..9 {
        let text = number.to_string().repeat(6_000);
        let (out, _) = put_with(&machine, &limit, text.as_bytes());
        match out.strip_prefix("[Output ") {
            Some(reference) => ids.push(reference.split(' ').next().unwrap().to_owned()),
            None => passed += 1,
        }
    }
    // Nine times the limit for one upstream.
    assert_eq!((ids.len(), passed), (7, 3));
    // Another still has room; and every reference that was answered reads its text.
    let run = machine.run(&["--config", limit[0], "run", "--", "seq", "-w", "1000"]);
    assert!(run.out.starts_with("[Output "), "{run:?}");
    for id in &ids {
        let read = machine.run(&["output", "read", id]);
        assert!(read.ok().len() >= 6_000);
    }
    // Later they make room without being asked.
    hours_pass(&machine, 2);
    let (out, err) = put_with(&machine, &limit, &[b'z'; 6_000]);
    assert!(out.starts_with("[Output ") && err.is_empty(), "{out} {err}");
    let stats = machine.run(&["output", "stats", "--json"]).json();
    assert_eq!(stats["outputs"], 1);
}

#[test]
fn an_upstream_has_a_bound_on_disk() {
    let machine = Machine::new();
    let bound = ["outputs.max_bytes_per_upstream=10000"];
    put_with(&machine, &bound, &[b'a'; 5_000]);
    put_with(&machine, &bound, &[b'b'; 5_000]);
    let (out, err) = put_with(&machine, &bound, &[b'c'; 5_000]);
    assert_eq!(out.len(), 5_000);
    assert_data_eq!(
        err,
        str![[r#"
Warning: the output was not kept and is printed whole: No room to keep 5,000 bytes of "put": its outputs used within the last hour have 10,000 bytes, the limit is 10,000 (`outputs.max_bytes_per_upstream`). Nothing was changed. (raise `outputs.max_bytes_per_upstream`, or make room with `scratchpad output clear`.)

"#]]
    );
    // Old ones of the same upstream go before they are too old, and before all together are too much.
    hours_pass(&machine, 2);
    machine.run(&["run", "--", "seq", "-w", "1000"]).ok();
    let (out, _) = put_with(&machine, &bound, &[b'd'; 5_000]);
    assert!(out.starts_with("[Output "), "{out}");
    let list = machine.run(&["output", "list", "--json"]).json();
    let sizes: Vec<&Value> = list["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|output| &output["bytes"])
        .collect();
    assert_eq!(sizes, [5_000, 5_000, 5_000]);
    // A project's file may not set it: the repository may be somebody else's.
    let project = machine.project().join(".scratchpad");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(
        project.join("config.toml"),
        "outputs.max_bytes_per_upstream = 1\n",
    )
    .unwrap();
    let run = machine.run(&["config", "show"]);
    assert!(
        run.err
            .contains("A project may not set `outputs.max_bytes_per_upstream`"),
        "{run:?}"
    );
}

#[test]
fn an_id_never_names_another_text() {
    let machine = Machine::new();
    let text = [b'x'; 5_000];
    let id = keep(&machine, "t", &text);
    machine.run(&["output", "delete", &id]).ok();
    // As if another text with the same first 12 digits had been removed.
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let other = "UPDATE output_removed SET sha256 = substr(sha256, 1, 12) || substr(sha256, 1, 52)";
    assert_eq!(database.execute(other, []).unwrap(), 1);
    let longer = keep(&machine, "t", &text);
    assert_eq!(
        (longer.len(), longer.strip_prefix(&id).is_some()),
        (16, true)
    );
    let old = machine.run(&["output", "read", &id]);
    assert!(old.err.contains("it was removed at"), "{old:?}");
    assert_eq!(machine.run(&["output", "read", &longer]).ok().len(), 5_000);
}

#[test]
fn equal_text_of_two_tools_is_listed_for_both() {
    let machine = Machine::new();
    let text = [b'x'; 5_000];
    let id = keep(&machine, "cargo test", &text);
    assert_eq!(keep(&machine, "make check", &text), id);
    for tool in ["cargo", "make"] {
        let reply = call(&machine, "scratchpad_list", &json!({"tool": tool}));
        let listed = &reply["structuredContent"]["outputs"];
        assert_eq!(listed.as_array().unwrap().len(), 1, "{tool}");
        assert_eq!(listed[0]["tools"], json!(["make check", "cargo test"]));
        assert!(
            texts(&reply)[0].contains("make check; cargo test"),
            "{reply}"
        );
    }
    let listed = machine.run(&["output", "list", "--tool", "cargo"]).ok();
    assert!(listed.contains("make check; cargo test"), "{listed}");
}

#[test]
fn lists_show_what_each_output_looks_like() {
    let machine = Machine::new();
    let rows = format!("[{}{{\"id\":0}}]", "{\"id\":1,\"name\":\"a\"},".repeat(400));
    keep(&machine, "github/list_issues", rows.as_bytes());
    let reply = call(&machine, "scratchpad_list", &json!({}));
    let preview = "[Array with 401 items] each {id: number, name: string}";
    assert_eq!(reply["structuredContent"]["outputs"][0]["preview"], preview);
    let listed = texts(&reply)[0].lines().nth(2);
    assert_eq!(listed, Some(format!("  {preview}").as_str()));
    let listed = machine.run(&["output", "list"]).ok();
    assert!(listed.contains(preview), "{listed}");
}

#[test]
fn a_prune_says_why_it_kept_what_it_kept() {
    let machine = Machine::new();
    let notes = "n".repeat(5_000);
    machine
        .run(&["session", "set-notes", &notes, "--session", "s"])
        .ok();
    keep(&machine, "t", &[b'a'; 5_000]);
    hours_pass(&machine, 48);
    keep(&machine, "t", &[b'b'; 5_000]);
    let database = rusqlite::Connection::open(machine.database()).unwrap();
    let hours_ago = "UPDATE output SET used = used - 7200000";
    database.execute(hours_ago, []).unwrap();
    keep(&machine, "t", &[b'c'; 5_000]);
    keep(&machine, "t", &[b'd'; 5_000]);
    assert_data_eq!(
        machine.run(&["output", "prune"]).ok(),
        str![[r#"
Removed 0 outputs (0 bytes).
1 output stays (5,000 bytes): a pad was cut from it, and the pad's history needs it. `output delete --force` deletes it.
2 outputs stay (10,000 bytes): used within the last hour.
1 output stays (5,000 bytes): within the limits of age and size.

"#]]
    );
}

#[test]
fn stats_have_the_oldest_and_the_newest() {
    let machine = Machine::new();
    keep(&machine, "t", &[b'a'; 5_000]);
    hours_pass(&machine, 3);
    keep(&machine, "t", &[b'b'; 6_000]);
    let stats = machine.run(&["output", "stats", "--json"]).json();
    let times = ["oldest", "newest"].map(|name| stats[name].as_i64().unwrap());
    assert!(times[1] - times[0] >= 3 * 3_600_000, "{stats}");
    let shown = machine.run(&["output", "stats"]).ok();
    assert!(
        shown.contains("\noldest ") && shown.contains("\nnewest "),
        "{shown}"
    );
}

#[test]
fn the_library_counts_and_clears_outputs() {
    let directory = tempfile::tempdir().unwrap();
    let session = SessionId::new("s").unwrap();
    let open = |project: &str| {
        let pad = Scratchpad::open(directory.path()).unwrap();
        pad.in_project(ProjectId::new(project))
    };
    let (one, two) = (open("one"), open("two"));
    for (pad, byte) in [(&one, b'a'), (&one, b'b'), (&two, b'c')] {
        let kept = pad.keep_output(&session, "tool", &[byte; 5_000]).unwrap();
        assert!(matches!(kept, Kept::As(_)));
    }
    // A pad that was cut keeps the whole.
    let notes = json!({"action": "set_notes", "content": "n".repeat(6_000)});
    let cut = one.call(&session, "session_scratchpad", &notes);
    assert!(cut.structured.unwrap()["spilled_output"] != Value::Null);
    let stats = one.output_stats(Whose::Everybody).unwrap();
    assert_eq!(
        (stats.outputs, stats.bytes, stats.largest),
        (4, 21_000, 6_000)
    );
    assert!(stats.oldest.unwrap() <= stats.newest.unwrap());
    assert_eq!(one.output_stats(Whose::Project).unwrap().outputs, 3);
    assert_eq!(one.clear_outputs(Whose::Project).unwrap().outputs, 2);
    assert_eq!(one.clear_outputs(Whose::Everybody).unwrap().bytes, 5_000);
    let left = one.output_stats(Whose::Everybody).unwrap();
    assert_eq!((left.outputs, left.bytes), (1, 6_000));
}

#[test]
fn a_list_of_outputs_and_their_statistics_count_the_same() {
    let machine = Machine::new();
    let kept = |text: &str| {
        machine
            .run_with(&["output", "put", "--always"], text.as_bytes())
            .ok()
    };
    kept("one");
    kept("two");
    // What was cut for a pad belongs to its session, and not only the newest session has such outputs.
    for session in ["older", "newer"] {
        let long = session.repeat(1_000);
        machine
            .run(&["session", "set-notes", &long, "--session", session])
            .ok();
    }
    let elsewhere = machine.home().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    let mut other = machine.command(&["output", "put", "--always"]);
    let child = other
        .current_dir(&elsewhere)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    crate::support::feed(child, b"three");
    let stats = |more: &[&str]| {
        machine
            .run(&[&["output", "stats", "--json"], more].concat())
            .json()
    };
    let listed = |more: &[&str]| {
        let list = machine
            .run(&[&["output", "list", "--json"], more].concat())
            .json();
        list["outputs"].as_array().unwrap().len()
    };
    assert_eq!(listed(&[]), 4);
    assert_eq!(stats(&[])["project"]["outputs"], 4);
    assert_eq!(listed(&["--all"]), 5);
    assert_eq!(stats(&[])["outputs"], 5);
    for session in ["older", "newer"] {
        assert_eq!(listed(&["--session", session]), 3);
        assert_eq!(stats(&["--session", session])["project"]["outputs"], 3);
    }
}

#[test]
fn a_preview_has_both_ends_in_whole_lines_and_errors_first() {
    let machine = Machine::new();
    let lines: Vec<String> = (1..=2_000)
        .map(|number| match number {
            700 => "error[E0308]: mismatched types\n".to_owned(),
            1_990 => "3 tests failed\n".to_owned(),
            _ => format!("step {number} of the long way to go is done by now\n"),
        })
        .collect();
    let reference = put(&machine, "cargo test", lines.concat().as_bytes());
    assert!(reference.len() <= 1_024);
    let preview: Vec<&str> = reference
        .lines()
        .skip_while(|line| *line != "Preview:")
        .skip(1)
        .take_while(|line| !line.ends_with("look like an error."))
        .collect();
    assert!(
        (300..=400).contains(&preview.join("\n").chars().count()),
        "{reference}"
    );
    for line in ["700:error[E0308]: mismatched types", "1990:3 tests failed"] {
        assert!(preview.contains(&line), "{reference}");
    }
    assert_eq!(
        preview.first(),
        Some(&"1:step 1 of the long way to go is done by now")
    );
    assert_eq!(
        preview.last(),
        Some(&"2000:step 2000 of the long way to go is done by now")
    );

    // No preview if it is switched off.
    for setting in ["outputs.preview_length=0", "outputs.includePreview=false"] {
        let put = machine.run_with(
            &["--config", setting, "output", "put"],
            lines.concat().as_bytes(),
        );
        assert!(!put.ok().contains("Preview"), "{setting}");
    }
}

#[test]
fn a_preview_of_csv_has_rows_and_columns() {
    let machine = Machine::new();
    let csv = format!("id,name,state\n{}", "1,a,open\n".repeat(1_200));
    let reference = put(&machine, "export", csv.as_bytes());
    assert!(
        reference.contains(", csv]\nPreview: [CSV with 1,200 rows] id, name, state\n"),
        "{reference}"
    );
}
