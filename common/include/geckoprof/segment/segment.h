#ifndef GECKOPROF_SEGMENT_SEGMENT_H_
#define GECKOPROF_SEGMENT_SEGMENT_H_

#include <atomic>
#include <cstdint>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/segment/chunk_directory.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {

// The requested properties of a segment. Sizes are in bytes.
struct SegmentLayout {
  uint64_t capacity_bytes = 0;      // sum of all chunks; limits and free space may lower it
  const char* directory = nullptr;  // session directory, or null for an anonymous mapping
  bool replace_stale = false;       // remove files of this pid, because programs that have ended left them
};

// Segment is the shared mapping that holds the chunks of one process. It creates the mapping and its pages. It knows
// nothing about entries.
//
// Memory is requested in two steps, so that a full file system or a limit never causes a signal in the user's program.
// Create sets the size of the file once and allocates only the header's page. The size respects RLIMIT_FSIZE, RLIMIT_AS
// and half of the usable space. PrepareChunk allocates the pages of one chunk and of its directory row, and then
// publishes the chunk as usable. An eighth of the file system is never used, because it belongs to the program.
//
//   file:     | header | rows | chunk 0 ... n - 1 | chunk n ... |    Grow extends the file and maps the new part at any
//   mapped:   | extent 0 .........................|  | extent 1 |    free address, so no addresses are reserved
//
// Threads: one thread at a time calls Create, PrepareChunk, Grow, CloseFile and ReopenFile. It is the starting thread
// and later the sampler thread. Any thread may call the other functions. PrepareByMapping may even run concurrently
// with the functions above.
// Context: Create allocates nothing and takes no lock. It works in early context and in the child of a fork.
// Lifetime: memory that writers may know stays mapped while the process lives, because any thread may be writing a
// marker.
class Segment {
 public:
  enum class CreateResult : uint8_t {
    kCreated,
    kAnonymous,  // no file could be created, so only this process can read it
    kNoSpace,    // limits or free space are too small for a useful segment; nothing was mapped
    kFailed,     // the kernel refused the mapping
  };

  // Create chooses `image`. It is the first number for which <pid>-<image>.segment does not exist in the directory.
  CreateResult Create(const SegmentLayout& layout, ProcessId pid, ProcessId parent);

  // Writes the magic after the header is complete. Readers do not accept a file without it as a segment. A process that
  // is killed earlier leaves such a file.
  void Publish();

  // Returns true if this object holds a recording of this process, from Create to Retire or ForgetAfterFork.
  bool IsMapped() const { return is_mapped_.load(std::memory_order_acquire); }
  SegmentHeader& header() const { return *header_; }
  // A number that differs between all recordings of this process. It is not 0 after Create.
  uint32_t serial() const { return serial_; }
  ChunkDirectory directory() const { return {header_, rows_, mapped_chunks()}; }
  uint8_t* chunk(ChunkId id) const { return At(chunks_offset_ + uint64_t{id.ToNumber()} * chunk_bytes_); }
  // Returns the address of a byte of the file and the number of bytes that follow it in memory. A chunk is contiguous.
  uint8_t* At(uint64_t offset, uint64_t* bytes = nullptr) const;
  uint32_t chunk_bytes() const { return chunk_bytes_; }
  // Return how much of the file is mapped. The program and other processes of the session can write to the header by
  // mistake, so no index is used beyond these.
  uint64_t mapped_bytes() const { return mapped_bytes_.load(std::memory_order_relaxed); }
  uint32_t mapped_chunks() const { return static_cast<uint32_t>((mapped_bytes() - chunks_offset_) / chunk_bytes_); }

  // Allocates the pages of one more chunk. Returns false if all chunks are prepared or the file system is full.
  // Recycling takes over then. kMap also maps the pages, so that a thread of the program that writes markers there
  // causes no page fault. Mapping takes longer than allocation. It does not pay for the sampler's own chunks and for a
  // process that may end soon.
  enum class Pages : uint8_t { kAllocate, kMap };
  bool PrepareChunk(Pages pages = Pages::kMap);

  // Does the same on a marking thread that finds no prepared chunk. One case is the time before the sampler's first
  // tick. No chunk is prepared in advance, so that a short process without markers needs none. The other case is that
  // more threads start to mark within a tick than chunks are ready. Any thread may call it, in signal context and
  // concurrently with PrepareChunk. It takes some tens of microseconds.
  bool PrepareByMapping() const;

  // Adds chunks as far as limits and free space allow. Existing data stays in place, and a segment never shrinks.
  // Returns false if there are no more chunks than before. It succeeds at most seven times. Usually the directory has
  // rows for 32768 chunks, which are 2 GiB if the segment began with at least 4 MiB. It has fewer if limits were low at
  // its creation. REQUIRES: no thread calls PrepareChunk meanwhile.
  bool Grow(uint64_t capacity_bytes);

  // Keeps free chunks ready while the segment may still grow. They serve metadata, samples, and threads that begin to
  // mark. One chunk is kept ready until a third one is in use, because most processes of a recording need no more.
  // Then kAhead are kept ready. The number doubles if marking threads had to prepare chunks, or if a later burst used
  // more than half of the ready ones. The reason is that a burst of markers is rarely the last.
  //
  // Each tick calls it, and a call prepares at most kAhead chunks. In the middle of a burst it prepares none while half
  // of the chunks are left. Otherwise the sampler might delay the marking thread if they share a core. If there is
  // nothing to do, it costs a few loads.
  static constexpr uint32_t kAhead = 3;
  static constexpr uint32_t kMaxAhead = 48;  // 3 MiB
  void PrepareAhead(Pages pages = Pages::kMap);

  // Gives back the memory of at most `most_chunks` finished chunks whose entries are all older than `before_ns`.
  // Returns their number. PrepareAhead gets the memory again when no other chunks are left. A chunk takes about ten
  // microseconds. REQUIRES: no thread calls PrepareAhead meanwhile.
  uint32_t ReleaseBefore(int64_t before_ns, uint32_t most_chunks);

  // The file is closed before the program runs. The sampler opens it again in its own descriptor table. ReopenFile does
  // nothing if the file is open or its name belongs to another file. In the latter case, pages are allocated through
  // the mapping.
  void CloseFile() { fd_.Close(); }
  void ReopenFile();
  // Opens the file once more by the same rule, with the flags of open(2). Holds -ENOENT if the name belongs to another
  // file. Async-signal-safe.
  Fd OpenFile(int flags) const;
  // Returns true if the open file has lost its name, so that no reader can find it.
  bool IsUnlinked() const;

  // Prepares for a limit on the program's address space. It unmaps chunks without pages, down to the share that Create
  // would have used. REQUIRES: no thread prepares chunks meanwhile.
  void FitAddressSpace(uint64_t limit_bytes);

  // Releases the parent's segment in a forked child without changing its contents. The addresses stay valid and this
  // object keeps them, as with Retire. The reason is that a signal handler may have forked while it interrupted a
  // marker, which continues in the child.
  void ForgetAfterFork();

  // Frees the memory after the recording has ended and was read. Chunks that were ever prepared keep their addresses,
  // because a marker may still be in progress. Memory of zeros takes their place. Other chunks are unmapped. REQUIRES:
  // no thread prepares chunks meanwhile.
  void Retire();

  const char* path() const { return path_; }

  void CountDrop(DropReason reason, uint64_t count = 1) const {
    header_->drops[static_cast<uint32_t>(reason)].fetch_add(count, std::memory_order_relaxed);
  }

 private:
  bool CreateFile(const SegmentLayout& layout, ProcessId pid, uint32_t& image);
  uint8_t* MapBytes(uint64_t offset, uint64_t bytes) const;
  bool MapAll(uint64_t chunks_offset, uint32_t chunk_count);
  void InitializeHeader(uint32_t chunk_count);
  bool GrowTo(uint64_t capacity_bytes);
  void SetChunkCount(uint32_t chunk_count);
  bool AllocatePages(uint64_t offset, uint64_t bytes);
  void PublishPrepared(uint32_t index) const;
  bool ClearWay(const char* directory) const;
  void RemoveFile();
  uint64_t BytesInUse() const;
  void UnmapFrom(uint64_t kept_bytes);
  void RestoreNext();

  SegmentHeader* header_ = nullptr;
  ChunkRow* rows_ = nullptr;
  // The extents follow each other in the file, and the last one ends at mapped_bytes_. The count is stored with release
  // order, so a thread that reads it sees the extents.
  static constexpr uint32_t kMaxExtents = 8;
  struct Extent {
    uint8_t* start;
    uint64_t offset;  // in the file, at the beginning of a chunk
  };
  Extent extents_[kMaxExtents] = {};
  std::atomic<uint32_t> extent_count_{0};
  uint64_t chunks_offset_ = 0;
  uint32_t chunk_bytes_ = 0;
  uint32_t serial_ = 0;
  // The thread that changes the mapping writes these. The byte count is relaxed, because a reader knows only chunks
  // that were published after their mapping. The flag is stored with release order, after the mapping.
  std::atomic<uint64_t> mapped_bytes_{0};
  uint64_t file_bytes_ = 0;  // more than mapped_bytes_ after FitAddressSpace
  std::atomic<bool> is_mapped_{false};
  uint32_t ahead_ = 1;  // sampler thread only, like the next two
  uint32_t free_at_last_tick_ = 0;
  uint32_t seen_prepared_by_mapping_ = 0;
  mutable std::atomic<uint32_t> prepared_by_mapping_{0};
  mutable std::atomic<bool> mapping_failed_{false};  // set by PrepareByMapping, which is then not tried again
  bool growth_failed_ = false;                       // no more pages or addresses: only recycling from then on
  Fd fd_;
  uint64_t device_ = 0;  // identity of the file, to recognise it
  uint64_t inode_ = 0;
  char path_[256] = {};
};

}  // namespace geckoprof

#endif  // GECKOPROF_SEGMENT_SEGMENT_H_
