#include "threads/thread_record_list.h"

#include "geckoprof/base/futex.h"

namespace geckoprof {

void ThreadRecordList::Add(RegisteredThread* record) {
  RegisteredThread* head = arrivals_.load(std::memory_order_relaxed);
  do {
    record->next = head;
  } while (!arrivals_.compare_exchange_weak(head, record, std::memory_order_seq_cst, std::memory_order_relaxed));
}

void ThreadRecordList::Remove(RegisteredThread* record) {
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

ThreadRecordList::Position ThreadRecordList::First() const {
  RegisteredThread* const arrival = arrivals_.load(std::memory_order_seq_cst);
  return arrival != nullptr ? Position{arrival, false} : Position{linked_, true};
}

ThreadRecordList::Position ThreadRecordList::Next(Position position) const {
  RegisteredThread* const next = position.record->next;
  if (next == nullptr && !position.linked) return {linked_, true};
  return {next, position.linked};
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

// Removes the departed records from the linked list, and returns them.
RegisteredThread* ThreadRecordList::Unlink() {
  // The order matters. A departed record arrived earlier, so LinkArrivals links it.
  RegisteredThread* const departed = departed_.exchange(nullptr, std::memory_order_seq_cst);
  LinkArrivals();
  for (RegisteredThread* record = departed; record != nullptr; record = record->next_departed) {
    (record->previous != nullptr ? record->previous->next : linked_) = record->next;
    if (record->next != nullptr) record->next->previous = record->previous;
  }
  return departed;
}

void ThreadRecordList::LinkArrivals() {
  RegisteredThread* const arrivals = arrivals_.exchange(nullptr, std::memory_order_seq_cst);
  if (arrivals == nullptr) return;
  RegisteredThread* last = arrivals;
  while (last->next != nullptr) {
    last->next->previous = last;
    last = last->next;
  }
  last->next = linked_;
  if (linked_ != nullptr) linked_->previous = last;
  linked_ = arrivals;
}

void ThreadRecordList::ResetInForkedChild(RegisteredThread* mine, uint32_t holds) {
  state_.store(holds, std::memory_order_relaxed);
  departed_.store(nullptr, std::memory_order_relaxed);
  linked_ = nullptr;
  arrivals_.store(mine, std::memory_order_relaxed);
  if (mine == nullptr) return;
  mine->next = nullptr;
  mine->previous = nullptr;
}

}  // namespace geckoprof
