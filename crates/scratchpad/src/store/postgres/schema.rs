//! The tables and their migrations.
//!
//! Each team has a schema, so the database itself isolates teams by their roles' privileges, and no query can forget
//! to. `search_path` resolves every name below in that schema and nowhere else.

use super::connection::{Connection, Transaction};
use super::errors::Failure;
use super::values::{get, params};

/// Each step migrates a schema by one version. Append only.
const MIGRATIONS: &[&[&str]] = &[
    &[SESSIONS, NOTES, OUTPUTS, HOOKS],
    &[PRUNING],
    &[PINS],
    &[ROOM],
    &[PINNED_NOTES],
    &[SOURCES],
    &[SPILLED],
    &[REPOSITORIES],
    &[LEDGER],
];

/// The schema version of this program.
#[expect(clippy::cast_possible_wrap, reason = "there are few migrations")]
#[expect(clippy::cast_possible_truncation, reason = "there are few migrations")]
pub(super) const VERSION: i32 = MIGRATIONS.len() as i32;

/// The advisory lock for migrations. One for the whole database: two teams must not create the extension at once.
const MIGRATION_LOCK: i64 = 0x5C72_0000;

/// One row, which describes the schema.
const META: &str = r#"
    CREATE TABLE meta (
        version integer NOT NULL,
        -- The Unicode version by which texts are folded.
        unicode text COLLATE "C" NOT NULL
    );
    INSERT INTO meta VALUES (0, '');
"#;

const SESSIONS: &str = r#"
    CREATE TABLE session (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id text COLLATE "C" NOT NULL UNIQUE,
        project text COLLATE "C" NOT NULL,
        author text NOT NULL,
        created bigint NOT NULL,
        updated bigint NOT NULL,
        revision bigint NOT NULL,
        notes text NOT NULL,
        plan text NOT NULL,
        refs text NOT NULL
    );
    CREATE INDEX session_of_project ON session (project, updated, key);
    CREATE INDEX session_by_age ON session (updated, key);

    CREATE TABLE revision (
        session bigint NOT NULL REFERENCES session (key),
        number bigint NOT NULL,
        author text NOT NULL,
        space text NOT NULL,
        action text NOT NULL,
        at bigint NOT NULL,
        undoes bigint,
        used bigint NOT NULL,
        content text NOT NULL,
        PRIMARY KEY (session, number)
    );
"#;

const NOTES: &str = r#"
    CREATE TABLE scope (
        key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        notes bigint NOT NULL,
        UNIQUE (kind, name)
    );

    CREATE TABLE note (
        id bigint PRIMARY KEY,
        scope bigint NOT NULL REFERENCES scope (key),
        session text COLLATE "C" NOT NULL,
        project text COLLATE "C" NOT NULL,
        author text NOT NULL,
        created bigint NOT NULL,
        updated bigint NOT NULL,
        tags text[] NOT NULL,
        content text NOT NULL,
        folded_tags text[] COLLATE "C" NOT NULL,
        folded text COLLATE "C" NOT NULL
    );
    CREATE INDEX note_of_scope ON note (scope, updated, id);
    CREATE INDEX note_in_scope ON note (scope, id);
    CREATE INDEX note_by_tag ON note USING gin (folded_tags);

    CREATE TABLE tag (
        scope bigint NOT NULL REFERENCES scope (key),
        folded text COLLATE "C" NOT NULL,
        shown text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (scope, folded)
    );

    CREATE SEQUENCE note_id MINVALUE -1 START 0;

    -- Assigns consecutive ids, from `at` or after the highest ever assigned, and returns the last.
    -- Nobody waits for another's commit: ids from a sequence are used up, committed or not, and a durable note makes
    -- the sequence value before it durable.
    CREATE FUNCTION give_note_ids(many bigint, at bigint) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE
        lock integer := ('note_id'::regclass::oid::bigint % 2147483647)::integer;
        given bigint;
    BEGIN
        PERFORM pg_advisory_lock(23666, lock);
        SELECT setval('note_id', greatest(at, last_value + is_called::integer) + many - 1) INTO given FROM note_id;
        PERFORM pg_advisory_unlock(23666, lock);
        RETURN given;
    END $$;
"#;

/// Content is stored once, no matter how many sessions keep it; `output_keep` says which do, and when they last did.
const OUTPUTS: &str = r#"
    CREATE TABLE output (
        key bigint GENERATED ALWAYS AS IDENTITY,
        id text COLLATE "C" PRIMARY KEY,
        sha256 text COLLATE "C" NOT NULL UNIQUE,
        bytes bigint NOT NULL,
        lines bigint NOT NULL,
        kind text NOT NULL,
        created bigint NOT NULL,
        used bigint NOT NULL,
        damaged boolean NOT NULL DEFAULT false,
        -- The size and the hash of each block.
        blocks text NOT NULL,
        -- The object that holds them, if rows don't.
        object text COLLATE "C"
    );

    CREATE TABLE output_block (
        output text COLLATE "C" NOT NULL REFERENCES output (id),
        number bigint NOT NULL,
        content bytea NOT NULL,
        PRIMARY KEY (output, number)
    );
    -- Already compressed.
    ALTER TABLE output_block ALTER COLUMN content SET STORAGE EXTERNAL;

    -- Objects to remove once they are due.
    CREATE TABLE output_object (
        name text COLLATE "C" PRIMARY KEY,
        parts bigint NOT NULL,
        due timestamptz NOT NULL
    );

    CREATE TABLE output_keep (
        output text COLLATE "C" NOT NULL REFERENCES output (id),
        session text COLLATE "C" NOT NULL,
        project text COLLATE "C" NOT NULL,
        author text NOT NULL,
        tool text NOT NULL,
        kept bigint NOT NULL,
        PRIMARY KEY (output, session, project)
    );
    CREATE INDEX output_of_session ON output_keep (session);
    CREATE INDEX output_of_project ON output_keep (project);

    CREATE TABLE output_removed (
        id text COLLATE "C" PRIMARY KEY,
        at bigint NOT NULL
    );
"#;

/// What prunes query, with indexes: who last kept an output and when, and the total size per author.
const PRUNING: &str = r#"
    ALTER TABLE output ADD COLUMN author text COLLATE "C" NOT NULL DEFAULT '',
        ADD COLUMN kept bigint NOT NULL DEFAULT 0;
    UPDATE output SET (author, kept) = (
        SELECT k.author, k.kept FROM output_keep k WHERE k.output = output.id ORDER BY k.kept DESC LIMIT 1
    ) WHERE EXISTS (SELECT FROM output_keep k WHERE k.output = output.id);
    CREATE INDEX output_by_age ON output (author, kept);
    CREATE INDEX output_by_use ON output (author, used, kept);
    CREATE INDEX output_by_last_use ON output (used, kept);
    CREATE INDEX output_damaged ON output (id) WHERE damaged;
    CREATE INDEX output_removed_by_time ON output_removed (at);

    CREATE TABLE output_total (
        author text COLLATE "C" PRIMARY KEY,
        bytes bigint NOT NULL
    );
    INSERT INTO output_total SELECT author, sum(bytes) FROM output GROUP BY author;
"#;

/// An output is kept once by each tool that produced it, is pinned while a pad's revision needs it, and has a preview.
/// What was cut for a pad before is pinned too: nobody else kept anything by these names without a project.
const PINS: &str = r#"
    ALTER TABLE output ADD COLUMN preview text NOT NULL DEFAULT '';
    ALTER TABLE output_keep ADD COLUMN pinned boolean NOT NULL DEFAULT false;
    UPDATE output_keep SET tool = left(tool, 200) WHERE length(tool) > 200;
    UPDATE output_keep SET pinned = true WHERE project = '' AND tool IN ('set_notes', 'set_plan', 'refs.set', 'replace');
    ALTER TABLE output_keep DROP CONSTRAINT output_keep_pkey, ADD PRIMARY KEY (output, session, project, tool);
    CREATE INDEX output_pinned ON output_keep (output) WHERE pinned;
"#;

/// Outputs in use are counted, of all and of one upstream, before another is kept; and an id of a removed output never
/// names other content.
const ROOM: &str = r#"
    ALTER TABLE output ADD COLUMN upstream text NOT NULL DEFAULT '';
    -- Of the latest removals. Other ids are not given again.
    ALTER TABLE output_removed ADD COLUMN sha256 text COLLATE "C";
    DROP INDEX output_removed_by_time;
    CREATE INDEX output_removed_by_time ON output_removed (at) WHERE sha256 IS NOT NULL;
"#;

/// Since when a note is pinned, if it is.
const PINNED_NOTES: &str = "
    ALTER TABLE note ADD COLUMN pinned bigint;
    CREATE INDEX note_pinned ON note (scope, pinned) WHERE pinned IS NOT NULL;
";

/// The lines of files that notes speak of. However a note is deleted, they go with it.
const SOURCES: &str = r#"
    CREATE TABLE note_source (
        note bigint NOT NULL REFERENCES note (id) ON DELETE CASCADE,
        place bigint NOT NULL,
        path text NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        sha256 text COLLATE "C" NOT NULL,
        text text NOT NULL,
        branch text NOT NULL,
        commit_id text NOT NULL,
        PRIMARY KEY (note, place)
    );
"#;

/// The output with the whole text of a revision that was cut, if that is known. This rewrites no rows.
const SPILLED: &str = r#"
    ALTER TABLE revision ADD COLUMN spilled text COLLATE "C";
"#;

/// The repositories that were seen on each machine, so that one is known after it was moved, and the names that people
/// gave to projects.
const REPOSITORIES: &str = r#"
    CREATE TABLE repository (
        machine text COLLATE "C" NOT NULL,
        path text COLLATE "C" NOT NULL,
        project text COLLATE "C" NOT NULL,
        mark text NOT NULL,
        home_mark text NOT NULL,
        remote text NOT NULL,
        first_commit text NOT NULL,
        seen bigint NOT NULL,
        PRIMARY KEY (machine, path)
    );

    CREATE TABLE project_name (
        project text COLLATE "C" PRIMARY KEY,
        name text NOT NULL
    );
"#;

/// What was kept out of context windows and what that cost, summed for each day, session and kind.
const LEDGER: &str = r#"
    CREATE TABLE ledger (
        day bigint NOT NULL,
        session text COLLATE "C" NOT NULL,
        project text COLLATE "C" NOT NULL,
        author text COLLATE "C" NOT NULL,
        host text COLLATE "C" NOT NULL,
        upstream text COLLATE "C" NOT NULL,
        tool text COLLATE "C" NOT NULL,
        what text COLLATE "C" NOT NULL,
        times bigint NOT NULL,
        bytes bigint NOT NULL,
        tokens bigint NOT NULL,
        PRIMARY KEY (day, session, project, author, host, upstream, tool, what)
    );
    CREATE INDEX ledger_of_session ON ledger (session);
    CREATE INDEX ledger_of_project ON ledger (project, day);
"#;

/// The session that each host process is bound to, and the hook state of each session. Process ids are only valid on
/// their machine.
const HOOKS: &str = r#"
    CREATE TABLE binding (
        machine text COLLATE "C" NOT NULL,
        process bigint NOT NULL,
        started text NOT NULL,
        author text NOT NULL,
        host text NOT NULL,
        session text NOT NULL,
        at bigint NOT NULL,
        PRIMARY KEY (machine, process)
    );

    CREATE TABLE attention (
        session text COLLATE "C" PRIMARY KEY,
        machine text COLLATE "C" NOT NULL,
        author text NOT NULL,
        host text COLLATE "C" NOT NULL,
        event text NOT NULL,
        at bigint NOT NULL,
        state text NOT NULL
    );
    CREATE INDEX attention_of_host ON attention (machine, host, at);
"#;

/// The index for searching texts. Without it a search scans every note of its scopes, with the same result.
const TEXT_INDEX: &str = "CREATE INDEX note_by_text ON note USING gin (folded {operators})";

/// The version of a schema, and when the server's statistics were reset, which a crash does.
pub(super) const LOOK: &str =
    "SELECT version, unicode, pg_stat_get_bgwriter_stat_reset_time()::text FROM meta";

/// The version of a schema relative to this program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Age {
    /// The version of this program.
    Current,
    /// An older version, or no schema.
    Older,
    /// A newer version, which is given.
    Newer(i32),
}

/// The age of a schema, from the result of [`LOOK`].
pub(super) fn age(rows: &[Vec<String>]) -> Age {
    let Some([version, unicode, _]) = rows.first().map(Vec::as_slice) else {
        return Age::Older;
    };
    match version.parse() {
        Ok(version) if version > VERSION => Age::Newer(version),
        Ok(VERSION) if *unicode >= unicode_version() => Age::Current,
        _ => Age::Older,
    }
}

/// The Unicode version by which this program folds, in a form that sorts by version.
///
/// A program with a newer version refolds everything. One with an older version leaves it, and differs only in letters
/// that it does not know.
pub(super) fn unicode_version() -> String {
    let (major, minor, update) = char::UNICODE_VERSION;
    format!("{major:03}.{minor:03}.{update:03}")
}

/// The result of a migration.
pub(super) enum Migrated {
    /// The schema is up to date.
    Whole,
    /// The schema is up to date, but has no search index, for this reason.
    WithoutIndex(String),
    /// It has a newer version, and was left alone.
    Newer(i32),
    /// It contains other tables, and was left alone.
    Foreign,
    /// This role has no access to it.
    Closed,
}

/// Migrates the schema to [`VERSION`], all steps or none, one process at a time.
pub(super) fn migrate(connection: &Connection, schema: &str) -> Result<Migrated, Failure> {
    // No timeouts: waiting for the lock and building an index may both take long.
    connection.batch(&format!(
        "SET statement_timeout = 0; SET lock_timeout = 0; SET search_path = {}",
        quoted(schema)
    ))?;
    let transaction = connection.begin();
    transaction.query("SELECT pg_advisory_xact_lock($1)", params![MIGRATION_LOCK])?;
    let there =
        |sql| -> Result<bool, Failure> { get(&transaction.query_one(sql, params![schema])?, 0) };
    if !there("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)")? {
        transaction.batch(&format!("CREATE SCHEMA {}", quoted(schema)))?;
    }
    if !there("SELECT has_schema_privilege($1, 'USAGE')")? {
        return Ok(Migrated::Closed);
    }
    let has_meta = there(
        "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'meta')",
    )?;
    if !has_meta {
        if there(
            "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1))",
        )? {
            return Ok(Migrated::Foreign);
        }
        transaction.batch(META)?;
    }
    let row = transaction.query_one(LOOK, params![])?;
    let (version, unicode): (i32, String) = (get(&row, 0)?, get(&row, 1)?);
    if version > VERSION {
        return Ok(Migrated::Newer(version));
    }
    let from = usize::try_from(version).unwrap_or(0);
    for batch in MIGRATIONS.iter().skip(from).copied().flatten() {
        transaction.batch(batch)?;
    }
    let mut migrated = Migrated::Whole;
    if from == 0
        && let Err(reason) = make_text_index(&transaction)?
    {
        migrated = Migrated::WithoutIndex(reason);
    }
    if unicode < unicode_version() {
        super::notes::fold_again(&transaction)?;
    }
    transaction.execute(
        "UPDATE meta SET version = $1::bigint, unicode = greatest(unicode, $2)",
        params![i64::from(VERSION), unicode_version()],
    )?;
    transaction.commit()?;
    Ok(migrated)
}

/// Creates the index, and its extension if missing; the inner error says why it can't.
fn make_text_index(transaction: &Transaction<'_>) -> Result<Result<(), String>, Failure> {
    const WHERE: &str = "SELECT format('%I.%I', nspname, opcname) FROM pg_opclass o
        JOIN pg_namespace n ON n.oid = o.opcnamespace
        WHERE opcname = 'gin_trgm_ops' AND has_schema_privilege(n.oid, 'USAGE')";
    let mut found = transaction.query_opt(WHERE, params![])?;
    if found.is_none() {
        // In the schema that all teams of the database can use.
        let made =
            transaction.tried("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public")?;
        if let Err(reason) = made {
            return Ok(Err(reason));
        }
        found = transaction.query_opt(WHERE, params![])?;
    }
    let Some(row) = found else {
        return Ok(Err(
            "pg_trgm is in a schema that this role may not use".to_owned()
        ));
    };
    let operators: String = get(&row, 0)?;
    transaction.tried(&TEXT_INDEX.replace("{operators}", &operators))
}

/// Quotes an identifier for SQL.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
