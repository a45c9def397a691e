/* A program with an allocator of its own, which hides that of libc and the hooks. */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static char memory[1 << 20] __attribute__((aligned(16)));
static size_t used;

void* malloc(size_t bytes) {
  void* const block = memory + used;
  used += (bytes + 31) & ~(size_t)15;
  return used <= sizeof memory ? block : NULL;
}
void free(void* block) { (void)block; }
void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void* realloc(void* block, size_t bytes) {
  void* const moved = malloc(bytes);
  if (moved != NULL && block != NULL) memcpy(moved, block, bytes);
  return moved;
}

int main(void) {
  int i;
  for (i = 0; i < 1000; ++i) free(malloc(100));
  usleep(30000);
  return 0;
}
