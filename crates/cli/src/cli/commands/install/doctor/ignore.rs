//! Hosts that the person does not want to hear of: the setting `doctor.ignore`.

use super::Finding;
use crate::cli::app::App;
use crate::cli::commands::config;
use crate::cli::i18n::text;
use crate::cli::{Done, Global, ui};
use scratchpad::model::error::Result;
use scratchpad::model::host;
use scratchpad::model::host::Host;
use scratchpad::model::settings::layers::Known;
use serde_json::json;

/// Whether this host is to be left out.
pub(super) fn is_ignored(host: &Host, app: &App) -> bool {
    app.settings
        .doctor
        .ignore
        .iter()
        .any(|name| name == host.name)
}

/// Those that are not left out.
pub(in super::super) fn not_ignored(hosts: Vec<&'static Host>, app: &App) -> Vec<&'static Host> {
    let hosts = hosts.into_iter();
    hosts.filter(|host| !is_ignored(host, app)).collect()
}

/// What `doctor` says instead of checking it.
pub(super) fn ignored(host: &Host) -> Finding {
    Finding::note(host.title, text!("doctor-ignored", host = host.name))
}

/// Adds hosts to those that are ignored, and takes others out, in the person's settings.
pub(super) fn change(ignore: &[String], check: &[String], global: &Global) -> Result<Done> {
    let found = |names: &[String]| -> Result<Vec<&'static Host>> {
        names.iter().map(|name| host::installable(name)).collect()
    };
    let (ignore, check) = (found(ignore)?, found(check)?);
    let app = App::find(global)?;
    let mut names = app.settings.doctor.ignore.clone();
    names.retain(|name| check.iter().all(|host| host.name != name));
    for host in &ignore {
        if !names.iter().any(|name| name == host.name) {
            names.push(host.name.to_owned());
        }
    }
    let setting = Known::named("doctor.ignore")?.read(&names.join(";"))?;
    let file = config::written(&setting, false, global)?;
    if global.json {
        ui::print_json(&json!({"ignored": names, "file": file.display().to_string()}))?;
        return Ok(Done::Well);
    }
    for host in ignore {
        let words = text!("doctor-ignored-now", title = host.title, host = host.name);
        ui::print(&format!("{words}\n"))?;
    }
    for host in check {
        let words = text!("doctor-checked-now", title = host.title);
        ui::print(&format!("{words}\n"))?;
    }
    Ok(Done::Well)
}
