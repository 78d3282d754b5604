//! How many tokens a text costs, without a tokenizer.
//!
//! A vocabulary weighs megabytes and belongs to one model; a budget needs a number that is close, never
//! falls as text grows and is the same everywhere. So one walk over the characters adds up weights fitted
//! to the counts of `o200k_base`: what run a character starts or continues, and how common its letter is
//! after the one before (rare pairs are where words break apart).
//!
//! `cargo run --release -p scratchpad-mcp --example fit_tokens [FILE|DIRECTORY …]` fits the tables to texts and prints
//! them as they stand here, with the error before and after. `./scripts/bench tokens` measures the error.

/// Weights are thousandths of a token: integers, so sums are exact on every machine.
const TOKEN: u64 = 1000;

/// Kinds of ASCII characters: lower, upper, digit, space, newline, tab, mark. The rest goes by `SCRIPTS`.
const KINDS: usize = 7;

/// A state of the walk is the run it is in (0: none yet, kind + 1, 8: other) and the place in it, to 15.
const PLACES: usize = 16;
const LOWER: usize = PLACES;
const DIGIT: usize = 3 * PLACES;
const OTHER: usize = 8 * PLACES;

/// Weight of the first character of a run of each kind, by what stood before (0: never happens).
const ENTRY: [[u16; KINDS]; 11] = [
    [496, 206, 201, 8, 457, 408, 8],        // start
    [0, 413, 702, 114, 844, 715, 104],      // lower
    [0, 0, 854, 18, 1382, 144, 339],        // upper
    [1266, 1354, 0, 617, 1590, 1037, 678],  // digit
    [646, 586, 1515, 0, 573, 882, 530],     // one space
    [879, 1206, 1832, 0, 147, 845, 974],    // spaces
    [947, 1147, 1080, 245, 0, 589, 604],    // newline
    [711, 1498, 432, 8, 494, 0, 1475],      // tab
    [393, 500, 857, 402, 103, 933, 0],      // one mark
    [729, 590, 808, 242, 60, 667, 0],       // marks
    [1236, 1216, 873, 317, 1497, 535, 743], // other
];

/// Weight of one more character of each kind. Letters by place: 2–5, 6–9, 10–13, 14–16, beyond; digits
/// come in threes; the others by place: 2, 3, beyond. None is 0, so that no run is free.
const RUN: [[u16; 5]; KINDS] = [
    [20, 20, 20, 433, 110], // lower
    [20, 92, 20, 298, 111], // upper
    [8, 8, 945, 0, 0],      // digit
    [614, 8, 8, 8, 8],      // space
    [63, 63, 63, 63, 63],   // newline
    [62, 62, 62, 62, 62],   // tab
    [16, 94, 16, 16, 16],   // mark
];

/// Extra for the lower-case letter after one capital, and after several.
const CAPITALS: [u16; 2] = [65, 1035];

/// Pair weights are base-36 digits, each this much.
const UNIT: u16 = 20;
/// Extra for a mark after a different one, and after the same one unless rulers are drawn with it.
const MARK_CHANGE: u8 = b'a';
const MARK_AGAIN: u8 = b'5';
/// Extra for a mark after anything but a mark, and for a letter after a mark, from `!` to `~`.
const MARK_OPENS: &[u8; 94] =
    b"gm3jozlioepjnf00000000000orq5g1z00000000000000000000000000mgnegr000000000000000000000000001i0s";
const MARK_LEADS: &[u8; 94] =
    b"pdlnkfafgwhl60o0000000000e0jzbzz00000000000000000000000000jqzi0000000000000000000000000000zqk6";
/// Extra for a letter after a letter, case ignored: aa, ab, … zz.
const LETTERS: &[u8; 676] = b"\
    1000zd0zayz22100z0303amy0z8nen3qoss000sz5jre580zmng77hd70zf20f00ov0zx4z04zrodv\
    bhck0rzz5f0d0z0zz0g001z0ar0j00700z92zc54060000l0225z0rzn042z5pn8m01ni3rb8gt71h\
    hw0z1wz00qrp0btzqe00deznx03fzg0dsj1szfk00ln2q090lkze5b011m0p0ez0c000o702z2vxa0\
    0gv0ajnizizlzz88ik0vzoopwossj26h000ogzzzzmnz5zzztozz40a012rd0zz8so0dvma6057u0z\
    2fz00tsfg6z4dr90lz1q5zop0r7p069c00l0840424ez000izb7z4062p05z0000a0d1p0d7025ga0\
    4osg0kz5hmn00z0eo5r07zq00zzorrzmokwom0jkwkmckn0mzkjsaza80oe70z9c6i0k000b00zr0y\
    t9cl12j36q3uf0063k000vqz0z8sq93h000z5gci80z01n1z065fdek32a0y0zz067z3l053ssjz0z\
    6zsz0onhihuzrzlzklzwztozzq7epf0pre0nkifh1gi408rgjzwq0ihzfoi01l3qslh5l8z0xqykez\
    gzzgznzknulhwq0cu8b0i60fcizzjlcmvzznzswzvzkiseuzje6z";

/// Scripts by the code point they end before: the first character, the next, the same one again.
const SCRIPTS: [(u32, [u16; 3]); 25] = [
    (0x80, [1000, 1000, 1000]),        // control
    (0xC0, [558, 988, 698]),           // Latin-1 signs
    (0x250, [1045, 782, 997]),         // Latin letters
    (0x370, [811, 700, 700]),          // phonetic, combining
    (0x400, [150, 388, 1000]),         // Greek
    (0x530, [381, 200, 496]),          // Cyrillic
    (0x600, [1118, 183, 438]),         // Armenian, Hebrew
    (0x900, [184, 345, 996]),          // Arabic
    (0xE00, [199, 359, 400]),          // Indic
    (0xE80, [475, 385, 935]),          // Thai
    (0x1E00, [353, 322, 694]),         // other alphabets
    (0x1F00, [269, 150, 700]),         // Vietnamese
    (0x2000, [700, 700, 700]),         // old Greek
    (0x2070, [1007, 674, 767]),        // typographic marks
    (0x2500, [673, 700, 700]),         // symbols
    (0x25A0, [1036, 1811, 60]),        // box drawing
    (0x2E80, [1512, 1219, 703]),       // symbols
    (0x3100, [885, 545, 996]),         // kana
    (0xA000, [944, 663, 996]),         // Han
    (0xAC00, [2000, 2000, 2000]),      // Yi and rare
    (0xD800, [660, 572, 998]),         // Hangul
    (0x0001_0000, [581, 915, 726]),    // forms, private
    (0x0001_F000, [3000, 3000, 3000]), // rare planes
    (0x0002_0000, [1737, 1924, 1021]), // emoji
    (0x0011_0000, [3000, 3000, 3000]), // rare Han
];
/// Rows of `SCRIPTS` with Latin letters: these go on with the word they stand in.
const LATIN: [usize; 2] = [2, 11];

/// One weight of the tables above, by its place there.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Row and column.
    Entry(usize, usize),
    Run(usize, usize),
    Capitals(usize),
    MarkChange,
    MarkAgain,
    MarkOpens(usize),
    MarkLeads(usize),
    Letters(usize),
    Script(usize, usize),
}

impl Cell {
    /// In thousandths of a token.
    #[expect(
        clippy::indexing_slicing,
        reason = "a cell has a place in its table; all of them are reached at compile time"
    )]
    pub const fn weight(self) -> u16 {
        match self {
            Self::Entry(row, kind) => ENTRY[row][kind],
            Self::Run(kind, depth) => RUN[kind][depth],
            Self::Capitals(several) => CAPITALS[several],
            Self::Script(row, place) => SCRIPTS[row].1[place],
            pair => pair.units() as u16 * UNIT,
        }
    }

    /// The weight of a pair in its unit; 0 for other cells.
    #[expect(
        clippy::indexing_slicing,
        reason = "a cell has a place in its table; all of them are reached at compile time"
    )]
    const fn units(self) -> u8 {
        let digit = match self {
            Self::MarkChange => MARK_CHANGE,
            Self::MarkAgain => MARK_AGAIN,
            Self::MarkOpens(mark) => MARK_OPENS[mark],
            Self::MarkLeads(mark) => MARK_LEADS[mark],
            Self::Letters(pair) => LETTERS[pair],
            _ => b'0',
        };
        if digit < b'a' {
            digit - b'0'
        } else {
            digit - b'a' + 10
        }
    }

    /// A weight is a whole number of these thousandths.
    pub const fn unit(self) -> u16 {
        match self {
            Self::Entry(..) | Self::Run(..) | Self::Capitals(_) | Self::Script(..) => 1,
            _ => UNIT,
        }
    }
}

static STEPS: [[(usize, u16); KINDS]; OTHER + 1] = steps();
static PAIRS: [[u8; 128]; 128] = pairs();

/// About how many tokens `text` is, rounded up. A prefix never counts more than the whole.
pub fn estimate(text: &str) -> usize {
    let mut walk = Walk::default();
    let sum: u64 = text.chars().map(|c| walk.step(c)).sum();
    usize::try_from(sum.div_ceil(TOKEN)).unwrap_or(usize::MAX)
}

/// Whose weights [`estimate`] adds up.
#[doc(hidden)]
pub fn cells(text: &str) -> impl Iterator<Item = Cell> {
    let mut walk = Walk::default();
    text.chars().flat_map(move |c| {
        let cells = walk.cells(c);
        walk.step(c);
        cells.into_iter().flatten()
    })
}

/// The length in bytes of the longest prefix that [`estimate`] counts as at most `budget` tokens.
pub fn prefix_within(text: &str, budget: usize) -> usize {
    let limit = u64::try_from(budget).map_or(u64::MAX, |budget| budget.saturating_mul(TOKEN));
    let (mut walk, mut sum) = (Walk::default(), 0);
    let over = text.char_indices().find(|&(_, c)| {
        sum += walk.step(c);
        sum > limit
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// Where the walk is: all that the weight of the next character depends on.
#[derive(Default)]
struct Walk {
    state: usize,
    script: usize,
    last: char,
}

impl Walk {
    /// Moves past `c` and returns its weight.
    #[inline]
    fn step(&mut self, c: char) -> u64 {
        let known = STEPS
            .get(self.state)
            .and_then(|row| row.get(kind(c as usize)));
        let weight = if let Some(&(next, weight)) = known {
            self.state = next;
            let pair = PAIRS.get(self.last()).and_then(|row| row.get(c as usize));
            weight + pair.map_or(0, |&units| u16::from(units) * UNIT)
        } else {
            self.other(c)
        };
        self.last = c;
        u64::from(weight)
    }

    /// The cells whose weights [`Self::step`] would add up.
    fn cells(&self, c: char) -> [Option<Cell>; 3] {
        match kind(c as usize) {
            KINDS => {
                let (_, script, place) = self.script(c);
                [Some(Cell::Script(script, place)), None, None]
            }
            kind => {
                let (_, cell, capital) = step(self.state, kind);
                [Some(cell), capital, pair(self.last(), c as usize)]
            }
        }
    }

    /// The character before, or 0 if it is not ASCII.
    #[inline]
    fn last(&self) -> usize {
        if self.last.is_ascii() {
            self.last as usize
        } else {
            0
        }
    }

    /// The same for what is not printable ASCII.
    fn other(&mut self, c: char) -> u16 {
        let (state, script, place) = self.script(c);
        (self.state, self.script) = (state, script);
        let weights = SCRIPTS.get(script).map(|(_, weights)| weights);
        weights.map_or(0, |weights| weights.get(place).copied().unwrap_or(0))
    }

    /// The next state, and the row and place of the weight in `SCRIPTS`.
    fn script(&self, c: char) -> (usize, usize, usize) {
        let script = SCRIPTS.partition_point(|&(end, _)| end <= u32::from(c));
        let in_word = (LOWER..DIGIT).contains(&self.state);
        let (goes_on, state) = match LATIN.contains(&script) {
            true if in_word => (true, LOWER + (self.state % PLACES + 1).min(PLACES - 1)),
            true => (false, LOWER),
            false => (self.state == OTHER && self.script == script, OTHER),
        };
        let place = match goes_on {
            _ if c == self.last => 2,
            true => 1,
            false => 0,
        };
        (state, script, place)
    }
}

const fn kind(code: usize) -> usize {
    match code {
        0x61..=0x7A => 0,
        0x41..=0x5A => 1,
        0x30..=0x39 => 2,
        0x20 => 3,
        0x0A | 0x0D => 4,
        0x09 => 5,
        0x21..=0x7E => 6,
        _ => KINDS,
    }
}

/// The state that each kind leads to from each state, and its weight before pairs.
#[expect(
    clippy::indexing_slicing,
    reason = "at compile time: a bad index fails the build"
)]
const fn steps() -> [[(usize, u16); KINDS]; OTHER + 1] {
    let mut table = [[(0, 0); KINDS]; OTHER + 1];
    let mut at = 0;
    while at < table.len() * KINDS {
        let (state, kind) = (at / KINDS, at % KINDS);
        let (next, cell, capital) = step(state, kind);
        let extra = match capital {
            Some(capital) => capital.weight(),
            None => 0,
        };
        table[state][kind] = (next, cell.weight() + extra);
        at += 1;
    }
    table
}

/// Where a kind of ASCII character leads, its cell, and a second one after capitals.
const fn step(state: usize, kind: usize) -> (usize, Cell, Option<Cell>) {
    let (run, place) = (state / PLACES, state % PLACES);
    let capitals = run == 2 && kind == 0;
    if !capitals && run != kind + 1 {
        let row = match (run, place) {
            (0..4, _) | (4, 0) => run,
            (7, 1..) | (8, _) => run + 2,
            _ => run + 1,
        };
        return ((kind + 1) * PLACES, Cell::Entry(row, kind), None);
    }
    let (next, depth) = match (kind, place) {
        (2, _) => ((place + 1) % 3, place % 3),
        (_, 15) => (15, 4),
        (0 | 1, 12..) => (place + 1, 3),
        (0 | 1, _) => (place + 1, place / 4),
        _ => (place + 1, if place < 2 { place } else { 2 }),
    };
    let extra = if capitals {
        Some(Cell::Capitals((place > 0) as usize))
    } else {
        None
    };
    ((kind + 1) * PLACES + next, Cell::Run(kind, depth), extra)
}

/// The extra weight of each ASCII character after each, in units.
#[expect(
    clippy::indexing_slicing,
    reason = "at compile time: a bad index fails the build"
)]
const fn pairs() -> [[u8; 128]; 128] {
    let mut table = [[0; 128]; 128];
    let mut at = 0;
    while at < 128 * 128 {
        let (last, next) = (at / 128, at % 128);
        if let Some(cell) = pair(last, next) {
            table[last][next] = cell.units();
        }
        at += 1;
    }
    table
}

/// The cell of an ASCII character after another, if the two have one.
const fn pair(last: usize, next: usize) -> Option<Cell> {
    Some(match (kind(last), kind(next)) {
        (0 | 1, 0 | 1) => Cell::Letters(((last | 32) - 97) * 26 + (next | 32) - 97),
        (6, 0 | 1) => Cell::MarkLeads(last - 33),
        (6, 6) if last != next => Cell::MarkChange,
        (6, 6) if !is_ruler(last) => Cell::MarkAgain,
        (0..6 | KINDS, 6) => Cell::MarkOpens(next - 33),
        _ => return None,
    })
}

/// `!#%*+-./:;=_~`: long runs of these are single tokens, of other marks they are not.
const fn is_ruler(code: usize) -> bool {
    matches!(
        code,
        0x21 | 0x23 | 0x25 | 0x2A | 0x2B | 0x2D..=0x2F | 0x3A | 0x3B | 0x3D | 0x5F | 0x7E
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &str = "fn main() {\n\tlet größe = 12345;  // Привет, мир ✅✅ 漢字\r\n}\n\u{1}";

    fn weight(before: &str, c: char) -> u64 {
        let mut walk = Walk::default();
        before.chars().for_each(|c| _ = walk.step(c));
        walk.step(c)
    }

    #[test]
    fn endless_runs_cost_what_they_really_cost() {
        assert_eq!(estimate(""), 0);
        for (run, real) in [
            (" ", 79),
            ("\n", 625),
            ("=", 156),
            ("a", 1250),
            ("7", 3334),
            ("中", 10_000),
        ] {
            let count = estimate(&run.repeat(10_000));
            assert!(
                count.abs_diff(real) * 5 <= real,
                "{run:?}: {count} for {real}"
            );
        }
        for state in ["", "a", "A", "1", " ", "  ", "\n", "\t", "=", "==", "中"] {
            let free = (0..128_u8).map(char::from).find(|&c| weight(state, c) < 8);
            assert_eq!(free, None, "after {state:?}");
        }
    }

    #[test]
    fn prefixes_never_count_more_and_the_longest_that_fits_is_found() {
        let ends = || MIXED.char_indices().map(|(at, c)| at + c.len_utf8());
        let count = |end| estimate(MIXED.get(..end).unwrap());
        assert!(ends().map(count).is_sorted());
        for budget in 0..count(MIXED.len()) + 2 {
            let longest = ends().filter(|&end| count(end) <= budget).max();
            assert_eq!(
                prefix_within(MIXED, budget),
                longest.unwrap_or(0),
                "{budget}"
            );
        }
    }
}
