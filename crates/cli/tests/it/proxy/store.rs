//! The proxy and the place where it keeps results: switched off, broken, full, and with more than fits into memory.

use std::process::Command;

use crate::support::Machine;
use crate::support::pipe::Pipe;
use crate::support::scripted_server::{call, kept, proxy, text_result};
use serde_json::json;

#[test]
fn switched_off_nothing_is_changed() {
    let machine = Machine::new();
    let mut client = Pipe::start(
        proxy(&machine, &["--config", "outputs.enabled=false"])
            .env("TOOLS", r#"["[{\"name\":\"a\",\"outputSchema\":{}}]"]"#),
    );
    client.send("{\"id\":1,\"method\":\"tools/list\"}\n");
    assert_eq!(
        client.line(),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\",\"outputSchema\":{}}]}}\n"
    );
    let long = json!({"id": 2, "result": text_result(&"x".repeat(9_000))}).to_string();
    client.send(call("2", json!([{"say": long}])));
    assert_eq!(client.line(), long + "\n");
    client.end();
    assert!(!machine.home().join("outputs").exists());
}

#[test]
fn a_store_that_fails_lets_results_pass_with_a_warning() {
    let machine = Machine::new();
    // A file where the store's directory should be.
    std::fs::write(machine.home(), "in the way").unwrap();
    let mut client = Pipe::start(&mut proxy(&machine, &["--name", "demo"]));
    let long = json!({"id": 2, "result": text_result(&"x".repeat(9_000))}).to_string();
    client.send(call("2", json!([{"say": long}])));
    assert_eq!(client.line(), long + "\n");
    let (_, said, status) = client.end();
    assert_eq!(status.code(), Some(0));
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("scratchpad: A result of demo passes unchanged: "),
        "{said}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_lets_results_pass_and_leaves_nothing_behind() {
    let machine = Machine::new();
    machine.run(&["note", "scratch", "the store is there"]).ok();
    let command = proxy(&machine, &["--name", "demo"]);
    let mut limited = Command::new("bash");
    // Its files can't grow beyond 400 KiB, and the signal for that is ignored.
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 400; exec \"$@\"", "-"])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(machine.project())
        .env_clear()
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    let mut client = Pipe::start(&mut limited);
    // One that fits into memory, and one that does not.
    for (id, bytes) in [(1, 1_000_000), (2, 5_000_000)] {
        let long = json!({"id": id, "result": text_result(&"x".repeat(bytes))}).to_string() + "\n";
        client.send(call(&id.to_string(), json!([{"repeat": bytes}])));
        assert!(client.line() == long, "{id}");
    }
    // A small result passes as usual.
    let long = json!({"id": 3, "result": text_result(&"y".repeat(9_000))}).to_string();
    client.send(call("3", json!([{"say": long}])));
    let answer = client.json();
    let id = kept(answer["result"]["content"][0]["text"].as_str().unwrap());
    let (_, said, status) = client.end();
    assert_eq!(status.code(), Some(0));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(
        lines[0].starts_with("scratchpad: A result of demo passes unchanged: "),
        "{said}"
    );
    assert!(
        lines[1].starts_with("scratchpad: A large message of demo passes unchanged: "),
        "{said}"
    );
    let left: Vec<_> = std::fs::read_dir(machine.home().join("outputs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, [id.as_str()]);
}

/// The peak of a process's own memory, in kilobytes: without the program's code, which is
/// large before it is optimised.
#[cfg(target_os = "linux")]
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let read = |name: &str| -> u64 {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    read("VmHWM:").saturating_sub(read("RssFile:"))
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "heavy: 100 MB"]
fn a_hundred_megabytes_pass_and_are_kept_in_little_memory() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    let size = 100_000_000_u64;
    client.send(call("1", json!([{"big": size}])));
    let answer = client.json();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(answer["result"].as_object().unwrap().len(), 1);
    let file = machine.home().join("outputs").join(kept(text));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), size);
    let memory = peak(client.child.id());
    // As much in the other direction; unchanged unless it is the answer to a call.
    let huge = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"vendor/do\",\"params\":{{\"pad\":\"{}\",\"arguments\":{{\"do\":[{{\"big\":30000000}}]}}}}}}\n",
        "y".repeat(20_000_000)
    );
    client.send(&huge);
    assert!(client.line().len() > 30_000_000);
    let later = peak(client.child.id());
    assert!(
        memory < 12_000 && later < 12_000,
        "{memory} kB, then {later} kB"
    );
    client.end();
    assert_eq!(
        std::fs::metadata(machine.project().join("record"))
            .unwrap()
            .len(),
        (call("1", json!([{"big": size}])).len() + huge.len()) as u64
    );
}

#[test]
fn an_id_that_comes_again_is_a_new_request() {
    let machine = Machine::new();
    let mut client = Pipe::start(&mut proxy(&machine, &[]));
    for round in 0..50 {
        // A small answer is examined after it is sent: by then the id may be in use again.
        let small = json!({"id": 7, "result": text_result("small")}).to_string();
        client.send(call("7", json!([{"say": small}])));
        assert_eq!(client.line(), small + "\n");
        let long = format!("{round} {}", "x".repeat(9_000));
        let answer = json!({"id": 7, "result": text_result(&long)}).to_string();
        client.send(call("7", json!([{"say": answer}])));
        let seen = client.json();
        let text = seen["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("[Output "), "{round}: {}", text.len());
    }
    client.end();
}
