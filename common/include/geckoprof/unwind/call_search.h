// Judging calls, and finding a caller by the calls on the stack.
#ifndef GECKOPROF_UNWIND_CALL_SEARCH_H_
#define GECKOPROF_UNWIND_CALL_SEARCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/modules/module_table.h"
#include "geckoprof/unwind/fde_finder.h"
#include "geckoprof/unwind/machine_code.h"
#include "geckoprof/unwind/registers.h"
#include "geckoprof/unwind/stack_view.h"

namespace geckoprof {

// ReturnSite describes the code around one address.
//
//   | call target | <- the address | add $8, %rsp; ret |
//     follows_call                   return_slot
struct ReturnSite {
  bool follows_call;
  bool is_signal_trampoline;  // the code at the address calls rt_sigreturn at once: a handler returns there
  bool has_return_slot;
  ReturnSlot return_slot;
  uint64_t call_target;  // of a direct call before the address; 0 if there is none
};

// ReturnSites reads the code around addresses. A read costs a system call, so results are cached until the modules
// change.
//
// Threads: owned by the sampler thread. Context: system calls. The first use allocates 32 KiB of address space. Without
// memory the last result alone is kept.
class ReturnSites {
 public:
  explicit ReturnSites(const ModuleTable& modules) : modules_(modules) {}

  // Describes `avma`, which may be any word. The description of an address outside executable memory is empty. The
  // result is valid until the next call.
  const ReturnSite& At(uint64_t avma);

  // Returns true if the address lies in executable memory, after a call instruction or at a signal trampoline.
  bool IsReturnAddress(uint64_t avma) {
    const ReturnSite& site = At(avma);
    return site.follows_call || site.is_signal_trampoline;
  }

 private:
  static constexpr unsigned kCacheBits = 9;
  struct Known {
    uint64_t avma;
    uint32_t generation;
    ReturnSite site;
  };

  Known& PlaceOf(uint64_t avma);
  ReturnSite Read(uint64_t avma, uint64_t bytes_before) const;

  const ModuleTable& modules_;
  PageMemory memory_;  // Zeros are an empty table, because no code lies at address 0.
  Known last_ = {};    // used if there is no memory
};

// CallSearch answers one question: can the call before this return address have led to that function? With the answers
// it finds the caller of a frame that has neither unwind data nor a frame record.
//
//   caller:  call 0x500   -->   0x500: jmp *slot   -->   slot: 0x900   -->   0x900: push %rbx; sub $32, %rsp; ... pc
//            ^ the return address follows it             a stub is followed one step    |<--- tells the depth --->|
//
//   sp -> | 32 bytes of locals, words of earlier calls | rbx | return address |
//         |<------------------- depth, 40 bytes ------------>|
//
// A caller is certain if two facts agree. The code from the function's start to pc tells the place of the return
// address. The call before that address may have led to the start. The start stands in the unwind data, or follows
// padding, or is the target of the call. Without such a caller there are guesses, the best first:
//   - the first return address behind a direct call of the function
//   - a return address where the code tells it, from what looks like a start without padding
//   - the first return address behind a possible call
// A direct call of another function is never used.
//
// Threads: owned by the sampler thread. Context: no allocation, but system calls to look at code.
class CallSearch {
 public:
  enum class Call : uint8_t {
    kNone,        // no call precedes the address
    kOfAnother,   // a direct call of another function, which contradicts the frame
    kPossible,    // a call through a pointer, or through a stub whose target is not known, or by a signal
    kOfFunction,  // a direct call of the function, or of a stub that leads there
  };

  // The function of a frame.
  struct Function {
    uint64_t start_avma = 0;  // its first instruction; 0 if that is unknown
    uint64_t inner_avma = 0;  // the executed instruction; 0 if anything may have called the function
  };

  // `sites` and `finder` must outlive this object.
  CallSearch(const ModuleTable& modules, ReturnSites* sites, FdeFinder* finder)
      : modules_(modules), sites_(*sites), finder_(*finder) {}

  // Judges the call before `return_avma`, which may be any word.
  Call Judge(uint64_t return_avma, const Function& function);

  // Returns true if the function that begins at `start_avma` may hold `inner_avma`. Neither has unwind data.
  bool MayHold(uint64_t start_avma, uint64_t inner_avma);

  // Returns the function that holds an instruction. Its start is known if unwind data tells it.
  Function FunctionAt(uint64_t inner_avma);

  // Finds the caller of a frame with these registers, with the return address in [from_avma, end_avma), and changes
  // `registers` to the caller's. If there is a guess alone, `is_guess` becomes true.
  bool FindCaller(std::span<const StackView> stacks, const Function& function, uint64_t from_avma, uint64_t end_avma,
                  Registers& registers, bool& is_guess);

  // Changes `registers` to the caller's at the first instruction of a function, if there is a return address.
  bool StepFromEntry(std::span<const StackView> stacks, Registers& registers);
  // Changes `registers` to the caller's if the slot holds a return address.
  bool StepBySlot(std::span<const StackView> stacks, const ReturnSlot& slot, Registers& registers);

  // The numbers of words from sp on that may be the return address of a certain caller, and of a guess. Most frames are
  // smaller, and each further word is a chance of a false hit.
  static constexpr unsigned kWords = 512;
  static constexpr unsigned kGuessedWords = 64;

 private:
  // A call, and the first instruction of the function that it leads to. It is 0 if the function is not known.
  struct JudgedCall {
    Call call;
    uint64_t target_avma;
  };
  JudgedCall JudgeCall(uint64_t return_avma, const Function& function);
  bool Leads(uint64_t target_avma, const Function& function);
  void ReadCodeBefore(uint64_t pc);
  FollowedCode FollowFrom(uint64_t start_avma);
  bool StepFromStart(std::span<const StackView> stacks, uint64_t start_avma, uint64_t from_avma, uint64_t end_avma,
                     Registers& registers);

  const ModuleTable& modules_;
  ReturnSites& sites_;
  FdeFinder& finder_;
  static constexpr unsigned kMaxStarts = 8;  // without padding, for one step
  // The code before pc, and some bytes behind it. No code further before it tells the depth.
  static constexpr size_t kMaxCodeBytes = 4096;
  std::array<uint8_t, kMaxCodeBytes + kStartBytes> code_;
  uint64_t code_avma_ = 0;
  size_t code_bytes_ = 0;  // before pc
  size_t read_bytes_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_UNWIND_CALL_SEARCH_H_
