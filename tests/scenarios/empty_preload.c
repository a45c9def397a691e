// A shared library with nothing in it: what preloading costs at all, for the start-up benchmark.
__attribute__((visibility("default"))) const int empty_preload_marker = 1;
