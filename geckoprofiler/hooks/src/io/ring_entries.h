// The two queues of a ring of io_uring, in memory that the program shares with the kernel.
#ifndef GECKOPROF_HOOKS_IO_RING_ENTRIES_H_
#define GECKOPROF_HOOKS_IO_RING_ENTRIES_H_

#include <linux/io_uring.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace geckoprof {

// Ring: liburing's struct io_uring, from version 2.0 on. Later versions have changed its padding alone.
struct Ring {
  struct {
    const unsigned* kernel_head;
    const unsigned* kernel_tail;
    const unsigned* mask;
    const unsigned* size;
    const unsigned* kernel_flags;
    const unsigned* dropped;
    const unsigned* array;
    const io_uring_sqe* entries;
    unsigned head;  // behind the last request that the kernel can see
    unsigned tail;  // behind the last request that the program has made
    size_t bytes;
    void* memory;
    unsigned padding[4];
  } requests;
  struct {
    const unsigned* head;  // behind the last completion that the program is done with
    const unsigned* kernel_tail;
    const unsigned* mask;
    const unsigned* size;
    const unsigned* flags;
    const unsigned* overflow;
    const io_uring_cqe* entries;
    size_t bytes;
    void* memory;
    unsigned padding[4];
  } completions;
  unsigned flags;  // IORING_SETUP_*
  int descriptor;
};
static_assert(sizeof(void*) != 8 || (offsetof(Ring, requests.head) == 64 && offsetof(Ring, completions) == 104 &&
                                     offsetof(Ring, flags) == 192 && offsetof(Ring, descriptor) == 196));

// RingEntries: the requests of a ring that the program has made, and that its next submission shows to the kernel.
//
//   entries   | old | old | a | b | c | free | ...    a power of two of them, reused in turn
//                           ^ head      ^ tail        both count on, and are cut by the mask
//
// A request is in this range once, also if the kernel refuses it at first. Invariant: all requests lie within the
// entries that the ring says it has. A ring whose numbers contradict each other has no requests here.
//
// Threads: one, which may submit. Context: any, signal context included. Lifetime: that of the ring.
class RingEntries {
 public:
  static constexpr uint32_t kMostEntries = 32768;  // that a kernel gives to a ring

  explicit RingEntries(const Ring& ring);
  uint32_t size() const { return size_; }
  // A copy, because the program may change the original. REQUIRES: index < size().
  io_uring_sqe operator[](uint32_t index) const;

 private:
  const io_uring_sqe* entries_ = nullptr;
  uint32_t head_ = 0, mask_ = 0, shift_ = 0, size_ = 0;
};

struct RingCompletion {
  uint64_t user_data;  // that of the request
  int32_t result;      // of the operation, or -errno
  uint32_t flags;      // IORING_CQE_F_*
};
static_assert(sizeof(RingCompletion) == 16);

// RingCompletions: what the kernel has answered. The program may be done with an answer that is read here. It stays
// until the kernel needs its place. size() is 0 if the ring's numbers contradict each other.
//
// Threads: any, while the ring exists. Context: any, signal context included.
class RingCompletions {
 public:
  explicit RingCompletions(const Ring& ring);
  uint32_t size() const { return size_; }
  // Positions count on. They are behind the last answer, and behind the last one that the program is done with.
  // REQUIRES: size() > 0.
  uint32_t end() const { return __atomic_load_n(ring_.kernel_tail, __ATOMIC_ACQUIRE); }
  uint32_t seen() const { return __atomic_load_n(ring_.head, __ATOMIC_RELAXED); }
  // Returns false if the kernel has taken the place for another answer. REQUIRES: position is before end().
  bool Read(uint32_t position, RingCompletion& out) const;

 private:
  const decltype(Ring::completions)& ring_;
  uint32_t size_ = 0, mask_ = 0, shift_ = 0;
};

// RingRequest: which object a request is for.
struct RingRequest {
  enum class Subject : uint8_t { kRing, kDescriptor, kRegisteredFile, kPath };

  static constexpr uint8_t kOpcodes = 64;  // the last one stands for all that later kernels have
  // The following functions REQUIRE: opcode < kOpcodes.
  // Returns a name as in the kernel's headers, without prefix and in lower case, or "other".
  static std::string_view NameOf(uint8_t opcode);
  // Returns whether a result above 0 is a number of bytes.
  static bool MovesBytes(uint8_t opcode);

  explicit RingRequest(const io_uring_sqe& entry);

  uint64_t user_data;
  uint8_t opcode;
  Subject subject;
  bool changes_descriptor;  // closes it, or gives it another peer
  bool has_completion;      // also if it succeeds
  int descriptor;
  uint64_t path;  // its address in the program
};

// Copies the text at an address of the program without a fault. Returns an empty text if it cannot be read, or has no
// end within the room. Signal safe.
std::string_view ReadProgramText(uint64_t address, char* room, size_t room_bytes);

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_RING_ENTRIES_H_
