#!/bin/sh
# headers_of_c.sh SOURCE ARCHITECTURE: every header of the C API compiles alone, without a warning, in each language and by each compiler
# that a user may have.
set -u
source=$1
arch=$2
includes="-I$source/baseprofiler/include -I$source/baseprofiler/arch/$arch -I$source/geckoprofiler/include"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wcast-align -Werror"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
tried=0
compile() {  # header, compiler, language options...
  header=$1; shift
  command -v "$1" >/dev/null 2>&1 || return 0
  tried=$((tried + 1))
  # shellcheck disable=SC2086
  "$@" $warnings $includes -fsyntax-only "$work/one.c" || { echo "$header: $*"; failed=1; }
}
for path in "$source"/baseprofiler/include/baseprofiler/c/*.h "$source"/geckoprofiler/include/geckoprofiler/c/*.h; do
  header=${path##*/include/}
  for mode in "" "-DGECKOPROF_SHIM" "-DGECKOPROF_DISABLE" "-U__linux__ -DGECKOPROF_SHIM"; do
    case $header$mode in *shim.h | *shim.h-DGECKOPROF_DISABLE) continue ;; esac  # refuses, as it says
    printf '#define GECKOPROF_SHIM_IMPLEMENTATION\n#include "%s"\n' "$header" > "$work/one.c"
    compile "$header" gcc -std=c99 $mode
    compile "$header" clang -std=c99 $mode
    compile "$header" g++ -x c++ -std=c++11 $mode
    compile "$header" clang++ -x c++ -std=c++20 $mode
  done
done
[ "$tried" -gt 0 ] || exit 77
exit $failed
