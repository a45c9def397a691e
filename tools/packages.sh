# Sourced, not run: what the scripts beside it need from Debian's archive, and how they get it.
#
#   install_packages build test        # groups of packages, see package_group

# The packages of one group. Groups may overlap.
package_group() {
  case $1 in
    product) # compiler, generator, and what the command is linked with
      echo "g++ cmake ninja-build binutils rapidjson-dev libabsl-dev libcli11-dev libdeflate-dev libdw-dev libelf-dev" \
           "libiberty-dev libbz2-dev liblzma-dev libzstd-dev zlib1g-dev libcpp-httplib-dev libcapstone-dev python3-minimal" ;;
    build)   # the same, and what the tests are linked with
      echo "$(package_group product) ccache catch2 libunwind-dev libbenchmark-dev" ;;
    test)    # what the lints run and the programs that the tests record
      echo "git python3 clang-format clang llvm dwz file perl sqlite3 xz-utils util-linux pkgconf" \
           "bash bash-completion zsh fish liburing-dev" \
           "cargo rustc rustfmt rust-clippy" ;;  # the crate
    readers) # programs of others that tests open our files with (convert_reader_*, report_html_*, compare_html_*), skipped without them
      echo "golang-go chromium" ;;
    clang)   echo "clang" ;;
    tidy)    echo "clang-tidy" ;;
    aarch64) echo "g++-aarch64-linux-gnu qemu-user libc6-dev-arm64-cross" ;;
    demo)    echo "python3" ;;
    bench)   echo "python3 git sqlite3 nodejs clang llvm google-perftools libgoogle-perftools-dev xz-utils" \
           "liblttng-ust-dev lttng-tools linux-perf" \
           "postgresql nginx wrk ffmpeg perl golang-go rustc" ;;  # tools/benchmarks does without these two lines
    *)       echo "packages.sh: no group '$1'" >&2; return 1 ;;
  esac
}

package_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Runs apt-get as root, with sudo for other users. The output is in build/apt.log, and on standard error if apt-get fails.
apt_as_root() {
  mkdir -p build
  sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" >build/apt.log 2>&1 && return
  cat build/apt.log >&2
  return 1
}

apt_install() {
  apt_as_root install -y --no-install-recommends "$@"
}

# Says what a system without apt-get must have. CMake names what it does not find.
explain_requirements() {
  cat >&2 <<END
==> There is no apt-get here. These must be installed, with their headers:
    a C++20 compiler (gcc 12 or clang 14, or later), CMake 3.22, Ninja, binutils, python3, RapidJSON, Abseil, CLI11, libdeflate,
    elfutils (libdw, libelf), libiberty, libbz2, liblzma, libzstd, zlib, cpp-httplib, Capstone.
    tools/test also needs Catch2, libunwind, Google Benchmark, git, perl, sqlite3 and clang.
END
}

# Installs what is missing of the groups named. Silent where nothing is; asks the network only where something is.
install_packages() {
  missing=
  for group in "$@"; do
    names=$(package_group "$group") || return 1
    for name in $names; do
      case " $missing " in *" $name "*) continue ;; esac
      package_installed "$name" 2>/dev/null || missing="$missing $name"
    done
  done
  [ -n "$missing" ] || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    explain_requirements
    return 0
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    echo "==> Packages are missing. Install them as root, and start again:" >&2
    echo "    apt-get update && apt-get install -y --no-install-recommends$missing" >&2
    return 1
  fi
  echo "==> installing through apt:$missing"
  # The lists may be absent (a fresh image) or older than the archive: fetch them only then.
  # shellcheck disable=SC2086
  if apt-cache show --no-all-versions $missing >/dev/null 2>&1 && apt_install $missing; then
    return 0
  fi
  echo "==> fetching apt's package lists"
  # shellcheck disable=SC2086
  apt_as_root update && apt_install $missing
}
