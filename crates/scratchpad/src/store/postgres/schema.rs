//! The tables, and how an older schema becomes a newer one.
//!
//! A team is a schema: the database itself keeps teams apart, by the rights of their roles, and no query of ours can
//! forget to. Every name below is looked up in that schema and nowhere else (`search_path`).

use super::connection::{Connection, Transaction};
use super::errors::Failure;
use super::values::{get, params};

/// Each step takes a schema one version further. Steps are only ever added.
const MIGRATIONS: &[&[&str]] = &[&[SESSIONS, NOTES, OUTPUTS, HOOKS], &[PRUNING]];

/// The number of the newest version that this program knows.
#[expect(clippy::cast_possible_wrap, reason = "there are few migrations")]
#[expect(clippy::cast_possible_truncation, reason = "there are few migrations")]
pub(super) const VERSION: i32 = MIGRATIONS.len() as i32;

/// The lock of the database that whoever changes tables holds: two teams must not make the extension at once either.
const MIGRATION_LOCK: i64 = 0x5C72_0000;

/// One row, which tells what the schema is.
const META: &str = r#"
    CREATE TABLE meta (
        version integer NOT NULL,
        -- The rules by which texts were folded.
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

    -- So many ids in a row: from this moment on, or after the highest that was ever given. Answers the last.
    -- Nobody waits for another's commit: what a sequence gave is gone, committed or not, and a note that is durable
    -- makes the number durable that was given before it.
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

/// Content is there once, whoever keeps it: who did, and when last, stands beside it.
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
        -- The object that holds them, where rows don't.
        object text COLLATE "C"
    );

    CREATE TABLE output_block (
        output text COLLATE "C" NOT NULL REFERENCES output (id),
        number bigint NOT NULL,
        content bytea NOT NULL,
        PRIMARY KEY (output, number)
    );
    -- They are compressed already.
    ALTER TABLE output_block ALTER COLUMN content SET STORAGE EXTERNAL;

    -- Objects that are to be removed, from then on.
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

/// What a prune asks for, where an index finds it: who kept an output last and when, and how much an author has.
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

/// Which host process speaks for which session, and what hooks remember of a session. The number of a process means
/// something on its machine only.
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

/// The index that finds texts; without it a search reads every note of its scopes, and answers the same.
const TEXT_INDEX: &str = "CREATE INDEX note_by_text ON note USING gin (folded {operators})";

/// What a schema says of itself, and since when the server counts: a crash makes it begin anew.
pub(super) const LOOK: &str =
    "SELECT version, unicode, pg_stat_get_bgwriter_stat_reset_time()::text FROM meta";

/// How old a schema is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Age {
    /// Just what this program writes.
    Current,
    /// There is none, or one from an older version.
    Older,
    /// From the newer version of this number.
    Newer(i32),
}

/// Tells the age of a schema from the answer to [`LOOK`]; one without the table is yet to be made.
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

/// The rules by which this program folds, so written that the newer is the greater.
///
/// Whoever knows the newer rules folds everything anew; who knows older ones goes on with what is there, and differs
/// at most in letters that it does not know.
pub(super) fn unicode_version() -> String {
    let (major, minor, update) = char::UNICODE_VERSION;
    format!("{major:03}.{minor:03}.{update:03}")
}

/// What became of a migration.
pub(super) enum Migrated {
    /// The schema is as this program writes it.
    Whole,
    /// The same, but searches have no index, for this reason.
    WithoutIndex(String),
    /// It is from the newer version of this number, and was left alone.
    Newer(i32),
    /// Somebody else's tables are in it, and were left alone.
    Foreign,
    /// This role may not look into it.
    Closed,
}

/// Takes the schema to [`VERSION`], all steps or none; one process at a time.
pub(super) fn migrate(connection: &Connection, schema: &str) -> Result<Migrated, Failure> {
    // Waiting for a turn is no fault, and neither is an index that takes its time.
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
        super::notes::fold_anew(&transaction)?;
    }
    transaction.execute(
        "UPDATE meta SET version = $1::bigint, unicode = greatest(unicode, $2)",
        params![i64::from(VERSION), unicode_version()],
    )?;
    transaction.commit()?;
    Ok(migrated)
}

/// Makes the index, and the extension that it needs where that is not there; or says why it can't.
fn make_text_index(transaction: &Transaction<'_>) -> Result<Result<(), String>, Failure> {
    const WHERE: &str = "SELECT format('%I.%I', nspname, opcname) FROM pg_opclass o
        JOIN pg_namespace n ON n.oid = o.opcnamespace
        WHERE opcname = 'gin_trgm_ops' AND has_schema_privilege(n.oid, 'USAGE')";
    let mut found = transaction.query_opt(WHERE, params![])?;
    if found.is_none() {
        // In a schema that all teams of the database can use.
        let made =
            transaction.tried("CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public")?;
        if let Err(reason) = made {
            return Ok(Err(reason));
        }
        found = transaction.query_opt(WHERE, params![])?;
    }
    let Some(row) = found else {
        return Ok(Err("pg_trgm is in a schema that may not be used".to_owned()));
    };
    let operators: String = get(&row, 0)?;
    transaction.tried(&TEXT_INDEX.replace("{operators}", &operators))
}

/// A name as it stands in SQL.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
