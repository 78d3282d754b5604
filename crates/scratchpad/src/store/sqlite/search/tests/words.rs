//! The words of random notes. There are few, so that many notes share them and queries find something. They include
//! everything that is special in SQL, in patterns and in case folding.

pub(crate) const WORDS: [&str; 26] = [
    "Straße",
    "STRASSE",
    "ошибка",
    "ОШИБКА",
    "Σίσυφος",
    "σίσυφος",
    "İstanbul",
    "naïve",
    "cafe\u{301}",
    "日本",
    "🦀",
    "ﬁn",
    "100%",
    "snake_case",
    "it's",
    "\"quoted\"",
    "server",
    "serve",
    "deploy",
    "x",
    "\0",
    "\u{FDD0}",
    "-",
    "\\",
    "$1",
    "%_",
];

pub(crate) const TAGS: [&str; 6] = ["todo", "Todo", "ЗАДАЧА", "задача", "ß", "a\\b"];
