#ifndef GECKOPROF_TOOLS_SUPPORT_MEMORY_RESERVE_H_
#define GECKOPROF_TOOLS_SUPPORT_MEMORY_RESERVE_H_

#include <cstddef>

namespace geckoprof {

// MemoryReserve: memory held back until an allocation fails, and given back then. So there is room for telling what is
// to be done; with that the process ends. Nothing is unwound: the containers of libraries may be broken where an
// allocation failed in the midst of a change, and their destructors with them. What was printed and not yet written
// out is dropped. One object at a time.
class MemoryReserve {
 public:
  // Done when memory runs out; its answer is the exit status. May allocate a little; an exception makes the status 1.
  struct LastAct {
    int (*run)(void* context);
    void* context;
  };
  explicit MemoryReserve(LastAct act);
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // False: there was no memory from the start.
  static bool IsHeld();

  // Another last act, for as long as the object lives.
  class Instead {
   public:
    explicit Instead(LastAct act);
    ~Instead();
    Instead(const Instead&) = delete;
    Instead& operator=(const Instead&) = delete;

   private:
    const LastAct before_;
  };

 private:
  static constexpr size_t kBytes = size_t{64} << 10;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SUPPORT_MEMORY_RESERVE_H_
