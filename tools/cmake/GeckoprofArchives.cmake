# The command's libraries: their archives where there are any, so that one build runs on systems with other versions of them, and
# starts without the dynamic linker's work for forty libraries.
option(GECKOPROF_LINK_ARCHIVES "Link the command with its libraries' archives where they are installed" ON)
find_package(absl REQUIRED)
# Older archives are made as C++14, and define variables that are inline in C++17.
if(NOT GECKOPROF_LINK_ARCHIVES OR absl_VERSION VERSION_LESS 20220623)
  return()
endif()

# Distributions describe Abseil's shared libraries alone, and install the archives beside them.
function(_geckoprof_take_archives_of_absl)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER targets INCLUDE REGEX "^absl::")
  foreach(target ${targets})
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    foreach(configuration ${configurations})
      get_target_property(library ${target} IMPORTED_LOCATION_${configuration})
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${library}")
      if(EXISTS "${archive}")
        set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} ${archive} IMPORTED_SONAME_${configuration} "")
      endif()
    endforeach()
  endforeach()
endfunction()
_geckoprof_take_archives_of_absl()
