# Meldungen von `scratchpad profile`.
profile-used = Verwendetes Profil: { $name }
profile-missing-pack = Das Profil { $name } benötigt das Paket { $pack }, das es nicht gibt.
profile-source-built-in = eingebaut
profile-source-user = eigenes
profile-source-project = Projekt
profile-column-profile = PROFIL
profile-column-name = NAME
profile-column-source = HERKUNFT
profile-column-packs = PAKETE
profile-column-pack = PAKET
profile-column-weight = GEWICHT
profile-column-bytes = BYTES
