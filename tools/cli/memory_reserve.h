#ifndef GECKOPROF_TOOLS_CLI_MEMORY_RESERVE_H_
#define GECKOPROF_TOOLS_CLI_MEMORY_RESERVE_H_

#include <cstddef>

namespace geckoprof {

// MemoryReserve: memory held back until an allocation fails, and given back then, before std::bad_alloc is thrown. So
// there is room for the exception itself (libstdc++'s own reserve may be missing where a limit is low from the start)
// and for telling what is to be done. One object at a time.
class MemoryReserve {
 public:
  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // False: there was no memory from the start, or there is none any more.
  static bool IsHeld();

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_CLI_MEMORY_RESERVE_H_
