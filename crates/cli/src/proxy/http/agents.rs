//! HTTP agents, one for each message under way: shutting one down ends its connection and no other.

use std::sync::{Mutex, PoisonError};

use ureq::Agent;
use ureq::config::Config;

/// How many idle agents are kept, each with its open connection.
const MAX_IDLE: usize = 8;

pub(super) struct Agents {
    config: Config,
    idle: Mutex<Vec<Agent>>,
}

impl Agents {
    pub(super) fn new(config: Config) -> Self {
        Self {
            config,
            idle: Mutex::default(),
        }
    }

    /// An agent that nobody else uses.
    pub(super) fn take(&self) -> Agent {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop().unwrap_or_else(|| self.config.new_agent())
    }

    /// Takes an agent back.
    pub(super) fn give(&self, agent: Agent) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(agent);
        }
    }
}
