// What backtrace_program loads and unloads.
extern "C" __attribute__((visibility("default"), noinline)) void CallFromPlugin(void (*function)(void*),
                                                                                void* argument) {
  function(argument);
  asm volatile("");  // not in tail position
}
