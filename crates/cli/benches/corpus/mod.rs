//! Notes to measure with: made up, the same on every run, and like real ones in length and words.

use std::io::{self, Read, Write};
use std::path::Path;

/// Stands in a tenth of all notes.
pub(crate) const COMMON: &str = "quarterly";
/// Stands in five notes, however many there are.
pub(crate) const RARE: &str = "xyzzy-plugh";

/// One made-up note.
pub(crate) struct MadeNote {
    pub(crate) text: String,
    pub(crate) tag: String,
}

/// An endless supply of notes; the first `size` hold the rare word five times.
pub(crate) struct Corpus {
    size: usize,
    made: usize,
    state: u64,
}

impl Corpus {
    /// Is on a tenth of all notes.
    pub(crate) const COMMON_TAG: &'static str = "tag0";

    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            made: 0,
            state: 0x9E37_79B9_7F4A_7C15,
        }
    }

    fn random(&mut self, below: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % below
    }

    /// A pronounceable word; low numbers are common, as in real texts.
    fn word(&mut self, text: &mut String) {
        const SYLLABLES: [&str; 20] = [
            "ka", "ter", "in", "mo", "sol", "an", "be", "ru", "tion", "pre", "al", "ent", "is",
            "co", "de", "ver", "li", "ma", "st", "or",
        ];
        let (first, second) = (self.random(20_000), self.random(20_000));
        let mut number = first * second / 20_000;
        loop {
            let index = usize::try_from(number % 20).unwrap_or(0);
            text.push_str(SYLLABLES.get(index).copied().unwrap_or("a"));
            number /= 20;
            if number == 0 {
                return;
            }
        }
    }

    /// The next note, of about 300 bytes.
    pub(crate) fn note(&mut self) -> MadeNote {
        let place = self.random(40);
        let common = self.made.is_multiple_of(10);
        let rare = self.made < self.size && self.made.is_multiple_of(self.size.div_ceil(5));
        let mut text = String::with_capacity(320);
        for index in 0..40 {
            if index > 0 {
                text.push(' ');
            }
            if index == place && common {
                text.push_str(COMMON);
            } else if index == place && rare {
                text.push_str(RARE);
            } else {
                self.word(&mut text);
            }
        }
        if rare && common {
            text.push(' ');
            text.push_str(RARE);
        }
        let tag = format!("tag{}", self.made % 10);
        self.made += 1;
        MadeNote { text, tag }
    }

    /// The first `size` notes as JSON Lines.
    pub(crate) fn lines(self) -> impl Read {
        Lines {
            corpus: self,
            waiting: io::Cursor::default(),
        }
    }

    /// The first `size` notes as the file of the reference memory server.
    pub(crate) fn write_graph(mut self, path: &Path) {
        let mut file = io::BufWriter::new(std::fs::File::create(path).expect("a file"));
        for number in 0..self.size {
            let MadeNote { text, tag } = self.note();
            let entity = serde_json::json!({
                "type": "entity", "name": format!("entity {number}"), "entityType": tag, "observations": [text],
            });
            writeln!(file, "{entity}").expect("a line");
        }
        file.flush().expect("the file");
    }
}

struct Lines {
    corpus: Corpus,
    waiting: io::Cursor<Vec<u8>>,
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let done = self.waiting.position() >= self.waiting.get_ref().len() as u64;
        if done && self.corpus.made < self.corpus.size {
            let MadeNote { text, tag } = self.corpus.note();
            let line = serde_json::json!({"content": text, "tags": [tag]});
            self.waiting = io::Cursor::new(format!("{line}\n").into_bytes());
        }
        self.waiting.read(buffer)
    }
}
