#!/bin/bash
# record_cases.sh CASE GECKOPROF PROGRAMS EXAMPLE: one behaviour of `geckoprof record`, in a folder of its own.
# Exit status: 0 as promised, 1 not (stderr says what), 77 the machine cannot show it.
set -u
case_name=$1 geckoprof=$2 programs=$3 example=$4
here=$(cd "$(dirname "$0")" && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/record-case.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 1
mkdir bare recorded
mkdir -m 700 sessions
chmod 1777 "$work"
export XDG_RUNTIME_DIR=$work/sessions

die() { echo "$case_name: $*" >&2; for f in out err; do [ -e $f ] && sed "s/^/  $f: /" $f >&2; done; exit 1; }
skip() { echo "$case_name: skipped: $*" >&2; exit 77; }

# Runs `record` and keeps its status, out and err.
record() { "$geckoprof" record "$@" >out 2>err; status=$?; }
expect_status() { [ "$status" = "$1" ] || die "exit status $status, not $1"; }
expect_error() { grep -q -- "$1" err || die "stderr does not say: $1"; }
expect_profile() { "$geckoprof" check "${1:-p.json.gz}" >check.out 2>&1 || die "bad profile: $(cat check.out)"; }
# For programs that work for 20 ms or more: a profile without samples is none.
expect_samples() {
  expect_profile "$@"
  local samples; samples=$("$geckoprof" report --json "${1:-p.json.gz}" | python3 -c 'import json, sys; print(json.load(sys.stdin)["samples"])')
  [ "${samples:-0}" -gt 0 ] || die "a profile without samples"
}
expect_no_profile() { [ ! -e "${1:-p.json.gz}" ] || die "a profile was written"; }
expect_one_line() { [ "$(wc -l <err)" = 1 ] || die "stderr has $(wc -l <err) lines"; }
expect_refused() { expect_status "$1"; expect_one_line; expect_no_profile; [ ! -e ran ] || die "the program ran"; }

# Runs a command bare and recorded, in folders alike, and compares status, stdout and stderr. The programs that are to behave
# as bare are in ../base/unchanged_integration_test.cc; here it is the recorder's own doing.
compare() {
  (cd bare && "$@" >../bare.out 2>../bare.err </dev/null); local bare=$?
  (cd recorded && "$geckoprof" record -q -o "$work/p.json.gz" -- "$@" >../out 2>../err </dev/null); status=$?
  [ "$status" = "$bare" ] || die "exit status $status, bare $bare"
  cmp -s bare.out out || die "stdout differs from: $(head -c 500 bare.out)"
  cmp -s bare.err err || die "stderr differs from: $(head -c 500 bare.err)"
  expect_profile
}

case_sort() { seq 200000 | shuf --random-source=<(yes) >numbers; compare sort -n ../numbers; expect_samples; }
case_setpriv() { compare setpriv --reuid 65534 --clear-groups id; }
case_closed_stdin() { compare bash -c 'exec 0<&-; ls /proc/self/fd/0 2>&1; cat; echo $?'; }
case_nohup_ignored() { trap '' HUP INT; compare grep -E '^Sig(Ign|Blk)' /proc/self/status; }
# The documented limit: a long read of a device may be cut short by a sample, SA_RESTART or not. Then dd counts partial records;
# it ends well, and told to fill its blocks it copies every byte.
case_dd_large_device_reads() {
  record -q -o p.json.gz -- dd if=/dev/zero of=/dev/null bs=1M count=500; expect_status 0; expect_profile
  awk -F '[+ ]' '/records in$/ { exit $1 + $2 != 500 }' err || die "reads are missing, not cut short"
  record -q -o p.json.gz -- dd if=/dev/zero of=/dev/null bs=1M count=500 iflag=fullblock; expect_status 0; expect_profile
  grep -q '^500+0 records out$' err || die "not all blocks were copied"
  grep -q '^524288000 bytes' err || die "not all bytes were copied"
}

# What the profile says of a program that is known: the start-up example, in both formats.
case_profile_processed() {
  record -q -o p.json.gz -- "$example"; expect_status 0; expect_samples
  python3 -B "$here/startup_profile.py" processed p.json.gz "$example" || die "the profile does not say what the program did"
}
case_profile_gecko() {
  record -q --format gecko -o p.json.gz -- "$example"; expect_status 0; expect_samples
  python3 -B "$here/startup_profile.py" gecko p.json.gz "$example" || die "the profile does not say what the program did"
}

case_broken_debug_info() {
  command -v gcc >/dev/null && command -v objcopy >/dev/null || skip "no compiler"
  printf '%s\n' 'volatile unsigned x;' 'int main(void) { for (unsigned i = 0; i < 100000000; ++i) x += i; return 0; }' >spin.c
  gcc -g spin.c -o spin || die "cannot compile"
  record -o p.json.gz -- ./spin; expect_status 0; expect_samples
  ! grep -q "broken debug information" err || die "sound debug information is called broken"
  objcopy --dump-section .debug_abbrev=abbrevs spin && tr '\0-\377' '\377' <abbrevs >spoiled &&
    objcopy --update-section .debug_abbrev=spoiled spin broken || die "cannot spoil the program"
  record -q -o p.json.gz -- ./broken; expect_status 0; expect_samples
  expect_error "warning: .*/broken: 1 compile unit with broken debug information"
}
# What the names of a profile are: see profile_names.py.
expect_names() { python3 -B "$here/profile_names.py" p.json.gz "$@" >names.out 2>&1 || die "$(cat names.out)"; }
# A program that works for a while in one function, whose name is the first argument. No build id.
make_spinner() {
  command -v gcc >/dev/null || skip "no compiler"
  printf '%s\n' '#include <time.h>' 'volatile double x;' \
    "__attribute__((noinline)) void $1(void) { for (int i = 0; i < 100000; ++i) x = x * 1.0000001 + 0.5; }" \
    "int main(void) { clock_t end = clock() + CLOCKS_PER_SEC * 7 / 10; while (clock() < end) $1(); }" >spinner.c
  gcc -O1 -g -Wl,--build-id=none ${3:-} spinner.c -o "$2" || die "cannot compile"
}
case_program_gone() {
  make_spinner work_of_gone gone
  record -o p.json.gz -- sh -c 'mkdir d; cp gone d/gone; d/gone; rm -r d gone'; expect_status 0; expect_samples
  expect_names named gone work_of_gone
  ! grep -q warning: err || die "a warning although all names are there"
}
case_program_of_its_own_mount() {
  make_spinner work_of_mount program
  unshare --mount --propagation private true 2>/dev/null || skip "no mounts of one's own"
  record -q -o p.json.gz -- unshare --mount --propagation private sh -c \
    'mount -t tmpfs none /mnt && cp program /mnt/program && /mnt/program'
  expect_status 0; expect_samples; expect_names named program work_of_mount
}
case_program_mounted_meanwhile() {  # it can be unmounted as without us
  make_spinner work_of_mount program
  unshare --mount true 2>/dev/null || skip "no mounts of one's own"
  mkdir m
  unshare --mount --propagation private "$geckoprof" record -q -o p.json.gz -- sh -c \
    'mount -t tmpfs none m && cp program m/program && m/program && umount m' >out 2>err; status=$?
  expect_status 0; expect_samples; expect_names named program work_of_mount
}
case_program_replaced() {
  make_spinner work_of_first first; make_spinner work_of_other other -falign-functions=256
  cp first program
  (sleep 0.3; cp other program.new; mv program.new program) &
  record -q -o p.json.gz -- ./program; wait; expect_status 0; expect_samples
  expect_names named program work_of_first; expect_names never work_of_other
}
case_names_of_zstd() {
  make_spinner work_of_zstd program
  objcopy --compress-debug-sections=zstd program || skip "objcopy cannot compress with zstd"
  record -o p.json.gz -- ./program; expect_status 0; expect_samples; expect_names named program work_of_zstd
  gzip -dc p.json.gz | grep -q 'spinner\.c' || die "no source lines"
}
case_code_of_parent() {
  record -q -o p.json.gz -- "$programs/record_made_code_program" fork 0.7; expect_status 0; expect_samples
  expect_names one made_code_0
}
case_code_of_another_user() {
  [ "$(id -u)" = 0 ] || skip "only root can become another user"
  record -q -o p.json.gz -- "$programs/record_made_code_program" user 0.7; expect_status 0; expect_samples
  expect_names one made_code_0
}
case_code_used_again() {
  record -q -o p.json.gz -- "$programs/record_made_code_program" dump 10000; expect_status 0; expect_samples
  expect_names pairs
}
case_code_without_names() {
  record -o p.json.gz -- "$programs/record_made_code_program" unnamed 0.7; expect_status 0; expect_samples
  expect_names one "JIT code of record_made_code_program"
  tail -1 err | grep -q "of the samples are in code without names that record_made_code_program made at run time" ||
    die "no last line that tells how to get names"
}

case_status_0() { record -o p.json.gz -- true; expect_status 0; expect_profile; }
case_status_3() { record -o p.json.gz -- sh -c 'exit 3'; expect_status 3; expect_profile; }
case_status_killed() { record -o p.json.gz -- bash -c 'for i in {1..20000}; do :; done; kill -KILL $$'; expect_status 137; expect_samples; }
# A shell ends its loop if what it waits for was ended by Ctrl-C, whatever its exit status.
case_status_interrupted() {
  record -q -o p.json.gz -- bash -c 'for i in {1..20000}; do :; done; kill -INT $$'; expect_status 130; expect_profile
  python3 -c 'import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode != -2)' \
    "$geckoprof" record -q -o q.json.gz -- bash -c 'kill -INT $$' || die "record was not ended by the signal"
}
case_threads_pid() { record --threads pid:1 -o p.json.gz -- touch ran; expect_refused 2; }
case_status_crash() { record -o p.json.gz -- bash -c 'ulimit -c 0; for i in {1..20000}; do :; done; kill -SEGV $$'; expect_status 139; expect_samples; }
case_missing_program() {
  record -o p.json.gz -- no-such-program; expect_refused 127; expect_error "no-such-program: no such program"
  record -o p.json.gz -- ./no-such-program; expect_refused 127
}
case_empty_name() { record -o p.json.gz -- ''; expect_refused 127; }
case_directory() { record -o p.json.gz -- /etc; expect_refused 126; expect_error "is a directory"; }
case_not_executable() { echo 'touch ran' >file; record -o p.json.gz -- ./file; expect_refused 126; expect_error "not executable"; }
case_script() {
  printf '#!/bin/sh\nexit 5\n' >script; chmod +x script
  record -o p.json.gz -- ./script; expect_status 5; expect_profile; rm p.json.gz
  printf 'touch ran\n' >script; record -o p.json.gz -- ./script; expect_refused 126; expect_error "neither a program nor a script"
}
case_script_of_missing_interpreter() {
  printf '#!/no/such/interpreter -x\n' >script; chmod +x script
  record -o p.json.gz -- ./script; expect_refused 127; expect_error "its interpreter /no/such/interpreter: no such program"
}
case_static_program() { record -o p.json.gz -- "$programs/record_static_program"; expect_refused 1; expect_error "statically linked"; }
case_static_pie_program() { record -o p.json.gz -- "$programs/record_static-pie_program"; expect_refused 1; expect_error "statically linked"; }
# A preloaded library is in the recorder, too. The file that it opened there is not the program's, and the program has its own.
case_preload_that_keeps_a_file() {
  mkdir kept; export FILE_KEEPER=$work/kept LD_PRELOAD=$programs/librecord_file_keeper.so
  sh -c 'ls /proc/self/fd; exit 3' >bare.out; record -q -o p.json.gz -- sh -c 'ls /proc/self/fd; exit 3'; unset LD_PRELOAD
  expect_status 3; expect_profile; [ ! -s err ] || die "a library has lost its file"
  cmp -s bare.out out || die "the program has other descriptors than $(tr '\n' ' ' <bare.out)"
}
case_address_sanitizer() {  # gcc's is a library that refuses a preload by default, and it finds faults as without us
  cat >faulty.c <<'EOF'
#include <stdlib.h>
int main(int count, char** words) {
  volatile long sum = 0;
  for (int i = 0; i < 30000000; ++i) sum += i;
  volatile char* const block = malloc(10);
  block[7 + count] = words[0][0];  // behind the block, with two arguments
  free((char*)block);
  return 5;
}
EOF
  gcc -g -O1 -fsanitize=address -o faulty faulty.c 2>/dev/null || skip "gcc has no address sanitizer"
  for features in default default,nativeallocations,memory,fileioall,locks; do
    rm -f p.json.gz
    record -o p.json.gz --features $features -- ./faulty; expect_status 5; expect_samples
    record -o /dev/null --features $features -- ./faulty x y; expect_status 1; expect_error "heap-buffer-overflow"
  done
}
case_static_child_is_noted() {
  record -o p.json.gz -- bash -c 'sed s/a/b/ /dev/null; "$1" 400; exit 4' bash "$programs/record_static_program"; expect_status 4; expect_profile
  expect_error "record_static_program): There are no samples: it is statically linked"
  "$geckoprof" report p.json.gz >report || die "no report"
  grep -Eq 'CPU time of the program and its children +[0-9.]+ m?s' report || die "the time is not in the profile"
  record -o q.json.gz -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'; expect_status 0; expect_profile q.json.gz
  ! grep 'note: of the' err || die "a note where all is there"
}
case_seccomp_filter_is_noted() {  # one that allows everything: we do not know, and let the program alone
  record -o p.json.gz -- python3 -c '
import ctypes, struct, sys
allow = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(allow)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
sys.exit(prctl(38, 1, 0, 0, 0) or prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program))))'
  expect_status 0; expect_profile; expect_error "note: process .*restricted its system calls (seccomp)"
}
case_setuid_copy() {
  [ "$(id -u)" = 0 ] || skip "only root can give a file away"
  cp /bin/true copy; chown 65534 copy; chmod u+s copy
  record -o p.json.gz -- ./copy; expect_refused 1; expect_error "set-user-id bit"
}
case_elf32() {  # class 32-bit, little endian, executable, i386
  printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0' >program; head -c 40 /dev/zero >>program; chmod +x program
  record -o p.json.gz -- ./program; expect_refused 1; expect_error "32-bit"
}
case_damaged_elf() { head -c 100 /bin/true >program; chmod +x program; record -o p.json.gz -- ./program; expect_refused 126; expect_error "truncated or damaged"; }
case_output_is_the_program() {
  cp "$(type -P true)" program; cp program before; ln program link
  for output in program ./link; do
    record -o $output -- ./program; expect_refused 2; expect_error "that is the program"; cmp -s program before || die "the program was changed"
  done
}
case_output_not_writable() { record -o no/such/folder/p.json.gz -- touch ran; expect_refused 1; expect_error "no/such/folder"; }
case_output_without_room() {
  mkdir full
  local own=(unshare -m); [ "$(id -u)" = 0 ] || own=(unshare -Urm)
  "${own[@]}" mount -t tmpfs none full 2>/dev/null || skip "no file system to be mounted"
  "${own[@]}" bash -c 'mount -t tmpfs -o size=128k none full; head -c 120000 /dev/zero >full/fill; "$0" record -o full/p.json.gz -- touch ran' "$geckoprof" >out 2>err
  status=$?; expect_refused 1; expect_error "full/p.json.gz: its file system has only 8192 bytes free"
  "${own[@]}" bash -c 'mount -t tmpfs -o size=256k none full; "$0" record -o full/p.json.gz -- true; cp full/p.json.gz .' "$geckoprof" >out 2>err
  expect_profile
}
case_dynamic_linker() {
  local linker; linker=$(ldd /bin/true | awk '/ld-linux/ {print $1}')
  [ -x "$linker" ] || skip "no dynamic linker of that name"
  record -o p.json.gz -- "$linker" /bin/bash -c 'for i in {1..20000}; do :; done; exit 3'; expect_status 3; expect_samples
}
case_output_nobody_takes() {
  mkfifo fifo
  timeout -k 1 20 "$geckoprof" record -o fifo -- touch ran >out 2>err; status=$?
  expect_refused 1; expect_error "nobody reads fifo"
  record -o /dev/full -- touch ran; expect_refused 1; expect_error "/dev/full"
  cat fifo >read.json & local reader=$!
  for _ in {1..50}; do record -q -o fifo -- sh -c 'sleep 0.2; exit 3'; [ "$status" = 3 ] && break; sleep 0.1; done
  wait "$reader" || die "the reader failed"; expect_status 3; expect_profile read.json
  head -c 1 fifo >read.json & reader=$!; sleep 0.5  # leaves before the profile is there whole
  record -q -o fifo -- bash -c 'for i in {1..20000}; do :; done; exit 4'; expect_status 4
  wait "$reader"
}
case_output_by_link() {  # the link stays, what it leads to is written
  mkdir below; echo old >below/real; ln -s below/real link; ln -s link second; ln -s below/new dangling
  record -q -o second -- true; expect_status 0; expect_profile below/real
  record -q -o dangling -- true; expect_status 0; expect_profile below/new
  [ "$(readlink link second dangling | tr '\n' ' ')" = 'below/real link below/new ' ] || die "a link was replaced"
  ln -s /dev/null null; record -q -o null -- true; expect_status 0; [ -L null ] && [ -c /dev/null ] || die "not a link any more"
  ln -s circle circle; record -o circle -- touch ran; expect_refused 1
  "$geckoprof" recover -q -o link "$(copy_of_session)" || die "recover failed"; [ -L link ] || die "recover replaced the link"
  expect_profile below/real
}
# What /dev/stdout is; that one itself is not put at risk.
case_output_by_descriptor() {
  ln -s /proc/self/fd/1 standard
  record -q -o standard -- true; expect_status 0; [ -L standard ] || die "the link was replaced"; expect_profile out
  echo "an older and longer text" >by-number
  "$geckoprof" record -q -o /proc/self/fd/5 -- true 5<>by-number || die "not written"; expect_profile by-number
}
case_output_of_ranks() {  # each rank of a job has a file, and the files are one profile of one clock
  local name host; host=$(uname -n | tr -c 'A-Za-z0-9.\n-' _)
  local formats=(processed gecko)
  for rank in 0 1; do
    OMPI_COMM_WORLD_RANK=$rank record --format ${formats[rank]} -o '%h-%r.json.gz' -- bash -c 'for i in {1..20000}; do :; done'; expect_status 0
    expect_samples "$host-$rank.json.gz"
  done
  OMPI_COMM_WORLD_RANK=../x record -o 'of-%r-%p.json.gz' -- true; expect_status 0
  for name in of-0-*.json.gz; do expect_profile "$name"; done
  "$geckoprof" merge -o p.json.gz "$host"-?.json.gz 2>err || die "not merged"
  expect_error 'by the monotonic clock, of the same boot as'; expect_profile
  zcat p.json.gz | grep -q '"bootId":"' || die "not of one boot"  # both have the same id
  [ "$("$geckoprof" report --json p.json.gz | python3 -c 'import json, sys; print(json.load(sys.stdin)["processes"])')" = 2 ] || die "not two processes"
}
case_output_mode() {
  (umask 022; record -q -o p.json.gz -- true; record -q -- true)
  [ "$(stat -c %a p.json.gz geckoprof-true-*.gz | tr '\n' ' ')" = '600 600 ' ] || die "a new profile is not its owner's"
  local mode
  for mode in 600 640 664; do
    chmod $mode p.json.gz; record -q -o p.json.gz -- true; expect_profile
    [ "$(stat -c %a p.json.gz)" = $mode ] || die "the mode was $mode"
  done
}
# The folder of segments of a recording of its own.
copy_of_session() { "$geckoprof" record -q -o /dev/null -- bash -c 'cp -r "$GECKOPROF_SESSION_DIR" copy'; echo copy; }
# `geckoprof` under a limit that is not its shell's.
limited() {  # option of ulimit, value, arguments...
  local limit=$1 value=$2; shift 2
  bash -c 'ulimit "$1" "$2"; shift 2; exec "$@"' limited "$limit" "$value" "$geckoprof" "$@" >out 2>err; status=$?
}
case_few_descriptors() {  # whatever they suffice for, nothing is left behind
  local count is_named=no
  for count in {4..12}; do
    limited -n "$count" record -o p.json.gz -- true
    case $status in 0 | 1 | 127) ;; *) die "exit status $status with $count descriptors" ;; esac
    if grep -q "another process" err; then expect_error "ulimit -n"; is_named=yes; fi
    [ -z "$(ls -A sessions)" ] || die "left behind with $count descriptors: $(ls sessions)"
  done
  [ $is_named = yes ] || die "no count of descriptors is too small for the program alone"
}
case_little_memory() {  # enough for the recording but not for the profile: it ends as the program did, and says what to do
  local kib is_shown=no work_of_it='i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; exit 3'
  for ((kib = 6000; kib < 30000; kib += 300)); do
    rm -f p.json.gz
    limited -v $kib --version; [ $status = 0 ] || continue  # not even the libraries that it is linked with fit
    limited -v $kib record -o p.json.gz -- sh -c "$work_of_it"
    [ "$status" -lt 128 ] || die "exit status $status with $kib KiB"
    if [ "$status" != 3 ]; then rm -rf sessions/geckoprof-*; continue; fi  # the program could not do its work
    [ -e p.json.gz ] && break
    expect_error "not enough memory"; expect_error "geckoprof recover $work/sessions/geckoprof-"; is_shown=yes
    mkdir default; (cd default; limited -v $kib record -- sh -c "$work_of_it"); rm -f default/{out,err}
    for file in default/*; do [ ! -e "$file" ] || [ -s "$file" ] || die "left behind an empty $file"; done
    rm -rf default
    "$geckoprof" recover sessions/geckoprof-* -o r.json.gz >out 2>err || die "recover failed"
    expect_profile r.json.gz; rm -rf sessions/geckoprof-*
  done
  expect_profile; [ $is_shown = yes ] || skip "no limit suffices for the one and not for the other"
}
case_little_memory_for_debug_info() {  # where it has the program's profile fail, the status is the program's all the same
  local kib
  for ((kib = 10000; kib <= 24000; kib += 1000)); do
    rm -f p.json.gz
    limited -d $kib record -o p.json.gz -- python3 -c 'import sys; sum(range(10**6)); sys.exit(3)'
    expect_status 3
    if [ -e p.json.gz ]; then expect_profile; else expect_error "not enough memory"; expect_error "geckoprof recover"; fi
    rm -rf sessions/geckoprof-*
  done
}
case_report_to_head() {  # whoever reads no further is no error, with SIGPIPE ignored or not
  record -q -o p.json.gz -- true
  (trap '' PIPE; sleep 0.2; "$geckoprof" report p.json.gz; "$geckoprof" check p.json.gz) 2>err | true
  (sleep 0.2; "$geckoprof" report p.json.gz) 2>>err | true
  [ ! -s err ] || die "an error was printed"
}
case_report_of_standard_input() {
  record -q -o p.json.gz -- true
  "$geckoprof" report - <p.json.gz >out 2>err && grep -q '^Product *true' out || die "no report"
  "$geckoprof" report - <&- >out 2>err; [ $? = 1 ] || die "a report of nothing"
}
case_threads_filter() {  # who is filtered out is not listed, but for main threads
  local program='import threading, time
def work(): time.sleep(0.2)
ts = [threading.Thread(target=work) for _ in range(5)]
[t.start() for t in ts]; [t.join() for t in ts]'
  record --threads no-such-thread -o p.json.gz -- python3 -c "$program"; expect_status 0; expect_profile
  expect_error 'nothing was sampled: did no thread have a name with one of --threads "no-such-thread"?'
  GECKOPROF_STARTUP_FILTERS=none-such record -o q.json.gz -- python3 -c "$program"; expect_status 0; expect_profile q.json.gz
  expect_error 'nothing was sampled: did no thread have a name with one of GECKOPROF_STARTUP_FILTERS "none-such"?'
  local threads; threads=$("$geckoprof" report --json p.json.gz | python3 -c 'import json, sys; print([t["name"] for t in json.load(sys.stdin)["threads"] if not t["isMainThread"]])')
  [ "$threads" = '[]' ] || die "listed: $threads"
}
# Whatever bytes a segment holds: what is made of it is a sound profile, or none with a reason.
case_options_out_of_range() {
  local option
  for option in --interval=0 --interval=0.01 --interval=5001 --interval=-1 --interval=1e3 --interval=x --capacity=1KiB \
      --capacity=3GiB --capacity=64 --capacity=x --features=nothing --features=tracing --duration=-1 --duration=x --format=xml \
      --threads=$(printf 'a%.0s' {1..64}) --unknown; do
    record -o p.json.gz $option -- touch ran
    expect_refused 2
  done
}
case_options_without_value() {  # the next option is not the value
  local option
  for option in -o --output --interval --capacity --features --threads --duration --format; do
    record $option --quiet -- touch ran; expect_refused 2; expect_error "$option needs a value"
    record $option -- touch ran; expect_refused 2; expect_error "$option needs a value"
    record $option "" -- touch ran; expect_refused 2; expect_error "$option needs a value"
  done
  record -o -x.json.gz -- touch ran; expect_refused 2
  "$geckoprof" report --top --json p.json 2>err && die "--top took --json"; expect_error "--top needs a value"
  "$geckoprof" recover -o --format . 2>err && die "-o took --format"; expect_error "-o needs a value"
  record -q --output=-x.json.gz -- true; expect_status 0; expect_profile ./-x.json.gz
}
case_repeated_option() {
  record -o a --output=p.json.gz -- touch ran; expect_refused 2; expect_error "--output is given more than once"
  record --interval 1 --interval 2 -- touch ran; expect_refused 2; expect_error "--interval is given more than once"
}
case_wrong_use() {
  record; expect_status 2; expect_one_line; record --; expect_status 2; record -o; expect_status 2
  record --help; expect_status 0; grep -q -- --interval out || die "no help"
}

# Runs the recorder in a process group of its own, waits for the program's word and sends a signal.
signalled() {  # signal, target of kill, program...
  local name=$1 whole_group=$2; shift 2
  set -m
  "$geckoprof" record -o p.json.gz -- "$@" >out 2>err &
  local pid=$!
  set +m
  for _ in {1..100}; do [ -e ready ] && break; sleep 0.1; done
  [ -e ready ] || die "the program did not begin"
  if [ "$whole_group" = group ]; then kill "-$name" -- "-$pid"; else kill "-$name" "$pid"; fi
  wait "$pid"; status=$?
}
case_ctrl_c() { signalled INT group bash -c 'trap "exit 7" INT; touch ready; while :; do sleep 0.1; done'; expect_status 7; expect_profile; }
case_sigusr1() { signalled USR1 recorder bash -c 'trap "exit 9" USR1; touch ready; while :; do sleep 0.1; done'; expect_status 9; expect_profile; }
# Whatever else is sent to the recorder alone arrives in the program, real-time signals with their value.
case_other_signals() {
  cat >signals.py <<'PROGRAM'
import ctypes, os, signal
SIGSTKFLT = 16
wanted = {signal.SIGHUP, signal.SIGUSR2, signal.SIGALRM, signal.SIGIO, signal.SIGVTALRM, signal.SIGPROF, signal.SIGPWR,
          signal.SIGXCPU, signal.SIGXFSZ, signal.SIGRTMIN, signal.SIGRTMAX, SIGSTKFLT}
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
open("ready", "w").close()
while wanted:
    bits = (ctypes.c_ulong * 16)(sum(1 << number - 1 for number in wanted))
    info = (ctypes.c_int * 32)()  # si_signo first, si_value as the seventh
    if ctypes.CDLL(None).sigwaitinfo(bits, info) != signal.SIGRTMIN or info[6] == 42:
        wanted.discard(info[0])
os._exit(9)
PROGRAM
  "$geckoprof" record -o p.json.gz -- python3 signals.py >out 2>err &
  local pid=$!
  for _ in {1..100}; do [ -e ready ] && break; sleep 0.1; done
  for name in HUP USR2 ALRM IO VTALRM PROF PWR XCPU XFSZ RTMAX STKFLT; do kill "-$name" "$pid"; done
  python3 -c 'import ctypes, signal, sys; ctypes.CDLL(None).sigqueue(int(sys.argv[1]), signal.SIGRTMIN, ctypes.c_void_p(42))' "$pid"
  wait "$pid"; status=$?
  expect_status 9; expect_profile
}
# The program's stops are shown to the recorder's parent, which may be a shell with job control.
stops() { python3 -B "$here/job_control.py" "$geckoprof" "$1" || die "$1: see above"; expect_profile; }
case_stopped_program() { stops stops_and_goes_on; }
case_stopped_program_continued() { stops continued_by_somebody_else; }
case_stop_is_passed_on() { stops asked_to_stop; }
case_stopped_shell() { stops shell_that_suspends; }
case_ctrl_z() { stops ctrl_z; }
case_signals_to_both() { stops signals_to_both; }
case_stopped_again_meanwhile() { stops stopped_again_meanwhile; }
case_sigterm() { signalled TERM recorder bash -c 'trap "exit 9" TERM; touch ready; while :; do sleep 0.1; done'; expect_status 9; expect_profile; }

case_signal_blocked_for_good() {  # as PostgreSQL's processes do: asked with the other signal they have stacks
  record -o p.json.gz -- "$programs/../scenarios/sigurg_user" latched; expect_status 0; expect_profile
  "$geckoprof" report --json p.json.gz | python3 -c '
import json, sys
report = json.load(sys.stdin)
deaf = sum(row["self"] for row in report["functionsBySelf"] if "(no stack" in row["name"])
sys.exit("%d of %d samples without a stack" % (deaf, report["samples"]) if deaf * 5 > report["samples"] else 0)' || die "no stacks"
}

# A python3 of the search path may be a script with many short processes. Another note tells of their CPU time.
case_missing_stacks_are_noted() {
  cat >deaf.py <<'PY'
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG, signal.SIGWINCH])
end = time.monotonic() + 0.5
while time.monotonic() < end: pass
PY
  record -o p.json.gz -- /usr/bin/python3 deaf.py; expect_status 0; expect_profile
  expect_error '% of the samples lack their stack or its outer frames: .* % (no stack: the thread blocks the profiler.s signal)'
  expect_error 'Unblock SIGURG or SIGWINCH'
  record -q -o p.json.gz -- /usr/bin/python3 deaf.py; expect_status 0
  ! grep -q 'lack their stack' err || die "a note although none was asked for"
  sed -i /sigmask/d deaf.py
  record -o p.json.gz -- /usr/bin/python3 deaf.py; expect_status 0; expect_one_line
}

# A blocked thread gives no frame pointer, and what lies below the record that is looked for looks like records, too.
case_callers_of_who_waits() {
  record -o p.json.gz -- "$programs/../scenarios/waiting_frames"
  expect_status 0; expect_profile
  "$geckoprof" convert --idle --to folded -o folded p.json.gz
  grep -q 'main;wait_here;.*nanosleep' folded || die "nobody waits"
  ! grep 'leave_frames.*nanosleep' folded || die "a call that had returned is among the callers"
  ! grep -v 'main;wait_here' folded | grep nanosleep || die "a caller is missing"
}

# A thread that wakes and goes into another wait takes no time that a tick would see.
case_waits_in_turn() {
  record -o p.json.gz -- "$programs/../scenarios/waiting_turns"
  expect_status 0; expect_profile
  "$geckoprof" convert --idle --to folded -o folded p.json.gz
  python3 -B - "$here" p.json.gz <<'READ' || die "the waits are not shown as they were"
import gzip, itertools, json, sys
sys.path.insert(0, sys.argv[1])
import startup_profile
waited_ms = dict(zip(("WaitShort", "WaitLong"), map(float, open("out").read().split())))
main = next(thread for thread in startup_profile.processed_threads(json.load(gzip.open(sys.argv[2]))) if thread.is_main)
taken_ms, turns = dict.fromkeys(waited_ms, 0), []
for sample, following in zip(main.samples, main.samples[1:]):
    for name in taken_ms.keys() & set(sample.functions):
        taken_ms[name] += following.time_ms - sample.time_ms
        turns.append(name)
turns = len(list(itertools.groupby(turns)))  # a stall of the machine that hides a wait makes one of three
right = turns >= 27 and all(0.8 < taken_ms[name] / waited_ms[name] < 1.2 for name in waited_ms)
sys.exit(0 if right else f"{turns} waits of 30: {taken_ms}, by the program's clock {waited_ms}")
READ
  grep -q 'main;Caller;WaitForChild;vfork [0-9]*$' folded || die "nobody waits for a child by vfork"
  ! grep -v 'main;Caller;WaitForChild;vfork' folded | grep -q 'vfork' || die "a caller of vfork is missing: $(grep vfork folded)"
}

case_children() {
  record -o p.json.gz -- bash -c 'for i in 1 2 3; do bash -c "for j in {1..30000}; do :; done; :"; done; exec bash -c "for j in {1..30000}; do :; done; :"'
  expect_status 0; expect_samples; expect_error "4 processes"
}
# Children by fork that are over before anybody looks at them, and that exec or not, are all there.
case_short_children() {
  record -o p.json.gz -- bash -c 'for i in {1..20}; do (exit 0); done; (kill -KILL $BASHPID); (exec true); (:); exit 3'
  expect_status 3; expect_profile; expect_error "24 processes"
  "$geckoprof" report p.json.gz >report || die "no report"
  grep -q 'Lost: unsampled-child' report || die "the report does not say that children have no samples"
  "$geckoprof" report --json p.json.gz | python3 -c '
import json, sys
threads = json.load(sys.stdin)["threads"]
sys.exit(len({thread["pid"].split(".")[0] for thread in threads}) != 24 or not all("bash" in thread["name"] or "true" in thread["name"] for thread in threads))' ||
    die "children are missing, or nameless: $("$geckoprof" report --json p.json.gz | grep -A3 name)"
}
case_quiet() { record -q -o p.json.gz -- true; [ ! -s err ] || die "not quiet"; expect_profile; }
case_no_noise() {
  record -o p.json.gz -- sh -c 'echo to-out; echo to-err >&2'
  [ "$(cat out)" = to-out ] || die "stdout was touched"
  grep -v '^geckoprof: ' err | cmp -s - <(echo to-err) || die "stderr was touched"
  expect_one_line_of_ours; ! grep -q $'\r' err || die "progress on something that is no terminal"
}
expect_one_line_of_ours() { [ "$(grep -c '^geckoprof: ' err)" = 1 ] || die "more than one message"; }
case_session_gone() {
  record -o p.json.gz -- bash -c 'ls -ld "$GECKOPROF_SESSION_DIR"; ls "$GECKOPROF_SESSION_DIR"'
  expect_profile; grep -q '^drwx------ .*sessions/geckoprof-' out || die "no private session directory"
  [ -z "$(ls -A sessions)" ] || die "left behind: $(ls sessions)"
  record -o p.json.gz -- sh -c 'kill -KILL $$'; [ -z "$(ls -A sessions)" ] || die "left behind: $(ls sessions)"
}
case_main_has_ended() {  # what is loaded afterwards is known all the same
  record -o p.json.gz -- python3 -c 'import ctypes, os, threading, time
def work():
    time.sleep(0.1)
    import zlib
    end = time.monotonic() + 0.3
    while time.monotonic() < end: zlib.crc32(bytes(1 << 20))
threading.Thread(target=work).start(); ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)'
  expect_samples; "$geckoprof" report p.json.gz | grep -q '\[libz\|crc32.*\[zlib' || die "no function of zlib: $("$geckoprof" report p.json.gz)"
}
case_outlived() {  # a process that goes on after the recording, and the program that it starts then, are left alone
  record -o p.json.gz -- bash -c '(exec >/dev/null 2>&1; trap "touch turn; exec sleep 60" USR1; while :; do :; done) & echo $!; sleep 0.3'
  daemon=$(cat out); trap 'kill -KILL $daemon; rm -rf "$work"' EXIT
  expect_profile; expect_error "It goes on, and is not recorded any more"
  for i in {1..300}; do grep -qs geckoprof /proc/$daemon/task/*/comm || break; sleep 0.02; done
  grep -qs geckoprof /proc/$daemon/task/*/comm && die "the sampler goes on"
  kill -USR1 $daemon; for i in {1..300}; do grep -qs sleep /proc/$daemon/comm && break; sleep 0.02; done
  grep -qs sleep /proc/$daemon/comm || die "it did not go on"
  sleep 0.1; [ "$(ls /proc/$daemon/task | wc -l)" = 1 ] || die "what it started is recorded"
}
case_outlived_unrecorded() {  # a process of which there is nothing, still there at the end
  record -o p.json.gz -- python3 -c 'import os, subprocess
left = {name: os.environ[name] for name in ("GECKOPROF_SESSION_DIR", "PATH")}
print(subprocess.Popen(["sleep", "60"], env=left, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)'
  daemon=$(cat out); trap 'kill -KILL $daemon; rm -rf "$work"' EXIT
  expect_profile; expect_error "process $daemon (sleep): it goes on after the recording, and had not begun to record"
}
case_corrupt_segment() {
  record -o p.json.gz -- bash -c 'cd "$GECKOPROF_SESSION_DIR"; head -c 5000 /bin/true >99998-0.segment; : >99999-0.segment
    mkfifo 99997-0.segment; mkdir 99996-0.segment; ln -s /dev/zero 99995-0.segment; ln -s "odd reason" note-99994
    for f in *-0.segment; do [ -s $f ] && cp $f 99993-0.segment && truncate -s 5000 99993-0.segment && break; done; exit 3'
  expect_status 3; expect_profile; expect_error "99998-0.segment"
  [ -z "$(ls -A sessions)" ] || die "left behind: $(ls sessions)"
}
case_recover_after_kill() {
  set -m; "$geckoprof" record -o p.json.gz -- bash -c 'for i in {1..50000}; do :; done; touch ready; sleep 1' >out 2>err & set +m
  local pid=$!
  for _ in {1..100}; do [ -e ready ] && break; sleep 0.1; done
  kill -KILL "$pid"; wait "$pid" 2>/dev/null
  expect_no_profile
  "$geckoprof" recover sessions/geckoprof-* -o r.json.gz >out 2>err || die "recover failed"
  expect_samples r.json.gz
  "$geckoprof" recover sessions/geckoprof-*/*.segment -o s.json.gz >out 2>err || die "recover of files failed"
  expect_samples s.json.gz
  "$geckoprof" recover bare -o t.json.gz >out 2>err && die "recovered from an empty folder"
  "$geckoprof" recover no-such-folder -o t.json.gz >out 2>err && die "recovered from nothing"
  expect_no_profile t.json.gz
}
# The memory for a segment is that of its facts. The segments are the same file, under the names of 20,000 processes.
case_recover_many() {
  LD_PRELOAD=$(dirname "$geckoprof")/../lib/libbaseprofiler.so GECKOPROF_STARTUP=1 GECKOPROF_SHUTDOWN=$PWD/one.json GECKOPROF_COMMAND=/none /bin/true
  mkdir -m 700 many
  /usr/bin/python3 -B - "$geckoprof" one.json.segment many <<'RUN' || die "recovering takes too much memory"
import os, resource, subprocess, sys
geckoprof, segment, folder = sys.argv[1:]
for pid in range(10000, 30000):
    os.link(segment, f"{folder}/{pid}-0.segment")
subprocess.run([geckoprof, "recover", "-q", "-o", "many.json", folder], check=True)
peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
sys.exit(0 if peak_mb < 48 else f"{peak_mb:.0f} MB for 20,000 segments")
RUN
  [ "$(grep -o '"process start"' many.json | wc -l)" -ge 1 ] || die "no markers"
}
# The script's own image ends before it has told what it is; the profile is called as `record` would have called it, and without
# the recorder's note by the first image that told.
case_recover_knows_program() {
  printf '#!/bin/sh\nexec bash -c "for i in {1..50000}; do :; done; touch ready; sleep 1" named\n' >script; chmod +x script
  set -m; "$geckoprof" record -o p.json.gz -- ./script word >out 2>err & set +m
  local pid=$!
  for _ in {1..100}; do [ -e ready ] && break; sleep 0.1; done
  kill -KILL "$pid"; wait "$pid" 2>/dev/null
  local format
  for format in processed gecko; do
    "$geckoprof" recover sessions/geckoprof-* --format $format -o r.json >out 2>err || die "recover failed"
    python3 -c 'import json; meta = json.load(open("r.json"))["meta"]; print(meta["product"], meta.get("arguments", ""))' >product
    grep -Eq "^script( ./script word|)" product || die "the profile is called: $(cat product)"
    "$geckoprof" recover sessions/geckoprof-*/*.segment --format $format -o r.json >out 2>err || die "recover failed"
    python3 -c 'import json; meta = json.load(open("r.json"))["meta"]; print(meta["product"], meta.get("arguments", ""))' >product
    grep -Eq "^(script|sh|bash) " product || die "the profile of the segments is called: $(cat product)"
  done
}
case_recover_list() {
  export TMPDIR=$work/temporary; mkdir "$TMPDIR"
  set -m; "$geckoprof" record -o p.json.gz -- bash -c 'for i in {1..50000}; do :; done; touch ready; while [ ! -e end ]; do sleep 0.1; done' >out 2>err & set +m
  local pid=$!
  for _ in {1..100}; do [ -e ready ] && break; sleep 0.1; done
  "$geckoprof" recover --list | grep "$work/sessions" >list
  grep -q "^in use .*sessions/geckoprof-.* bash" list || die "not listed as in use: $(cat list)"
  kill -KILL "$pid"; wait "$pid" 2>/dev/null
  "$geckoprof" recover --list | grep -q "^in use .*$work/sessions" || die "a program that lives is not in use"
  touch end
  for _ in {1..100}; do "$geckoprof" recover --list | grep -q "^left behind .*$work/sessions" && break; sleep 0.1; done
  "$geckoprof" recover --list | grep -q "^left behind .*$work/sessions" || die "not listed as left behind"
  # Other tests' sessions may be in other places: removing is shown by the unit tests.
}
case_output_vanishes() {  # the data must outlive a profile that cannot be written
  mkdir gone
  record -o gone/p.json.gz -- sh -c 'rmdir gone; exit 4'
  expect_status 4; expect_error "geckoprof recover"
  "$geckoprof" recover sessions/geckoprof-* -o r.json.gz >out 2>err || die "recover failed"
  expect_profile r.json.gz
}
case_long_output_names() {  # what cannot be written is found out before the program runs
  local long; long=$(printf 'x%.0s' {1..246})
  record -o "$long.json.gz" -- true; expect_status 0; expect_profile "$long.json.gz"
  record -o "x$long.json.gzz" -- touch ran; expect_refused 1
  record -o /proc/version -- touch ran; expect_refused 1
  local name=${long:0:240}
  cp /bin/true "$name"
  record -- "./$name"; expect_status 0; expect_profile "$(ls geckoprof-xxx*.json.gz)"
}
case_default_output() { record -- true; expect_status 0; expect_profile "$(ls geckoprof-true-*.json.gz)"; }
case_default_output_of_several() {  # that end in the same moment
  for _ in 1 2 3 4; do "$geckoprof" record -q -- true & done
  wait
  [ "$(ls geckoprof-true-*.json.gz | wc -l)" = 4 ] || die "only $(ls)"
  for file in geckoprof-true-*.json.gz; do expect_profile "$file"; done
}
# timeout(1) signals twice; whoever presses Ctrl-C may press it again. Not before the recorder has reaped the program: a signal
# of the family for its parent is passed on to this shell.
case_signals_while_writing() {
  record -o p.json.gz -- bash -c '(while kill -0 $$; do :; done; for i in {1..3000}; do kill -TERM $PPID; kill -INT $PPID; done) 2>/dev/null & exit 3'
  case $status in 3 | 143) ;; *) die "exit status $status" ;; esac
  expect_profile
  [ -z "$(ls -A sessions)" ] || die "left behind: $(ls sessions)"
  ! ls ./*.tmp ./.geckoprof-* 2>/dev/null || die "left behind a temporary file"
}
case_own_file_size_limit() {
  (ulimit -f 100; "$geckoprof" record -o p.json.gz -- touch ran >out 2>err); status=$?
  expect_refused 1; expect_error "ulimit -f"
}
case_how_it_ended() {
  record -o p.json.gz -- bash -c 'for i in {1..20000}; do :; done; kill -KILL $$'
  "$geckoprof" report p.json.gz | grep -q 'Ended *Killed' || die "the report does not say how it ended"
  record -o p.json.gz -- bash -c 'bash -c "for i in {1..20000}; do :; done; kill -KILL \$\$"; exit 0'
  "$geckoprof" report p.json.gz | grep -q 'alive' && die "a process that is gone is said to be alive"
  expect_samples
}
case_unrecorded_exec_is_noted() {
  record -o p.json.gz -- env -i sleep 0.02; expect_status 0; expect_error "seems to have followed by exec"
  "$geckoprof" report p.json.gz | grep -q 'Ended *exec (not recorded afterwards)' || die "the report does not say that something is missing"
  record -o p.json.gz -- env -i sleep 0.5; expect_status 0; expect_error "(/usr/bin/sleep): There are no samples: it was started without LD_PRELOAD"
  "$geckoprof" report p.json.gz | grep -q 'Lost: unrecorded-program' || die "the report does not say that something is missing"
  record -o p.json.gz -- bash -c 'for i in {1..100000}; do :; done'; expect_status 0; expect_samples; ! grep -q exec err || die "$(cat err)"
}
case_another_user_is_noted() {
  [ "$(id -u)" = 0 ] || skip "only root can become another user"
  record -o p.json.gz -- setpriv --reuid 65534 --clear-groups id; expect_error "changed its user"
  record -o p.json.gz -- unshare -m true; expect_error "file systems of its own"
  unshare -Ur true 2>/dev/null || return 0
  record -o p.json.gz -- unshare -Ur id; expect_status 0; ! grep -q "changed its user" err || die "another number for the same user"
}
case_same_pid_in_two_namespaces() {
  unshare -pf --mount-proc true 2>/dev/null || skip "no pid namespace to be had"
  mkfifo a b
  record -o p.json.gz -- bash -c "unshare -pf --mount-proc bash -c ': >a; : <b; :' & unshare -pf --mount-proc bash -c ': <a; : >b; :' & wait"
  expect_status 0; expect_profile
  "$geckoprof" report p.json.gz | grep -qE ' 1@1[.0-9]*/1 ' || die "two processes with the same number are shown as one"
}
# The kernel gives a number again when its process has ended.
case_same_pid_again() {
  unshare -pf --mount-proc bash -c 'echo 99 >/proc/sys/kernel/ns_last_pid' 2>/dev/null || skip "the next number cannot be chosen"
  record -o p.json.gz -- unshare -pf --mount-proc bash -c 'for turn in first second; do
    echo 99 >/proc/sys/kernel/ns_last_pid
    bash -c "i=0; while [ \$i -lt 50000 ]; do i=\$((i + 1)); done" $turn & wait
  done'
  expect_status 0; expect_profile
  "$geckoprof" report --by process --json p.json.gz | python3 -c 'import json, sys
pids = {row["pid"].split(".")[0] for row in json.load(sys.stdin)["rows"]}
sys.exit(0 if {"100", "100@1"} <= pids else f"the processes are {pids}")' || die "two processes with the same number are shown as one"
}
# A number of theirs is not judged by the process that has it here, nor by the program's end.
case_end_in_another_pid_namespace() {
  unshare -U -r --pid --fork --mount-proc true 2>/dev/null || skip "no pid namespace to be had"
  local work_of_it='i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'
  record -o p.json.gz -- unshare -U -r --pid --fork --mount-proc sh -c "for i in 1 2 3 4 5; do sleep 100 & done; exec sh -c '$work_of_it'"
  expect_status 0; expect_profile
  ! grep "It goes on" err || die "a process that ended with its namespace goes on"
  record -o p.json.gz -- sh -c "unshare -U -r --pid --fork --kill-child --mount-proc sh -c 'sleep 100 & exec sleep 100' >daemons 2>&1 & echo \$!; sleep 0.3"
  kill -KILL "$(cat out)"  # and so those in its namespace
  expect_profile; expect_error "process [12] .* and [0-9] others*: It goes on, and is not recorded any more"
}
case_orphans_are_reaped() {
  unshare -pf --mount-proc true 2>/dev/null || skip "no pid namespace to be had"
  unshare -pf --mount-proc "$geckoprof" record -q -o p.json.gz -- bash -c 'for i in 1 2 3 4 5; do (sleep 0.1 & echo $! >>orphans); done
    for try in {1..100}; do ! kill -0 $(cat orphans) 2>/dev/null && break; sleep 0.1; done
    grep -l "^State:.Z" /proc/[0-9]*/status | wc -l' >out || die "status $?"
  [ "$(wc -l <orphans)" = 5 ] && [ "$(cat out)" = 0 ] || die "orphans that nobody waits for: $(cat out)"
}
case_foreign_proc_is_noted() {
  unshare -Upf --map-root-user true 2>/dev/null || skip "no pid namespace to be had"
  record -o p.json.gz -- unshare -Upf --map-root-user bash -c 'for i in {1..20000}; do :; done; exec sleep 0.5'
  expect_status 0; expect_profile
  "$geckoprof" report p.json.gz | grep -q '/proc is that of another pid namespace' || die "the report does not say why there are no samples"
  "$geckoprof" report p.json.gz | grep -q '1/[0-9]* *geckoprof' && die "the sampler is shown as a thread of the program"
  :
}
case_child_without_room_is_noted() {
  record -o p.json.gz -- bash -c '(ulimit -f 4; exec bash -c "for i in {1..20000}; do :; done"); :'
  expect_status 0; expect_profile; expect_error "not recorded: process .*ulimit -f"
}
case_session_limit() {
  record --capacity 1MiB -o p.json.gz -- bash -c 'for i in {1..600}; do (for j in {1..4000}; do :; done) done
    s=$GECKOPROF_SESSION_DIR; [ -z "$s" ] || du -sk "$s" >size; [ ! -e "$s/full" ] || touch full'
  expect_status 0; expect_samples
  [ ! -e full ] || die "the session was closed"
  [ "$(cut -f1 size)" -lt 2048 ] || die "the session takes $(cut -f1 size) KiB"
  local processes; processes=$("$geckoprof" report --json p.json.gz | python3 -c 'import json, sys; print(json.load(sys.stdin)["processes"])')
  [ "$processes" = 602 ] || die "$processes of 602 processes are in the profile"  # with du
}
case_live_processes_release() {  # a process that fills its buffer, beside one that sleeps, whose stack stays known
  record --capacity 1MiB --interval 0.1 -o p.json.gz -- bash -c 'sleep 100 & for i in {1..4}; do (for j in {1..600000}; do :; done) & done; wait %2 %3 %4 %5
    du -sk "$GECKOPROF_SESSION_DIR" >size; kill %1'
  expect_samples; [ "$(cut -f1 size)" -lt 1500 ] || die "the session takes $(cut -f1 size) KiB"
  "$geckoprof" report --by wait p.json.gz | grep -q sleep || die "the sleeping process is not known to wait"
}
make_private() {  # a geckoprof of which only root may read the library: it copies that, and $copy_of tells where to
  [ "$(id -u)" = 0 ] || skip "only root can become another user"
  mkdir private private/bin private/lib; chmod 700 private
  cp "$geckoprof" private/bin; cp "$(dirname "$geckoprof")/../lib/libbaseprofiler.so" private/lib
  copy_of="echo \"\$LD_PRELOAD\" >$work/preloaded"
}
case_library_that_others_may_not_read() {
  make_private
  setpriv --reuid 65534 --clear-groups id >bare.out
  TMPDIR=$work private/bin/geckoprof record -q --format gecko -o p.json.gz -- sh -c "$copy_of; exec setpriv --reuid 65534 --clear-groups id" >out 2>err
  [ ! -s err ] || die "something was printed"; cmp -s bare.out out || die "stdout differs"; expect_profile
  local copy; copy=$(dirname "$(cat preloaded)")
  case $copy in */geckoprof-lib-??????) ;; *) die "no copy: $copy" ;; esac
  [ ! -e "$copy" ] || die "left behind the copy"
  zcat p.json.gz | grep -q "$work/private/lib/libbaseprofiler.so" || die "the profile names another library"
  ! zcat p.json.gz | grep -q geckoprof-lib- || die "the profile names the copy"
}
# As long as somebody goes on with it: without it each program that he starts would print an error of the loader's. So also where
# the recorder may not know what he has.
case_library_copy_outlives_recording() {
  make_private
  local bounds daemon copy
  for bounds in +sys_ptrace -sys_ptrace,-perfmon,-sys_admin; do
    rm -f turn ended
    setpriv --bounding-set $bounds private/bin/geckoprof record -o p.json.gz -- sh -c "$copy_of; setpriv --reuid 65534 --clear-groups sh -c '
      while [ ! -e turn ]; do sleep 0.1; done; /bin/true; touch ended; sleep 60' >/dev/null 2>daemon.err & echo \$!; sleep 0.3" >out 2>err
    daemon=$(cat out); copy=$(dirname "$(cat preloaded)")
    expect_profile; expect_error "it stays (geckoprof recover --remove-stale"
    touch turn; for _ in {1..100}; do [ -e ended ] && break; sleep 0.1; done
    [ ! -s daemon.err ] || die "the loader missed the copy: $(cat daemon.err)"
    "$geckoprof" recover --list | grep -q "^in use .*$copy  libbaseprofiler.so" || die "not listed as in use"
    kill -KILL "$daemon" $(cat "/proc/$daemon/task/$daemon/children")
    for _ in {1..100}; do "$geckoprof" recover --list | grep -q "^left behind .*$copy " && break; sleep 0.1; done
    "$geckoprof" recover --list | grep -q "^left behind .*$copy " || die "not listed as left behind"
    # Other tests' sessions may be in other places: removing is shown by the unit tests.
    rm -r "$copy"
  done
}
# The program's environment is where its options arrive: those that were given, and of what was inherited only what they do not
# say otherwise, nor what is the recorder's business.
case_options_reach_the_program() {
  export GECKOPROF_HELP=1 GECKOPROF_SHUTDOWN=$work/written.json GECKOPROF_STARTUP_FEATURES_BITFIELD=1 GECKOPROF_STARTUP_INTERVAL=7
  expect_options() { grep '^GECKOPROF_STARTUP\|^GECKOPROF_HELP\|^GECKOPROF_SHUTDOWN' out | sort | cmp -s - <(printf '%s\n' "$@") || die "other options arrived"; }
  record -q -o p.json.gz -- env; expect_status 0; expect_profile
  expect_options GECKOPROF_STARTUP=1 GECKOPROF_STARTUP_FEATURES_BITFIELD=1 GECKOPROF_STARTUP_INTERVAL=7
  record -q -o p.json.gz --interval 2.5 --capacity 4MiB --duration 60 --features stackwalk --threads a,b -- env; expect_status 0; expect_profile
  expect_options GECKOPROF_STARTUP=1 GECKOPROF_STARTUP_DURATION=60 GECKOPROF_STARTUP_ENTRIES=524288 GECKOPROF_STARTUP_FEATURES=stackwalk \
    GECKOPROF_STARTUP_FILTERS=a,b GECKOPROF_STARTUP_INTERVAL=2.5
  [ ! -e written.json ] || die "the program wrote a profile of its own"
}
case_no_arguments() {  # neither the recorded data nor the profile has them
  record -q --no-arguments -o p.json -- bash -c 'sleep 0.1; (sleep 0.1 & wait); grep -rl hunter2 "$GECKOPROF_SESSION_DIR"; ls -d /usr >/dev/null' hunter2
  expect_status 0; expect_profile p.json
  [ ! -s out ] || die "the session has the arguments"
  ! grep -q hunter2 p.json || die "the profile has the arguments"
  ! grep -q "/usr >" p.json || die "the profile has arguments of a child"
  grep -q '"arguments":"bash"' p.json || die "the profile has no name of the program"
  GECKOPROF_NO_ARGUMENTS=1 record -q -o q.json -- sh -c 'sleep 0.1; true' hunter2; expect_profile q.json
  ! grep -q hunter2 q.json || die "the variable has no effect"
  record -q -o all.json -- sh -c 'sleep 0.1; true' hunter2
  grep -q hunter2 all.json || die "arguments are left out without being asked"
}
case_startup_of_script() {  # each program that the process runs has its time from exec to the constructor
  printf '#!/usr/bin/env sh\ni=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done\n' >script; chmod +x script
  local format execs
  for format in processed gecko; do
    record --format $format -o $format.json -- ./script; expect_status 0; expect_profile $format.json
    execs=$("$geckoprof" report --by startup --json $format.json | python3 -c 'import json, sys
print(*{row["pid"] for row in json.load(sys.stdin)["rows"] if row["phase"] == "exec" and 0 < row["durationMs"] < 1000})')
    [ "$(wc -w <<<"$execs")" = 2 ] || die "$format: env and sh have not both been loaded: $execs"
  done
}
case_existing_preload() {
  local other; other=$(ldconfig -p | awk '/libpthread\.so\.0 \(libc6,(x86-64|AArch64)/ {print $NF; exit}')
  [ -n "$other" ] || skip "no library to preload"
  LD_PRELOAD=$other record -o p.json.gz -- sh -c 'echo $LD_PRELOAD'
  expect_profile; grep -q "libbaseprofiler.so[.0-9]*:$other\$" out || die "the program's preload was lost"
}

"case_$case_name"
