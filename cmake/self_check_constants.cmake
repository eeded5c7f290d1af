# Today's constants of the models for the self check, which reads no files: {"name", value}, a line for each row of
# data/*_constants.csv, in self_check/*_constants.inc of the build folder.
foreach(model training generation practice)
  set(table ${PROJECT_SOURCE_DIR}/data/${model}_constants.csv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} text)
  string(REGEX MATCHALL "\n[a-z0-9_]+,[-+.0-9e]+," rows "${text}")
  list(TRANSFORM rows REPLACE "\n([a-z0-9_]+),([-+.0-9e]+)," "{\"\\1\", \\2},")
  list(JOIN rows "\n" rows)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/self_check/${model}_constants.inc CONTENT "${rows}\n" @ONLY)
endforeach()
