#include "io/io_recorder.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>

#include "baseprofiler/base_profiler_abi.h"
#include "baseprofiler/counter_abi.h"
#include "geckoprof/base/raw_syscall.h"
#include "io/descriptor_name.h"
#include "io/io_markers.h"
#include "runtime/hook_features.h"
#include "runtime/inside_hook.h"
#include "runtime/own_process.h"

namespace geckoprof {
namespace {

constexpr geckoprof_time kIsTicks = geckoprof_time{1} << 63;
constexpr uint64_t kLeastIntervalNs = 1'000'000, kMostIntervalNs = 1'000'000'000;
constexpr uint32_t kMarkersAtATime = 256;  // so that no call waits long for them

int32_t ThreadNumber() { return static_cast<int32_t>(RawSyscall(SYS_gettid)); }

std::string_view PathText(const char* path) {
  return path != nullptr ? std::string_view(path, strnlen(path, 4096)) : std::string_view();
}

// The thread's place in IoState. Null: it has none.
constinit thread_local ThreadTotals* t_totals __attribute__((tls_model("initial-exec"))) = nullptr;
// The key of a destructor that runs at the end of each thread with a place. It is -1 before Prepare.
constinit std::atomic<int64_t> g_end_of_thread{-1};

constinit geckoprof_counter* g_file_counter = nullptr;
constinit geckoprof_counter* g_net_counter = nullptr;

constexpr geckoprof_counter_description Describe(const char* name, const char* description) {
  return {sizeof(geckoprof_counter_description),
          GECKOPROF_COUNTER_HAS_NUMBER,
          name,
          "Bandwidth",
          description,
          "bytes",
          nullptr};
}

// ThreadChoice says whether slow calls of this thread are markers. The filters and the thread's name decide. Base takes
// a lock and asks the kernel for them, so an answer counts for some milliseconds.
struct ThreadChoice {
  static constexpr uint64_t kLifetime = 10'000'000;  // ticks or ns

  uint32_t features = 0;
  geckoprof_time asked = 0;
  bool is_marked = false;
};
constinit thread_local ThreadChoice t_choice __attribute__((tls_model("initial-exec")));

// `now` is a time of this call.
bool MarksThread(IoClass io_class, geckoprof_time now) {
  const uint32_t features = HookFeatures(IoRecorder::FeaturesOf(io_class));
  if (features == 0) return false;
  if ((features & (kFeatureFileIoAll | kFeatureNetIo)) != 0) return true;
  ThreadChoice& choice = t_choice;
  if (choice.features != features || now - choice.asked > ThreadChoice::kLifetime) {
    const bool is_main =
        (features & kFeatureFileIo) == 0 && OwnProcess::IsCurrent() && ThreadNumber() == OwnProcess::id();
    const bool is_sampled = (features & kFeatureFileIo) != 0 && geckoprof_base_thread_is_being_profiled() != 0;
    choice = {features, now, is_main || is_sampled};
  }
  return choice.is_marked;
}

}  // namespace

constinit IoRecorder g_io_recorder;

struct IoRecorder::Call {
  const IoFunction& function;
  geckoprof_time start, end;
  uint64_t ns;
  int64_t result;

  uint64_t BytesIf(IoFunction::Bytes bytes) const {
    return function.bytes == bytes && result > 0 ? static_cast<uint64_t>(result) : 0;
  }
  uint64_t read_bytes() const { return BytesIf(IoFunction::Bytes::kIn); }
  uint64_t written_bytes() const { return BytesIf(IoFunction::Bytes::kOut); }
};

void IoRecorder::Prepare(int64_t threshold_ns) {
  threshold_ns_.store(static_cast<uint64_t>(threshold_ns), std::memory_order_relaxed);
  LearnRate();
  pthread_key_t key = 0;
  const auto flush = [](void* place) {
    auto* const mine = static_cast<ThreadTotals*>(place);
    IoState* const state = g_io_recorder.state_.load(std::memory_order_acquire);
    if (state == nullptr || mine != t_totals) return;
    if (mine->owner.load(std::memory_order_relaxed) == ThreadNumber()) {
      g_io_recorder.Flush(*state, *mine);
      g_io_recorder.WriteTotalsIfDue(*state, geckoprof_base_time());
      mine->owner.store(0, std::memory_order_release);
    }
    t_totals = nullptr;
  };
  if (pthread_key_create(&key, flush) == 0) g_end_of_thread.store(key, std::memory_order_relaxed);
  pthread_atfork(nullptr, nullptr, [] {
    t_totals = nullptr;
    t_choice = {};
  });
}

// Called again and again, because the rate becomes more exact with time.
void IoRecorder::LearnRate() {
  const geckoprof_time ticks = geckoprof_base_counter_time();
  const int64_t ns = geckoprof_base_now();
  const geckoprof_time first = first_ticks_.load(std::memory_order_acquire);
  if (first == 0) {
    first_ns_.store(ns, std::memory_order_relaxed);
    first_ticks_.store(ticks, std::memory_order_release);
    return;
  }
  const int64_t passed_ns = ns - first_ns_.load(std::memory_order_relaxed);
  if (passed_ns <= 0 || ticks <= first) return;
  ns_of_2_32_ticks_.store(static_cast<uint64_t>((static_cast<unsigned __int128>(passed_ns) << 32) / (ticks - first)),
                          std::memory_order_relaxed);
}

uint64_t IoRecorder::NsBetween(geckoprof_time start, geckoprof_time end) {
  if (((start ^ end) & kIsTicks) != 0 || end < start) return 0;
  if ((start & kIsTicks) == 0) return end - start;
  if (ns_of_2_32_ticks_.load(std::memory_order_relaxed) == 0) [[unlikely]]
    LearnRate();
  const uint64_t rate = ns_of_2_32_ticks_.load(std::memory_order_relaxed);
  return static_cast<uint64_t>(static_cast<unsigned __int128>(end - start) * rate >> 32);
}

IoState* IoRecorder::Reserve() {
  if (!OwnProcess::IsCurrent()) return nullptr;
  IoState* state = state_.load(std::memory_order_acquire);
  if (state == nullptr) {
    void* const memory =
        mmap(nullptr, sizeof(IoState), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, sizeof(IoState), MADV_WIPEONFORK);
    if (state_.compare_exchange_strong(state, static_cast<IoState*>(memory), std::memory_order_acq_rel)) {
      state = static_cast<IoState*>(memory);
    } else {
      munmap(memory, sizeof(IoState));
    }
  }
  if (state->first_call.load(std::memory_order_relaxed) == 0) {
    LearnRate();
    const geckoprof_time now = geckoprof_base_time();
    state->last_markers.store(now, std::memory_order_relaxed);
    state->first_call.store(now, std::memory_order_relaxed);
  }
  const int64_t end_of_thread = g_end_of_thread.load(std::memory_order_relaxed);
  const int32_t tid = ThreadNumber();
  if (t_totals != nullptr && t_totals->owner.load(std::memory_order_relaxed) != tid) t_totals = nullptr;
  for (ThreadTotals* each = state->threads;
       t_totals == nullptr && end_of_thread >= 0 && each != state->threads + IoState::kMostThreads; ++each) {
    int32_t nobody = 0;
    if (each->owner.load(std::memory_order_relaxed) != 0 ||
        !each->owner.compare_exchange_strong(nobody, tid, std::memory_order_acq_rel)) {
      continue;
    }
    t_totals = each;
    pthread_setspecific(static_cast<pthread_key_t>(end_of_thread), each);
  }
  return state;
}

[[gnu::noinline]] uint32_t IoRecorder::FindRow(int fd) {
  if (IsInsideHook()) return 0;
  const InsideHook inside;
  IoState* const state = Reserve();
  if (state == nullptr) return 0;
  const bool has_entry = DescriptorTable::Has(fd);
  const DescriptorTable::Entry seen = has_entry ? state->descriptors.Get(fd) : DescriptorTable::Entry();
  const DescriptorName name(fd);
  if (!name.is_open()) return IoTotals::RestOf(IoClass::kOther);
  const uint32_t row = state->totals.FindOrAdd(name.io_class(), name.text());
  if (has_entry) state->descriptors.Set(fd, seen, row, name.io_class() == IoClass::kSocket);
  return row;
}

[[gnu::noinline]] uint32_t IoRecorder::FindNamedRow(IoClass io_class, std::string_view path) {
  if (IsInsideHook()) return 0;
  const InsideHook inside;
  IoState* const state = Reserve();
  return state != nullptr ? state->totals.FindOrAdd(io_class, path) : 0;
}

void IoRecorder::AddToTotals(IoState& state, uint32_t row, const IoFigures& figures, geckoprof_time since) {
  state.totals.Add(row, figures, since);
  AddToCounter(state.totals.ClassOf(row), figures.read_bytes + figures.written_bytes, figures.calls);
}

void IoRecorder::AddToCounter(IoClass io_class, uint64_t bytes, uint64_t operations) {
  if (io_class != IoClass::kFile && io_class != IoClass::kSocket) return;
  static constexpr geckoprof_counter_description kFiles =
      Describe("files", "Bytes that calls read from and wrote to files");
  static constexpr geckoprof_counter_description kNet =
      Describe("sockets", "Bytes that calls received from and sent to sockets");
  const bool is_file = io_class == IoClass::kFile;
  geckoprof_counter* const counter = is_file ? geckoprof_base_counter_create_once(&g_file_counter, &kFiles)
                                             : geckoprof_base_counter_create_once(&g_net_counter, &kNet);
  if (counter == nullptr) return;
  __atomic_fetch_add(&counter->count, static_cast<int64_t>(bytes), __ATOMIC_RELAXED);
  __atomic_fetch_add(&counter->number, static_cast<int64_t>(operations), __ATOMIC_RELAXED);
}

[[gnu::always_inline]] inline void IoRecorder::Count(IoState& state, uint32_t row, const Call& call) {
  ThreadTotals* const mine = t_totals;
  if (mine == nullptr || mine->is_busy.exchange(true, std::memory_order_acquire)) [[unlikely]] {
    AddToTotals(state, row, {1, call.read_bytes(), call.written_bytes(), call.ns}, call.start);
    WriteTotalsIfDue(state, call.end);
    return;
  }
  ThreadTotals::Sum& sum = mine->sums[row % ThreadTotals::kSums];
  if (sum.row != row) {
    if (sum.figures.calls != 0) AddToTotals(state, sum.row, sum.figures, sum.since);
    sum = {row, {}, call.start};
  }
  ++sum.figures.calls;
  sum.figures.read_bytes += call.read_bytes();
  sum.figures.written_bytes += call.written_bytes();
  sum.figures.ns += call.ns;
  const bool is_burst = call.end - mine->last_end < ThreadTotals::kBurst && ++mine->calls < ThreadTotals::kMostCalls;
  mine->last_end = call.end;
  mine->is_busy.store(false, std::memory_order_release);
  if (is_burst) return;
  Flush(state, *mine);
  WriteTotalsIfDue(state, call.end);
}

[[gnu::noinline]] void IoRecorder::Flush(IoState& state, ThreadTotals& one) {
  if (one.is_busy.exchange(true, std::memory_order_acquire)) return;
  for (ThreadTotals::Sum& sum : one.sums) {
    if (sum.figures.calls != 0) AddToTotals(state, sum.row, sum.figures, sum.since);
    sum = {};
  }
  one.calls = 0;
  one.is_busy.store(false, std::memory_order_release);
}

void IoRecorder::WriteTotalsIfDue(IoState& state, geckoprof_time now) {
  // The first calls may come before base knows the processor's counter. Their times are no ticks.
  if (((state.last_markers.load(std::memory_order_relaxed) ^ now) & kIsTicks) != 0) {
    state.first_call.store(now, std::memory_order_relaxed);
    state.last_markers.store(now, std::memory_order_relaxed);
  }
  const uint64_t age_ns = NsBetween(state.first_call.load(std::memory_order_relaxed), now);
  if (NsBetween(state.last_markers.load(std::memory_order_relaxed), now) <
          std::clamp(age_ns / 8, kLeastIntervalNs, kMostIntervalNs) ||
      IsInsideHook()) {
    return;
  }
  WriteTotals(state, now, kMarkersAtATime);
}

[[gnu::noinline]] void IoRecorder::WriteTotals(IoState& state, geckoprof_time now, uint32_t most_markers) {
  if (state.writes_markers.exchange(true, std::memory_order_acquire)) return;
  const InsideHook inside;
  if (OwnProcess::IsCurrent()) {
    LearnRate();
    const uint32_t end = state.totals.RowsEnd();
    uint32_t row = std::max(state.next_row.load(std::memory_order_relaxed), 1u);
    for (uint32_t left = most_markers; row < end && left > 0; ++row) {
      IoFigures figures;
      geckoprof_time since = 0;
      if (!state.totals.Drain(row, figures, since)) continue;
      --left;
      if (AddIoTotals(state.totals.ClassOf(row), state.totals.PathOf(row), figures, since, now)) continue;
      state.totals.Add(row, figures, since);  // the next call tries again
    }
    const bool is_complete = row >= end;
    state.next_row.store(is_complete ? 1 : row, std::memory_order_relaxed);
    if (is_complete) {
      WriteRequests(state, now, most_markers);
      state.last_markers.store(now, std::memory_order_relaxed);
    }
  }
  state.writes_markers.store(false, std::memory_order_release);
}

void IoRecorder::WriteAll() {
  IoState* const state = state_.load(std::memory_order_acquire);
  if (state == nullptr || IsInsideHook()) return;
  for (ThreadTotals& each : state->threads) {
    if (each.owner.load(std::memory_order_acquire) != 0) Flush(*state, each);
  }
  state->next_row.store(1, std::memory_order_relaxed);
  WriteTotals(*state, geckoprof_base_time(), IoTotals::kRows);
}

[[gnu::noinline]] void IoRecorder::NoteDescriptor(const IoFunction& function, int fd, geckoprof_time start,
                                                  int64_t result) {
  if (InsideHook::IsThreadLeftOut()) return;
  const geckoprof_time end = geckoprof_base_time();
  IoState* state = state_.load(std::memory_order_acquire);
  uint32_t row = 0;
  bool is_socket = false;
  if (state != nullptr && DescriptorTable::Has(fd)) [[likely]] {
    const DescriptorTable::Entry entry = state->descriptors.Get(fd);
    row = entry.row();
    is_socket = entry.is_socket();
  }
  if (row == 0) [[unlikely]] {
    row = FindRow(fd);
    state = state_.load(std::memory_order_acquire);
    if (row == 0 || state == nullptr) return;
    is_socket = state->totals.ClassOf(row) == IoClass::kSocket;
  }
  if (HookFeatures(is_socket ? uint32_t{kFeatureNetIo} : kFileFeatures) == 0) return;
  const Call call{function, start, end, NsBetween(start, end), result};
  Count(*state, row, call);
  if (call.ns >= threshold_ns_.load(std::memory_order_relaxed)) [[unlikely]]
    MarkDescriptor(call, *state, row, fd);
}

// A descriptor without a row had no other call, and has no name any more.
[[gnu::noinline]] void IoRecorder::NoteClose(const IoFunction& function, uint32_t row, geckoprof_time start) {
  if (InsideHook::IsThreadLeftOut()) return;
  const geckoprof_time end = geckoprof_base_time();
  IoState* const state = state_.load(std::memory_order_acquire);
  if (state == nullptr) return;
  if (row == 0) row = IoTotals::RestOf(IoClass::kOther);
  const IoClass io_class = state->totals.ClassOf(row);
  if (HookFeatures(FeaturesOf(io_class)) == 0) return;
  const Call call{function, start, end, NsBetween(start, end), 0};
  Count(*state, row, call);
  if (call.ns >= threshold_ns_.load(std::memory_order_relaxed)) [[unlikely]]
    Mark(call, io_class, state->totals.PathOf(row));
}

[[gnu::noinline]] void IoRecorder::NoteOtherEnd(const IoFunction& function, int fd, int64_t result) {
  if (InsideHook::IsThreadLeftOut()) return;
  const uint32_t row = RowOf(fd);
  IoState* const state = state_.load(std::memory_order_acquire);
  if (row == 0 || state == nullptr || HookFeatures(FeaturesOf(state->totals.ClassOf(row))) == 0) return;
  const geckoprof_time now = geckoprof_base_time();
  Count(*state, row, {function, now, now, 0, result});
}

[[gnu::noinline]] void IoRecorder::NotePath(const IoFunction& function, const char* path, geckoprof_time start,
                                            int64_t result) {
  const geckoprof_time end = geckoprof_base_time();
  const uint32_t row = FindNamedRow(IoClass::kPath, PathText(path));
  IoState* const state = state_.load(std::memory_order_acquire);
  if (row == 0 || state == nullptr || HookFeatures(kFileFeatures) == 0) return;
  const Call call{function, start, end, NsBetween(start, end), result};
  Count(*state, row, call);
  if (call.ns >= threshold_ns_.load(std::memory_order_relaxed)) [[unlikely]]
    Mark(call, IoClass::kPath, PathText(path));
}

[[gnu::noinline]] void IoRecorder::NotePeer(const IoFunction& function, int fd, const sockaddr* address,
                                            socklen_t address_bytes, geckoprof_time start, int64_t result) {
  if (InsideHook::IsThreadLeftOut()) return;
  const geckoprof_time end = geckoprof_base_time();
  const uint32_t row = RowOf(fd);
  IoState* const state = state_.load(std::memory_order_acquire);
  if (row == 0 || state == nullptr || HookFeatures(FeaturesOf(state->totals.ClassOf(row))) == 0) return;
  const Call call{function, start, end, NsBetween(start, end), result};
  Count(*state, row, call);
  if (call.ns < threshold_ns_.load(std::memory_order_relaxed)) return;
  const DescriptorName peer(address, address_bytes);
  if (peer.is_open()) {
    Mark(call, state->totals.ClassOf(row), peer.text());
  } else {
    MarkDescriptor(call, *state, row, fd);
  }
}

[[gnu::noinline]] void IoRecorder::NoteClass(const IoFunction& function, IoClass io_class, const char* subject,
                                             geckoprof_time start, int64_t result) {
  const geckoprof_time end = geckoprof_base_time();
  if (FindNamedRow(io_class, {}) == 0 || HookFeatures(FeaturesOf(io_class)) == 0) return;
  IoState* const state = state_.load(std::memory_order_acquire);
  if (state == nullptr) return;
  const Call call{function, start, end, NsBetween(start, end), result};
  Count(*state, IoTotals::RestOf(io_class), call);
  if (call.ns >= threshold_ns_.load(std::memory_order_relaxed))
    Mark(call, io_class, subject != nullptr ? std::string_view(subject, strnlen(subject, 1024)) : "");
}

// The row's path may have been cut, or the row may be the rest of a class.
[[gnu::always_inline]] inline void IoRecorder::MarkDescriptor(const Call& call, IoState& state, uint32_t row, int fd) {
  const std::string_view path = state.totals.PathOf(row);
  if (!path.empty() && !path.starts_with("...")) {
    Mark(call, state.totals.ClassOf(row), path);
    return;
  }
  const DescriptorName name(fd);
  Mark(call, state.totals.ClassOf(row), name.text());
}

[[gnu::noinline]] void IoRecorder::Mark(const Call& call, IoClass io_class, std::string_view subject) {
  if (IsInsideHook()) return;
  const InsideHook inside;
  if (!MarksThread(io_class, call.end)) return;
  const IoMarker marker = {call.start, call.end,          call.function.name,   io_class,
                           subject,    call.read_bytes(), call.written_bytes(), 4};
  io_class == IoClass::kSocket ? AddNetIo(marker) : AddFileIo(marker);
}

}  // namespace geckoprof
