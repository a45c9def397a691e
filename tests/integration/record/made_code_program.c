// Code made at run time, with the files that tell its names.
//
//   fork SECONDS    two functions in a perf map; a forked child runs them
//   user SECONDS    the same in one process, after it has changed its user
//   dump COUNT      a jitdump; COUNT times code is made or moved in 16 places, and run. The function call_K calls code
//                   named code_K_N alone
//   unnamed SECONDS code that no file names, in a hundred places
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kPlaces = 128, kPlaceBytes = 64, kCallers = 8, kDumpPlaces = 16 };

// push rbp; mov rbp,rsp; mov ecx,edi; loop: imul rax,rax,3; dec ecx; jnz loop; pop rbp; ret
static const unsigned char kCode[] = {0x55, 0x48, 0x89, 0xe5, 0x89, 0xf9, 0x48, 0x6b,
                                      0xc0, 0x03, 0xff, 0xc9, 0x75, 0xf8, 0x5d, 0xc3};

typedef long (*Code)(int turns);
static unsigned char* places;
static volatile long sink;

static uint64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static Code CodeAt(int place) { return (Code)(void*)(places + place * kPlaceBytes); }

// Each code has a caller of its own. A stack thus tells which code ought to have run.
#define DEFINE_CALLER(k)                                                 \
  static __attribute__((noinline)) void call_##k(Code code, int turns) { \
    sink += code(turns);                                                 \
    __asm__ volatile("");                                                \
  }
#define DEFINE_CALLERS(define) define(0) define(1) define(2) define(3) define(4) define(5) define(6) define(7)
DEFINE_CALLERS(DEFINE_CALLER)

static void (*const kCallersByNumber[kCallers])(Code, int) = {call_0, call_1, call_2, call_3,
                                                              call_4, call_5, call_6, call_7};

static void RunTwo(double seconds) {
  const uint64_t end_ns = NowNs() + (uint64_t)(seconds * 1e9);
  while (NowNs() < end_ns) {
    for (int i = 0; i < 2; ++i) call_0(CodeAt(i), 20000);
  }
}

static int RunMapped(double seconds, int forks) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE* map = fopen(path, "w");
  for (int i = 0; i < 2; ++i) {
    memcpy(places + i * kPlaceBytes, kCode, sizeof kCode);
    fprintf(map, "%lx %x made_code_%d\n", (unsigned long)(places + i * kPlaceBytes), kPlaceBytes, i);
  }
  fclose(map);
  int status = 0;
  const pid_t child = forks ? fork() : 0;
  if (child == 0) RunTwo(seconds);
  if (child == 0 && forks) _exit(0);
  if (child != 0) waitpid(child, &status, 0);
  unlink(path);
  return status;
}

static void WriteWords(FILE* file, const uint64_t* words, int count) {
  fwrite(words, sizeof *words, (size_t)count, file);
}

static void WriteRecord(FILE* dump, uint32_t id, uint32_t size_bytes, const uint64_t* words, int count) {
  const uint32_t head[2] = {id, size_bytes};
  const uint64_t time_ns = NowNs();
  const uint32_t ids[2] = {(uint32_t)getpid(), (uint32_t)getpid()};
  fwrite(head, sizeof head, 1, dump);
  fwrite(&time_ns, sizeof time_ns, 1, dump);
  fwrite(ids, sizeof ids, 1, dump);
  WriteWords(dump, words, count);
}

static int RunDumped(int count) {
  char path[64];
  snprintf(path, sizeof path, "jit-%d.dump", (int)getpid());
  FILE* dump = fopen(path, "w+");
  const uint32_t header[6] = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid()};
  const uint64_t times[2] = {NowNs(), 0};
  fwrite(header, sizeof header, 1, dump);
  fwrite(times, sizeof times, 1, dump);
  fflush(dump);
  // By this mapping profilers find the file.
  if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED) return 1;
  int caller_of[kDumpPlaces];
  uint64_t number_of[kDumpPlaces];
  for (int i = 0; i < kDumpPlaces; ++i) caller_of[i] = -1;
  srand(5);
  for (int i = 0; i < count; ++i) {
    const int from = rand() % kDumpPlaces, place = rand() % kDumpPlaces;
    const uint64_t avma = (uint64_t)(places + place * kPlaceBytes);
    memcpy(places + place * kPlaceBytes, kCode, sizeof kCode);
    if (i % 2 == 0 || caller_of[from] < 0 || from == place) {
      char name[64];
      caller_of[place] = i % kCallers;
      number_of[place] = (uint64_t)i;
      const int name_bytes = snprintf(name, sizeof name, "code_%d_%d", i % kCallers, i) + 1;
      const uint64_t words[4] = {avma, avma, sizeof kCode, (uint64_t)i};
      WriteRecord(dump, 0, (uint32_t)(56 + (size_t)name_bytes + sizeof kCode), words, 4);
      fwrite(name, (size_t)name_bytes, 1, dump);
      fwrite(kCode, sizeof kCode, 1, dump);
    } else {
      const uint64_t words[5] = {avma, (uint64_t)(places + from * kPlaceBytes), avma, sizeof kCode, number_of[from]};
      WriteRecord(dump, 1, 64, words, 5);
      caller_of[place] = caller_of[from];
      number_of[place] = number_of[from];
      caller_of[from] = -1;
    }
    kCallersByNumber[caller_of[place]](CodeAt(place), 150000);
  }
  fclose(dump);
  unlink(path);
  return 0;
}

static int RunUnnamed(double seconds) {
  for (int i = 0; i < kPlaces; ++i) memcpy(places + i * kPlaceBytes, kCode, sizeof kCode);
  const uint64_t end_ns = NowNs() + (uint64_t)(seconds * 1e9);
  for (int i = 0; NowNs() < end_ns; ++i) call_0(CodeAt(i % kPlaces), 20000);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  places = mmap(NULL, kPlaces * kPlaceBytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (places == MAP_FAILED) return 1;
  if (strcmp(argv[1], "fork") == 0) return RunMapped(atof(argv[2]), 1);
  if (strcmp(argv[1], "user") == 0) return setuid(65534) != 0 ? 1 : RunMapped(atof(argv[2]), 0);
  if (strcmp(argv[1], "dump") == 0) return RunDumped(atoi(argv[2]));
  return RunUnnamed(atof(argv[2]));
}
