//! The library alone: `agent SESSION MESSAGE COMMAND`. The tool `report` runs COMMAND; `MODEL_URL` answers.
#![expect(clippy::indexing_slicing, clippy::print_stdout, reason = "brief")]
use scratchpad::{Kept, Scratchpad, SessionId};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let pad = Scratchpad::open(".agent")?;
    let session = SessionId::new(&words[1])?;
    // Keep only the text itself in a history: each message has the pad as it is then.
    let message = pad.prompt(&session, words[2].as_str())?;
    let mut input = vec![json!({"role": "user", "content": message})];
    let mut tools = vec![json!({"type": "function", "name": "report", "parameters": {}})];
    tools.extend(pad.tools().into_iter().map(|it| {
        json!({"type": "function", "name": it.name, "description": it.description, "parameters": it.input_schema})
    }));
    loop {
        let request = json!({"model": "any", "input": input, "tools": tools}).to_string();
        let mut reply = ureq::post(std::env::var("MODEL_URL")?).send(request)?;
        let reply: Value = serde_json::from_str(&reply.body_mut().read_to_string()?)?;
        let said = &reply["output"][0];
        let Some((name, arguments)) = said["name"].as_str().zip(said["arguments"].as_str()) else {
            println!("{}", said["content"][0]["text"]);
            return Ok(());
        };
        let text = if name == "report" {
            let command = ["-c", &words[3]];
            let printed = std::process::Command::new("sh").args(command).output()?;
            match pad.keep_output(&session, name, &printed.stdout)? {
                Kept::As(reference) => reference.text,
                Kept::No => String::from_utf8(printed.stdout)?,
            }
        } else {
            String::from(pad.call(&session, name, &arguments.parse()?).text())
        };
        input.push(said.clone());
        let call = &said["call_id"];
        input.push(json!({"type": "function_call_output", "call_id": call, "output": text}));
    }
}
