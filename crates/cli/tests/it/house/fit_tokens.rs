//! The program that fits the token estimate works on the estimate as it is: the same walk, the same tables.

#[path = "../../../examples/fit_tokens/tables.rs"]
mod tables;

use proptest::prelude::*;
use scratchpad::model::text::tokens::{Cell, cells, estimate};

#[track_caller]
fn assert_is_the_sum_of_its_cells(text: &str) {
    let mut sum = 0;
    for (start, c) in text.char_indices() {
        let prefix = text.get(..start + c.len_utf8()).unwrap();
        sum = cells(prefix).map(|cell| usize::from(cell.weight())).sum();
        assert_eq!(estimate(prefix), sum.div_ceil(1000), "{prefix:?}");
    }
    let uses = cells(text).count();
    assert!(sum > 0 && uses >= text.chars().count(), "{text:?}");
}

#[test]
fn the_estimate_of_mixed_texts_is_the_sum_of_the_cells_that_are_fitted() {
    for text in [
        "fn main() {\n\tlet größe = 12345;  // Привет, мир ✅✅ 漢字\r\n}\n\u{1}",
        "HTTPServer2 XMLHttpRequest getURL aaaaaaaaaaaaaaaaaaaaaaaa AAAAAAAAAAAAAAAAAAAAAAAA",
        "{\"id\":[1,-2.5e10,null]} ==== ---- ((([[[ !?!? https://example.com/a_b?c=%20&d=#e",
        "\t\t\t\n\n\n      x  \u{0}\u{7f} éééa naïve Ünïcödé αβγ ไทย 한국어 ──── 😀😀🚀 \u{20000}",
    ] {
        assert_is_the_sum_of_its_cells(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_estimate_of_any_text_is_the_sum_of_the_cells_that_are_fitted(text in "[ -~\\t\\n]{0,40}\\PC{1,20}[ -~]{0,20}") {
        assert_is_the_sum_of_its_cells(&text);
    }
}

#[test]
fn the_tables_are_printed_as_in_the_source_and_with_every_fitted_weight() {
    let printed = tables::with_weights(tables::SOURCE, Cell::weight);
    let mut rest = tables::SOURCE;
    for line in printed.lines() {
        let (_, behind) = rest.split_once(line).unwrap_or_else(|| panic!("{line}"));
        rest = behind;
    }
    // Each table is whole: 77 + 35 + 2 + 1 + 1 + 94 + 94 + 676 + 75 weights.
    let asked = std::cell::Cell::new(0);
    let changed = tables::with_weights(tables::SOURCE, |cell| {
        asked.set(asked.get() + 1);
        cell.unit() * 7
    });
    assert_eq!(asked.get(), 1055);
    assert!(changed.contains("const CAPITALS: [u16; 2] = [7, 7];"));
    assert!(changed.contains("(0x80, [7, 7, 7]),        // control"));
    assert!(changed.contains("const MARK_CHANGE: u8 = b'7';"));
    assert_eq!(changed.matches("\n    777777").count(), 9);
}
