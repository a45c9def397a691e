#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_LIST_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_LIST_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/ids.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/config/thread_filter.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/handover/handover_table.h"
#include "geckoprof/threads/thread_registry.h"
#include "sampler/sampled_thread.h"

namespace geckoprof {

// SampledThreadMap: finds a thread by its id in constant time. Threads may come and go.
//
//   rows: | | A | B | | C | |    a power of two, at most half of them in use; a thread stands in the row of its id, or
//                                in the first free row after it
//
// Invariants: no row between a thread's own row and its actual row is free. The map borrows the threads.
// Threads: owned by the sampler.
// Context: not signal context. It allocates.
class SampledThreadMap {
 public:
  // Returns null if the map has no thread with this id.
  SampledThread* Find(ThreadId tid) const;
  // REQUIRES: the map has no thread with this id.
  void Add(SampledThread* thread);
  // REQUIRES: the map has a thread with this id.
  void Remove(ThreadId tid);

 private:
  size_t FindRow(ThreadId tid) const;
  size_t NextRow(size_t row) const { return (row + 1) & (rows_.size() - 1); }
  void Insert(SampledThread* thread);

  std::vector<SampledThread*> rows_;
  size_t count_ = 0;
};

// ThreadList: every thread of the process. A thread is found by its slot if it was registered or if pthread_create made
// it. Listing /proc/self/task also finds raw clones and threads that are older than base.
//
// A pointer to a SampledThread stays valid until the thread is removed. The list releases the slots of ended threads.
//
// Threads: owned by the sampler.
// Context: not signal context.
class ThreadList {
 public:
  struct Setting {
    ProcessId pid;
    ThreadId sampler;  // never listed
    StackRange main_stack;
    const ThreadFilter* filter;
    ThreadRegistry* registry;
    MetadataWriter* metadata;
    SegmentHeader* header;
    const std::atomic<const OwnerTable*>* owner = nullptr;  // its own threads are not listed
    std::atomic<int32_t>* helper = nullptr;                 // SamplerControl::helper; not listed
  };
  explicit ThreadList(const Setting& setting);

  enum class ScanResult : uint8_t { kOk, kOnlySampler, kForeignProc, kFailed };

  // Lists the task folder, adds new threads and removes ended ones. kOnlySampler means that no other thread of the
  // process lives. kForeignProc means that /proc belongs to another pid namespace, so its ids are not this process's
  // ids.
  ScanResult Scan(int64_t now_ns);
  int scan_error() const { return scan_error_; }

  // Takes in threads that announced themselves or a name since the last call. It adds only as many threads as a tick
  // has time for, because each costs several microseconds. Returns false if more are left for the next tick. It costs
  // one load if there are none.
  bool AddAnnounced(uint32_t announced, int64_t now_ns);
  // Takes in all announced threads, up to some thousands, because more may begin all the time. It does nothing on
  // another thread than the sampler's, because that thread's descriptor table is the program's.
  void AddAllAnnounced(const std::atomic<uint32_t>& announced, int64_t now_ns);

  // Returns the number of threads that were ever added.
  uint64_t added() const { return added_; }
  // Returns the number of announcements that were taken in.
  uint32_t announced() const { return announced_; }
  // Counts the times at which threads of the list may have got a slot or a stack.
  uint32_t intakes() const { return intakes_; }

  // Returns true if the thread has a slot, also if it was announced after AddAnnounced. It costs one load if there is
  // no announcement.
  bool HasSlot(const SampledThread& thread, uint32_t announced) const {
    return thread.slot != nullptr || (announced != announced_ && setting_.registry->FindByTid(thread.tid) != nullptr);
  }

  // Removes a thread that was seen to have ended.
  void Remove(SampledThread* thread, int64_t now_ns);
  // Removes all threads that are marked as gone.
  void RemoveGone(int64_t now_ns);

  const std::vector<std::unique_ptr<SampledThread>>& threads() const { return threads_; }
  // Returns null if the list has no thread with this id.
  SampledThread* Find(ThreadId tid) const { return by_tid_.Find(tid); }

  // Called when the filter has changed.
  void Reselect();

  // Reads names again that may have changed. kNow reads all names at the end of a recording, also names that are not
  // due. It does so only for a few threads.
  enum class Names : bool { kDue, kNow };
  void RefreshNames(int64_t now_ns, Names which);
  void RefreshName(SampledThread& thread, int64_t now_ns);

  // Returns the thread's signal mask, and the signals that are pending for it alone, from its status file (proc(5)).
  static KernelSignalSet BlockedSignals(ThreadId tid) { return SignalsIn(tid, "\nSigBlk:\t"); }
  static KernelSignalSet PendingSignals(ThreadId tid) { return SignalsIn(tid, "\nSigPnd:\t"); }
  // Returns true if the mask also has libc's own two signals, which no program can block. The thread is then in base's
  // handler or in a few instructions of libc.
  static constexpr bool IsMomentary(KernelSignalSet blocked) { return (blocked & kSignalsOfLibc) == kSignalsOfLibc; }
  // `patient` ignores a mask that holds for a moment only.
  static bool IsSignalBlocked(ThreadId tid, int signal, bool patient = false) {
    const KernelSignalSet blocked = BlockedSignals(tid);
    return (blocked & SignalBit(signal)) != 0 && !(patient && IsMomentary(blocked));
  }

  // Returns the file that shows the thread's place. For the first threads it stays open while the thread lives. For
  // other threads it is opened into `temporary`, because the process may have only so many descriptors.
  const Fd& SyscallFile(const SampledThread& thread, Fd& temporary) const;
  // Returns the file that shows for how long the thread waited for a core.
  const Fd& SchedstatFile(const SampledThread& thread, Fd& temporary) const;

  // Called before the sampler thread leaves, and after it came back with an empty descriptor table.
  void CloseFiles();
  void ReopenFiles();
  void set_sampler(ThreadId sampler) { setting_.sampler = sampler; }

 private:
  static constexpr uint32_t kMaxAtOnce = 64;
  static constexpr size_t kFewThreads = 32;

  // Returns the id if the thread is one of the owner's, and 0 if it is not. The result is negative while the owner
  // makes a thread. Then a thread that is not listed yet may be it, and the next scan looks at it again.
  int32_t OwnersThread(ThreadId tid) const;
  int32_t Helper() const { return setting_.helper != nullptr ? setting_.helper->load(std::memory_order_acquire) : 0; }
  void ForgetHelper(int32_t seen);
  static KernelSignalSet SignalsIn(ThreadId tid, std::string_view field);
  void OpenFile(SampledThread& thread);
  bool OpenTaskFolder();
  bool IsOfEndedThread(const ThreadSlot& slot, SampledThread*& known, int64_t now_ns);
  SampledThread* Add(ThreadId tid, ThreadSlot* slot, int64_t now_ns);
  void AssignSlot(SampledThread& thread, ThreadSlot& slot) const;
  void AssignStack(SampledThread& thread) const;  // unless a stack is known
  bool IsNew(const ThreadSlot& slot) const;
  static bool IsZombie(ThreadId tid);
  int64_t FindBegin(const SampledThread& thread, int64_t seen_ns) const;
  void RefreshNameNow(SampledThread& thread, int64_t now_ns);
  int64_t NextNameCheck(int64_t now_ns) const;
  void ReadName(SampledThread& thread, char (&name)[64]) const;
  void ReadInheritedName(SampledThread& thread, char (&name)[64]) const;
  bool Selects(const SampledThread& thread) const;
  void CountDrop(DropReason reason) {
    setting_.header->drops[static_cast<uint32_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  void ApplyGivenName(SampledThread& thread);
  void ApplyName(SampledThread& thread, const char* name);

  Setting setting_;
  const uint32_t max_open_threads_;
  std::vector<std::unique_ptr<SampledThread>> threads_;  // not sorted
  SampledThreadMap by_tid_;                              // the same threads
  Fd task_folder_;
  uint32_t announced_ = 0;
  uint32_t intakes_ = 0;
  uint64_t added_ = 0;
  uint32_t open_threads_ = 0;
  int scan_error_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_LIST_H_
