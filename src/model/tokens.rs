//! placeholder
/// x
pub fn estimate(text: &str) -> usize {
    text.len().div_ceil(4)
}
/// x
pub fn prefix_within(text: &str, budget: usize) -> usize {
    let mut n = (budget * 4).min(text.len());
    while !text.is_char_boundary(n) {
        n -= 1;
    }
    n
}
