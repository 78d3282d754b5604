# Wo ein Projekt beginnt.
project-former = { $project } ist ein eigenes Projekt; was dort gespeichert ist, gilt hier nicht mehr: `scratchpad --project-dir { $project } { $command }` zeigt es.
