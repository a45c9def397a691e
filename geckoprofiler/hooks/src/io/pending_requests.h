#ifndef GECKOPROF_HOOKS_IO_PENDING_REQUESTS_H_
#define GECKOPROF_HOOKS_IO_PENDING_REQUESTS_H_

#include <atomic>
#include <cstdint>

#include "io/ring_entries.h"

namespace geckoprof {

// PendingRequests: the requests of a ring that have no completion yet, by the user data that both have. A program may
// give the same user data to several requests. They are one row here, and their kind is known if it is the same.
//
//   rows_   | free | user data 0x5560.., kind "read of row 9", 1 request | 7, of several kinds, 2 requests | ...
//
// Threads: one at a time. Context: any. Lifetime: all bytes are zero at first.
class PendingRequests {
 public:
  static constexpr uint32_t kRows = 4096, kMostUsed = 3072;

  // A request is submitted. It is not noted if there is no room. REQUIRES: kind > 1.
  void Add(uint64_t user_data, uint32_t kind);
  // Returns the kind of the request that is complete, or 0 if it is unknown. A request that `has_more` answers stays.
  uint32_t Complete(uint64_t user_data, bool has_more);
  void Clear();

 private:
  static constexpr uint32_t kSeveral = 1;
  struct Row {
    uint64_t user_data;
    uint32_t kind;
    uint32_t requests;  // 0: the row is free
  };

  static uint32_t HomeOf(uint64_t user_data);
  Row& Find(uint64_t user_data);
  void Remove(uint32_t row);

  uint32_t used_;
  Row rows_[kRows];
};

// RingTable: the pending requests of the rings that are in use. Further rings have none.
//
// A row is used under its lock. A thread that finds it held tries a number of times, for microseconds at most, and goes
// on without it. The results of the requests that it submits then stay unknown. If a signal handler jumps out of the
// thread that holds the lock, the results of all later requests of the ring stay unknown.
//
// Threads: any. Context: any, signal context included. Lifetime: all bytes are zero at first.
class RingTable {
 public:
  static constexpr uint32_t kMostRings = 16;

  struct Row {
    std::atomic<bool> is_locked;
    std::atomic<const unsigned*> ring;  // the address of its completions' end. Null: the row is free
    bool is_new;
    uint32_t position;  // of the next completion to read
    PendingRequests pending;
  };

  // Locked: a row, and the lock on it. Null if there is no row, or if another thread has it in all `attempts`.
  class Locked {
   public:
    static constexpr int kAttempts = 200;

    Locked(RingTable& table, const Ring& ring, int attempts)
        : row_(table.Lock(ring.completions.kernel_tail, attempts)) {}
    ~Locked() {
      if (row_ != nullptr) row_->is_locked.store(false, std::memory_order_release);
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    // The following functions REQUIRE that there is a row.
    explicit operator bool() const { return row_ != nullptr; }
    void Add(uint64_t user_data, uint32_t kind) { row_->pending.Add(user_data, kind); }

    // Calls `visit` with the kind, the result and "has more to come" of each completion since the last time.
    template <typename Visit>
    void Collect(const Ring& ring, const Visit& visit) {
      const RingCompletions completions(ring);
      if (completions.size() == 0) return;
      const uint32_t end = completions.end();
      if (row_->is_new) row_->position = completions.seen();
      row_->is_new = false;
      // Otherwise some are lost, or another ring has the address of an old one.
      if (end - row_->position > completions.size()) {
        row_->pending.Clear();
        row_->position = end;
      }
      for (; row_->position != end; ++row_->position) {
        RingCompletion completion;
        if (!completions.Read(row_->position, completion)) continue;
        const bool has_more = (completion.flags & IORING_CQE_F_MORE) != 0;
        const uint32_t kind = row_->pending.Complete(completion.user_data, has_more);
        if (kind != 0) visit(kind, completion.result, has_more);
      }
    }

    // The ring ends.
    void Free() {
      row_->pending.Clear();
      row_->ring.store(nullptr, std::memory_order_relaxed);
    }

   private:
    Row* const row_;
  };

 private:
  Row* Lock(const unsigned* ring, int attempts);
  static bool TryLock(Row& row, const unsigned* expected);

  Row rows_[kMostRings];
};

}  // namespace geckoprof

#endif  // GECKOPROF_HOOKS_IO_PENDING_REQUESTS_H_
