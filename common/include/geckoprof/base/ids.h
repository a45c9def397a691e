// Identifiers as types: a thread id cannot be passed where a chunk id is meant.
#ifndef GECKOPROF_BASE_IDS_H_
#define GECKOPROF_BASE_IDS_H_

#include <cstdint>

namespace geckoprof {

// An integer that stands for one kind of thing. The value 0 means "unspecified" unless the alias below says otherwise.
// Trivially copyable; no implicit conversion from or to numbers or other kinds.
template <typename Tag, typename Number>
class Id {
 public:
  constexpr Id() = default;
  static constexpr Id FromNumber(Number number) { return Id(number); }
  constexpr Number ToNumber() const { return number_; }
  constexpr bool IsSpecified() const { return number_ != 0; }
  friend constexpr bool operator==(Id a, Id b) { return a.number_ == b.number_; }
  friend constexpr auto operator<=>(Id a, Id b) { return a.number_ <=> b.number_; }

 private:
  explicit constexpr Id(Number number) : number_(number) {}
  Number number_ = 0;
};

// The kernel's thread and process ids, as gettid(2) and getpid(2) return them in the process's own pid namespace.
using ThreadId = Id<struct ThreadIdTag, int32_t>;
using ProcessId = Id<struct ProcessIdTag, int32_t>;

// Position of a block in the segment's whole history: global, monotonic by chunk. 0 is null and older than any block.
using BlockIndex = Id<struct BlockIndexTag, uint64_t>;

// A chunk's place in the directory. Here 0 is an ordinary chunk: absence is expressed by std::optional.
using ChunkId = Id<struct ChunkIdTag, uint32_t>;

// One writer's sequence of chunks. 1 is the metadata stream, 2 the sampler's; markers of threads come after.
using StreamId = Id<struct StreamIdTag, uint16_t>;

// A string interned in the segment's metadata stream.
using StringId = Id<struct StringIdTag, uint32_t>;

// A thread as the segment numbers it: tids are reused by the kernel, these are not.
using ThreadIndex = Id<struct ThreadIndexTag, uint32_t>;

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_IDS_H_
