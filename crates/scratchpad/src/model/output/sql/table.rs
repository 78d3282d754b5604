//! A table while it is filled: columns come in the order in which the data names them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql};

/// The most columns of a table.
pub(super) const MAX_COLUMNS: usize = 500;

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

/// What became of an output: its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: u64,
    /// How many keys are no columns, because there are too many.
    pub(super) left_out: usize,
}

/// A table that is being filled.
pub(super) struct Table<'c> {
    connection: &'c Connection,
    name: String,
    columns: Vec<String>,
    /// The columns by the keys that the data has for them.
    by_key: HashMap<String, usize>,
    /// The names, in lower case: SQL does not tell `Id` from `id`.
    taken: HashSet<String>,
    left_out: HashSet<String>,
    /// How many columns the database knows of.
    created: usize,
    insert: String,
    rows: u64,
}

impl<'c> Table<'c> {
    pub(super) fn new(connection: &'c Connection, name: &str) -> Self {
        Self {
            connection,
            name: name.to_owned(),
            columns: Vec::new(),
            by_key: HashMap::new(),
            taken: HashSet::new(),
            left_out: HashSet::new(),
            created: 0,
            insert: String::new(),
            rows: 0,
        }
    }

    /// The column of a key; `None` if there are too many.
    pub(super) fn column(&mut self, key: &str) -> Option<usize> {
        if let Some(column) = self.by_key.get(key) {
            return Some(*column);
        }
        let column = self.add(key);
        match column {
            Some(column) => drop(self.by_key.insert(key.to_owned(), column)),
            None => drop(self.left_out.insert(key.to_owned())),
        }
        column
    }

    /// Adds a column, under a name of its own.
    pub(super) fn add(&mut self, key: &str) -> Option<usize> {
        let column = self.columns.len();
        if column >= MAX_COLUMNS {
            return None;
        }
        // A name with NUL can't be written in SQL.
        let wanted = match key.trim().replace('\0', " ") {
            blank if blank.is_empty() => format!("c{}", column + 1),
            name => name,
        };
        let mut name = wanted.clone();
        let mut number = 1_usize;
        while !self.taken.insert(name.to_ascii_lowercase()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        self.columns.push(name);
        Some(column)
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Adds a row: columns and their values; the others are NULL.
    pub(super) fn push(&mut self, row: &[(usize, Cell<'_>)]) -> rusqlite::Result<()> {
        self.create()?;
        let mut statement = self.connection.prepare_cached(&self.insert)?;
        statement.clear_bindings();
        for (column, cell) in row {
            statement.raw_bind_parameter(column + 1, cell)?;
        }
        statement.raw_execute()?;
        self.rows += 1;
        Ok(())
    }

    pub(super) fn finish(mut self) -> rusqlite::Result<Loaded> {
        self.create()?;
        Ok(Loaded {
            name: self.name,
            columns: self.columns,
            rows: self.rows,
            left_out: self.left_out.len(),
        })
    }

    /// Makes the database know all columns.
    fn create(&mut self) -> rusqlite::Result<()> {
        if self.columns.is_empty() {
            self.add("value");
        }
        let new = self.columns.get(self.created..).unwrap_or_default();
        if new.is_empty() {
            return Ok(());
        }
        if self.created == 0 {
            let names: Vec<String> = new.iter().map(|name| quoted(name)).collect();
            let sql = format!("CREATE TABLE {} ({})", self.name, names.join(", "));
            self.connection.execute_batch(&sql)?;
        } else {
            for name in new {
                let sql = format!("ALTER TABLE {} ADD COLUMN {}", self.name, quoted(name));
                self.connection.execute_batch(&sql)?;
            }
        }
        self.created = self.columns.len();
        let places = vec!["?"; self.created].join(",");
        self.insert = format!("INSERT INTO {} VALUES ({places})", self.name);
        Ok(())
    }
}

/// A name as SQL writes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
