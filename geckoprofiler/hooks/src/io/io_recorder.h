#ifndef GECKOPROF_HOOKS_IO_IO_RECORDER_H_
#define GECKOPROF_HOOKS_IO_IO_RECORDER_H_

#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "baseprofiler/marker_abi.h"
#include "geckoprof/config/start_features.h"
#include "io/io_state.h"

namespace geckoprof {

// IoFunction is what the hooks of a function say of its calls.
struct IoFunction {
  enum class Bytes : uint8_t { kNone, kIn, kOut };  // whether a result above 0 is a number of bytes
  const char* name;
  Bytes bytes = Bytes::kNone;
};

// ChangedDescriptors: the descriptors that requests of a submission close, or give another peer.
class ChangedDescriptors {
 public:
  // Further ones are forgotten before the submission alone. A call meanwhile may then bring the old name back.
  static constexpr uint32_t kMost = 32;

  void Add(int fd) {
    if (size_ < kMost) descriptors_[size_++] = fd;
  }
  const int* begin() const { return descriptors_; }
  const int* end() const { return descriptors_ + size_; }

 private:
  uint32_t size_ = 0;
  int descriptors_[kMost];
};

// IoRecorder: counts all calls, and records the slow ones as markers with a stack.
//
//   hook --> real function --> NoteDescriptor: the row of the descriptor (DescriptorTable, or the kernel's answer)
//                              NotePath:       the row of the path
//                                |
//                                |-- longer than the threshold: marker FileIO or NetIO
//                                `-- ThreadTotals --> IoTotals --> counters, and markers IOTotals at intervals
//   submission to a ring --> NoteSubmission, real function --> IoRequests --> markers IORequests at the same times
//
// An interval lasts an eighth of the time since the first call, from 1 ms to 1 s. A call at its end writes the markers.
// The end of the process does the same.
//
// Threads: any, without a lock. Context: any, signal context included. errno stays. A child of vfork shares our memory
// and not our descriptors. It names none, so its calls count only for descriptors that its parent has named. A forked
// child begins with empty tables.
class IoRecorder {
 public:
  static constexpr uint32_t kFileFeatures = kFeatureMainThreadIo | kFeatureFileIo | kFeatureFileIoAll;
  static constexpr uint32_t kFeatures = kFileFeatures | kFeatureNetIo;
  static constexpr uint32_t FeaturesOf(IoClass io_class) {
    return io_class == IoClass::kSocket ? uint32_t{kFeatureNetIo} : kFileFeatures;
  }
  static constexpr int64_t kDefaultThresholdNs = 1'000'000;

  // Called by the library's constructor, perhaps after other hooks ran.
  void Prepare(int64_t threshold_ns);
  // Writes all sums so far. A call that ends meanwhile may be missing.
  void WriteAll();

  // A call has ended. `start` is a time from before it. They are no inline functions, so that all stacks have the same
  // number of our frames.
  void NoteDescriptor(const IoFunction& function, int fd, geckoprof_time start, int64_t result);
  // A second descriptor of the same call. Its time counts for the first one.
  void NoteOtherEnd(const IoFunction& function, int fd, int64_t result);
  void NotePath(const IoFunction& function, const char* path, geckoprof_time start, int64_t result);
  // A datagram may have another peer each time. `address` may be null.
  void NotePeer(const IoFunction& function, int fd, const sockaddr* address, socklen_t address_bytes,
                geckoprof_time start, int64_t result);
  // For calls without a descriptor. `subject` is for the marker.
  void NoteClass(const IoFunction& function, IoClass io_class, const char* subject, geckoprof_time start,
                 int64_t result);

  // The program is about to submit the new requests of a ring. Counts them, and those that are complete since the last
  // call for the ring. They have no time, because a call that submits does not wait for them. The names of descriptors
  // that they change are forgotten, and must be again after the call. REQUIRES: the ring exists.
  void NoteSubmission(const Ring& ring, ChangedDescriptors& changed);
  // Counts the requests that are complete since the last call for the ring. REQUIRES: the ring exists.
  void NoteCompletions(const Ring& ring);
  // The ring is about to end.
  void ForgetRing(const Ring& ring);

  // A call has closed a descriptor, or given it another object. KnownRow has its row from before the call, or 0.
  uint32_t KnownRow(int fd) const {
    const IoState* const state = state_.load(std::memory_order_acquire);
    return state != nullptr && DescriptorTable::Has(fd) ? state->descriptors.Get(fd).row() : 0;
  }
  void NoteClose(const IoFunction& function, uint32_t row, geckoprof_time start);

  // Must be called before and after each call that closes a descriptor, or that gives it another object or peer. This
  // holds without the features too, because a recording may begin later.
  void Forget(int fd) {
    if (IoState* const state = state_.load(std::memory_order_acquire)) state->descriptors.Forget(fd);
  }
  void ForgetRange(unsigned first, unsigned last) {
    if (IoState* const state = state_.load(std::memory_order_acquire)) state->descriptors.ForgetRange(first, last);
  }

 private:
  struct Call;  // that has ended

  uint64_t NsBetween(geckoprof_time start, geckoprof_time end);
  void Count(IoState& state, uint32_t row, const Call& call);
  void Flush(IoState& state, ThreadTotals& one);
  uint32_t FindRow(int fd);
  // The known row of the descriptor, or the one that the kernel's answer leads to. 0: there is none.
  uint32_t RowOf(int fd) {
    const uint32_t known = KnownRow(fd);
    return known != 0 ? known : FindRow(fd);
  }
  uint32_t FindNamedRow(IoClass io_class, std::string_view path);
  IoState* FindState();  // as Reserve, but it may have no place for the thread
  uint32_t FindRequestRow(IoState& state, const RingRequest& request, int ring);
  void CollectCompletions(IoState& state, RingTable::Locked& locked, const Ring& ring);
  void CountSubmission(IoState& state, const Ring& ring, ChangedDescriptors& changed);
  void AddToTotals(IoState& state, uint32_t row, const IoFigures& figures, geckoprof_time since);
  void AddToCounter(IoClass io_class, uint64_t bytes, uint64_t operations);
  void WriteTotalsIfDue(IoState& state, geckoprof_time now);
  void WriteTotals(IoState& state, geckoprof_time now, uint32_t most_markers);
  void WriteRequests(IoState& state, geckoprof_time now, uint32_t most_markers);
  void Mark(const Call& call, IoClass io_class, std::string_view subject);
  void MarkDescriptor(const Call& call, IoState& state, uint32_t row, int fd);

  // The tables, with a place for the thread. Null if there is no memory, and in a child of vfork.
  IoState* Reserve();
  void LearnRate();

  std::atomic<IoState*> state_{nullptr};
  std::atomic<uint64_t> threshold_ns_{uint64_t{kDefaultThresholdNs}};
  // The counter and the clock at about the same time, once, and the rate that follows from them. 0: unknown.
  std::atomic<geckoprof_time> first_ticks_{0};
  std::atomic<int64_t> first_ns_{0};
  std::atomic<uint64_t> ns_of_2_32_ticks_{0};
};

extern constinit IoRecorder g_io_recorder;

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_IO_RECORDER_H_
