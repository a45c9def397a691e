# Settings that every target shares.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)  # ours alone, where another project has this one as a part
endif()
# -O2 rather than CMake's -O3: smaller code in the user's process, and no measured difference in ours.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/archive)

# The architecture decides which sibling file is compiled; code has no #if on it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64)$")
  set(GECKOPROF_ARCH x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(GECKOPROF_ARCH aarch64)
else()
  message(FATAL_ERROR "geckoprof: architecture ${CMAKE_SYSTEM_PROCESSOR} is not supported (x86_64 and aarch64 are)")
endif()

# Most of the time that compiling the tools and the unit tests takes goes into headers.
option(GECKOPROF_UNITY_BUILD "Compile several sources of a tool or a test at once" ON)

find_program(GECKOPROF_CCACHE ccache)
if(GECKOPROF_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${GECKOPROF_CCACHE})
  # What uses a precompiled header is kept, too, with these alone.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GECKOPROF_CCACHE})
endif()

add_library(geckoprof_warnings INTERFACE)
target_compile_options(geckoprof_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wundef -Wcast-align -Wformat=2
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>)

set(GECKOPROF_SANITIZE "" CACHE STRING "Sanitizers for every target: address,undefined or thread")
if(GECKOPROF_SANITIZE)
  # The libraries have no type information (-fno-rtti), which the check of types of virtual calls needs.
  add_compile_options(-fsanitize=${GECKOPROF_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GECKOPROF_SANITIZE})
  add_compile_definitions(GECKOPROF_SANITIZED)  # compilers say so by different words
endif()
if(GECKOPROF_SANITIZE STREQUAL thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # It does not know fences, and says so: where a fence stands, the words around it are atomics, or the test is told.
  target_compile_options(geckoprof_warnings INTERFACE -Wno-tsan)
endif()
