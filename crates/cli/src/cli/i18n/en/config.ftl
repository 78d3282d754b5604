# Messages of `scratchpad config`.
config-set = { $name } = { $value } in { $file }
config-path-user = your settings
config-path-project = the project's settings
config-path-data = data
config-column-setting = SETTING
config-column-value = VALUE
config-column-origin = FROM
config-column-what = WHAT
config-column-where = WHERE
config-origin-default = default
