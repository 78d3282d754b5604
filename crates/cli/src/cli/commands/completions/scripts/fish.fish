# Completions of scratchpad for fish.
function __scratchpad_complete
    set -l words (commandline -opc)
    set -l found (scratchpad complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c scratchpad -f -k -a '(__scratchpad_complete)'
