#!/bin/sh
# disabled_cases.sh CASE SOURCE ARCHITECTURE [LIBRARY...]: programs that use both libraries' APIs where nothing is instrumented. They need no
# library, refer to no function of one, and get the answers that say so.
#   c, cxx       compiled with GECKOPROF_DISABLE, and as on another operating system, linked and run
#   extensions   the headers use no extension of GNU compilers on another operating system
#   windows      compiled by a compiler for Windows, if there is one
#   functions    each function that the LIBRARYs export for programs has a form that does nothing
set -u
case=$1
source=$2
here=$source/tests/integration
includes="-I$source/baseprofiler/include -I$source/common/include -I$source/geckoprofiler/include -I$here/c_api"
arch=-I$source/baseprofiler/arch/$3
shift 3
# Variables that only macros use are unused.
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Werror -Wno-unused-variable -Wno-unused-function -Wno-unused-parameter"
c="-std=c99 -D_POSIX_C_SOURCE=200809L"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
tried=0
fail() { echo "$*"; failed=1; }

# try ARGUMENT COMMAND...: the program compiles, links without a library, runs, and has no function of ours for others or of others.
try() {
  argument=$1; shift
  tried=$((tried + 1))
  # shellcheck disable=SC2086
  "$@" $warnings $includes $arch -o "$work/program" || { fail "$*"; return; }
  "$work/program" $argument || fail "$*: the program ends with $?"
  ! nm -uC "$work/program" | grep -i geckoprof || fail "$*: the program refers to a library"
  ! nm -g "$work/program" | grep ' geckoprof_' || fail "$*: the program has functions of a library"
}

case $case in
  c)
    for compiler in "${CC:-cc}" clang; do
      command -v "$compiler" >/dev/null || continue
      for form in "-DGECKOPROF_DISABLE" "-U__linux__" "-U__linux__ -DGECKOPROF_SHIM" "-O2 -DGECKOPROF_DISABLE -DGECKOPROF_SHIM"; do
        # shellcheck disable=SC2086
        try none "$compiler" $c $form "$here/c_api/c_program.c" "$here/c_api/c_marks.c" -lpthread
        # shellcheck disable=SC2086
        try "" "$compiler" $c $form "$here/disabled/disabled_full_program.c"
      done
    done
    ;;
  cxx)
    for compiler in "${CXX:-c++}" clang++; do
      command -v "$compiler" >/dev/null || continue
      for form in "-std=c++17 -DGECKOPROF_DISABLE" "-std=c++20 -U__linux__ -O2 -fno-exceptions -fno-rtti"; do
        # shellcheck disable=SC2086
        try "" "$compiler" $form "$here/disabled/disabled_program.cc"
      done
    done
    ;;
  extensions)
    # shellcheck disable=SC2086
    for program in "-std=c99 $here/disabled/disabled_full_program.c" "-std=c++17 $here/disabled/disabled_program.cc"; do
      tried=$((tried + 1))
      "${CC:-cc}" -E -U__linux__ -DGECKOPROF_SHIM $includes $program > "$work/text" || fail "$program"
      awk -v folder="$source/" '/^# [0-9]+ "/ { ours = index($3, folder) > 0 && $3 !~ /\/tests\// } ours && !/^#/' "$work/text" > "$work/ours"
      [ "$(wc -l < "$work/ours")" -gt 500 ] || fail "$program: the headers are missing"
      ! grep -nE '__attribute__|__builtin|__atomic|__sync|\basm\b|__asm|__extension__|__thread|__constinit|#pragma GCC [^ds]|typeof|syscall|gettid|getpid' "$work/ours" || fail "$program: extensions"
    done
    ;;
  windows)
    for compiler in x86_64-w64-mingw32-gcc x86_64-w64-mingw32-gcc-posix; do
      command -v $compiler >/dev/null || continue
      tried=$((tried + 1))
      # shellcheck disable=SC2086
      $compiler -std=c99 $warnings $includes -c -o "$work/one.o" "$here/disabled/disabled_full_program.c" || fail $compiler
    done
    for compiler in x86_64-w64-mingw32-g++ x86_64-w64-mingw32-g++-posix; do
      command -v $compiler >/dev/null || continue
      tried=$((tried + 1))
      # shellcheck disable=SC2086
      $compiler -std=c++17 $warnings $includes -c -o "$work/one.o" "$here/disabled/disabled_program.cc" || fail $compiler
    done
    ;;
  functions)
    # Without the functions that only headers or the other library call.
    names=$(for library; do nm -D --defined-only "$library"; done | awk '$2 == "T" && $3 ~ /^geckoprof_/ { print $3 }' |
      grep -v -e handover_table -e label_stack -e _slowly)
    {
      echo '#include "baseprofiler/c/geckoprof_base.h"'
      echo '#include "geckoprofiler/c/geckoprof_output.h"'
      echo 'int main(void) { unsigned count = 0; volatile int takes = 1;'
      for name in $names; do
        tried=$((tried + 1))
        echo "if (takes) count += &$name != 0;"
      done
      echo 'return count == 0; }'
    } > "$work/one.c"
    [ $tried -gt 80 ] || fail "only $tried functions: $names"
    # shellcheck disable=SC2086
    "${CC:-cc}" -std=c99 -Wno-address -DGECKOPROF_DISABLE $includes -o "$work/program" "$work/one.c" || fail "a function has no such form"
    "$work/program" || fail "the program ends with $?"
    ;;
esac
[ $tried -gt 0 ] || exit 77
exit $failed
