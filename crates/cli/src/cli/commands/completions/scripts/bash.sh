# Completions of scratchpad for bash.
_scratchpad() {
    local line values=()
    while IFS=$'\t' read -r line _; do
        values+=("$line")
    done < <(scratchpad complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    COMPREPLY=("${values[@]}")
}
complete -o default -o nosort -F _scratchpad scratchpad
