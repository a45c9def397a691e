/* A library that is loaded with RTLD_DEEPBIND. */
#include <stdlib.h>

void* plugin_get(size_t bytes) { return malloc(bytes); }
void plugin_give(void* block) { free(block); }
