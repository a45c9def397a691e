#ifndef GECKOPROF_ENTRIES_LAST_SAMPLES_H_
#define GECKOPROF_ENTRIES_LAST_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geckoprof/base/ids.h"
#include "geckoprof/entries/kept_stack.h"
#include "geckoprof/entries/wait_cause.h"
#include "geckoprof/modules/memory_map.h"

namespace geckoprof {

// LastSample is a thread's last sample, outside the segment. The thread's entry in the list of threads contains it. The
// destructor removes it from LastSamples.
//
// Threads: owned by the sampler. Context: not signal context.
class LastSample {
 public:
  struct Row {
    ThreadIndex thread;
    int64_t time_ns = 0;
    Wait wait = {};
    // The place of its stack in the segment. Two rows with the same place have the same stack.
    uint32_t chunk_serial = 0;
    uint32_t node = 0;
  };

  LastSample() = default;
  LastSample(const LastSample&) = delete;
  LastSample& operator=(const LastSample&) = delete;
  ~LastSample() { Forget(); }

  // The thread is not sampled any more, so its last sample is not repeated.
  void Forget();

  const Row& row() const { return row_; }
  const KeptStack& stack() const { return stack_; }

 private:
  friend class LastSamples;

  Row row_;
  KeptStack stack_;
  LastSample* before_ = nullptr;  // null: in no list
  LastSample* after_ = nullptr;
};

// LastSamples decides which threads' last samples are written once more, so that recycled chunks do not take the stacks
// of sleeping threads with them.
//
//   oldest | T7 | T2 | T9 ... | T4 | T1 | newest       in the order in which they were last written
//           chunk 5  |     chunk 6                     a round that began in chunk 6 is over when T2 is written again
//
// A round writes the last sample of each thread that has none since the chunk in which the round began. It takes as
// many ticks as it needs, because each tick has a limit (SampleWriter). A new round begins as soon as both are true:
//   - The sampler has begun a chunk since the round began.
//   - Other entries of the sampler took as many bytes as the round did, or other writers have begun half as many
//     chunks as there are.
// If other writers have begun many chunks since the sampler's current one, that chunk will be recycled before the next
// round. The round then begins with a new chunk, and samples in the old one count as missing.
// A sleeping process writes no such entries, so it begins no rounds. Rounds take at most about half of the sampler's
// bytes, even if they are larger than a chunk.
//
// Threads: owned by the sampler. Context: not signal context. It allocates.
class LastSamples {
 public:
  LastSamples() { ends_.before_ = ends_.after_ = &ends_; }

  // Keeps `row`, with its stack, as the last sample of a thread.
  void Keep(LastSample& last, const LastSample::Row& row, std::span<const StackFrame> frames);

  // The state of the segment. All numbers only grow.
  struct Progress {
    uint32_t chunk_serial = 0;      // of the sampler's current chunk
    uint64_t sampler_bytes = 0;     // of all entries of the sampler
    uint64_t chunks_of_others = 0;  // begun by other writers
  };
  // Begins a round if one is due. `chunk_count` is the number of chunks that can be recycled, and `chunk_age` is the
  // number of chunks that others have begun since the current one. Returns true if the caller must begin a new chunk.
  bool BeginRoundIfDue(const Progress& now, uint32_t chunk_count, uint64_t chunk_age);

  // Begins a round now, because older chunks are about to be released.
  void BeginRound(const Progress& now);
  // Returns false if the round is over.
  bool HasDue() const { return ends_.after_ != &ends_ && ends_.after_->row_.chunk_serial < round_.chunk_serial; }

  // Returns the next sample that the round has to write, or null if the round is over. `frames` is its stack, valid
  // until the next call.
  LastSample* NextDue(std::span<const StackFrame>& frames);
  // The sample was written into the chunk `chunk_serial`, in `bytes` bytes. Its stack has the number `node` there.
  void NoteRepeated(LastSample& last, uint32_t chunk_serial, uint32_t node, uint64_t bytes);

  // The code at `range` has changed, so addresses there mean something else from now on.
  void ForgetCode(const AddressRange& range);

 private:
  void MoveToNewest(LastSample& last);

  LastSample ends_;  // the list is a ring through this object
  Progress round_;   // when the round began
  uint64_t round_bytes_ = 0;
  std::vector<StackFrame> frames_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_ENTRIES_LAST_SAMPLES_H_
