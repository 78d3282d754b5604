# Meldungen von `scratchpad config`.
config-set = { $name } = { $value } in { $file }
config-path-user = Ihre Einstellungen
config-path-project = Einstellungen des Projekts
config-path-data = Daten
config-column-setting = EINSTELLUNG
config-column-value = WERT
config-column-origin = HERKUNFT
config-column-what = WAS
config-column-where = WO
config-origin-default = Vorgabe
