/* ring_host FOLDER PLUGIN: RunRings of a plugin, which no other library can see into. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  void* plugin = count > 2 ? dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*run)(const char*) = plugin != NULL ? (int (*)(const char*))dlsym(plugin, "RunRings") : NULL;
  if (run == NULL) {
    fprintf(stderr, "ring_host: %s\n", count > 2 ? dlerror() : "two arguments");
    return 2;
  }
  int status = run(arguments[1]);
  return dlclose(plugin) == 0 && dlopen(arguments[2], RTLD_NOW | RTLD_NOLOAD) == NULL ? status : 3;
}
