#ifndef GECKOPROF_SEGMENT_SEGMENT_H_
#define GECKOPROF_SEGMENT_SEGMENT_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/segment/chunk_directory.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// What a segment shall be. Sizes in bytes.
struct SegmentLayout {
  uint64_t capacity_bytes = 0;      // of all chunks together; lowered to what limits and free space allow
  const char* directory = nullptr;  // session directory, or null for an anonymous mapping
  bool replace_stale = false;  // files of this pid in the directory were left by programs that are gone: remove them
};

// Segment: the shared mapping that holds one process's chunks. It makes the mapping and its pages; it knows no entries.
//
// Memory is asked for in two steps, so that a full file system or a limit never becomes a signal in the user's program:
// Create sizes the file once (within RLIMIT_FSIZE, RLIMIT_AS and half of the space that may be used) and makes
// only the header's page; PrepareChunk gives pages to one chunk and its directory row, and only then publishes it as
// usable. Of the file system's space an eighth is never used: it is the program's.
//
//   file:     | header | rows | chunk 0 ... n - 1 | chunk n ... |    Grow moves the file's end, and maps what is new
//   mapped:   | extent 0 .........................|  | extent 1 |    wherever there is room: nothing is reserved
//
// Threads: Create, PrepareChunk, Grow, CloseFile, ReopenFile: one at a time, the starter and then the sampler. The
// rest, PrepareByMapping beside them too: any. Context: Create allocates nothing and takes no lock; early context and
// the child of a fork included. Lifetime: what writers may know of stays mapped while the process lives: a marker may
// be on its way on any thread.
class Segment {
 public:
  enum class CreateResult : uint8_t {
    kCreated,
    kAnonymous,  // no file could be had: only this process can read it
    kNoSpace,    // limits or free space leave too little for a useful segment; nothing was mapped
    kFailed,     // the kernel refused the mapping
  };

  // `image` is chosen by Create: the first number for which <pid>-<image>.segment does not exist in the directory.
  CreateResult Create(const SegmentLayout& layout, ProcessId pid, ProcessId parent);

  // The header is complete: writes its magic, without which the file is no segment to any reader. That is what is left
  // of a process that was killed in the midst.
  void Publish();

  // A recording of this process's, until Retire or ForgetAfterFork.
  bool IsMapped() const { return is_mapped_; }
  SegmentHeader& header() const { return *header_; }
  // Differs between all recordings of this process. Not 0 once created.
  uint32_t serial() const { return serial_; }
  ChunkDirectory directory() const { return {header_, rows_}; }
  uint8_t* chunk(ChunkId id) const { return At(chunks_offset_ + uint64_t{id.ToNumber()} * chunk_bytes_); }
  // Where a byte of the file is mapped, and how many follow it in memory. A chunk lies in one piece.
  uint8_t* At(uint64_t offset, uint64_t* bytes = nullptr) const;
  uint32_t chunk_bytes() const { return chunk_bytes_; }

  // Gives one more chunk its pages. False when all are prepared or the file system is full; recycling takes over then.
  // kMap also maps the pages, so that a thread of the program which writes markers there meets no page fault; the
  // sampler, and a process that may be over in a moment, are better off without (fallocate 7 us a chunk, mapping 22).
  enum class Pages : uint8_t { kAllocate, kMap };
  bool PrepareChunk(Pages pages = Pages::kMap);

  // The same by a thread that marks and finds none: before the sampler had a look (a process that is over in a moment
  // and marks nothing never pays for a chunk), or where more threads begin to mark within a tick than chunks were kept
  // ahead. Any thread, signal context included, the sampler's PrepareChunk beside it. 29 us.
  bool PrepareByMapping() const;

  // More chunks from now on, as far as limits and free space allow; what was written stays where it is. The
  // directory has rows for 32768 chunks (2 GiB where the segment began with 4 MiB or more), unless limits were low when
  // it was made. False if there are no more than before; a segment never shrinks. Seven times at most. REQUIRES: nobody
  // calls PrepareChunk meanwhile.
  bool Grow(uint64_t capacity_bytes);

  // Keeps free chunks ready while the segment may still grow: for metadata, samples, and a thread that begins to mark.
  // Where threads that mark had to prepare some themselves, or a later burst of theirs took more than half of those
  // that were ready, twice as many from then on: a burst of markers is seldom the last. Called at each tick, which
  // prepares kAhead of them at most, and none in the middle of a burst that has half of them left: the sampler may be
  // on the core of the thread that marks (110 us a chunk where page tables are shadowed). A few loads when there is
  // nothing to do.
  static constexpr uint32_t kAhead = 3;
  static constexpr uint32_t kMostAhead = 48;  // 3 MiB
  void KeepAhead(Pages pages = Pages::kMap);

  // The file is closed before the program runs and opened again by the sampler in its own descriptor table (ReopenFile
  // does nothing while it is open, or if another file has its name by now: then pages are given through the mapping).
  void CloseFile() { fd_.Close(); }
  void ReopenFile();
  // The file once more, by the same rule; or -errno, ENOENT also where the name is another file's. `flags`: of open(2).
  // Async-signal-safe.
  Fd OpenFile(int flags) const;
  // Whether the file, while it is open, has lost its name: nobody will find it any more.
  bool IsUnlinked() const;

  // The program is about to limit its address space: gives back addresses of chunks that have no pages yet, down to the
  // share that Create would have taken. REQUIRES: nobody prepares chunks meanwhile.
  void FitAddressSpace(uint64_t limit_bytes);

  // Lets go of the parent's segment in a forked child, without touching its contents. The addresses stay valid as with
  // Retire, and this object goes on naming them: the fork may have been made by a signal handler that interrupted a
  // marker, which goes on in the child.
  void ForgetAfterFork();

  // The recording is over and was read: gives the memory back. The addresses of chunks that were ever prepared stay
  // valid (zero-filled memory takes their place), since a marker may still be on its way; the others are unmapped.
  // REQUIRES: nobody prepares chunks meanwhile.
  void Retire();

  const char* path() const { return path_; }

  void CountDrop(DropReason reason, uint64_t count = 1) const {
    header_->drops[static_cast<uint32_t>(reason)].fetch_add(count, std::memory_order_relaxed);
  }

 private:
  bool CreateFile(const SegmentLayout& layout, ProcessId pid, uint32_t& image);
  uint8_t* MapBytes(uint64_t offset, uint64_t bytes) const;
  bool MapWhole(uint64_t chunks_offset, uint32_t chunk_count);
  void InitializeHeader(uint32_t chunk_count);
  bool GrowTo(uint64_t capacity_bytes);
  void SetChunkCount(uint32_t chunk_count);
  bool GivePages(uint64_t offset, uint64_t bytes);
  void PublishPrepared(uint32_t index) const;
  bool ClearWay(const char* directory) const;
  void RemoveFile();
  uint64_t BytesInUse() const;
  void UnmapFrom(uint64_t kept_bytes);

  SegmentHeader* header_ = nullptr;
  ChunkRow* rows_ = nullptr;
  // One after the other in the file; the last ends at mapped_bytes_. Release: whoever sees the count sees the extent.
  static constexpr uint32_t kMostExtents = 8;
  struct Extent {
    uint8_t* start;
    uint64_t offset;  // in the file; begins a chunk
  };
  Extent extents_[kMostExtents] = {};
  std::atomic<uint32_t> extent_count_{0};
  uint64_t chunks_offset_ = 0;
  uint32_t chunk_bytes_ = 0;
  uint32_t serial_ = 0;
  uint64_t mapped_bytes_ = 0;
  bool is_mapped_ = false;
  uint32_t ahead_ = kAhead;  // the sampler's, as are the next two
  uint32_t free_at_last_tick_ = 0;
  uint32_t seen_prepared_by_mapping_ = 0;
  mutable std::atomic<uint32_t> prepared_by_mapping_{0};
  mutable std::atomic<bool> mapping_failed_{false};  // of PrepareByMapping, which is then not tried again
  bool growth_failed_ = false;                       // no more pages or addresses: recycling serves from then on
  Fd fd_;
  uint64_t device_ = 0;  // the file's, by which it is known again
  uint64_t inode_ = 0;
  char path_[256] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_H_
