//! Numbers and times as people read them.

/// Groups the digits by thousands: `4,000`.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time in milliseconds since 1970, in UTC, as `strftime` formats it.
pub fn moment(at: i64, format: &str) -> String {
    jiff::Timestamp::from_millisecond(at)
        .map_or_else(|_| "-".to_owned(), |time| time.strftime(format).to_string())
}

/// Counts something in words: `1 line`, `2 lines`.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

/// The text, or its first characters and an ellipsis: what is quoted in a message stays short.
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_thousands() {
        let texts = [0_u64, 7, 999, 1_000, 4_001, 12_345, 1_000_000].map(grouped);
        assert_eq!(
            texts,
            ["0", "7", "999", "1,000", "4,001", "12,345", "1,000,000"]
        );
    }

    #[test]
    fn a_long_text_is_shortened_between_characters() {
        assert_eq!(shortened("größer", 6), "größer");
        assert_eq!(shortened("größer", 3), "grö…");
    }

    #[test]
    fn one_is_singular_and_all_else_plural() {
        assert_eq!(counted(1, "line", "lines"), "1 line");
        assert_eq!(counted(0, "line", "lines"), "0 lines");
        assert_eq!(counted(1_000, "line", "lines"), "1,000 lines");
    }
}
