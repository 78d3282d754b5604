//! Whether what notes say of their sources is true: lines are noted at one commit and judged at a later one, and git says what
//! really became of them.
//!
//! `cargo bench --bench sources [-- REPOSITORY …]`: a history made for it, this project's own, and those that are named. They are
//! only read; clones that share their objects are thrown away.
#![expect(clippy::print_stdout, reason = "a bench reports on standard output")]
#![expect(clippy::expect_used, reason = "a bench fails by panicking")]

#[allow(dead_code, reason = "each bench uses its part")]
mod measure;
#[allow(dead_code, reason = "each bench uses its part")]
mod report;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use report::Goal;
use scratchpad::model::note::Scope;
use scratchpad::model::note::source::{JudgedSource, Verdict};
use scratchpad::{Scratchpad, SessionId};

const HOW: &str = "\
Lines of files are noted at a commit and judged some commits later, in a checkout, as `note check` does. `git diff` says which of them are
unchanged. What is said of those must be nothing or `moved`: a false \"changed\" teaches an agent to ignore true ones. The last column is
how many notes a hash of the whole file would call changed although their lines are there.";

/// How many commits lie between the note and the look at it.
const LATER: [usize; 3] = [20, 100, 300];
/// How many places are noted at each distance.
const PLACES: usize = 300;
/// How long they are.
const LENGTHS: [usize; 3] = [1, 5, 12];
/// Larger files are left out.
const MAX_BYTES: u64 = 1 << 20;

fn main() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut histories = vec![
        (
            "made for this".to_owned(),
            made(&directory.path().join("made")),
        ),
        (
            "this project".to_owned(),
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."),
        ),
    ];
    for argument in std::env::args().skip(1).filter(|it| !it.starts_with("--")) {
        let path = PathBuf::from(argument);
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        histories.push((name.unwrap_or_default(), path));
    }
    report::section("What notes say of their sources", HOW);
    let mut rows = Vec::new();
    for (name, repository) in &histories {
        let clone = directory.path().join(format!("clone-{}", rows.len()));
        git(
            Path::new("."),
            &["clone", "-q", "--shared", &text(repository), &text(&clone)],
        );
        let head = git(&clone, &["rev-parse", "HEAD"]);
        for later in LATER {
            let old = format!("{head}~{later}");
            if try_git(&clone, &["rev-parse", "--verify", "-q", &old]).is_some() {
                let home = directory.path().join(format!("home-{}", rows.len()));
                rows.push((name.clone(), later, Counts::of(&clone, &home, &old, &head)));
            }
        }
    }
    tell(&rows);
}

fn tell(rows: &[(String, usize, Counts)]) {
    let wrong: usize = rows.iter().map(|(_, _, counts)| counts.wrong).sum();
    let unchanged: usize = rows.iter().map(|(_, _, counts)| counts.unchanged).sum();
    report::goals(&[Goal {
        what: "false \"changed\" about lines that did not change".to_owned(),
        against: format!("{unchanged} unchanged places"),
        ours: wrong.to_string(),
        ratio: 0.0,
        wanted: "none".to_owned(),
        is_met: wrong == 0,
    }]);
    println!(
        "| history | commits later | places | as they were | moved | in another file | changed | gone | false \"changed\" | a file's hash: false |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, later, it) in rows {
        println!(
            "| {name} | {later} | {} | {} | {} | {} | {} | {} | {} | {} |",
            it.places, it.same, it.moved, it.renamed, it.changed, it.gone, it.wrong, it.by_file
        );
    }
    println!();
}

/// What was said of the places of one history.
#[derive(Default)]
struct Counts {
    places: usize,
    same: usize,
    moved: usize,
    renamed: usize,
    changed: usize,
    gone: usize,
    /// Places that did not change, by git.
    unchanged: usize,
    /// Those of them of which it was said that they did.
    wrong: usize,
    /// Places whose file changed, but not their lines.
    by_file: usize,
}

impl Counts {
    fn of(clone: &Path, home: &Path, old: &str, new: &str) -> Self {
        git(clone, &["checkout", "-q", old]);
        let pad = Scratchpad::open(home)
            .expect("the store opens")
            .with_root(clone);
        let session = SessionId::new("bench").expect("an id");
        let places = places(clone);
        for place in &places {
            let words = format!("{}:{}-{}", place.path, place.first, place.last);
            pad.add_note(&session, Scope::Session, &words, &[])
                .expect("a note");
        }
        git(clone, &["checkout", "-q", new]);
        let truth = Diff::between(clone, old, new);
        let mut counts = Self::default();
        for (_, judged) in pad.check_sources(&session).expect("the sources") {
            counts.add(&judged, &truth);
        }
        counts
    }

    fn add(&mut self, judged: &JudgedSource, truth: &Diff) {
        self.places += 1;
        match (judged.verdict, &judged.file) {
            (Verdict::Same, _) => self.same += 1,
            (Verdict::Moved(_), None) => self.moved += 1,
            (Verdict::Moved(_), Some(_)) => self.renamed += 1,
            (Verdict::Changed, _) => self.changed += 1,
            (Verdict::Gone, _) => self.gone += 1,
        }
        let span = &judged.span;
        let is_unchanged = truth.is_unchanged(&span.path, span.first, span.last);
        self.unchanged += usize::from(is_unchanged);
        self.wrong += usize::from(is_unchanged && judged.verdict == Verdict::Changed);
        let has_lines = !judged.verdict.is_stale();
        self.by_file += usize::from(has_lines && truth.hunks.contains_key(&span.path));
    }
}

struct Place {
    path: String,
    first: usize,
    last: usize,
}

/// Places all over the text files of a checkout, each once.
fn places(clone: &Path) -> Vec<Place> {
    let files: Vec<(String, usize)> = git(clone, &["ls-files"])
        .lines()
        .filter(|path| {
            path.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte))
        })
        .filter_map(|path| {
            let file = clone.join(path);
            let found = fs::symlink_metadata(&file).ok()?;
            let is_small = found.is_file() && found.len() <= MAX_BYTES;
            let lines = is_small
                .then(|| fs::read_to_string(&file).ok())??
                .lines()
                .count();
            (lines > 0).then(|| (path.to_owned(), lines))
        })
        .collect();
    let mut random = Random(7);
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    for number in 0..PLACES * 4 {
        let Some((path, lines)) = files.get(random.below(files.len().max(1))) else {
            break;
        };
        let length = LENGTHS.get(number % LENGTHS.len()).copied().unwrap_or(1);
        let first = 1 + random.below(*lines);
        let last = (first + length - 1).min(*lines);
        if places.len() < PLACES && seen.insert((path.clone(), first, last)) {
            places.push(Place {
                path: path.clone(),
                first,
                last,
            });
        }
    }
    places
}

/// What git says became of the lines of files that changed.
struct Diff {
    /// For each path at the old commit: the first line of each change and how many lines it replaces.
    hunks: HashMap<String, Vec<(usize, usize)>>,
}

impl Diff {
    fn between(clone: &Path, old: &str, new: &str) -> Self {
        let mut hunks: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        let mut path = String::new();
        // Renames are found by us or not, which is no error.
        let diff = git(
            clone,
            &["diff", "-U0", "--no-color", "--no-renames", old, new],
        );
        let mut lines = diff.lines().peekable();
        while let Some(line) = lines.next() {
            // A line that was removed may begin like the head of a file.
            let is_head = lines.peek().is_some_and(|next| next.starts_with("+++ "));
            if let (Some(rest), true) = (line.strip_prefix("--- "), is_head) {
                rest.strip_prefix("a/")
                    .unwrap_or_default()
                    .clone_into(&mut path);
                hunks.entry(path.clone()).or_default();
            } else if let Some(rest) = line.strip_prefix("@@ -") {
                let range = rest.split(' ').next().unwrap_or_default();
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let number = |text: &str| text.parse().expect("a line number");
                let hunk = (number(start), number(count));
                hunks.entry(path.clone()).or_default().push(hunk);
            }
        }
        Self { hunks }
    }

    /// Whether these lines are there unchanged and together.
    fn is_unchanged(&self, path: &str, first: usize, last: usize) -> bool {
        let touches = |(start, count): &(usize, usize)| match count {
            // Something was inserted after that line.
            0 => first <= *start && *start < last,
            count => *start <= last && first < start + count,
        };
        !self
            .hunks
            .get(path)
            .is_some_and(|hunks| hunks.iter().any(touches))
    }
}

/// A repository in which files are changed, grow, shrink and move, in 320 commits.
fn made(repository: &Path) -> PathBuf {
    fs::create_dir_all(repository).expect("a directory");
    git(repository, &["init", "-q"]);
    let mut random = Random(3);
    let mut files: Vec<(String, Vec<String>)> = (0..24)
        .map(|number| {
            let lines = (0..150).map(|_| random.line()).collect();
            (format!("src/part_{}/file_{number}.rs", number % 4), lines)
        })
        .collect();
    for commit in 0..=320 {
        for _ in 0..2 {
            let at = random.below(files.len());
            let Some((path, lines)) = files.get_mut(at) else {
                continue;
            };
            change(lines, &mut random);
            if random.below(60) == 0 {
                fs::remove_file(repository.join(&*path)).ok();
                *path = format!("src/part_{}/moved_{commit}.rs", random.below(6));
            }
        }
        for (path, lines) in &files {
            let path = repository.join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            fs::write(path, lines.join("\n") + "\n").expect("a file");
        }
        git(repository, &["add", "-A"]);
        let who = ["-c", "user.name=bench", "-c", "user.email=bench@example"];
        git(
            repository,
            &[&who[..], &["commit", "-q", "-m", "a change"]].concat(),
        );
    }
    repository.to_owned()
}

/// Inserts, removes or replaces a few lines.
fn change(lines: &mut Vec<String>, random: &mut Random) {
    let start = random.below(lines.len().max(1));
    let end = (start + random.below(6)).min(lines.len());
    let new: Vec<String> = (0..random.below(6)).map(|_| random.line()).collect();
    lines.splice(start..end, new);
}

/// The same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % below.max(1)
    }

    /// A line as code has them: many are alike, and some are blank.
    fn line(&mut self) -> String {
        match self.below(8) {
            0 => String::new(),
            1 => "    }".to_owned(),
            2 => "    Ok(())".to_owned(),
            _ => format!(
                "    let value_{} = compute({});",
                self.below(300),
                self.below(300)
            ),
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn git(directory: &Path, words: &[&str]) -> String {
    try_git(directory, words).expect("git succeeds")
}

fn try_git(directory: &Path, words: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(words);
    let output = command.output().expect("git");
    let text = String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned();
    output.status.success().then_some(text)
}
