//! The command line: one file per command.
//!
//! Only here are environment, terminal and configuration read, and only here is anything printed.

mod app;
mod arrival;
mod capture;
mod commands;
mod editor;
mod env;
mod follow;
mod former;
mod i18n;
mod log;
mod settings;
mod ui;
mod usage;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use commands::{
    call, completions, config, context, guidance, help, hook, inject, install, man, mcp, note,
    output, probe, profile, project, prompt, proxy, run, search, serve, session, status,
    statusline, store,
};

use scratchpad::child::survive_file_size_limit;
use scratchpad::model::error::{ErrorKind, Result};
use scratchpad::model::settings::language::Language;

/// Working memory for AI coding agents that outlives the context window.
#[derive(Parser)]
#[command(
    name = "scratchpad",
    version,
    propagate_version = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  scratchpad session set-notes \"API is at /v2; tests need a database\"
  scratchpad session refs add src/auth.rs:120
  scratchpad note search vpn
  echo \"Go on with the login form.\" | scratchpad prompt
  scratchpad call session_scratchpad '{\"action\":\"get\"}'

Everything is kept in your data directory: `scratchpad config path` shows where."
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// The program called without a command.
#[derive(Parser)]
#[command(disable_help_flag = true)]
struct Bare {
    #[command(flatten)]
    global: Global,
}

/// Options that every command takes.
#[derive(Args, Default)]
struct Global {
    /// The session to work on [default: the one the host announces, else the project's newest]
    #[arg(long, global = true, display_order = 900, value_name = "ID")]
    session: Option<String>,
    /// The project's root [default: found from the working directory]
    #[arg(long, global = true, display_order = 901, value_name = "DIR")]
    project_dir: Option<PathBuf>,
    /// Override a setting for this call, e.g. `pad.notes_max_chars=8000`
    #[arg(long, global = true, display_order = 902, value_name = "KEY=VALUE")]
    config: Vec<String>,
    /// Print JSON
    #[arg(long, global = true, display_order = 903)]
    json: bool,
    // `i18n::spoken` reads this before the command line is parsed; here it is validated and documented.
    /// The language of messages and help: en, de [default: from the settings or LANG]
    #[arg(long, global = true, display_order = 904, value_name = "LANG", value_parser = Language::named)]
    lang: Option<Language>,
}

// A command's own options are built only when it is called: a process pays for one command, not for all. The
// summaries are here because the list of commands shows them.
#[derive(Subcommand)]
#[command(defer = true)]
enum Command {
    /// Show what is going on here, on one screen
    Status(status::StatusArgs),
    /// A session's pad: notes, plan and refs, with every past revision
    Session(session::SessionArgs),
    /// Notes: tagged, searchable, kept with the session or its project
    Note(note::NoteArgs),
    /// Find a text in pads, notes and outputs at once
    Search(search::SearchArgs),
    /// Context notes: what you want every agent in this project to know
    Context(context::ContextArgs),
    /// Write context notes and working rules into the instruction files of agent hosts
    Inject(inject::InjectArgs),
    /// Profiles: which packs of working rules are written
    Profile(profile::ProfileArgs),
    /// Projects: which there are, and what they are called
    Project(project::ProjectArgs),
    /// Read the user's text from stdin and print the message for the agent: pad, then text
    Prompt(prompt::PromptArgs),
    /// Run a tool as an agent would, and print its reply
    Call(call::CallArgs),
    /// Outputs: large texts, kept whole, read in parts
    Output(output::OutputArgs),
    /// Serve the tools to an agent host, over stdin and stdout or over HTTP
    Mcp(mcp::McpArgs),
    /// Serve the page on which you see what your agents remember
    Serve(serve::ServeArgs),
    /// Run in front of an MCP server and keep its large results out of the context window
    Proxy(proxy::ProxyArgs),
    /// Run a command; a large output is kept, and a reference is printed instead
    Run(run::RunArgs),
    /// Answer an agent host's event from stdin; called by hosts
    Hook(hook::HookArgs),
    /// Find the agent hosts here, set them up, and prove that they work
    Setup(install::SetupArgs),
    /// Set up agent hosts: the MCP server and the hooks, in the host's own files
    Install(install::InstallArgs),
    /// Undo what `install` wrote
    Uninstall(install::UninstallArgs),
    /// Show which hosts are set up, and what is wrong
    Doctor(install::DoctorArgs),
    /// Print one short line for the status line of a host
    Statusline(statusline::StatuslineArgs),
    /// Write a plugin for Claude Code, Codex, Copilot CLI and Gemini CLI
    Plugin(install::PluginArgs),
    /// Print instructions on these tools for the system prompt of an agent
    Guidance(guidance::GuidanceArgs),
    /// The store: copy or back up everything
    Store(store::StoreArgs),
    /// Settings: what they are, where each comes from, how to change one
    Config(config::ConfigArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
    /// Show the help of a command
    Help(help::HelpArgs),
    /// Write man pages into a directory
    Man(man::ManArgs),
    /// Print the words that fit on a command line, for completions
    #[command(hide = true)]
    Complete(completions::CompleteArgs),
    /// Run a search or an expression over stdin
    #[command(hide = true)]
    Probe(probe::ProbeArgs),
}

/// How a command ended. A tool's error reply is printed, not returned as an error.
enum Done {
    Well,
    WithErrorReply,
    /// It ran another program and exits with its code.
    WithCode(u8),
}

/// Runs the program: 0 for success, 1 for a failure, 2 for wrong usage.
pub fn run() -> ExitCode {
    survive_file_size_limit();
    // A host waits for hooks at every prompt, so they skip the setup that other commands need.
    if let Some(answered) = hook::run_early() {
        return answered;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(bare) = on_terminal() {
                ui::set_json(bare.global.json);
                return ended(status::run(&status::StatusArgs::default(), &bare.global));
            }
            let words: Vec<OsString> = std::env::args_os().collect();
            return ExitCode::from(ui::clap_answer(&usage::answer(&words).unwrap_or(error)));
        }
    };
    ui::set_json(cli.global.json);
    ended(dispatch(cli))
}

/// The command line without a command, if there is a person to read what it then shows.
fn on_terminal() -> Option<Bare> {
    let is_seen = std::io::stdout().is_terminal();
    is_seen.then(|| Bare::try_parse().ok()).flatten()
}

/// The exit code, after the error if there is one.
fn ended(done: Result<Done>) -> ExitCode {
    match done {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::WithErrorReply) => ExitCode::FAILURE,
        Ok(Done::WithCode(code)) => ExitCode::from(code),
        Err(error) => {
            ui::print_error(&error);
            ExitCode::from(if error.kind() == ErrorKind::Usage {
                2
            } else {
                1
            })
        }
    }
}

fn dispatch(cli: Cli) -> Result<Done> {
    let global = &cli.global;
    match cli.command {
        Command::Status(args) => status::run(&args, global),
        Command::Session(args) => session::run(args, global),
        Command::Note(args) => note::run(args, global),
        Command::Search(args) => search::run(&args, global),
        Command::Context(args) => context::run(args, global),
        Command::Inject(args) => inject::run(&args, global),
        Command::Profile(args) => profile::run(&args, global),
        Command::Project(args) => project::run(&args, global),
        Command::Prompt(args) => prompt::run(&args, global),
        Command::Call(args) => call::run(&args, global),
        Command::Output(args) => output::run(args, global),
        Command::Mcp(args) => mcp::run(&args, global),
        Command::Serve(args) => serve::run(&args, global),
        Command::Proxy(args) => proxy::run(args, global),
        Command::Run(args) => run::run(&args, global),
        Command::Hook(_) => Ok(Done::Well),
        Command::Setup(args) => install::run_setup(&args, global),
        Command::Install(args) => install::run(&args, global),
        Command::Uninstall(args) => install::run_uninstall(&args, global),
        Command::Doctor(args) => install::run_doctor(&args, global),
        Command::Statusline(args) => statusline::run(&args, global),
        Command::Plugin(args) => install::run_plugin(&args, global),
        Command::Guidance(args) => guidance::run(&args, global),
        Command::Store(args) => store::run(&args, global),
        Command::Config(args) => config::run(args, global),
        Command::Completions(args) => completions::run(&args),
        Command::Help(args) => help::run(&args),
        Command::Man(args) => man::run(&args, global),
        Command::Complete(args) => completions::complete(&args),
        Command::Probe(args) => probe::run(&args),
    }
}
