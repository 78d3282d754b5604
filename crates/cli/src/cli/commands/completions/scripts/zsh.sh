#compdef scratchpad
# Completions of scratchpad for zsh.
_scratchpad() {
    local line
    local -a values
    for line in ${(f)"$(scratchpad complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
        values+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( $#values )); then
        _describe -V scratchpad values
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == "_scratchpad" ]]; then
    _scratchpad "$@"
else
    compdef _scratchpad scratchpad
fi
