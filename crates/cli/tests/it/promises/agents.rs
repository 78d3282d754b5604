//! What agents are told: tools, schemas, guidance, skills, and going on after a restart.
