// libraries_program CASE FOLDER: loads the libraries in FOLDER. Prints what it finds, and the times that it takes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

jmp_buf program_jump;
static const char* g_folder;

static double Now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static const char* Path(const char* name) {
  static _Thread_local char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/lib%s.so", g_folder, name);
  return path;
}

static void* Open(const char* name) { return dlopen(Path(name), RTLD_NOW); }

static int Ask(void* library, const char* question) {
  int (*answer)(void);
  *(void**)&answer = library != 0 ? dlsym(library, question) : 0;
  return answer != 0 ? answer() : -1;
}

static void Slow(void) {
  const double begin = Now();
  void* const library = Open("slow");
  const double opened = Now();
  printf("%d %.3f", Ask(library, "is_relocated"), opened - begin);
  printf(" %d\n", dlclose(library));
}

static void Nested(void) { printf("%d\n", Ask(Open("nested"), "nested_loaded")); }

static void Copy(const char* from, const char* to) {
  char command[2 * PATH_MAX];
  snprintf(command, sizeof command, "cp %s %s.new && mv %s.new %s", from, to, to, to);
  if (system(command) != 0) exit(3);
}

// Each line is a fact that must be the same with and without the hooks.
static void Bad(void) {
  errno = 99;
  printf("missing %d", dlopen("/nowhere/libmissing.so", RTLD_NOW) != 0);
  printf(" %d\n", strstr(dlerror(), "cannot open shared object file") != 0);
  printf("no mode %d\n", dlopen(Path("quick"), 0) != 0);
  printf("null %d\n", dlopen(NULL, RTLD_NOW) != 0);
  printf("empty %d\n", dlopen("", RTLD_NOW) != 0);
  printf("not loaded %d\n", dlopen(Path("quick"), RTLD_NOW | RTLD_NOLOAD) != 0);
  void* const deep = dlopen(Path("quick"), RTLD_NOW | RTLD_DEEPBIND);
  int* const answer = deep != 0 ? (int*)dlsym(deep, "quick_answer") : 0;
  printf("deep %d\n", answer != 0 ? *answer : 0);
  printf("loaded %d\n", dlopen(Path("quick"), RTLD_NOW | RTLD_NOLOAD) == deep);
  dlclose(deep);
  printf("closed %d\n", dlclose(deep));
  void* const apart = dlmopen(LM_ID_NEWLM, Path("quick"), RTLD_NOW);
  printf("apart %d\n", apart != 0 && dlclose(apart) == 0);
  void* const closing = Open("closing");
  printf("closing %d %d\n", closing != 0, dlclose(closing));
  // A file that is replaced while its library is loaded.
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/libreplaced_%d.so", g_folder, (int)getpid());
  Copy(Path("quick"), path);
  void* const first = dlopen(path, RTLD_NOW);
  Copy(Path("caller"), path);
  void* const second = dlopen(path, RTLD_NOW);
  dlclose(first);
  dlclose(second);
  void* const third = dlopen(path, RTLD_NOW);
  printf("replaced %d %d %d\n", first != 0, second == first, Ask(third, "caller_finds"));
  unlink(path);
  for (int i = 0; i < 3; ++i) {
    // The loader stays locked by this thread. It may load more.
    if (setjmp(program_jump) == 0) Open("jumping");
  }
  printf("jumped %d\n", Open("slow") != 0);
}

// Names that only the run path of the caller finds.
static void Callers(void) {
  void* const by_name = dlopen("libquick.so", RTLD_NOW);
  void* const by_origin = dlopen("$ORIGIN/plugins/libquick.so", RTLD_NOW);
  printf("by name %d, by origin %d, caller %d, libm %d\n", by_name != 0, by_origin != 0,
         Ask(Open("caller"), "caller_finds"), dlopen("libm.so.6", RTLD_NOW) != 0);
}

static void* LoadOften(void* name) {
  for (int i = 0; i < 50; ++i) {
    void* const library = Open(name);
    if (library == 0) return (void*)1;
    dlclose(library);
  }
  return 0;
}

static void Threads(void) {
  static const char* const names[] = {"quick", "closing", "caller", "quick"};
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], 0, LoadOften, (void*)names[i]);
  long failed = 0;
  for (int i = 0; i < 4; ++i) {
    void* result = 0;
    pthread_join(threads[i], &result);
    failed += result != 0;
  }
  printf("failed %ld\n", failed);
}

int main(int count, char** words) {
  if (count != 3) return 2;
  g_folder = words[2];
  setvbuf(stdout, 0, _IONBF, 0);
  setenv("QUICK_LIBRARY", Path("quick"), 1);
  setenv("SLOW_LIBRARY", Path("slow"), 1);
  if (strcmp(words[1], "slow") == 0) Slow();
  if (strcmp(words[1], "nested") == 0) Nested();
  if (strcmp(words[1], "bad") == 0) Bad();
  if (strcmp(words[1], "endless") == 0) Open("endless");
  if (strcmp(words[1], "callers") == 0) Callers();
  if (strcmp(words[1], "threads") == 0) Threads();
  return 0;
}
