# Sourced, not run: what the scripts beside it need from Debian's archive, and how they get it.
#
#   install_packages build test        # groups of packages, see package_group

# The packages of one group. Groups may overlap.
package_group() {
  case $1 in
    build)   # compiler, generator, and the libraries that the command and its tests are linked with
      echo "g++ cmake ninja-build ccache binutils rapidjson-dev libabsl-dev libcli11-dev libdeflate-dev" \
           "libdw-dev libelf-dev libiberty-dev liblzma-dev libzstd-dev zlib1g-dev catch2 libunwind-dev" \
           "libbenchmark-dev libcpp-httplib-dev libcapstone-dev" ;;
    test)    # what the lints run and the programs that the tests record
      echo "git python3 clang-format-14 clang-14 llvm-14 dwz file perl sqlite3 xz-utils util-linux pkgconf" \
           "bash bash-completion zsh fish" \
           "cargo rustc rustfmt rust-clippy" ;;  # the crate
    page)    # the page of report --html; a build goes on without it
      echo "nodejs npm" ;;
    readers) # programs of others that tests open our files with (convert_reader_*, report_html_*, compare_html_*), skipped without them
      echo "golang-go chromium" ;;
    clang)   echo "clang-14 clang" ;;
    tidy)    echo "clang-tidy-14" ;;
    aarch64) echo "g++-aarch64-linux-gnu qemu-user libc6-dev-arm64-cross" ;;
    demo)    echo "python3" ;;
    bench)   echo "python3 git sqlite3 nodejs clang-14 llvm-14 google-perftools libgoogle-perftools-dev xz-utils" \
           "liblttng-ust-dev lttng-tools linux-perf" \
           "postgresql nginx wrk ffmpeg perl golang-go rustc" ;;  # tools/benchmarks does without these two lines
    *)       echo "packages.sh: no group '$1'" >&2; return 1 ;;
  esac
}

package_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# apt-get as root, with sudo where we are not.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    echo "this needs root: $*" >&2
    return 1
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2
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
    echo "==> no apt-get here; going on in the hope that the counterparts of these are installed:$missing"
    return 0
  fi
  echo "==> installing through apt:$missing"
  # The lists may be absent (a fresh image) or older than the archive: fetch them only then.
  # shellcheck disable=SC2086
  if apt-cache show --no-all-versions $missing >/dev/null 2>&1 && apt_install $missing; then
    return 0
  fi
  echo "==> fetching apt's package lists"
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2 && apt_install $missing
}
