#include "threads/thread_record_list.h"

#include "geckoprof/base/futex.h"

namespace geckoprof {

void ThreadRecordList::Add(RegisteredThread* record) {
  RegisteredThread* head = arrivals_.load(std::memory_order_relaxed);
  do {
    record->next = head;
  } while (!arrivals_.compare_exchange_weak(head, record, std::memory_order_seq_cst, std::memory_order_relaxed));
}

void ThreadRecordList::Leave(RegisteredThread* record) {
  RegisteredThread* head = departed_.load(std::memory_order_relaxed);
  do {
    record->next_departed = head;
  } while (!departed_.compare_exchange_weak(head, record, std::memory_order_seq_cst, std::memory_order_relaxed));
  TidyIfIdle();
}

void ThreadRecordList::Enter() {
  uint32_t seen = state_.load(std::memory_order_relaxed);
  for (;;) {
    if ((seen & kTidying) == 0) {
      if (state_.compare_exchange_weak(seen, seen + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) return;
      continue;
    }
    if ((seen & kWaiters) == 0 && !state_.compare_exchange_weak(seen, seen | kWaiters, std::memory_order_relaxed)) {
      continue;
    }
    FutexWait(state_, kTidying | kWaiters, -1);
    seen = state_.load(std::memory_order_relaxed);
  }
}

void ThreadRecordList::Exit() {
  if (state_.fetch_sub(1, std::memory_order_seq_cst) == 1) TidyIfIdle();
}

ThreadRecordList::Place ThreadRecordList::First() const {
  RegisteredThread* const arrival = arrivals_.load(std::memory_order_seq_cst);
  return arrival != nullptr ? Place{arrival, false} : Place{settled_, true};
}

ThreadRecordList::Place ThreadRecordList::Next(Place place) const {
  RegisteredThread* const next = place.record->next;
  if (next == nullptr && !place.settled) return {settled_, true};
  return {next, place.settled};
}

void ThreadRecordList::TidyIfIdle() {
  while (departed_.load(std::memory_order_seq_cst) != nullptr) {
    uint32_t idle = 0;
    if (!state_.compare_exchange_strong(idle, kTidying, std::memory_order_seq_cst)) return;
    RegisteredThread* record = Unlink();
    if ((state_.exchange(0, std::memory_order_seq_cst) & kWaiters) != 0) FutexWake(state_, INT32_MAX);
    while (record != nullptr) {
      RegisteredThread* const next = record->next_departed;
      delete record;
      record = next;
    }
  }
}

// Takes what has departed out of the settled list, and returns it.
RegisteredThread* ThreadRecordList::Unlink() {
  // In this order: who departed had arrived before, so it is settled then.
  RegisteredThread* const departed = departed_.exchange(nullptr, std::memory_order_seq_cst);
  Settle();
  for (RegisteredThread* record = departed; record != nullptr; record = record->next_departed) {
    (record->previous != nullptr ? record->previous->next : settled_) = record->next;
    if (record->next != nullptr) record->next->previous = record->previous;
  }
  return departed;
}

void ThreadRecordList::Settle() {
  RegisteredThread* const arrivals = arrivals_.exchange(nullptr, std::memory_order_seq_cst);
  if (arrivals == nullptr) return;
  RegisteredThread* last = arrivals;
  while (last->next != nullptr) {
    last->next->previous = last;
    last = last->next;
  }
  last->next = settled_;
  if (settled_ != nullptr) settled_->previous = last;
  settled_ = arrivals;
}

void ThreadRecordList::ResetInForkedChild(RegisteredThread* mine, uint32_t holds) {
  state_.store(holds, std::memory_order_relaxed);
  departed_.store(nullptr, std::memory_order_relaxed);
  settled_ = nullptr;
  arrivals_.store(mine, std::memory_order_relaxed);
  if (mine == nullptr) return;
  mine->next = nullptr;
  mine->previous = nullptr;
}

}  // namespace geckoprof
