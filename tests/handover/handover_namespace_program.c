/* Another copy of base, in a namespace of its own: LIBRARY. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* const library = argc > 1 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : NULL;
  if (library == NULL) {
    printf("dlmopen: %s\n", dlerror());
    return 1;
  }
  int (*const start)(const void*) = (int (*)(const void*))dlsym(library, "geckoprof_base_start_with");
  int (*const state)(void) = (int (*)(void))dlsym(library, "geckoprof_base_state");
  printf("start %d\nstate %d\n", start(NULL), state());
  return 0;
}
