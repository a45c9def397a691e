# The kinds of targets, and the rule on who may depend on whom.
#
#   common_<area>  <-  baseprofiler  <-  geckoprofiler, geckoprofiler_hooks
#                                         tools read, through common, what the libraries write

# geckoprof_common_library(AREA SOURCES f.cc... [DEPENDS area...] [LINK lib...])
# One folder of common/: a static archive that also goes into libbaseprofiler.so, so it is compiled without exceptions,
# RTTI, lazy statics or anything of libstdc++ that is not in its headers.
function(geckoprof_common_library area)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  set(name geckoprof_common_${area})
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/common/include
                                       ${PROJECT_SOURCE_DIR}/common/arch/${GECKOPROF_ARCH}/include
                                       PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    geckoprof_restrict(${name})
    target_link_libraries(${name} PRIVATE geckoprof_warnings ${ARG_LINK})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/common/include
                                       ${PROJECT_SOURCE_DIR}/common/arch/${GECKOPROF_ARCH}/include)
    set(scope INTERFACE)
  endif()
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(${name} ${scope} geckoprof_common_${dependency})
  endforeach()
  set_property(TARGET ${name} PROPERTY GECKOPROF_LAYER common)
endfunction()

# What code that lives in the user's process is compiled with.
#  _GLIBCXX_EXTERN_TEMPLATE=0: std::string is instantiated here, not taken from libstdc++.so, which base must not need.
function(geckoprof_restrict name)
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -fno-threadsafe-statics>
    -fvisibility=hidden -fvisibility-inlines-hidden -fno-stack-protector -fno-plt -ffunction-sections -fdata-sections)
  target_compile_definitions(${name} PRIVATE _GLIBCXX_EXTERN_TEMPLATE=0)
endfunction()

# geckoprof_cold(f.cc...): sources of the calling folder that run once for a process, a thread, a module, a type or a profile, never for
# a sample or a marker. They are compiled for size: base has to stay below 384 KiB in every process that it is loaded into.
# What a sample, a marker, a stack's frame or a row of JSON passes through stays out of it, in the readers too: the tools link them.
function(geckoprof_cold)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-Os>)
endfunction()

# geckoprof_folder(LAYER FOLDER [SOURCES f.cc...] [COLD f.cc...] [USES folder...] [LINK target...])
# One folder below src/ of a library: the object library geckoprof_<layer>_<folder>. USES names the sibling folders whose headers it
# may include (geckoprof_check_folder). COLD sources are compiled for size (geckoprof_cold).
function(geckoprof_folder layer folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;COLD;USES;LINK" ${ARGN})
  set(name geckoprof_${layer}_${folder})
  set(sources ${ARG_SOURCES} ${ARG_COLD})
  list(TRANSFORM sources PREPEND src/${folder}/)
  add_library(${name} OBJECT ${sources})
  target_include_directories(${name} PUBLIC src)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE geckoprof_warnings)
  list(TRANSFORM ARG_COLD PREPEND src/${folder}/)
  geckoprof_cold(${ARG_COLD})
  geckoprof_check_folder(${layer} ${folder} ${CMAKE_CURRENT_SOURCE_DIR}/src ${ARG_USES})
  foreach(used ${ARG_USES})
    target_link_libraries(${name} PUBLIC geckoprof_${layer}_${used})
  endforeach()
  set_property(TARGET ${name} PROPERTY GECKOPROF_LAYER ${layer})
  set_property(DIRECTORY APPEND PROPERTY GECKOPROF_FOLDERS ${folder})
endfunction()

# geckoprof_check_folder(LAYER FOLDER ROOT [folder...]): stops configure where a file of ROOT/FOLDER includes a header of a sibling folder
# that is not listed, and where a listed folder has no target yet. So the folders of a library cannot form a cycle.
function(geckoprof_check_folder layer folder root)
  foreach(used ${ARGN})
    if(NOT TARGET geckoprof_${layer}_${used})
      message(FATAL_ERROR "layering: ${layer}/${folder} uses ${used}, which is not defined before it")
    endif()
  endforeach()
  file(GLOB siblings RELATIVE ${root} LIST_DIRECTORIES true ${root}/*)
  list(REMOVE_ITEM siblings ${folder} ${ARGN})
  list(JOIN siblings "|" others)
  file(GLOB_RECURSE files ${root}/${folder}/*.h ${root}/${folder}/*.cc)
  foreach(file ${files})
    file(STRINGS ${file} includes REGEX "^#include \"(${others})/")
    if(includes)
      message(FATAL_ERROR "layering: ${file} has ${includes}, and ${folder} does not list that folder")
    endif()
  endforeach()
endfunction()

# geckoprof_tool_library(NAME SOURCES f.cc... [DEPENDS target...])
function(geckoprof_tool_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE geckoprof_warnings)
  set_target_properties(${name} PROPERTIES GECKOPROF_LAYER tools UNITY_BUILD ${GECKOPROF_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 12)
endfunction()

# geckoprof_unit_test(NAME SOURCES f_test.cc... [APART f_test.cc...] [DEPENDS target...] [LINK lib...]): one executable and one ctest of
# the same name, which the target unit_tests builds with the others. Four sources are compiled at once, which halves the time.
# Sources under APART are compiled by themselves, because they have a name that another source has, too.
function(geckoprof_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;APART;DEPENDS;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_APART})
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PRIVATE geckoprof_catch_main geckoprof_warnings ${ARG_DEPENDS} ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM geckoprof_catch_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})  # tests/support/
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
                        UNITY_BUILD ${GECKOPROF_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 4)
  add_test(NAME ${name} COMMAND ${name} --order rand --rng-seed 20240229)
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS unit)
  add_dependencies(unit_tests ${name})
endfunction()

# Walks the closure of each target of ours; stops configure where a lower layer reaches a higher one.
function(geckoprof_check_layers)
  set(common_may common)
  set(base_may common base)
  set(full_may common base full)
  set(hooks_may common base hooks)
  set(tools_may common tools)
  get_property(directories DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY SUBDIRECTORIES)
  _geckoprof_all_targets(${PROJECT_SOURCE_DIR} targets)
  foreach(target ${targets})
    get_property(layer TARGET ${target} PROPERTY GECKOPROF_LAYER)
    if(layer)
      set(seen "")
      _geckoprof_walk(${target} ${target} "${${layer}_may}" seen)
    endif()
  endforeach()
endfunction()

function(_geckoprof_all_targets directory out)
  get_property(here DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(subdirectories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(subdirectory ${subdirectories})
    _geckoprof_all_targets(${subdirectory} below)
    list(APPEND here ${below})
  endforeach()
  set(${out} ${here} PARENT_SCOPE)
endfunction()

function(_geckoprof_walk root target allowed seen_name)
  set(seen ${${seen_name}})
  if(target IN_LIST seen OR NOT TARGET ${target})
    return()
  endif()
  list(APPEND seen ${target})
  get_property(layer TARGET ${target} PROPERTY GECKOPROF_LAYER)
  if(layer AND NOT layer IN_LIST allowed)
    message(FATAL_ERROR "layering: ${root} depends on ${target}, which belongs to the layer '${layer}'")
  endif()
  get_target_property(type ${target} TYPE)
  set(next "")
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    get_target_property(linked ${target} LINK_LIBRARIES)
    if(linked)
      list(APPEND next ${linked})
    endif()
  endif()
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  if(linked)
    list(APPEND next ${linked})
  endif()
  foreach(dependency ${next})
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" dependency "${dependency}")
    _geckoprof_walk(${root} ${dependency} "${allowed}" seen)
  endforeach()
  set(${seen_name} ${seen} PARENT_SCOPE)
endfunction()
