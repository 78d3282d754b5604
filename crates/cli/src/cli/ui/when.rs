//! Times as a person reads them.

use crate::cli::i18n;
use crate::cli::i18n::text;
use scratchpad::model::id::Millis;
use scratchpad::scratchpad::system_time;

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// A timestamp in local time, as the user's language writes dates.
pub(in crate::cli) fn moment(at: Millis) -> String {
    in_local_time(at, i18n::date_format())
}

/// A time of day for an agent, in local time; with the date if it was another day.
pub(in crate::cli) fn clock(at: Millis) -> String {
    const DATE: &str = "%b %-d, ";
    let date = in_local_time(at, DATE);
    let time = in_local_time(at, "%H:%M");
    if date == in_local_time(system_time(), DATE) {
        time
    } else {
        date + &time
    }
}

fn day(at: Millis) -> String {
    let format = i18n::date_format();
    in_local_time(at, format.split_once(' ').map_or(format, |(day, _)| day))
}

fn in_local_time(at: Millis, format: &str) -> String {
    match jiff::Timestamp::from_millisecond(at) {
        Ok(time) if at > 0 => time
            .to_zoned(jiff::tz::TimeZone::system())
            .strftime(format)
            .to_string(),
        _ => "-".to_owned(),
    }
}

/// The time of day, to the second.
pub(in crate::cli) fn second(at: Millis) -> String {
    in_local_time(at, "%H:%M:%S")
}

/// How long ago that was; after a month, the day.
pub(in crate::cli) fn age(at: Millis) -> String {
    // Another machine's clock may be ahead.
    match (system_time() - at).max(0) {
        _ if at <= 0 => "-".to_owned(),
        ..MINUTE => text!("terminal-just-now"),
        since @ ..HOUR => text!("terminal-minutes-ago", count = since / MINUTE),
        since @ ..DAY => text!("terminal-hours-ago", count = since / HOUR),
        since if since < 30 * DAY => text!("terminal-days-ago", count = since / DAY),
        _ => day(at),
    }
}

/// A number of bytes, in the unit in which it is short.
pub(in crate::cli) fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut tenths = u128::from(bytes) * 10;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < units.len() {
        tenths /= 1_024;
        unit += 1;
    }
    let name = units.get(unit).copied().unwrap_or_default();
    if tenths % 10 == 0 || tenths >= 1_000 {
        return format!("{} {name}", tenths / 10);
    }
    let (whole, tenth) = (tenths / 10, tenths % 10);
    format!("{whole}{}{tenth} {name}", i18n::decimal_mark())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_the_unit_in_which_it_is_short() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_024, "1 KiB"),
            (1_536, "1.5 KiB"),
            (150 * 1_024 + 512, "150 KiB"),
            (3 << 30, "3 GiB"),
            (u64::MAX, "16777215 TiB"),
        ] {
            assert_eq!(size(bytes).replace(',', "."), expected);
        }
    }
}
