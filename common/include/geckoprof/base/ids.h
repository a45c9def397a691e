// Identifiers as types. The compiler rejects a thread id where a chunk id is expected.
#ifndef GECKOPROF_BASE_IDS_H_
#define GECKOPROF_BASE_IDS_H_

#include <cstdint>

namespace geckoprof {

// Id is an integer that names a thing of one kind. The value 0 means "unspecified", unless the alias below says
// otherwise. The type is trivially copyable. It does not convert implicitly from or to numbers or ids of other kinds.
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

// The kernel's thread and process ids. They are the values of gettid(2) and getpid(2) in the pid namespace of this
// process.
using ThreadId = Id<struct ThreadIdTag, int32_t>;
using ProcessId = Id<struct ProcessIdTag, int32_t>;

// Position of a block in the whole history of the segment. It is global and grows from chunk to chunk. The value 0 is
// null and older than any block.
using BlockIndex = Id<struct BlockIndexTag, uint64_t>;

// A chunk's row in the directory. The value 0 is an ordinary chunk, so code uses std::optional for "no chunk".
using ChunkId = Id<struct ChunkIdTag, uint32_t>;

// The sequence of chunks of one writer. Stream 1 holds the metadata and stream 2 the samples. The streams of threads
// with markers follow.
using StreamId = Id<struct StreamIdTag, uint16_t>;

// The number of a thread in the segment. The kernel reuses thread ids, but the segment never reuses a ThreadIndex.
using ThreadIndex = Id<struct ThreadIndexTag, uint32_t>;

}  // namespace geckoprof

#endif  // GECKOPROF_BASE_IDS_H_
