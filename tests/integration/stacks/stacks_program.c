// stacks_program MODE SECONDS: runs main > outer > middle > leaf in a way that makes its stacks hard to walk.
//
//   chain         as they are
//   moved         the code moves to anonymous memory at its own address before, as programs do for large pages
//   restorer      in a signal handler that was installed by the raw system call, with a restorer without unwind data
//   nop_restorer  the same, with other instructions before those that return
//   trampolines   each function calls the next one through generated code without unwind data or frame pointers
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

typedef double Function(double);

static double g_end_s;
static volatile double g_sink;
static double (*g_call)(double, Function*);  // calls a function through a trampoline, or null

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

NOINLINE double leaf(double x) {
  for (int i = 0; i < 2000; ++i) x = x * 1.0000001 + 0.5;
  return x;
}
// Frames of several sizes, and work after each call, so that no call becomes a jump.
NOINLINE double middle(double x) {
  volatile double room[21];
  room[3] = x;
  const double y = g_call != NULL ? g_call(x, leaf) : leaf(x);
  return y + room[3];
}
NOINLINE double outer(double x) {
  volatile double room[40];
  room[5] = x;
  const double y = g_call != NULL ? g_call(x, middle) : middle(x);
  return y + room[5];
}
NOINLINE void RunChain(void) {
  while (Now() < g_end_s) {
    for (int i = 0; i < 50; ++i) g_sink = outer(g_sink);
  }
  g_sink += 1;
}

__attribute__((section("kept_text"), noinline)) static void MoveText(void) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[512];
  uintptr_t start = 0, end = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to;
    char flags[5];
    if (sscanf(line, "%lx-%lx %4s", &from, &to, flags) == 3 && flags[2] == 'x' && (uintptr_t)leaf >= from &&
        (uintptr_t)leaf < to) {
      start = from;
      end = to;
    }
  }
  fclose(maps);
  const size_t bytes = end - start;
  void* const copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(copy, (void*)start, bytes);
  mprotect(copy, bytes, PROT_READ | PROT_EXEC);
  if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void*)start) == MAP_FAILED) abort();
}

#ifdef __x86_64__
void Restorer(void);
void NopRestorer(void);
__asm__(
    ".text\n.type Restorer,@function\n"
    "Restorer: mov $15, %rax\n syscall\n .size Restorer, .-Restorer\n"
    ".type NopRestorer,@function\n"
    "NopRestorer: endbr64\n nop\n mov $15, %eax\n syscall\n .size NopRestorer, .-NopRestorer\n");
static void Handle(int signal) {
  RunChain();
  g_sink += signal;
}
static void RunInHandler(void (*restorer)(void)) {
  const struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } action = {Handle, 0x04000000 /* SA_RESTORER */, restorer, 0};
  syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8);
  raise(SIGUSR1);
}
static void MakeTrampoline(void) {
  // sub $8, %rsp; call *%rdi; add $8, %rsp; ret
  static const uint8_t kCode[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  void* const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, kCode, sizeof kCode);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  memcpy(&g_call, &page, sizeof page);
}
#endif

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  g_end_s = Now() + atof(argv[2]);
  if (strcmp(argv[1], "moved") == 0) MoveText();
#ifdef __x86_64__
  if (strcmp(argv[1], "trampolines") == 0) MakeTrampoline();
  if (strcmp(argv[1], "restorer") == 0) RunInHandler(Restorer);
  if (strcmp(argv[1], "nop_restorer") == 0) RunInHandler(NopRestorer);
#else
  if (strcmp(argv[1], "trampolines") == 0 || strstr(argv[1], "restorer") != NULL) return 77;
#endif
  RunChain();
  printf("%d\n", g_sink > 0);
  return 0;
}
