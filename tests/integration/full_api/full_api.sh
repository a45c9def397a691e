#!/bin/sh
# full_api.sh SOURCE ARCHITECTURE LIBRARIES SETTING: a program of C++ uses all of the full library, compiled with a standard library or
# settings that are not the library's own. 77: no compiler here can compile so. GECKOPROF_LIBCXX: where clang's library was unpacked.
set -u
source=$1
arch=$2
libraries=$3
setting=$4
includes="-I$source/geckoprofiler/include -I$source/baseprofiler/include -I$source/baseprofiler/arch/$arch -I$source/common/include"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
compilers="g++ clang++"
case $setting in
  own) options= ;;
  old_strings) options=-D_GLIBCXX_USE_CXX11_ABI=0 ;;
  debug_containers) options=-D_GLIBCXX_DEBUG ;;
  libcxx)
    options=-stdlib=libc++ compilers=clang++
    if [ -n "${GECKOPROF_LIBCXX-}" ]; then
      lib=$GECKOPROF_LIBCXX/lib
      options="$options -nostdinc++ -isystem $GECKOPROF_LIBCXX/include/c++/v1 -L$lib -Wl,--disable-new-dtags,-rpath,$lib,-rpath-link,$lib"
      options="$options -Wno-unused-command-line-argument"
    fi
    ;;
  no_exceptions) options="-fno-exceptions -fno-rtti" ;;
  *) echo "no setting $setting"; exit 2 ;;
esac
tried=0
for compiler in $compilers; do
  printf '#include <string>\n#include <thread>\nint main() { return 0; }\n' > "$work/probe.cc"
  # shellcheck disable=SC2086
  "$compiler" -std=c++20 $options "$work/probe.cc" -o "$work/probe" 2>/dev/null && "$work/probe" || continue
  tried=$((tried + 1))
  # shellcheck disable=SC2086
  "$compiler" -std=c++20 -O1 -g $options $warnings $includes "$source/tests/integration/full_api/full_api_program.cc" \
    -o "$work/program" -L"$libraries" -lgeckoprofiler -lbaseprofiler -Wl,-rpath,"$libraries" -pthread || exit 1
  "$work/program" "$work/profile.json" || { echo "$compiler $options: failed, $?"; exit 1; }
  [ -s "$work/profile.json" ] || { echo "$compiler $options: no profile"; exit 1; }
done
[ "$tried" -gt 0 ] || exit 77
