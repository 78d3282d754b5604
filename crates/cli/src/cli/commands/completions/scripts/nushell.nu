# Completions of scratchpad for Nushell. A completer that is there already goes on completing everything else.
let completer_before_scratchpad = $env.config.completions.external.completer?
$env.config.completions.external.completer = {|spans|
    if ($spans | first) == "scratchpad" {
        let found = (^scratchpad complete -- ...($spans | skip 1) | lines | split column "\t" value description)
        if ($found | is-empty) { null } else { $found }
    } else if $completer_before_scratchpad != null {
        do $completer_before_scratchpad $spans
    }
}
