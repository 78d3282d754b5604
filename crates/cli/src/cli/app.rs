//! What a command works with: settings, the open store, the session.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use super::env;
use super::env::Directories;
use super::i18n::{in_one_line, text, translated};
use super::{Global, i18n, settings, ui};
use scratchpad::model::error::{Error, Result};
use scratchpad::model::host;
use scratchpad::model::id::{ProjectId, SessionId};
use scratchpad::model::settings::auto::Name;
use scratchpad::model::settings::layers::Origins;
use scratchpad::model::settings::outputs_url::OutputsUrl;
use scratchpad::model::settings::store_url::StoreUrl;
use scratchpad::model::settings::{Settings, StoreSettings};
use scratchpad::model::text::message::message;
use scratchpad::project::Project;
use scratchpad::store::postgres;
use scratchpad::store::postgres::content::objects;
use scratchpad::store::postgres::{Postgres, Timeout};
use scratchpad::store::session_log::SessionLogFile;
use scratchpad::store::sqlite::{FILE_NAME, Sqlite};
use scratchpad::store::{Store, WithTimeout as _};
use scratchpad::{CallFacts, Purpose, Scratchpad, SessionFinder};

use super::arrival::{Arriving, arriving};

/// Directories, project and settings.
pub(super) struct App {
    pub(super) directories: Directories,
    pub(super) project: Project,
    project_is_forced: bool,
    pub(super) settings: Settings,
    pub(super) origins: Origins,
    /// Settings that could not be read, and are ignored.
    pub(super) problems: Vec<Error>,
    pub(super) arriving: Arriving,
}

/// The directory of what hooks saw, in the data directory.
pub(in crate::cli) const FACTS: &str = "facts";

/// Where the store is.
enum Place {
    File(PathBuf),
    Server(Box<postgres::Settings>),
}

impl App {
    /// Warns of settings that are ignored.
    pub(super) fn find(global: &Global) -> Result<Self> {
        let app = Self::find_silently(global)?;
        warn_of_settings(&app.problems);
        Ok(app)
    }

    /// Like [`App::find`], for commands that show what is ignored themselves.
    pub(super) fn find_silently(global: &Global) -> Result<Self> {
        let directories = env::directories()?;
        let project = env::project(global)?;
        let loaded = settings::load(&directories, &project, global)?;
        i18n::remember_setting(&loaded.settings);
        Ok(Self {
            directories,
            project,
            project_is_forced: global.project_dir.is_some(),
            settings: loaded.settings,
            origins: loaded.origins,
            problems: loaded.problems,
            arriving: Arriving::Aloud,
        })
    }

    /// Like [`App::find_silently`], for `doctor`, which goes on when nothing else can: with the defaults, and with the
    /// errors that stop every other command.
    pub(super) fn find_despite(global: &Global) -> Result<(Self, Vec<Error>)> {
        let directories = env::directories()?;
        let mut fatal = Vec::new();
        let project = env::project(global).unwrap_or_else(|error| {
            fatal.push(error);
            Project::rooted(Path::new("."))
        });
        let loaded = settings::load(&directories, &project, global).unwrap_or_else(|error| {
            fatal.push(error);
            settings::Loaded::default()
        });
        i18n::remember_setting(&loaded.settings);
        let app = Self {
            directories,
            project,
            project_is_forced: global.project_dir.is_some(),
            settings: loaded.settings,
            origins: loaded.origins,
            problems: loaded.problems,
            arriving: Arriving::Aloud,
        };
        Ok((app, fatal))
    }

    /// The author recorded with each write.
    pub(super) fn author(&self) -> String {
        let named = self.settings.author.chosen();
        named.map_or_else(env::author, Name::to_string)
    }

    /// A project's id in the configured store.
    pub(super) fn id_of(&self, project: &Project) -> ProjectId {
        if let Some(name) = self.settings.project.id.chosen() {
            return ProjectId::new(name.as_str());
        }
        match &self.settings.store.url {
            StoreUrl::Embedded | StoreUrl::EmbeddedAt(_) => project.id(),
            StoreUrl::Postgres(_) => Self::shared_id(project),
        }
    }

    /// The project's id in a shared store.
    pub(super) fn shared_id(project: &Project) -> ProjectId {
        project.shared_id(&env::machine())
    }

    /// The database file; `None` for a server.
    pub(super) fn file_of(&self, url: &StoreUrl) -> Option<PathBuf> {
        match url {
            StoreUrl::Embedded => Some(self.directories.data.join(FILE_NAME)),
            StoreUrl::EmbeddedAt(path) => Some(path.clone()),
            StoreUrl::Postgres(_) => None,
        }
    }

    /// Opens a store.
    pub(super) fn open(&self, url: StoreUrl) -> Result<Arc<dyn Store>> {
        self.opener(
            url,
            Timeout::Each(self.settings.store.busy_timeout()),
            Sqlite::open,
        )()
    }

    /// Returns a function that opens the store; `open` is how it opens a file.
    fn opener(
        &self,
        url: StoreUrl,
        timeout: Timeout,
        open: fn(&Path, Duration) -> Result<Sqlite>,
    ) -> impl Fn() -> Result<Arc<dyn Store>> + use<> {
        let StoreSettings {
            outputs, search, ..
        } = self.settings.store.clone();
        let place = match (self.file_of(&url), url) {
            (_, StoreUrl::Postgres(url)) => Place::Server(Box::new(postgres::Settings {
                url,
                timeout,
                author: self.author(),
                machine: env::machine(),
                staging: self.directories.data.join("outputs"),
            })),
            (path, _) => Place::File(path.unwrap_or_default()),
        };
        move || -> Result<Arc<dyn Store>> {
            Ok(match &place {
                Place::File(path) => {
                    let began = Instant::now();
                    let store = open(path, timeout.of_each())?.with_search(search);
                    match timeout {
                        Timeout::All(_) => store.since(began).unwrap_or_else(|| Arc::new(store)),
                        Timeout::Each(_) => Arc::new(store),
                    }
                }
                Place::Server(settings) => {
                    let mut settings = postgres::Settings::clone(settings);
                    if !settings.url.has_password() {
                        let (passwords, refused) = env::passwords();
                        settings.url.passwords = passwords;
                        if let (Some(path), Timeout::Each(_)) = (refused, timeout) {
                            warn_of_passwords_in(&path);
                        }
                    }
                    let store = Postgres::open(settings)?;
                    // A hook prints nothing but its answer.
                    if let (Some(remark), Timeout::Each(_)) = (store.remark(), timeout) {
                        ui::warn(&translated(&remark));
                    }
                    let variables = env::variables(objects::VARIABLES);
                    Arc::new(store.with_outputs(outputs.clone(), variables))
                }
            })
        }
    }

    /// The URL of the configured store.
    fn store_url(&self) -> Result<StoreUrl> {
        let StoreSettings { url, outputs, .. } = &self.settings.store;
        if self.file_of(url).is_some() && *outputs != OutputsUrl::Database {
            return Err(Error::usage(
                "`store.outputs` is set, but `store.url` names an embedded store, which keeps outputs in files next to it.",
            )
            .hint("remove `store.outputs` from your settings, or point `store.url` at a PostgreSQL server."));
        }
        Ok(url.clone())
    }

    /// Deletes on a background thread what is no longer to be kept, as every server does at startup: sessions and notes whose
    /// time is up, and outputs.
    pub(super) fn prune_in_background(&self, scratchpad: &Scratchpad) {
        // A store that does not exist yet has nothing to prune.
        let is_there = self
            .store_url()
            .is_ok_and(|url| self.file_of(&url).is_none_or(|path| path.exists()));
        if is_there {
            let scratchpad = scratchpad.clone();
            std::thread::spawn(move || {
                if let Err(error) = scratchpad.expire() {
                    tracing::warn!("sessions and notes were not deleted: {error}");
                }
                if let Err(error) = scratchpad.prune_outputs() {
                    tracing::warn!("outputs were not pruned: {error}");
                }
            });
        }
    }

    /// Like [`App::find`], but without a command line: uses the project that contains `directory`, or else the working
    /// directory.
    pub(super) fn around(directory: Option<&Path>) -> Result<Self> {
        let directories = env::directories()?;
        let directory = directory
            .filter(|path| path.is_dir())
            .unwrap_or(Path::new("."));
        let project = env::project_around(directory)?;
        let loaded = settings::load(&directories, &project, &Global::default())?;
        Ok(Self {
            directories,
            project,
            project_is_forced: false,
            settings: loaded.settings,
            origins: loaded.origins,
            problems: loaded.problems,
            arriving: Arriving::Never,
        })
    }

    /// The configured store, opened on first use.
    pub(super) fn scratchpad(&self) -> Result<Scratchpad> {
        let timeout = Timeout::Each(self.settings.store.busy_timeout());
        Ok(self.scratchpad_on(self.opener(self.store_url()?, timeout, Sqlite::open)))
    }

    /// Like [`App::scratchpad`], for short commands, which must work on a full disk too.
    pub(super) fn scratchpad_for_a_moment(&self) -> Result<Scratchpad> {
        self.scratchpad_within(Timeout::Each(self.settings.store.busy_timeout()))
    }

    /// Like [`App::scratchpad_for_a_moment`], with this timeout.
    pub(super) fn scratchpad_within(&self, timeout: Timeout) -> Result<Scratchpad> {
        Ok(self.scratchpad_on(self.opener(self.store_url()?, timeout, Sqlite::open_in_need)))
    }

    fn scratchpad_on(
        &self,
        opener: impl Fn() -> Result<Arc<dyn Store>> + Send + Sync + 'static,
    ) -> Scratchpad {
        let project = self.id_of(&self.project);
        let scratchpad = Scratchpad::on(arriving(self, &project, opener));
        let scratchpad = if self.project_is_forced {
            scratchpad.forced_into_project(project)
        } else {
            scratchpad.in_project(project)
        };
        let scratchpad = match env::this_program() {
            Ok(program) => scratchpad.with_program(program),
            Err(_) => scratchpad,
        };
        let outputs = &self.settings.outputs;
        let scratchpad = scratchpad
            .with_root(&self.project.root)
            .with_author(self.author())
            .seen_in(host::around(|name| env::variable(name).is_some()))
            .with_limits(self.settings.pad.limits.clone())
            .with_note_limits(self.settings.notes.limits.clone())
            .with_outputs(outputs.offload.clone(), outputs.limits)
            .with_passing(outputs.passing.clone())
            .with_nudges(self.settings.hooks.nudges.clone())
            .with_retention(self.settings.retention)
            .with_secrets(self.settings.secrets.clone(), || env::variables(""));
        let scratchpad = scratchpad.with_facts_in(self.directories.data.join(FACTS));
        let scratchpad = if self.settings.notes.digest {
            scratchpad
        } else {
            scratchpad.without_digests()
        };
        let off = self.settings.switched_off();
        off.into_iter().fold(scratchpad, Scratchpad::without)
    }
}

/// The open store and the session that a command works on.
pub(super) struct OpenSession {
    pub(super) scratchpad: Scratchpad,
    /// The session that was named, if any. A failed lookup is kept, so that only commands that need the session fail.
    named: Result<Option<SessionId>>,
    /// Whether a person named it, who may have shortened its id.
    is_typed: bool,
    /// The id of a session that the first write creates.
    new: OnceCell<SessionId>,
}

impl OpenSession {
    /// Opens the store, or the session log if one is given, and finds the session.
    pub(super) fn open(
        global: &Global,
        journal: Option<&Path>,
        argument: Option<SessionId>,
    ) -> Result<Self> {
        let app = App::find(global)?;
        if let Some(path) = journal {
            if global.session.is_some() {
                return Err(Error::usage(
                    "--journal and --session can't be used together: the journal is the session.",
                ));
            }
            let journal = SessionLogFile::new(path, app.settings.store.busy_timeout())?;
            let (scratchpad, session) = app.scratchpad_for_a_moment()?.with_journal(journal)?;
            return Ok(Self {
                scratchpad,
                named: Ok(Some(session)),
                is_typed: false,
                new: OnceCell::new(),
            });
        }
        Self::on(app.scratchpad_for_a_moment()?, global, argument)
    }

    /// Like [`OpenSession::open`], for commands that may run for a long time.
    pub(super) fn open_to_stay(global: &Global) -> Result<Self> {
        let app = App::find(global)?;
        Self::on(app.scratchpad()?, global, None)
    }

    fn on(scratchpad: Scratchpad, global: &Global, argument: Option<SessionId>) -> Result<Self> {
        let finder = SessionFinder::new(global.session.clone(), env::variable)?;
        let call = CallFacts {
            argument,
            ..CallFacts::default()
        };
        let named = scratchpad.session_of(&finder, call);
        Ok(Self {
            scratchpad,
            named,
            is_typed: global.session.is_some(),
            new: OnceCell::new(),
        })
    }

    /// The session that an option, the environment or the host names; none if a person just calls a command.
    pub(super) fn named_session(&self) -> Result<Option<SessionId>> {
        self.meant(Purpose::Read)
    }

    /// Whether anything names the session.
    pub(super) fn is_session_named(&self) -> Result<bool> {
        Ok(self.named.clone()?.is_some())
    }

    /// The session that was named, by its whole id or the beginning of it.
    fn meant(&self, purpose: Purpose) -> Result<Option<SessionId>> {
        let Some(given) = self.named.clone()? else {
            return Ok(None);
        };
        if !self.is_typed {
            return Ok(Some(given));
        }
        let meant = self.scratchpad.meant_session(&given, purpose)?;
        if meant != given {
            ui::remark(&text!("session-meant", id = meant.as_str()));
        }
        Ok(Some(meant))
    }

    /// The session to read, if there is one. Unless its id was typed, says on stderr which one it is.
    pub(super) fn session(&self) -> Result<Option<SessionId>> {
        self.session_for(Purpose::Read)
    }

    /// Like [`OpenSession::session`], for a program that gives the whole id and waits for each query.
    pub(super) fn session_as_given(&self) -> Result<Option<SessionId>> {
        match self.named.clone()? {
            Some(id) => Ok(Some(id)),
            None => self.session(),
        }
    }

    fn session_for(&self, purpose: Purpose) -> Result<Option<SessionId>> {
        if let Some(id) = self.meant(purpose)? {
            return Ok(Some(id));
        }
        let newest = self.scratchpad.newest_session()?;
        if let Some(id) = &newest {
            ui::remark(&text!("session-newest", id = id.as_str()));
        }
        Ok(newest)
    }

    /// The session to write to, without a remark on stderr: for commands whose terminal output is not ours.
    pub(super) fn session_quietly(&self) -> Result<SessionId> {
        let known = match self.named.clone()? {
            Some(id) => Some(id),
            None => self.scratchpad.newest_session()?,
        };
        Ok(known.unwrap_or_else(|| self.scratchpad.new_session_id()))
    }

    /// The session to read, without a remark on stderr.
    pub(super) fn session_unsaid(&self) -> Result<SessionId> {
        match (self.named.clone()?, self.is_typed) {
            (Some(given), true) => self.scratchpad.meant_session(&given, Purpose::Read),
            _ => self.session_quietly(),
        }
    }

    /// The session to read from; if there is none yet, a new id that is never stored.
    pub(super) fn session_to_look(&self) -> Result<SessionId> {
        Ok(self
            .session()?
            .unwrap_or_else(|| self.scratchpad.new_session_id()))
    }

    /// The session to read, or an error that says how to create one.
    pub(super) fn session_to_read(&self) -> Result<SessionId> {
        self.session()?.ok_or_else(|| {
            Error::not_found(message!(
                "No session in {project} yet.",
                project = self.scratchpad.project().to_string()
            ))
            .hint("start one with `scratchpad session set-notes TEXT`, or name one with --session ID.")
        })
    }

    /// The session to write to. If the project has none, a new id: the write creates the session, and then
    /// [`OpenSession::say_if_new`] says so.
    pub(super) fn session_to_write(&self) -> Result<SessionId> {
        if let Some(id) = self.session_for(Purpose::Write)? {
            return Ok(id);
        }
        Ok(self
            .new
            .get_or_init(|| self.scratchpad.new_session_id())
            .clone())
    }

    /// Says after a write which session it created, if it did.
    pub(super) fn say_if_new(&self) {
        if let Some(id) = self.new.get() {
            ui::remark(&text!("session-new", id = id.as_str()));
        }
    }

    /// The session whose notes are changed; if there is none yet, a new id that is never stored.
    pub(super) fn session_to_change(&self) -> Result<SessionId> {
        let known = self.session_for(Purpose::Write)?;
        Ok(known.unwrap_or_else(|| self.scratchpad.new_session_id()))
    }
}

/// Warns of settings that are ignored, once however often they are loaded.
fn warn_of_settings(problems: &[Error]) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        for problem in problems {
            ui::warn(&in_one_line(problem));
        }
    });
}

/// Warns that a password file was ignored, once however often the connection is retried.
fn warn_of_passwords_in(path: &Path) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        let file = path.display().to_string();
        ui::warn(&text!("terminal-open-passwords", file = file));
    });
}
