/* A second copy of the libraries in a namespace of its own, beside what the program itself has: LIBRARY... */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  Lmid_t space = LM_ID_NEWLM;
  for (int i = 1; i < argc; ++i) {
    void* const library = dlmopen(space, argv[i], RTLD_NOW);
    if (library == NULL) {
      printf("dlmopen: %s\n", dlerror());
      return 1;
    }
    dlinfo(library, RTLD_DI_LMID, &space);
    int (*const start)(const void*, void*) = (int (*)(const void*, void*))dlsym(library, "geckoprof_start");
    int (*const start_base)(const void*) = (int (*)(const void*))dlsym(library, "geckoprof_base_start_with");
    int (*const state)(void) = (int (*)(void))dlsym(library, "geckoprof_base_state");
    if (start != NULL) printf("full %d\n", start(NULL, NULL));
    if (start_base != NULL) printf("base %d\n", start_base(NULL));
    if (state != NULL) printf("state %d\n", state());
    fflush(stdout);
  }
  return 0;
}
