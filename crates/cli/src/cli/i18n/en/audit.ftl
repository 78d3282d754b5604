# What `scratchpad audit` shows.
audit-nothing = No transcripts found: no host that keeps them is here, or none changed within this time.
audit-host = { $host }: { $files ->
    [1] 1 file
   *[other] { $files } files
}
audit-damaged = Skipped: { $lines } lines that can't be read (half-written or too long), { $files } files as a whole.
audit-requests = { $requests } requests: { $input } tokens sent and { $output } written, as the hosts count them; { $compactions } compactions.
audit-results = results of tools
audit-said = what the model wrote
audit-listed = tools in the list
audit-added = prompts, instructions, hooks
audit-rest = not in the transcripts
audit-column-window = IN THE WINDOW, EACH TIME IT WAS SENT
audit-column-tool = TOOL
audit-column-calls = CALLS
audit-column-tokens = TOKENS
audit-column-share = SHARE
audit-column-large = LARGE
audit-column-cut = CUT
audit-column-lost = BYTES LOST
audit-column-repeated = REPEATED
audit-more = and { $count } more: --json
audit-no-large = No result was above the threshold: outputs would have saved nothing, and their list costs some.
audit-range = { $large ->
    [one] If the one result above 4,096 bytes had become an output, of all that was sent this would have been saved:
   *[other] If the { $large } results above 4,096 bytes had become outputs, of all that was sent this would have been saved:
}
audit-least = if everything is read again
audit-used = if what turned up later in the model's own words and calls is read again
audit-most = if nothing is read again
audit-no-claim = No one knows what an agent would have read again; fewer turns, better answers and money are not claimed.
audit-models = Tokens of a model for one that is estimated here:
audit-model = { $model }: { $factor } ± { $spread } ({ $samples } samples)
audit-model-unknown = { $model }: too little to tell ({ $requests } requests)
audit-server = Put { $server } behind the proxy: { $large ->
    [one] one large result
   *[other] { $large } large results
}, { $tokens } tokens if what was used is read again. scratchpad proxy --wrap FILE
audit-exempt = Of these tools nearly everything was used; exempt them:
