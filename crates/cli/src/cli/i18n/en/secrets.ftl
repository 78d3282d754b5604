# Messages of `scratchpad secrets`.
secrets-none = Nothing that is stored contains a secret.
secrets-marks = In their places: { $marks }
secrets-question = Replace the secrets on these pads and in these notes? This can't be undone.
secrets-masked = Replaced on pads and in notes.
