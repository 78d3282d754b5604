//! `serve`: the page on which a person sees what agents remember.

mod browser;
mod surroundings;

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::cli::app::App;
use crate::cli::i18n::text;
use crate::cli::log;
use crate::cli::log::LogLevel;
use crate::cli::{Done, Global, ui};
use crate::web::{Links, Page};
use scratchpad::model::error::Result;
use scratchpad::scratchpad::system_time;
use surroundings::Program;

/// The directory of login links in the data directory.
const LINKS: &str = "logins";
/// How long a server that is there may take to accept a connection.
const A_MOMENT: Duration = Duration::from_millis(500);

#[derive(Args)]
#[command(after_help = "\
Examples:
  scratchpad serve --open
  scratchpad serve --listen 127.0.0.1:9000

It prints a link that logs one browser in, once and within two minutes. Where a server is running already, \
`scratchpad serve --open` gets a new link for it. From another machine: ssh -L 8765:127.0.0.1:8765 HOST.")]
pub(in crate::cli) struct ServeArgs {
    /// The loopback address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8765")]
    listen: SocketAddr,
    /// Open the page in your browser
    #[arg(long)]
    open: bool,
    /// What to log to stderr
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "error")]
    log: LogLevel,
}

pub(in crate::cli) fn run(args: &ServeArgs, global: &Global) -> Result<Done> {
    let _log = log::start(args.log);
    let app = App::find(global)?;
    let links = app.directories.data.join(LINKS);
    if args.open && is_answering(args.listen) {
        ui::remark(&text!("page-already"));
        let link = Links::in_directory(links, args.listen).make(system_time())?;
        return show(&link, true).map(|()| Done::Well);
    }
    let scratchpad = app.scratchpad()?;
    app.prune_in_background(&scratchpad);
    let open = args.open;
    Page {
        surroundings: Arc::new(Program::new(app, scratchpad.clone())),
        scratchpad,
        address: args.listen,
        links: links.clone(),
    }
    .serve(|address| {
        let url = format!("http://{address}/");
        ui::remark(&text!("page-listening", url = url));
        let link = Links::in_directory(links, address).make(system_time())?;
        show(&link, open)
    })?;
    Ok(Done::Well)
}

/// Whether somebody is listening there.
fn is_answering(address: SocketAddr) -> bool {
    address.port() != 0 && TcpStream::connect_timeout(&address, A_MOMENT).is_ok()
}

fn show(link: &str, open: bool) -> Result<()> {
    ui::print(&(text!("page-login-link", link = link) + "\n"))?;
    if open && !browser::open(link) {
        ui::remark(&text!("page-no-browser"));
    }
    Ok(())
}
