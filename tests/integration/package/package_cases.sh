#!/bin/bash
# package_cases.sh CASE BUILD SOURCE: one behaviour of the installed package. From the environment: CMAKE, GENERATOR, CC, CXX, LIBDIR,
# PKG_CONFIG. Exit status: 0 as promised, 1 not (stderr says what), 77 the machine cannot show it.
#
# `install` installs BUILD into one folder and moves it to another, where all other cases find it; `build_example` builds
# docs/examples/package against it. Nothing of BUILD but the installed files is used after that.
set -u
case_name=$1 build=$2 source=$3
here=$(cd "$(dirname "$0")" && pwd)
root=$build/tests/package
prefix=$root/moved
libdir=$prefix/$LIBDIR
example=$root/example
geckoprof=$prefix/bin/geckoprof

work=$(mktemp -d "${TMPDIR:-/tmp}/package-case.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 1
export CMAKE_PREFIX_PATH=$prefix PKG_CONFIG_PATH=$libdir/pkgconfig
unset GECKOPROF_STARTUP GECKOPROF_SHUTDOWN GECKOPROF_COMMAND GECKOPROF_SESSION_DIR LD_LIBRARY_PATH LD_PRELOAD

die() { echo "$case_name: $*" >&2; [ ! -e log ] || sed 's/^/  log: /' log >&2; exit 1; }
skip() { echo "$case_name: skipped: $*" >&2; exit 77; }
run() { "$@" >log 2>&1 || die "failed: $*"; }
has_full() { [ -e "$build/lib/libgeckoprofiler.so" ]; }

# Runs a program as it is and recorded, and looks at what it printed and at the profile. The rest: for package_profile.py.
expect_recorded() {
  local program=$1; shift
  # The command is not beside a program that the archive is linked into, nor beside a copy of the library alone.
  local PATH=$PATH:$prefix/bin
  rm -f out.json
  "$program" >bare || die "$program does not run"
  GECKOPROF_STARTUP=1 GECKOPROF_SHUTDOWN=$work/out.json "$program" >recorded || die "$program does not run recorded"
  cmp -s bare recorded || die "$program prints something else when it is recorded: $(cat recorded)"
  run "$geckoprof" check out.json
  run python3 -B "$here/package_profile.py" out.json "$program" "$@"
}
expect_labelled() {
  expect_recorded "$1" --thread "Prime helper" --calls CountBlocks CountPrimes --calls main CountBlocks --label "Block of numbers" \
                  --label Counting --marker "Block counted" --marker "All counted"
}
expect_unaware() {
  expect_recorded "$1" --thread "Prime helper" --calls CountPrimes IsPrime --calls CountBeforeMain IsPrime --calls main CountPrimes
}

# Runs a program that controls its own recording: alone, and beside a base that was preloaded and has recorded since the start.
expect_controlled() {
  local program=$1 common
  common=(--thread "Prime helper" --calls CountPrimes IsPrime --calls main CountPrimes --label Counting --label "Counting beside"
          --marker "All counted")
  "$program" alone.json >out || die "$program does not run"
  LD_PRELOAD=$libdir/libbaseprofiler.so GECKOPROF_STARTUP=1 GECKOPROF_SHUTDOWN=$work/exit.json "$program" beside.json >>out ||
    die "$program does not run beside a preloaded base"
  [ "$(sort -u out)" = "17984 49098 49098 primes" ] || die "$program prints: $(cat out)"
  run "$geckoprof" check alone.json
  run python3 -B "$here/package_profile.py" alone.json "$program" "${common[@]}"
  for profile in beside.json exit.json; do
    run "$geckoprof" check "$profile"
    run python3 -B "$here/package_profile.py" "$profile" "$program" "${common[@]}" --label "Counting early" \
        --marker "Profilers handover"
  done
}

case_install() {
  rm -rf "$root"; mkdir -p "$root"
  run "$CMAKE" --install "$build" --prefix "$root/first"
  mv "$root/first" "$prefix"
}

case_contents() {
  local file libraries=libbaseprofiler
  [ -s "$libdir/libbaseprofiler.a" ] || die "the archive is missing"
  ! has_full || libraries="$libraries libgeckoprofiler"
  for file in bin/geckoprof include/baseprofiler/base_profiler.h share/doc/geckoprof/LICENSE \
              share/man/man1/geckoprof.1 share/man/man1/geckoprof-record.1 \
              share/bash-completion/completions/geckoprof share/zsh/site-functions/_geckoprof \
              share/fish/vendor_completions.d/geckoprof.fish \
              "$LIBDIR/cmake/geckoprof/geckoprofConfig.cmake" "$LIBDIR/pkgconfig/geckoprof-base.pc"; do
    [ -s "$prefix/$file" ] || die "$file is missing"
  done
  if [ -e "$build/libexec/geckoprof/geckoprof-view" ]; then
    run "$geckoprof" view --help
    grep -q 'geckoprof view' log || die "view has no help"
  fi
  for file in $libraries; do
    readelf -dW "$libdir/$file.so" | grep -q "SONAME.*\[$file.so.0\]" || die "$file.so has another SONAME than $file.so.0"
    [ -e "$libdir/$file.so.0" ] || die "$file.so.0 is missing"
  done
  ! grep -rIlF -e "$build" -e "$source" "$libdir/cmake" "$libdir/pkgconfig" >log || die "files name the folder of the build"
  grep -q '^\.TH "GECKOPROF-RECORD" "1"' "$prefix/share/man/man1/geckoprof-record.1" || die "that is no man page"
  # The archive gives a program the API and the functions it stands in front of; everything else stays its own.
  nm -g --defined-only "$libdir/libbaseprofiler.a" | awk 'NF == 3 && $3 !~ /^(geckoprof_base_|__wrap_)/' >log
  [ ! -s log ] || die "the archive defines more than it should"
  run "$geckoprof" record -q -o p.json.gz -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do :; done'
  run "$geckoprof" check p.json.gz
}

# A project that only looks for the package: find_package's arguments; then 0 or 1.
looks_for() {
  mkdir -p finder
  rm -rf finder-build
  printf 'cmake_minimum_required(VERSION 3.22)\nproject(finder LANGUAGES NONE)\nfind_package(geckoprof %s CONFIG REQUIRED)\n' "$1" \
    >finder/CMakeLists.txt
  "$CMAKE" -G "$GENERATOR" -S finder -B finder-build -Dgeckoprof_DIR="$libdir/cmake/geckoprof" >log 2>&1
}
case_versions() {
  local major minor patch
  IFS=. read -r major minor patch < <(sed -n 's/^ *set(PACKAGE_VERSION "\([0-9.]*\)")/\1/p' "$libdir/cmake/geckoprof/geckoprofConfigVersion.cmake" | head -n 1)
  looks_for "$major.$minor" || die "the version that it has is not found"
  looks_for "$major.$minor.$patch EXACT" || die "the exact version is not found"
  ! looks_for "$major.$((minor + 1))" || die "a newer version is said to be here"
  ! looks_for "$((major + 1))" || die "a newer major version is said to be here"
  ! looks_for "$major.$minor.$((patch + 1))" || die "a newer patch version is said to be here"
}
case_components() {
  looks_for "COMPONENTS base base_static" || die "components are not found"
  ! looks_for "COMPONENTS base nonsense" || die "a component that does not exist is found"
  grep -q "no component nonsense" log || die "CMake does not say which component is missing"
  if has_full; then
    looks_for "COMPONENTS full" || die "the full library was built and is not found"
  else
    ! looks_for "COMPONENTS full" || die "the full library was not built and is found"
  fi
}

# The source tree as a part of another project: it changes no setting of that project, and adds no tests.
case_subproject() {
  mkdir project
  cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(other LANGUAGES CXX)
set(GECKOPROF_BUILD_TOOLS OFF)
add_subdirectory("$source" geckoprof)
get_property(cached CACHE CMAKE_BUILD_TYPE PROPERTY VALUE)
if(CMAKE_BUILD_TYPE OR cached OR CMAKE_CXX_STANDARD OR TARGET unit_tests)
  message(FATAL_ERROR "the part has settings or targets that the whole did not ask for")
endif()
add_library(objects OBJECT "$source/docs/examples/package/labelled_work.cc")  # needs our headers, and no library that takes long
target_link_libraries(objects geckoprof::base geckoprof::full)
END
  run "$CMAKE" -G "$GENERATOR" -S project -B built -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX"
  run "$CMAKE" --build built --target objects
}

# Configure names each library that is missing, with its package, instead of a compiler that does not find a header.
case_missing_libraries() {
  local library
  unset CPATH
  mkdir project
  printf 'cmake_minimum_required(VERSION 3.22)\nproject(other LANGUAGES CXX)\nadd_subdirectory("%s" geckoprof)\n' "$source" >project/CMakeLists.txt
  configure_without() {
    ! "$CMAKE" -G "$GENERATOR" -B built -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" "$@" >log 2>&1 || die "configured: $*"
  }
  configure_without -S "$source" "-DCMAKE_IGNORE_PATH=/usr/include;/usr/local/include" -DCMAKE_DISABLE_FIND_PACKAGE_Catch2=ON
  for library in "RapidJSON (rapidjson-dev)" "CLI11 (libcli11-dev)" "libdw (libdw-dev)" "libelf (libelf-dev)" \
                 "libiberty (libiberty-dev)" "Catch2 (catch2)"; do
    grep -qF "$library" log || die "the message does not name $library"
  done
  [ "$(grep -c 'CMake Error' log)" = 1 ] || die "there is more than one message"
  rm -r built
  configure_without -S project "-DCMAKE_IGNORE_PATH=/usr/include;/usr/local/include" -DGECKOPROF_BUILD_TOOLS=OFF
  grep -qF "RapidJSON (rapidjson-dev)" log || die "the message does not name RapidJSON"
  ! grep -qE 'CLI11|Catch2' log || die "the message names what the libraries do not need"
}

case_headers() {
  local header
  while read -r header; do
    echo "#include \"$header\"" >one.cc
    case $header in */geckoprof_shim.h) sed -i '1i #define GECKOPROF_SHIM' one.cc ;; esac  # refuses to be included without
    run "$CXX" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$prefix/include" one.cc
  done < <(cd "$prefix/include" && find . -name '*.h' | sed 's|^\./||')
  while read -r header; do
    echo "#include \"$header\"" >one.c
    run "$CC" -std=c99 -Wall -Wextra -Werror -pedantic -fsyntax-only -I "$prefix/include" one.c
  done < <(cd "$prefix/include" && find . -name '*_abi.h' -o -path '*/c/*.h' ! -name geckoprof_shim.h | sed 's|^\./||')
}

case_build_example() {
  rm -rf "$example"
  cp -r "$source/docs/examples/package" project
  run "$CMAKE" -G "$GENERATOR" -S project -B "$example" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX"
  run "$CMAKE" --build "$example"
}
case_shared() { expect_labelled "$example/labelled_work"; }
case_archive() { expect_labelled "$example/labelled_work_archive"; }
case_controlled() {
  has_full || skip "the full library was not built"
  [ -x "$example/controlled_work" ] || die "the example was built without the full library"
  expect_controlled "$example/controlled_work"
}
case_static() { expect_labelled "$example/labelled_work_static"; }
case_static_pie() { expect_labelled "$example/labelled_work_static-pie"; }

# Neither the program nor its author knows of us; what a killed one leaves behind is read, and names its functions.
case_unaware_static() {
  expect_unaware "$example/unaware_work_static"
  mkdir -m 700 session
  GECKOPROF_STARTUP=1 GECKOPROF_SESSION_DIR=$work/session "$example/unaware_work_static" >recorded || die "it does not run"
  run "$geckoprof" recover -o recovered.json.gz session
  run "$geckoprof" check recovered.json.gz
  "$geckoprof" report recovered.json.gz >log
  grep -q 'IsPrime  \[unaware_work_static\]' log || die "IsPrime is not named"
}

# Unless it is asked, the archive does nothing that could be seen.
case_quiet_static() {
  "$example/unaware_work_static" >out 2>err || die "it does not run"
  [ "$(cat out)" = "17984 49098 49098 primes" ] || die "it prints: $(cat out)"
  [ ! -s err ] || die "it complains: $(cat err)"
  strace -V >/dev/null 2>&1 || return 0
  strace -f -o calls "$example/unaware_work_static" >out || return 0  # where tracing is forbidden
  ! grep -E 'memfd_create|\.segment|/dev/shm' calls >log || die "it made files"
}

# Who starts a set-user-id program must not choose a file that it writes.
case_secure_mode() {
  [ "$(id -u)" = 0 ] || skip "needs root, to own a program as another user"
  local program
  mkdir -m 777 out
  for program in labelled_work labelled_work_archive labelled_work_static; do
    cp "$example/$program" secure; chown 65534 secure; chmod 4755 secure
    GECKOPROF_STARTUP=1 GECKOPROF_SHUTDOWN=$work/out/$program.json ./secure >/dev/null || skip "it does not run here"
    [ ! -e "out/$program.json" ] || die "$program believed the environment of whoever started it"
    rm secure
  done
}

case_pkg_config() {
  [ -x "$PKG_CONFIG" ] || skip "no pkg-config"
  local sources=$source/docs/examples/package
  # shellcheck disable=SC2046
  run "$CXX" -std=c++20 -O2 "$sources/labelled_work.cc" -o shared_one $("$PKG_CONFIG" --cflags --libs geckoprof-base) -pthread
  # shellcheck disable=SC2046
  run "$CXX" -std=c++20 -O2 -static "$sources/labelled_work.cc" -o static_one $("$PKG_CONFIG" --static --cflags --libs geckoprof-base) -pthread
  # shellcheck disable=SC2046
  run "$CC" -O2 "$sources/unaware_work.c" -o archive_one $("$PKG_CONFIG" --cflags --libs geckoprof-base-static) -pthread
  readelf -dW archive_one | grep -q libbaseprofiler && die "the archive's program needs the library"
  expect_labelled "$work/static_one"
  expect_unaware "$work/archive_one"
  # In a folder whose name a shell would take for two: pkg-config escapes it.
  local spaced=$work/moved\ again package
  mkdir "$spaced" && cp -a "$prefix/include" "$spaced" && mkdir -p "$(dirname "$spaced/$LIBDIR")" && cp -a "$libdir" "$spaced/$LIBDIR" || die "cannot copy"
  for package in geckoprof-base geckoprof-base-static; do
    eval "run '$CC' -O2 '$sources/unaware_work.c' -o spaced_one $(PKG_CONFIG_PATH=$spaced/$LIBDIR/pkgconfig "$PKG_CONFIG" --cflags --libs $package) -pthread"
  done
  expect_unaware "$work/spaced_one"
  export LD_LIBRARY_PATH=$libdir
  expect_labelled "$work/shared_one"
  has_full || return 0
  # shellcheck disable=SC2046
  run "$CXX" -std=c++20 -O2 "$sources/controlled_work.cc" -o full_one $("$PKG_CONFIG" --cflags --libs geckoprof-full) -pthread
  expect_controlled "$work/full_one"
}

"case_$case_name"
