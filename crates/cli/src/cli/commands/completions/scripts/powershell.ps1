# Completions of scratchpad for PowerShell.
Register-ArgumentCompleter -Native -CommandName scratchpad -ScriptBlock {
    param($word, $tree, $cursor)
    # An empty last word does not reach a program in every version, so it is an option.
    $before = @($tree.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
    scratchpad complete "--word=$word" -- @before | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
}
