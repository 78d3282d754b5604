# Meldungen von `scratchpad secrets`.
secrets-none = Nichts, was gespeichert ist, enthält ein Geheimnis.
secrets-marks = An ihrer Stelle: { $marks }
secrets-question = Die Geheimnisse auf diesen Pads und in diesen Notizen ersetzen? Das lässt sich nicht rückgängig machen.
secrets-masked = Auf Pads und in Notizen ersetzt.
