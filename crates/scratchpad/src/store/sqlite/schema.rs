//! The tables and their migrations.

use rusqlite::{Connection, TransactionBehavior};

/// Each step migrates a database by one version. Append only.
const MIGRATIONS: &[&[&str]] = &[
    &[SESSIONS],
    &[NOTES, super::search::TABLES],
    &[OUTPUTS],
    &[HOOKS],
    &[AUTHORS],
    &[PINS],
    &[ROOM],
    &[PINNED_NOTES],
    &[SOURCES],
    &[SPILLED],
    &[REPOSITORIES],
    &[LEDGER],
];

/// The version that introduced search.
const SEARCH_SINCE: usize = 2;

const SESSIONS: &str = "
    CREATE TABLE session (
        key INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        project TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        notes TEXT NOT NULL,
        plan TEXT NOT NULL,
        refs TEXT NOT NULL
    ) STRICT;
    CREATE INDEX session_of_project ON session (project, updated);

    CREATE TABLE revision (
        session INTEGER NOT NULL REFERENCES session (key),
        number INTEGER NOT NULL,
        space TEXT NOT NULL,
        action TEXT NOT NULL,
        at INTEGER NOT NULL,
        undoes INTEGER,
        used INTEGER NOT NULL,
        content TEXT NOT NULL,
        PRIMARY KEY (session, number)
    ) STRICT;

    CREATE TABLE output (
        id TEXT PRIMARY KEY,
        sha256 TEXT NOT NULL UNIQUE,
        bytes INTEGER NOT NULL,
        tool TEXT NOT NULL,
        session TEXT NOT NULL,
        created INTEGER NOT NULL,
        used INTEGER NOT NULL
    ) STRICT;
";

const NOTES: &str = "
    CREATE TABLE scope (
        key INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        notes INTEGER NOT NULL,
        tags INTEGER NOT NULL,
        UNIQUE (kind, name)
    ) STRICT;

    CREATE TABLE note (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        id INTEGER NOT NULL UNIQUE,
        scope INTEGER NOT NULL REFERENCES scope (key),
        version INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        tags TEXT NOT NULL,
        content TEXT NOT NULL
    ) STRICT;
    CREATE INDEX note_of_scope ON note (scope, updated, id);

    -- One row: the highest id ever given, if its note is deleted.
    CREATE TABLE note_deleted (id INTEGER NOT NULL) STRICT;
    INSERT INTO note_deleted VALUES (-1);

    CREATE TABLE tag (
        scope INTEGER NOT NULL REFERENCES scope (key),
        folded TEXT NOT NULL,
        shown TEXT NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (scope, folded)
    ) STRICT, WITHOUT ROWID;
";

/// Content is stored once, no matter how many sessions keep it; `output_keep` says which do, and when they last did.
const OUTPUTS: &str = "
    CREATE TABLE output_keep (
        output TEXT NOT NULL REFERENCES output (id),
        session TEXT NOT NULL,
        project TEXT NOT NULL,
        tool TEXT NOT NULL,
        kept INTEGER NOT NULL,
        PRIMARY KEY (output, session, project)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX output_of_session ON output_keep (session);
    CREATE INDEX output_of_project ON output_keep (project);
    INSERT INTO output_keep SELECT id, session, '', tool, created FROM output;

    ALTER TABLE output DROP COLUMN tool;
    ALTER TABLE output DROP COLUMN session;
    ALTER TABLE output ADD COLUMN kind TEXT NOT NULL DEFAULT 'text';
    ALTER TABLE output ADD COLUMN lines INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE output ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE output_removed (
        id TEXT PRIMARY KEY,
        at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// The session that each host process is bound to, and the hook state of each session.
const HOOKS: &str = "
    CREATE TABLE binding (
        process INTEGER PRIMARY KEY,
        started TEXT NOT NULL,
        host TEXT NOT NULL,
        session TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE attention (
        session TEXT PRIMARY KEY,
        host TEXT NOT NULL,
        event TEXT NOT NULL,
        at INTEGER NOT NULL,
        state TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// The authors of rows copied from a shared store. Empty for rows written here, which are the owner's. Adding these
/// columns rewrites no rows.
const AUTHORS: &str = "
    ALTER TABLE revision ADD COLUMN author TEXT NOT NULL DEFAULT '';
    ALTER TABLE note ADD COLUMN author TEXT NOT NULL DEFAULT '';
    ALTER TABLE output_keep ADD COLUMN author TEXT NOT NULL DEFAULT '';
";

/// An output is kept once by each tool that produced it, is pinned while a pad's revision needs it, and has a preview.
/// What was cut for a pad before is pinned too: nobody else kept anything by these names without a project.
const PINS: &str = "
    CREATE TABLE output_keep_by_tool (
        output TEXT NOT NULL REFERENCES output (id),
        session TEXT NOT NULL,
        project TEXT NOT NULL,
        tool TEXT NOT NULL,
        kept INTEGER NOT NULL,
        author TEXT NOT NULL DEFAULT '',
        pinned INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (output, session, project, tool)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO output_keep_by_tool
        SELECT output, session, project, substr(tool, 1, 200), kept, author,
            project = '' AND tool IN ('set_notes', 'set_plan', 'refs.set', 'replace')
        FROM output_keep;
    DROP TABLE output_keep;
    ALTER TABLE output_keep_by_tool RENAME TO output_keep;
    CREATE INDEX output_of_session ON output_keep (session);
    CREATE INDEX output_of_project ON output_keep (project);
    ALTER TABLE output ADD COLUMN preview TEXT NOT NULL DEFAULT '';
";

/// Outputs in use are counted, of all and of one upstream, before another is kept; and an id of a removed output never
/// names other content.
const ROOM: &str = "
    ALTER TABLE output ADD COLUMN upstream TEXT NOT NULL DEFAULT '';
    CREATE INDEX output_by_use ON output (used, bytes, upstream, id);
    CREATE INDEX output_pinned ON output_keep (output) WHERE pinned;
    -- Of the latest removals. Other ids are not given again.
    ALTER TABLE output_removed ADD COLUMN sha256 TEXT;
    CREATE INDEX output_removed_by_time ON output_removed (at) WHERE sha256 IS NOT NULL;
";

/// Since when a note is pinned, if it is.
const PINNED_NOTES: &str = "
    ALTER TABLE note ADD COLUMN pinned INTEGER;
    CREATE INDEX note_pinned ON note (scope, pinned) WHERE pinned IS NOT NULL;
";

/// The lines of files that notes speak of. However a note is deleted, they go with it.
const SOURCES: &str = "
    CREATE TABLE note_source (
        note INTEGER NOT NULL,
        place INTEGER NOT NULL,
        path TEXT NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        text TEXT NOT NULL,
        branch TEXT NOT NULL,
        commit_id TEXT NOT NULL,
        PRIMARY KEY (note, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER note_source_goes AFTER DELETE ON note BEGIN
        DELETE FROM note_source WHERE note = old.id;
    END;
";

/// The output with the whole text of a revision that was cut, if that is known. This rewrites no rows.
const SPILLED: &str = "
    ALTER TABLE revision ADD COLUMN spilled TEXT;
";

/// The repositories that were seen, so that one is known after it was moved, and the names that people gave to projects.
const REPOSITORIES: &str = "
    CREATE TABLE repository (
        path TEXT PRIMARY KEY,
        project TEXT NOT NULL,
        mark TEXT NOT NULL,
        home_mark TEXT NOT NULL,
        remote TEXT NOT NULL,
        first_commit TEXT NOT NULL,
        seen INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE project_name (
        project TEXT PRIMARY KEY,
        name TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// What was kept out of context windows and what that cost, summed for each day, session and kind.
const LEDGER: &str = "
    CREATE TABLE ledger (
        day INTEGER NOT NULL,
        session TEXT NOT NULL,
        project TEXT NOT NULL,
        author TEXT NOT NULL,
        host TEXT NOT NULL,
        upstream TEXT NOT NULL,
        tool TEXT NOT NULL,
        what TEXT NOT NULL,
        times INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (day, session, project, author, host, upstream, tool, what)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ledger_of_session ON ledger (session);
";

/// The base of the version in the file, so that one integer says both that the database is ours and its version.
const OURS: i64 = 0x5C72_0000;

/// The schema version of a database relative to this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    /// The version of this program.
    Current,
    Older,
    /// A newer version, which is given.
    Newer(i64),
    /// An empty file, or a database without a version.
    Unmarked,
    /// The database of another program.
    Foreign,
}

/// The schema version of this program.
#[expect(clippy::cast_possible_wrap, reason = "there are few migrations")]
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// The age of a database: one integer comparison if it is current.
pub(super) fn age(connection: &Connection) -> rusqlite::Result<Age> {
    Ok(match version(connection)? - OURS {
        VERSION => Age::Current,
        older if (1..VERSION).contains(&older) => Age::Older,
        newer if (VERSION..0x1_0000).contains(&newer) => Age::Newer(newer),
        unmarked if unmarked == -OURS => Age::Unmarked,
        _ => Age::Foreign,
    })
}

/// Whether a database without a version is empty, so that we may initialize it.
pub(super) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| {
        row.get(0)
    })
}

/// Migrates the database to [`VERSION`], all steps or none.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = usize::try_from(version(&transaction)? - OURS).unwrap_or(0);
    for batch in MIGRATIONS.iter().skip(from).copied().flatten() {
        transaction.execute_batch(batch)?;
    }
    if from < SEARCH_SINCE {
        super::search::rebuild(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", OURS + VERSION)?;
    transaction.commit()
}
