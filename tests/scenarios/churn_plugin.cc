// The plugin that dlopen_churn loads and unloads.
#include <cstdint>

namespace {
__attribute__((noinline)) uint64_t Twist(uint64_t value, int rounds) {
  for (int i = 0; i < rounds; i++) value = (value ^ (value >> 13)) * 0x9E3779B97F4A7C15ull;
  return value;
}
}  // namespace

extern "C" __attribute__((visibility("default"), noinline)) uint64_t churn_plugin_work(uint64_t value) {
  return Twist(value, 400'000) + 1;
}
