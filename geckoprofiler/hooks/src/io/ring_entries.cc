#include "io/ring_entries.h"

#include <string.h>
#include <sys/uio.h>

#include <algorithm>
#include <iterator>

#include "geckoprof/base/raw_syscall.h"

namespace geckoprof {
namespace {

using Subject = RingRequest::Subject;

struct Operation {
  std::string_view name = "other";
  Subject subject = Subject::kRing;
  bool moves_bytes = false;
  bool changes_descriptor = false;
};

// By opcode. Kernels have more of them than their headers on this machine.
constexpr Operation kOperations[] = {
    {"nop"},
    {"readv", Subject::kDescriptor, true},
    {"writev", Subject::kDescriptor, true},
    {"fsync", Subject::kDescriptor},
    {"read_fixed", Subject::kDescriptor, true},
    {"write_fixed", Subject::kDescriptor, true},
    {"poll_add", Subject::kDescriptor},
    {"poll_remove"},
    {"sync_file_range", Subject::kDescriptor},
    {"sendmsg", Subject::kDescriptor, true},
    {"recvmsg", Subject::kDescriptor, true},
    {"timeout"},
    {"timeout_remove"},
    {"accept", Subject::kDescriptor},
    {"async_cancel"},
    {"link_timeout"},
    {"connect", Subject::kDescriptor, false, true},
    {"fallocate", Subject::kDescriptor},
    {"openat", Subject::kPath},
    {"close", Subject::kDescriptor, false, true},
    {"files_update"},
    {"statx", Subject::kPath},
    {"read", Subject::kDescriptor, true},
    {"write", Subject::kDescriptor, true},
    {"fadvise", Subject::kDescriptor},
    {"madvise"},
    {"send", Subject::kDescriptor, true},
    {"recv", Subject::kDescriptor, true},
    {"openat2", Subject::kPath},
    {"epoll_ctl", Subject::kDescriptor},
    {"splice", Subject::kDescriptor, true},
    {"provide_buffers"},
    {"remove_buffers"},
    {"tee", Subject::kDescriptor, true},
    {"shutdown", Subject::kDescriptor},
    {"renameat", Subject::kPath},
    {"unlinkat", Subject::kPath},
    {"mkdirat", Subject::kPath},
    {"symlinkat", Subject::kPath},
    {"linkat", Subject::kPath},
    {"msg_ring"},
    {"fsetxattr", Subject::kDescriptor},
    {"setxattr"},
    {"fgetxattr", Subject::kDescriptor},
    {"getxattr"},
    {"socket"},
    {"uring_cmd", Subject::kDescriptor},
    {"send_zc", Subject::kDescriptor, true},
    {"sendmsg_zc", Subject::kDescriptor, true},
    {"read_multishot", Subject::kDescriptor, true},
    {"waitid"},
    {"futex_wait"},
    {"futex_wake"},
    {"futex_waitv"},
    {"fixed_fd_install"},
    {"ftruncate", Subject::kDescriptor},
    {"bind", Subject::kDescriptor, false, true},
    {"listen", Subject::kDescriptor, false, true},
    {"recv_zc", Subject::kDescriptor, true},
    {"epoll_wait", Subject::kDescriptor},
    {"readv_fixed", Subject::kDescriptor, true},
    {"writev_fixed", Subject::kDescriptor, true},
    {"pipe"},
    {},
};
static_assert(std::size(kOperations) == RingRequest::kOpcodes);
static_assert(kOperations[IORING_OP_READ].name == "read" && kOperations[IORING_OP_SEND_ZC].name == "send_zc");

// Returns the number of bytes that were read. It is 0 if a sandbox forbids the call.
size_t ReadProgramBytes(uint64_t address, void* to, size_t bytes) {
  iovec local{to, bytes}, remote{nullptr, bytes};
  static_assert(sizeof(remote.iov_base) == sizeof(address));
  memcpy(&remote.iov_base, &address, sizeof(address));
  const long got = RawSyscall(SYS_process_vm_readv, RawSyscall(SYS_gettid), &local, 1, &remote, 1, 0);
  return got > 0 ? static_cast<size_t>(got) : 0;
}

// Flags of later kernels may give an entry another size from case to case.
constexpr unsigned kKnownFlags = (1u << 18) - 1, kLargeRequests = 1u << 10, kLargeCompletions = 1u << 11;

// Returns the number of entries of a queue, or 0 if it cannot be.
uint32_t ReadSize(unsigned flags, const unsigned* size, const unsigned* mask, uint32_t most) {
  if ((flags & ~kKnownFlags) != 0 || size == nullptr || mask == nullptr) return 0;
  const uint32_t entries = __atomic_load_n(size, __ATOMIC_RELAXED);
  if (entries == 0 || entries > most || __atomic_load_n(mask, __ATOMIC_RELAXED) != entries - 1) return 0;
  return (entries & (entries - 1)) == 0 ? entries : 0;
}

}  // namespace

RingEntries::RingEntries(const Ring& ring) {
  const auto& queue = ring.requests;
  const uint32_t entries = ReadSize(ring.flags, queue.size, queue.mask, kMostEntries);
  const uint32_t size = queue.tail - queue.head;
  if (size > entries || queue.entries == nullptr) return;
  entries_ = queue.entries;
  head_ = queue.head;
  mask_ = entries - 1;
  shift_ = (ring.flags & kLargeRequests) != 0 ? 1 : 0;
  size_ = size;
}

io_uring_sqe RingEntries::operator[](uint32_t index) const {
  io_uring_sqe copy;
  memcpy(&copy, entries_ + (size_t{(head_ + index) & mask_} << shift_), sizeof(copy));
  return copy;
}

RingCompletions::RingCompletions(const Ring& ring) : ring_(ring.completions) {
  const uint32_t entries = ReadSize(ring.flags, ring_.size, ring_.mask, 2 * RingEntries::kMostEntries);
  if (entries == 0 || ring_.head == nullptr || ring_.kernel_tail == nullptr || ring_.entries == nullptr) return;
  size_ = entries;
  mask_ = entries - 1;
  shift_ = (ring.flags & kLargeCompletions) != 0 ? 1 : 0;
}

// The kernel writes an answer before it moves the end. The place behind the end may be half written.
bool RingCompletions::Read(uint32_t position, RingCompletion& out) const {
  memcpy(&out, ring_.entries + (size_t{position & mask_} << shift_), sizeof(out));
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return end() - position < size_;
}

RingRequest::RingRequest(const io_uring_sqe& entry)
    : user_data(entry.user_data),
      opcode(std::min<uint8_t>(entry.opcode, kOpcodes - 1)),
      has_completion((entry.flags & IOSQE_CQE_SKIP_SUCCESS) == 0),
      descriptor(entry.fd),
      path(entry.addr) {
  const Operation& operation = kOperations[opcode];
  // A close of a registered file has no flag, but an index.
  const bool is_registered =
      (entry.flags & IOSQE_FIXED_FILE) != 0 || (opcode == IORING_OP_CLOSE && entry.file_index != 0);
  subject = operation.subject == Subject::kDescriptor && is_registered ? Subject::kRegisteredFile : operation.subject;
  changes_descriptor = operation.changes_descriptor && !is_registered;
}

bool RingRequest::MovesBytes(uint8_t opcode) { return kOperations[opcode].moves_bytes; }

std::string_view RingRequest::NameOf(uint8_t opcode) { return kOperations[opcode].name; }

std::string_view ReadProgramText(uint64_t address, char* room, size_t room_bytes) {
  constexpr uint64_t kPageBytes = 4096;
  for (size_t done = 0; done < room_bytes;) {
    const size_t page_rest = kPageBytes - (address + done) % kPageBytes;
    const size_t got = ReadProgramBytes(address + done, room + done, std::min(page_rest, room_bytes - done));
    if (got == 0) break;
    if (const void* const end = memchr(room + done, 0, got)) {
      return {room, static_cast<size_t>(static_cast<const char*>(end) - room)};
    }
    done += got;
  }
  return {};
}

}  // namespace geckoprof
