#ifndef GECKOPROF_BASEPROFILER_SAMPLER_THREAD_LIST_H_
#define GECKOPROF_BASEPROFILER_SAMPLER_THREAD_LIST_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "geckoprof/base/fd.h"
#include "geckoprof/base/signals_blocked.h"
#include "geckoprof/config/thread_filter.h"
#include "geckoprof/entries/metadata_writer.h"
#include "geckoprof/threads/thread_registry.h"
#include "sampler/sampled_thread.h"
#include "sampler/sampled_thread_map.h"

namespace geckoprof {

// ThreadList: every thread of the process, found in three ways: by its slot (registered, or made by pthread_create),
// and by listing /proc/self/task, which also shows raw clones and threads that were there before us.
//
// A pointer to a SampledThread stays valid until the thread is removed. Slots of threads that have ended are released
// here. Threads: owned by the sampler. Context: not signal context.
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
  };
  explicit ThreadList(const Setting& setting);

  enum class ScanResult : uint8_t { kFine, kOnlySampler, kForeignProc, kFailed };

  // Lists the task folder and takes in what is new; removes what is gone. kOnlySampler: no other thread of the process
  // lives. kForeignProc: /proc is that of another pid namespace, its numbers are not ours.
  ScanResult Scan(int64_t now_ns);
  int scan_error() const { return scan_error_; }

  // Takes in threads that announced themselves, or a name, since the last call: no more of them at once than a tick has
  // time for (each costs some 15 us), the others at the next. Costs one load when there is none. False: there are
  // others.
  bool TakeAnnounced(uint32_t announced, int64_t now_ns);
  // All of them, up to some thousands: more may begin all the time. Nothing on another thread than the sampler's, whose
  // descriptor table is the program's.
  void TakeAllAnnounced(const std::atomic<uint32_t>& announced, int64_t now_ns);

  // Whether the thread has one, maybe since TakeAnnounced. Costs one load unless somebody announced something.
  bool HasSlot(const SampledThread& thread, uint32_t announced) const {
    return thread.slot != nullptr || (announced != announced_ && setting_.registry->FindByTid(thread.tid) != nullptr);
  }

  // The thread was seen to have ended.
  void Remove(SampledThread* thread, int64_t now_ns);
  // All that are marked so.
  void RemoveGone(int64_t now_ns);

  const std::vector<std::unique_ptr<SampledThread>>& threads() const { return threads_; }

  // The filter has changed.
  void SelectAnew();

  // Reads names again that may have changed since. kNow: as the last thing, those too that are not due; of a few
  // threads.
  enum class Names : bool { kDue, kNow };
  void RefreshNames(int64_t now_ns, Names which);
  void RefreshName(SampledThread& thread, int64_t now_ns);

  // What the thread has blocked (SigBlk of its status file).
  static KernelSignalSet BlockedSignals(ThreadId tid);
  // All of them, those too that libc keeps for itself and lets no program block: it is in our handler, or in a few
  // instructions of libc's.
  static constexpr bool IsMomentary(KernelSignalSet blocked) {
    constexpr KernelSignalSet kOfLibc = SignalBit(32) | SignalBit(33);
    return (blocked & kOfLibc) == kOfLibc;
  }
  // `patient`: and not for a moment only.
  static bool IsSignalBlocked(ThreadId tid, int signal, bool patient = false) {
    const KernelSignalSet blocked = BlockedSignals(tid);
    return (blocked & SignalBit(signal)) != 0 && !(patient && IsMomentary(blocked));
  }

  // The file that shows where the thread is. Open for as long as the thread lives for the first threads; of the others,
  // which would use up the descriptors that a process may have, opened into `temporary`.
  const Fd& SyscallFile(const SampledThread& thread, Fd& temporary) const;

  // Before the sampler thread leaves, and after it came back with an empty descriptor table.
  void CloseFiles();
  void ReopenFiles();
  void set_sampler(ThreadId sampler) { setting_.sampler = sampler; }

 private:
  static constexpr uint32_t kMostAtOnce = 64;
  static constexpr size_t kFewThreads = 32;

  void OpenFile(SampledThread& thread);
  bool OpenTaskFolder();
  bool IsOfEndedThread(const ThreadSlot& slot, SampledThread*& known, int64_t now_ns);
  SampledThread* Add(ThreadId tid, ThreadSlot* slot, int64_t now_ns);
  void TakeSlot(SampledThread& thread, ThreadSlot& slot) const;
  void TakeStack(SampledThread& thread) const;  // if none is known yet
  bool IsNew(const ThreadSlot& slot) const;
  static bool IsZombie(ThreadId tid);
  int64_t BeginOf(const SampledThread& thread, int64_t seen_ns) const;
  void RefreshNameNow(SampledThread& thread, int64_t now_ns);
  int64_t NextNameCheck(int64_t now_ns) const;
  void ReadName(SampledThread& thread, char (&name)[64]) const;
  void ReadInheritedName(SampledThread& thread, char (&name)[64]) const;
  bool Selects(const SampledThread& thread) const;
  void CountDrop(DropReason reason) {
    setting_.header->drops[static_cast<uint32_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  void TakeGivenName(SampledThread& thread);
  void ApplyName(SampledThread& thread, const char* name);

  Setting setting_;
  const uint32_t most_open_files_;
  std::vector<std::unique_ptr<SampledThread>> threads_;  // in no order
  SampledThreadMap by_tid_;                              // the same
  Fd task_folder_;
  uint32_t announced_ = 0;
  uint32_t open_files_ = 0;
  int scan_error_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_BASEPROFILER_SAMPLER_THREAD_LIST_H_
