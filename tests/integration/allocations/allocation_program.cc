// allocation_program MODE: allocates in the ways that hooks have to see. It prints what a profile must have, a line
// each:
//   got BYTES      a block of this size, which is not freed
//   freed BYTES    a block of this size, which is freed
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {

volatile uintptr_t g_sink;

size_t g_next_size = 100'096;
size_t NextSize() { return g_next_size += 128; }  // a size of its own for each block, which no alignment changes

template <typename Get, typename Give>
void Freed(Get get, Give give) {
  const size_t bytes = NextSize();
  auto* const block = get(bytes);
  if (block == nullptr) abort();
  g_sink = reinterpret_cast<uintptr_t>(block);
  give(block, bytes);
  printf("freed %zu\n", bytes);
}

void* PosixMemalign(size_t bytes) {
  void* block = nullptr;
  return posix_memalign(&block, 64, bytes) == 0 ? block : nullptr;
}

// Each function of the family once.
void Family() {
  const auto by_free = [](void* block, size_t) { free(block); };
  Freed([](size_t bytes) { return malloc(bytes); }, by_free);
  Freed([](size_t bytes) { return calloc(1, bytes); }, by_free);
  Freed([](size_t bytes) { return realloc(nullptr, bytes); }, by_free);
  Freed([](size_t bytes) { return reallocarray(nullptr, 1, bytes); }, by_free);
  Freed([](size_t bytes) { return memalign(64, bytes); }, by_free);
  Freed([](size_t bytes) { return aligned_alloc(32, bytes); }, by_free);
  Freed(PosixMemalign, by_free);
  Freed([](size_t bytes) { return valloc(bytes); }, by_free);
  Freed([](size_t bytes) { return strcpy(static_cast<char*>(malloc(bytes)), "text"); }, by_free);
  Freed([](size_t bytes) { return operator new(bytes); }, [](void* block, size_t) { operator delete(block); });
  Freed([](size_t bytes) { return operator new[](bytes); }, [](void* block, size_t) { operator delete[](block); });
  Freed([](size_t bytes) { return operator new(bytes, std::nothrow); },
        [](void* block, size_t) { operator delete(block, std::nothrow); });
  Freed([](size_t bytes) { return operator new[](bytes, std::nothrow); },
        [](void* block, size_t) { operator delete[](block, std::nothrow); });
  static constexpr std::align_val_t kAlign{128};
  Freed([](size_t bytes) { return operator new(bytes, kAlign); },
        [](void* block, size_t) { operator delete(block, kAlign); });
  Freed([](size_t bytes) { return operator new[](bytes, kAlign); },
        [](void* block, size_t bytes) { operator delete[](block, bytes, kAlign); });
  Freed([](size_t bytes) { return operator new(bytes); },
        [](void* block, size_t bytes) { operator delete(block, bytes); });
  // libc's own call: through the program's malloc.
  static char text[1 << 17];
  memset(text, 'x', NextSize() - 1);
  free(strdup(text));
  printf("freed %zu\n", g_next_size);
  // realloc: the old block is freed, and the new one is got.
  const size_t small = NextSize(), large = NextSize() + 1'000'000;
  void* block = malloc(small);
  block = realloc(block, large);
  printf("freed %zu\ngot %zu\n", small, large);
  if (realloc(block, SIZE_MAX / 2) != nullptr) abort();  // the block stays
  if (malloc(SIZE_MAX / 2) != nullptr) abort();
  if (malloc_usable_size(block) < large) abort();
  free(nullptr);
  errno = 77;
  free(malloc(NextSize()));
  printf("freed %zu\n", g_next_size);
  if (errno != 77) abort();
}

void* NewBlock() {
  const size_t bytes = NextSize();
  printf("got %zu\n", bytes);
  return malloc(bytes);
}

// Blocks that stay, until somebody kills the program.
void Retained() {
  for (int i = 0; i < 50; ++i) {
    g_sink = reinterpret_cast<uintptr_t>(NewBlock());
    Freed([](size_t bytes) { return malloc(bytes); }, [](void* block, size_t) { free(block); });
  }
  fflush(stdout);
  kill(getpid(), SIGKILL);
}

// Keeps and touches blocks of 64 KiB until the kernel has no more memory for the process.
void Exhaust() {
  constexpr size_t kBytes = 64 << 10;
  for (;;) {
    void* const block = malloc(kBytes);
    if (block == nullptr) return;
    memset(block, 1, kBytes);
  }
}

void Handler(int) { free(NewBlock()); }

void InHandler() {
  signal(SIGUSR1, Handler);
  for (int i = 0; i < 10; ++i) raise(SIGUSR1);
}

void Fork() {
  void* const block = NewBlock();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    free(block);  // the parent's
    usleep(20'000);
    Freed([](size_t bytes) { return malloc(bytes); }, [](void* own, size_t) { free(own); });
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) abort();
  const pid_t other = vfork();
  if (other == 0) {
    free(malloc(10));
    _exit(0);
  }
  if (waitpid(other, &status, 0) != other || status != 0) abort();
  g_sink = reinterpret_cast<uintptr_t>(block);
}

// 8 threads, each with blocks that the next one frees. They end with a partial count.
void Threads() {
  constexpr int kThreads = 8, kBlocks = 4000;
  constexpr size_t kBytes = 2000;
  std::vector<std::vector<void*>> blocks(kThreads, std::vector<void*>(kBlocks));
  for (const bool frees : {false, true}) {
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (void*& block : blocks[frees ? (t + 1) % kThreads : t]) frees ? free(block) : void(block = malloc(kBytes));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  printf("all %zu\n", kThreads * kBlocks * kBytes);
}

// A library that looks its functions up in libc first.
void DeepBind(const char* library) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_DEEPBIND);
  if (loaded == nullptr) abort();
  const auto get = reinterpret_cast<void* (*)(size_t)>(dlsym(loaded, "plugin_get"));
  const auto give = reinterpret_cast<void (*)(void*)>(dlsym(loaded, "plugin_give"));
  for (int i = 0; i < 100; ++i) {
    free(get(1000));
    give(malloc(1000));  // no hook sees this free
    Freed([](size_t bytes) { return malloc(bytes); }, [](void* block, size_t) { free(block); });
  }
}

void LimitedAddresses() {
  const rlimit limit = {64 << 20, 64 << 20};
  if (setrlimit(RLIMIT_AS, &limit) != 0) abort();
  while (malloc(1 << 20) != nullptr) {
  }
  puts("full");
}

}  // namespace

// Constructors of libraries may allocate before those of the hooks.
const std::string g_early(5000, 'e');

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  if (mode == "family") Family();
  if (mode == "retained") Retained();
  if (mode == "exhaust") Exhaust();
  if (mode == "handler") InHandler();
  if (mode == "fork") Fork();
  if (mode == "threads") Threads();
  if (mode == "deepbind") DeepBind(words[2]);
  if (mode == "limit") LimitedAddresses();
  if (mode == "pause") usleep(50'000);
  fflush(stdout);
  _exit(0);
}
