# What `cmake --install` puts where, and the package that other projects find: find_package(geckoprof CONFIG), pkg-config.
#
#   bin/geckoprof, libexec/geckoprof      lib/libbaseprofiler.so.0, lib/libgeckoprofiler.so.0     share/man/man1
#   include/baseprofiler, geckoprofiler   lib/libbaseprofiler.so, .a, lib/libgeckoprofiler.so     share/doc/geckoprof
#                                         lib/libgeckoprofiler_hooks.so                 share/geckoprof/rust
#                                         lib/cmake/geckoprof, lib/pkgconfig
#   share/bash-completion/completions     share/zsh/site-functions                      share/fish/vendor_completions.d
#
# Components: runtime, development, tools. The tree may be moved as a whole after it was installed.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A library of ours as the package shows it: geckoprof::NAME, in this build too.
#
# Their ABI grows and never changes (base_profiler_abi.h, handover_table.h), so the SONAME is one for all releases: a preloaded base
# of another release has to satisfy a program's DT_NEEDED, or there would be two in the process.
function(_geckoprof_packaged target name include_folder)  # and further ones
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${include_folder};${ARGN}>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  endif()
  if(NOT TARGET geckoprof::${name})
    add_library(geckoprof::${name} ALIAS ${target})
  endif()
  install(TARGETS ${target} EXPORT geckoprofTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endfunction()

# The command looks for the libraries that it preloads in ../lib and ../lib/geckoprof.
function(_geckoprof_link_for_command name)
  if(CMAKE_INSTALL_LIBDIR STREQUAL lib)
    return()
  endif()
  file(RELATIVE_PATH library /lib/geckoprof /${CMAKE_INSTALL_LIBDIR}/${name}.so.0)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/link)
  file(CREATE_LINK ${library} ${CMAKE_CURRENT_BINARY_DIR}/link/${name}.so SYMBOLIC)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/link/${name}.so DESTINATION lib/geckoprof COMPONENT runtime)
endfunction()

# Base and its archive; everything else is looked for when the whole tree has been read, so nothing else needs a rule of its own.
function(geckoprof_install_base)
  set(folder ${PROJECT_SOURCE_DIR}/baseprofiler)
  _geckoprof_packaged(baseprofiler base ${folder}/include ${folder}/arch/${GECKOPROF_ARCH})
  _geckoprof_packaged(baseprofiler_static base_static ${folder}/include ${folder}/arch/${GECKOPROF_ARCH})
  install(DIRECTORY ${folder}/include/ ${folder}/arch/${GECKOPROF_ARCH}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  _geckoprof_install_common_headers(${folder}/include baseprofiler baseprofiler_static)
  _geckoprof_link_for_command(libbaseprofiler)
  cmake_language(DEFER DIRECTORY ${PROJECT_SOURCE_DIR} CALL geckoprof_install_rest)
endfunction()

# Headers of ours that headers of FOLDER include, and the ones that those include: paths below common/include.
function(_geckoprof_common_headers_of folder out)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*.h)
  set(found "")
  while(files)
    list(POP_FRONT files file)
    file(STRINGS ${file} lines REGEX "^#include \"geckoprof/")
    foreach(line ${lines})
      string(REGEX MATCH "\"(.*)\"" line "${line}")
      set(header ${CMAKE_MATCH_1})
      if(NOT header IN_LIST found AND EXISTS ${PROJECT_SOURCE_DIR}/common/include/${header})
        list(APPEND found ${header})
        list(APPEND files ${PROJECT_SOURCE_DIR}/common/include/${header})
      endif()
    endforeach()
  endwhile()
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# Headers of common that those of INCLUDE_FOLDER need, for the targets that have that folder.
function(_geckoprof_install_common_headers include_folder)  # and targets
  _geckoprof_common_headers_of(${include_folder} headers)
  foreach(header ${headers})
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/common/include/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT development)
  endforeach()
  if(headers)  # in this build they lie in common/, which is a folder of its own
    foreach(target ${ARGN})
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/common/include>")
    endforeach()
  endif()
endfunction()

function(_geckoprof_install_full)
  set(include_folder ${PROJECT_SOURCE_DIR}/geckoprofiler/include)
  _geckoprof_packaged(geckoprofiler full ${include_folder})
  set_target_properties(geckoprofiler PROPERTIES INSTALL_RPATH "$ORIGIN")  # base lies beside it, wherever that is
  install(DIRECTORY ${include_folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  _geckoprof_install_common_headers(${include_folder} geckoprofiler)
  _geckoprof_packaged(geckoprofiler_hooks hooks ${include_folder})
  set_target_properties(geckoprofiler_hooks PROPERTIES INSTALL_RPATH "$ORIGIN")
  _geckoprof_link_for_command(libgeckoprofiler_hooks)
endfunction()

# The scripts with which shells complete the command, where each looks for those of packages. The command prints them itself.
function(_geckoprof_install_completions)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "geckoprof: the command does not run here, so no shell completions")
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/completions)
  file(MAKE_DIRECTORY ${folder})
  set(scripts "")
  foreach(place bash:geckoprof:bash-completion/completions zsh:_geckoprof:zsh/site-functions
                fish:geckoprof.fish:fish/vendor_completions.d)
    string(REPLACE ":" ";" parts ${place})
    list(GET parts 0 shell)
    list(GET parts 1 name)
    list(GET parts 2 destination)
    add_custom_command(OUTPUT ${folder}/${name} COMMAND geckoprof completion ${shell} > ${folder}/${name} DEPENDS geckoprof VERBATIM)
    list(APPEND scripts ${folder}/${name})
    install(FILES ${folder}/${name} DESTINATION ${CMAKE_INSTALL_DATADIR}/${destination} COMPONENT tools)
  endforeach()
  add_custom_target(shell_completions ALL DEPENDS ${scripts})
endfunction()

function(_geckoprof_install_command)
  install(TARGETS geckoprof RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  if(TARGET geckoprof-view)  # looked for in ../libexec/geckoprof
    install(TARGETS geckoprof-view RUNTIME DESTINATION libexec/geckoprof COMPONENT tools)
  endif()
  _geckoprof_install_completions()
  find_program(GECKOPROF_AWK awk)
  if(NOT GECKOPROF_AWK)
    message(STATUS "geckoprof: no awk, so no man pages")
    return()
  endif()
  set(script ${PROJECT_SOURCE_DIR}/tools/cmake/man_page.awk)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1.md)
  set(pages "")
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WLE)
    set(page ${PROJECT_BINARY_DIR}/man/${name})
    add_custom_command(OUTPUT ${page} COMMAND ${GECKOPROF_AWK} -v version=${PROJECT_VERSION} -f ${script} ${source} > ${page}
                       DEPENDS ${source} ${script} VERBATIM)
    list(APPEND pages ${page})
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
  add_custom_target(man_pages ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endfunction()

# A pkg-config file whose prefix follows the file, so that the tree may be moved.
function(_geckoprof_pkg_config name)
  file(RELATIVE_PATH GECKOPROF_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" GECKOPROF_PREFIX_FROM_PC "${GECKOPROF_PREFIX_FROM_PC}")
  list(JOIN GECKOPROF_STATIC_LINK_OPTIONS " " GECKOPROF_STATIC_LINK_OPTIONS)
  configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()

function(geckoprof_install_rest)
  include(GNUInstallDirs)  # variables end with the folder that included their file, and this runs in another
  include(GeckoprofStaticArchive)
  _geckoprof_pkg_config(geckoprof-base)
  _geckoprof_pkg_config(geckoprof-base-static)
  if(TARGET geckoprofiler)
    _geckoprof_install_full()
    _geckoprof_pkg_config(geckoprof-full)
  endif()
  if(TARGET geckoprof)
    _geckoprof_install_command()
  endif()
  # The crate, for whoever depends on it by its path.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/geckoprofiler/rust/ DESTINATION ${CMAKE_INSTALL_DATADIR}/geckoprof/rust COMPONENT development
          PATTERN target EXCLUDE PATTERN .gitignore EXCLUDE)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/geckoprof)
  install(EXPORT geckoprofTargets NAMESPACE geckoprof:: DESTINATION ${folder} COMPONENT development)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/cmake/geckoprofConfig.cmake.in
    ${PROJECT_BINARY_DIR}/package/geckoprofConfig.cmake INSTALL_DESTINATION ${folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  set(compatible SameMajorVersion)
  if(PROJECT_VERSION_MAJOR EQUAL 0)  # anything may change with the minor version (semantic versioning 2.0.0, point 4)
    set(compatible SameMinorVersion)
  endif()
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/geckoprofConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY ${compatible})
  install(FILES ${PROJECT_BINARY_DIR}/package/geckoprofConfig.cmake ${PROJECT_BINARY_DIR}/package/geckoprofConfigVersion.cmake
    DESTINATION ${folder} COMPONENT development)
endfunction()
