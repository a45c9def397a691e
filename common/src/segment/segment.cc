#include "geckoprof/segment/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "geckoprof/base/page_memory.h"
#include "geckoprof/base/raw_syscall.h"
#include "geckoprof/base/text_builder.h"
#include "geckoprof/segment/segment_format.h"

namespace geckoprof {
namespace {

// A chunk has 64 KiB. Preparing it takes tens of microseconds, and a busy thread at 1 kHz fills it in a few seconds.
// Smaller segments get smaller chunks, so that recycling has a choice.
constexpr uint32_t kSmallestChunkBytes = 8 * 1024;
constexpr uint32_t kWantedChunks = 64;
constexpr uint64_t kSmallestSegmentBytes = 8 * kSmallestChunkBytes + 2 * kPageBytes;

// The directory has rows for kMaxChunks, which are a hole in the file until they are used. If the rows exceed this
// share of the allowed bytes, the segment cannot grow and has fewer rows.
constexpr uint32_t kRowsShare = 16;

// We use at most this share of a limited address space. The rest belongs to the program.
constexpr uint64_t kAddressSpaceShare = 16;

// One chunk has metadata, and one has samples.
constexpr uint32_t kChunksOfQuietProcess = 2;

constexpr uint32_t kRowsPerPage = kPageBytes / sizeof(ChunkRow);

constexpr uint32_t kMaxImages = 100000;  // for a shell that calls exec in a loop

uint64_t ReadLimit(int resource) {
  rlimit limit = {};
  const long result = RawSyscall(SYS_prlimit64, 0, resource, nullptr, &limit);
  return IsSyscallError(result) ? RLIM_INFINITY : limit.rlim_cur;
}

uint64_t AtMost(uint64_t value, uint64_t limit) { return value < limit ? value : limit; }

uint32_t ChunkBytesFor(uint64_t capacity_bytes) {
  uint32_t bytes = kLargestChunkBytes;
  while (bytes > kSmallestChunkBytes && capacity_bytes / bytes < kWantedChunks) bytes /= 2;
  return bytes;
}

uint64_t ChunksOffset(uint32_t row_count) {
  return RoundUpTo(kPageBytes + uint64_t{row_count} * sizeof(ChunkRow), kPageBytes);
}

// Returns the number of chunks that are requested or that fit.
uint32_t ChunksWithin(uint64_t capacity_bytes, uint64_t chunks_offset, uint64_t most_bytes, uint32_t chunk_bytes) {
  const uint64_t room_bytes = most_bytes > chunks_offset ? most_bytes - chunks_offset : 0;
  return static_cast<uint32_t>(AtMost(AtMost(capacity_bytes, room_bytes) / chunk_bytes, kMaxChunks));
}

// Returns the space that segments may still use. The program may have no shared memory besides /dev/shm. Therefore an
// eighth of the file system always stays free.
uint64_t FreeSpaceAllowed(const struct statfs& info) {
  if (info.f_blocks == 0) return UINT64_MAX;  // the file system has no size limit
  const uint64_t kept_blocks = static_cast<uint64_t>(info.f_blocks) / 8;
  const uint64_t free_blocks = static_cast<uint64_t>(info.f_bavail);
  return free_blocks <= kept_blocks ? 0 : (free_blocks - kept_blocks) * static_cast<uint64_t>(info.f_bsize);
}

// Touches each page through the kernel, which returns an error where our own store would raise a signal. This needs
// Linux 5.14.
bool MapPages(uint8_t* start, uint64_t bytes) {
  return !IsSyscallError(RawSyscall(SYS_madvise, start, bytes, MADV_POPULATE_WRITE));
}

// Writes to each page that MapPages has mapped, without changing a byte. A writer may already have acquired the chunk,
// so the write is a compare-and-exchange. Some hypervisors (PVM) have page tables of their own and fill them at the
// first use outside the kernel. This costs microseconds for each page. A read is not enough, because the first store
// may cost as much again.
void UsePages(uint8_t* start, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += kPageBytes) {
    uint8_t unchanged = 0;
    __atomic_compare_exchange_n(start + at, &unchanged, uint8_t{0}, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
}

uint64_t FreeSpaceAllowed(int fd) {
  struct statfs info = {};
  return IsSyscallError(RawSyscall(SYS_fstatfs, fd, &info)) ? UINT64_MAX : FreeSpaceAllowed(info);
}

uint64_t FreeSpaceAllowed(const char* path) {
  struct statfs info = {};
  return IsSyscallError(RawSyscall(SYS_statfs, path, &info)) ? UINT64_MAX : FreeSpaceAllowed(info);
}

uint64_t MaxAddressSpace() {
  const uint64_t limit = ReadLimit(RLIMIT_AS);
  return limit == RLIM_INFINITY ? UINT64_MAX : limit / kAddressSpaceShare;
}

}  // namespace

// A process of another pid namespace may have the same pid and write to the same directory.
bool Segment::CreateFile(const SegmentLayout& layout, ProcessId pid, uint32_t& image) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
  for (image = 0; image < kMaxImages; ++image) {
    TextBuilder path(path_);
    path.Text(layout.directory).Text("/").Number(pid.ToNumber()).Text("-").Number(image).Text(kSegmentSuffix);
    if (!path.complete()) return false;
    fd_ = Fd::Open(path_, kFlags, 0600);
    if (!fd_.ok() && layout.replace_stale && ClearWay(layout.directory)) fd_ = Fd::Open(path_, kFlags, 0600);
    if (fd_.error() == EEXIST) continue;
    struct stat info = {};
    if (!fd_.ok() || IsSyscallError(RawSyscall(SYS_fstat, fd_.number(), &info))) return false;
    // The umask may have taken rights away.
    if ((info.st_mode & 07777) != 0600) RawSyscall(SYS_fchmod, fd_.number(), 0600);
    device_ = info.st_dev;
    inode_ = info.st_ino;
    return true;
  }
  return false;
}

// Returns true if another attempt to create the file may succeed. Either a stale file was removed, or the directory was
// created again. Another process of the user removes the directory when it ends.
bool Segment::ClearWay(const char* directory) const {
  if (fd_.error() == EEXIST) return !IsSyscallError(RawSyscall(SYS_unlinkat, AT_FDCWD, path_, 0));
  if (fd_.error() != ENOENT || IsSyscallError(RawSyscall(SYS_mkdirat, AT_FDCWD, directory, 0700))) return false;
  RawSyscall(SYS_fchmodat, AT_FDCWD, directory, 0700);  // the umask may have taken rights away
  return true;
}

void Segment::RemoveFile() {
  if (fd_.ok()) RawSyscall(SYS_unlinkat, AT_FDCWD, path_, 0);
  fd_.Close();
}

void Segment::Publish() {
  std::atomic_thread_fence(std::memory_order_release);
  memcpy(header_->magic, kSegmentMagic, sizeof(kSegmentMagic));
}

Segment::CreateResult Segment::Create(const SegmentLayout& layout, ProcessId pid, ProcessId parent) {
  const uint64_t most_address = MaxAddressSpace();
  uint64_t most_bytes = most_address;
  uint32_t image = 0;
  if (layout.directory != nullptr && CreateFile(layout, pid, image)) {
    most_bytes = AtMost(most_bytes, AtMost(ReadLimit(RLIMIT_FSIZE), FreeSpaceAllowed(fd_.number()) / 2));
  }
  const uint64_t bytes_allowed = AtMost(layout.capacity_bytes, most_bytes);
  bool has_file = fd_.ok();
  if (bytes_allowed < kSmallestSegmentBytes) {
    RemoveFile();
    return CreateResult::kNoSpace;
  }
  chunk_bytes_ = ChunkBytesFor(bytes_allowed);
  // A small segment has rows only for its first chunks and cannot grow.
  const bool may_grow = ChunksOffset(kMaxChunks) <= most_bytes / kRowsShare;
  const uint64_t chunks_offset =
      ChunksOffset(may_grow ? kMaxChunks : static_cast<uint32_t>(bytes_allowed / chunk_bytes_));
  const uint32_t chunk_count = ChunksWithin(bytes_allowed, chunks_offset, most_bytes, chunk_bytes_);
  const uint64_t bytes = chunks_offset + uint64_t{chunk_count} * chunk_bytes_;
  if (has_file && IsSyscallError(RawSyscall(SYS_ftruncate, fd_.number(), bytes))) {
    RemoveFile();
    has_file = false;
  }
  bool is_mapped = MapAll(chunks_offset, chunk_count);
  // The first store then causes no page fault. The result also tells if the kernel can allocate pages through the
  // mapping.
  const bool can_map_pages = is_mapped && MapPages(reinterpret_cast<uint8_t*>(header_), kPageBytes);
  if (is_mapped && has_file && !can_map_pages && !AllocatePages(0, kPageBytes)) {
    // The file system is full, so the segment becomes anonymous.
    RemoveFile();
    has_file = false;
    RawSyscall(SYS_munmap, header_, bytes);
    is_mapped = MapAll(chunks_offset, chunk_count);
  }
  if (!is_mapped) {
    RemoveFile();
    return CreateResult::kFailed;
  }
  is_mapped_.store(true, std::memory_order_release);
  InitializeHeader(chunk_count);
  static constinit std::atomic<uint32_t> g_serials{0};
  serial_ = g_serials.fetch_add(1, std::memory_order_relaxed) + 1;
  header_->pid = pid.ToNumber();
  header_->parent_pid = parent.ToNumber();
  header_->image = image;
  header_->anonymous = has_file ? 0 : 1;
  header_->capacity_bytes = layout.capacity_bytes;
  // PrepareByMapping would fail, so the first chunk is prepared now.
  if (has_file && !can_map_pages) PrepareChunk(Pages::kAllocate);
  return has_file ? CreateResult::kCreated : CreateResult::kAnonymous;
}

uint8_t* Segment::MapBytes(uint64_t offset, uint64_t bytes) const {
  const int flags = fd_.ok() ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  const long start = RawSyscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE,
                                fd_.ok() ? fd_.number() : -1, fd_.ok() ? offset : 0);
  return IsSyscallError(start) ? nullptr : reinterpret_cast<uint8_t*>(start);
}

bool Segment::MapAll(uint64_t chunks_offset, uint32_t chunk_count) {
  const uint64_t bytes = chunks_offset + uint64_t{chunk_count} * chunk_bytes_;
  uint8_t* const start = MapBytes(0, bytes);
  if (start == nullptr) return false;
  header_ = reinterpret_cast<SegmentHeader*>(start);
  rows_ = reinterpret_cast<ChunkRow*>(start + kPageBytes);
  chunks_offset_ = chunks_offset;
  extents_[0] = {start, 0};
  extent_count_.store(1, std::memory_order_relaxed);
  mapped_bytes_.store(bytes, std::memory_order_relaxed);
  growth_failed_ = false;
  return true;
}

void Segment::InitializeHeader(uint32_t chunk_count) {
  header_->header_bytes = sizeof(SegmentHeader);
  header_->version = kSegmentVersion;
  header_->chunk_bytes = chunk_bytes_;
  header_->chunks_offset = chunks_offset_;
  SetChunkCount(chunk_count);
  header_->next_block.store(1, std::memory_order_relaxed);  // 0 is the null index
  header_->next_thread.store(1, std::memory_order_relaxed);
}

void Segment::SetChunkCount(uint32_t chunk_count) {
  file_bytes_ = chunks_offset_ + uint64_t{chunk_count} * chunk_bytes_;
  header_->segment_bytes.store(file_bytes_, std::memory_order_relaxed);
  header_->chunk_count.store(chunk_count, std::memory_order_release);
}

uint8_t* Segment::At(uint64_t offset, uint64_t* bytes) const {
  uint64_t end = mapped_bytes_.load(std::memory_order_relaxed);
  for (uint32_t i = extent_count_.load(std::memory_order_acquire); i-- > 0; end = extents_[i].offset) {
    if (offset < extents_[i].offset) continue;
    if (bytes != nullptr) *bytes = offset < end ? end - offset : 0;
    return extents_[i].start + (offset - extents_[i].offset);
  }
  return nullptr;
}

bool Segment::Grow(uint64_t capacity_bytes) {
  if (!IsMapped()) return false;
  const bool was_open = fd_.ok();
  ReopenFile();
  const bool grows = GrowTo(capacity_bytes);
  if (!was_open) CloseFile();
  return grows;
}

bool Segment::GrowTo(uint64_t capacity_bytes) {
  const bool has_file = header_->anonymous == 0;
  if (has_file && !fd_.ok()) return false;
  uint64_t most_bytes = AtMost(MaxAddressSpace(), uint64_t{kMaxChunks} * kLargestChunkBytes + chunks_offset_);
  if (has_file) {
    most_bytes = AtMost(most_bytes, AtMost(ReadLimit(RLIMIT_FSIZE), FreeSpaceAllowed(fd_.number()) / 2 + BytesInUse()));
  }
  const uint64_t before_bytes = file_bytes_;
  const uint64_t row_count = (chunks_offset_ - kPageBytes) / sizeof(ChunkRow);
  const auto chunk_count =
      static_cast<uint32_t>(AtMost(row_count, ChunksWithin(capacity_bytes, chunks_offset_, most_bytes, chunk_bytes_)));
  const uint64_t bytes = chunks_offset_ + uint64_t{chunk_count} * chunk_bytes_;
  const uint32_t extent = extent_count_.load(std::memory_order_relaxed);
  // If less is mapped than before, the program has limited its address space.
  if (bytes <= before_bytes || mapped_bytes_.load(std::memory_order_relaxed) < before_bytes || extent == kMaxExtents)
    return false;
  if (has_file && IsSyscallError(RawSyscall(SYS_ftruncate, fd_.number(), bytes))) return false;
  uint8_t* const start = MapBytes(before_bytes, bytes - before_bytes);
  if (start == nullptr) return false;
  extents_[extent] = {start, before_bytes};
  extent_count_.store(extent + 1, std::memory_order_release);
  mapped_bytes_.store(bytes, std::memory_order_relaxed);
  header_->capacity_bytes = capacity_bytes;
  growth_failed_ = false;
  mapping_failed_.store(false, std::memory_order_relaxed);
  SetChunkCount(chunk_count);
  return true;
}

// Allocates pages of the file. If the file is closed, this happens through the mapping. The process may be unable to
// open the file because its ids have changed.
bool Segment::AllocatePages(uint64_t offset, uint64_t bytes) {
  if (fd_.ok()) return !IsSyscallError(RawSyscall(SYS_fallocate, fd_.number(), 0, offset, bytes));
  return MapPages(At(offset), bytes);
}

bool Segment::PrepareChunk(Pages pages) {
  const uint32_t index = header_->prepared_chunks.load(std::memory_order_relaxed);
  if (index >= header_->chunk_count.load(std::memory_order_acquire) || index >= mapped_chunks() || growth_failed_)
    return false;
  if (header_->anonymous == 0) {
    // Create has already checked the space for the first chunks.
    if (index > kAhead && fd_.ok() && FreeSpaceAllowed(fd_.number()) < chunk_bytes_) {
      growth_failed_ = true;
      return false;
    }
    // A page of the directory is allocated together with the first chunk that needs it.
    const uint64_t row_page = (kPageBytes + uint64_t{index} * sizeof(ChunkRow)) & ~uint64_t{kPageBytes - 1};
    const bool new_row_page = index % kRowsPerPage == 0;
    if ((new_row_page && !AllocatePages(row_page, kPageBytes)) ||
        !AllocatePages(chunks_offset_ + uint64_t{index} * chunk_bytes_, chunk_bytes_)) {
      growth_failed_ = true;
      return false;
    }
  }
  uint8_t* const bytes = chunk(ChunkId::FromNumber(index));
  if (pages == Pages::kMap && MapPages(bytes, chunk_bytes_)) UsePages(bytes, chunk_bytes_);
  PublishPrepared(index);
  return true;
}

bool Segment::PrepareByMapping() const {
  const uint32_t index = header_->prepared_chunks.load(std::memory_order_relaxed);
  // The count is 0 after Retire.
  if (index >= header_->chunk_count.load(std::memory_order_acquire) || index >= mapped_chunks() ||
      mapping_failed_.load(std::memory_order_relaxed))
    return false;
  const bool has_room = header_->anonymous != 0 || index <= kAhead || FreeSpaceAllowed(path_) >= chunk_bytes_;
  uint8_t* const row_page = reinterpret_cast<uint8_t*>(rows_ + index / kRowsPerPage * kRowsPerPage);
  const bool has_pages =
      has_room && (header_->anonymous != 0 ||
                   (MapPages(row_page, kPageBytes) && MapPages(chunk(ChunkId::FromNumber(index)), chunk_bytes_)));
  if (has_pages) {
    PublishPrepared(index);
    prepared_by_mapping_.fetch_add(1, std::memory_order_relaxed);
  } else {
    mapping_failed_.store(true, std::memory_order_relaxed);
  }
  return has_pages;
}

void Segment::PrepareAhead(Pages pages) {
  const uint32_t by_mapping = prepared_by_mapping_.load(std::memory_order_relaxed);
  uint32_t free = directory().CountFreeAtEnd(ahead_);
  if (ahead_ < kAhead && directory().prepared() - free > kChunksOfQuietProcess) ahead_ = kAhead;
  const bool in_a_burst = free < free_at_last_tick_ && ahead_ > kAhead;
  const bool is_to_wait = in_a_burst && free >= ahead_ / 2;
  // A process that marks before the sampler's first tick prepares one chunk, which does not count as a burst.
  if (by_mapping - seen_prepared_by_mapping_ > 1 || (in_a_burst && !is_to_wait)) {
    ahead_ = std::min(2 * std::max(ahead_, kAhead), kMaxAhead);
  }
  seen_prepared_by_mapping_ = by_mapping;
  for (uint32_t i = 0; i < kAhead && free < ahead_ && !is_to_wait; ++i) {
    PrepareChunk(pages);
    free = directory().CountFreeAtEnd(ahead_);
  }
  free_at_last_tick_ = free;
  if (free == 0) RestoreNext();
}

// Memory that was given back serves again, before other chunks are recycled.
void Segment::RestoreNext() {
  const std::optional<ChunkId> next = directory().FindReleased();
  if (!next.has_value()) return;
  const uint64_t offset = chunks_offset_ + uint64_t{next->ToNumber()} * chunk_bytes_;
  const bool has_room = !fd_.ok() || FreeSpaceAllowed(fd_.number()) >= chunk_bytes_;
  if (has_room && AllocatePages(offset, chunk_bytes_)) directory().Restore(*next);
}

uint32_t Segment::ReleaseBefore(int64_t before_ns, uint32_t most_chunks) {
  const uint32_t count = directory().prepared();
  int64_t newest_ns = header_->released_until_ns.load(std::memory_order_relaxed);
  uint32_t released = 0;
  for (uint32_t i = 0; i < count && released < most_chunks; ++i) {
    const ChunkId id = ChunkId::FromNumber(i);
    const int64_t last_ns = directory().Release(id, before_ns);
    if (last_ns == 0) continue;
    RawSyscall(SYS_madvise, chunk(id), chunk_bytes_, MADV_REMOVE);
    newest_ns = std::max(newest_ns, last_ns);
    ++released;
  }
  header_->released_until_ns.store(newest_ns, std::memory_order_relaxed);
  return released;
}

// The sampler and marking threads may prepare the same chunk at the same time. The first one publishes it.
void Segment::PublishPrepared(uint32_t index) const {
  uint32_t expected = index;
  header_->prepared_chunks.compare_exchange_strong(expected, index + 1, std::memory_order_release,
                                                   std::memory_order_relaxed);
}

Fd Segment::OpenFile(int flags) const {
  if (header_->anonymous != 0) return Fd(-ENOENT);
  Fd file = Fd::Open(path_, flags | O_NOFOLLOW);
  struct stat info = {};
  if (!file.ok()) return file;
  const bool known = !IsSyscallError(RawSyscall(SYS_fstat, file.number(), &info));
  if (!known || info.st_dev != device_ || info.st_ino != inode_)
    return Fd(-ENOENT);  // the name belongs to another file
  return file;
}

void Segment::ReopenFile() {
  if (!fd_.ok()) fd_ = OpenFile(O_RDWR);
}

bool Segment::IsUnlinked() const {
  struct stat info = {};
  return fd_.ok() && !IsSyscallError(RawSyscall(SYS_fstat, fd_.number(), &info)) && info.st_nlink == 0;
}

void Segment::FitAddressSpace(uint64_t limit_bytes) {
  if (!IsMapped()) return;
  const uint64_t bytes_allowed = limit_bytes / kAddressSpaceShare;
  const uint64_t in_use = BytesInUse();
  const uint64_t kept = RoundUpTo(in_use > bytes_allowed ? in_use : bytes_allowed, kPageBytes);
  UnmapFrom(kept);
}

// Includes one chunk more than the prepared ones, because a thread may be about to prepare it.
uint64_t Segment::BytesInUse() const {
  const uint64_t end = chunks_offset_ + (uint64_t{directory().prepared()} + 1) * chunk_bytes_;
  return AtMost(end, file_bytes_);
}

void Segment::UnmapFrom(uint64_t kept_bytes) {
  uint64_t end = mapped_bytes_.load(std::memory_order_relaxed);
  for (uint32_t i = extent_count_.load(std::memory_order_relaxed); i-- > 0 && kept_bytes < end;) {
    const uint64_t from = kept_bytes > extents_[i].offset ? kept_bytes : extents_[i].offset;
    RawSyscall(SYS_munmap, At(from), end - from);
    end = from;
    mapped_bytes_.store(end, std::memory_order_relaxed);
  }
}

void Segment::Retire() {
  if (!IsMapped()) return;
  is_mapped_.store(false, std::memory_order_release);
  UnmapFrom(BytesInUse());
  const uint64_t bytes = mapped_bytes_.load(std::memory_order_relaxed);
  for (uint64_t offset = 0, here = 0; offset < bytes; offset += here) {
    // Markers in progress may still write here, so new pages of zeros replace the old ones at the same addresses.
    uint8_t* const start = At(offset, &here);
    RawSyscall(SYS_mmap, start, here, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
               -1, 0);
  }
}

void Segment::ForgetAfterFork() {
  Retire();
  fd_.Forget();  // the descriptor belongs to the sampler's table, which the child does not have
}

}  // namespace geckoprof
