//! `--follow`: what a command shows, again whenever it changes.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use super::ui;
use scratchpad::model::error::Result;

/// How often to look.
const EVERY: Duration = Duration::from_millis(500);

/// Shows a text until nobody reads it any more: on a terminal in place of the one before, else below it.
pub(super) fn follow(mut text: impl FnMut() -> Result<String>) -> Result<()> {
    let in_place = ui::is_rich(&io::stdout());
    let mut shown = None;
    loop {
        let now = text()?;
        if shown.as_ref() != Some(&now) {
            let out = match (&shown, in_place) {
                (_, true) => on_screen(&now),
                (Some(_), false) if !ui::is_json() => format!("\n{now}"),
                _ => now.clone(),
            };
            if !ui::print_while_read(out.as_bytes())? {
                return Ok(());
            }
            shown = Some(now);
        }
        sleep(EVERY);
    }
}

/// The text on an empty screen, as much as there is room for.
fn on_screen(text: &str) -> String {
    let rows = ui::screen().map_or(usize::MAX, |screen| screen.rows);
    let lines: Vec<&str> = text.lines().take(rows.saturating_sub(1)).collect();
    format!("\x1b[H\x1b[2J{}\n", lines.join("\n"))
}
