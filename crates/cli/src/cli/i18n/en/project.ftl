# Where a project begins.
project-former = { $project } is a project of its own, and what was kept there no longer applies here: `scratchpad --project-dir { $project } { $command }` shows it.
