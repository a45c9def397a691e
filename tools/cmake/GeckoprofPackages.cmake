# Libraries of others that a build cannot do without. Configure stops before any folder is read, with one message for all that are
# missing. Folders look for optional libraries themselves, and say which parts are left out.
set(GECKOPROF_MISSING "")

# Looks for the header of a library, in the folders of CMake and in CPATH. PACKAGE is Debian's. All targets get the folder of the
# header if the compiler does not know it.
function(geckoprof_need_header header library package)
  string(TOUPPER GECKOPROF_${library}_INCLUDE variable)
  # The compiler's own folders come before those that CMake derives from PATH.
  find_path(${variable} ${header} HINTS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES} PATHS ENV CPATH)
  mark_as_advanced(${variable})
  if(NOT ${variable})
    set(GECKOPROF_MISSING "${GECKOPROF_MISSING}\n  ${library} (${package}): no ${header}" PARENT_SCOPE)
  elseif(NOT ${variable} STREQUAL "/usr/include" AND NOT ${variable} IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    include_directories(SYSTEM ${${variable}})
  endif()
endfunction()

geckoprof_need_header(rapidjson/writer.h RapidJSON rapidjson-dev)
if(GECKOPROF_BUILD_TOOLS)
  geckoprof_need_header(absl/status/statusor.h Abseil libabsl-dev)
  geckoprof_need_header(CLI/CLI.hpp CLI11 libcli11-dev)
  geckoprof_need_header(libdeflate.h libdeflate libdeflate-dev)
  geckoprof_need_header(elfutils/libdw.h libdw libdw-dev)
  geckoprof_need_header(gelf.h libelf libelf-dev)
  geckoprof_need_header(libiberty/demangle.h libiberty libiberty-dev)
  geckoprof_need_header(lzma.h liblzma liblzma-dev)
  geckoprof_need_header(zstd.h libzstd libzstd-dev)
  geckoprof_need_header(zlib.h zlib zlib1g-dev)
endif()
if(GECKOPROF_BUILD_TESTS)
  find_package(Catch2 3 QUIET)
  if(NOT Catch2_FOUND)
    geckoprof_need_header(catch2/catch.hpp Catch2 catch2)
  endif()
endif()
if(GECKOPROF_MISSING)
  message(FATAL_ERROR "geckoprof: libraries are missing, with their packages of Debian:${GECKOPROF_MISSING}\n"
                      "Install them, or name their folders in CMAKE_PREFIX_PATH.")
endif()
