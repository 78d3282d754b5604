# Messages of `scratchpad profile`.
profile-used = Profile in use: { $name }
profile-missing-pack = The profile { $name } needs the pack { $pack }, which does not exist.
profile-source-built-in = built in
profile-source-user = yours
profile-source-project = project
profile-column-profile = PROFILE
profile-column-name = NAME
profile-column-source = FROM
profile-column-packs = PACKS
profile-column-pack = PACK
profile-column-weight = WEIGHT
profile-column-bytes = BYTES
