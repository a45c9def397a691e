#include "runtime/operator_new_user.h"

#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "runtime/base_heap.h"

using geckoprof::BaseHeap;

// <new> declares these to clang only where it is told to call them itself.
void operator delete(void* block, size_t size_bytes) noexcept;
void operator delete[](void* block, size_t size_bytes) noexcept;

namespace {

// Nothing that a compiler could find out, and warn of, beforehand.
volatile size_t g_too_large = std::numeric_limits<size_t>::max() / 4;
volatile size_t g_huge = size_t{1} << 60;
const char* volatile g_null = nullptr;
void* volatile g_sink = nullptr;

void Fulfil(Wish wish) {
  switch (wish) {
    case Wish::kNone: {
      std::vector<int> numbers(10'000, 7);
      std::string text(100, 'x');
      g_sink = numbers.data();
      g_sink = text.data();
      return;
    }
    case Wish::kTooLong: {
      std::vector<uint64_t> numbers;
      numbers.reserve(g_too_large);
      g_sink = numbers.data();
      return;
    }
    case Wish::kNullText: {
      const std::string text(g_null);
      g_sink = const_cast<char*>(text.data());
      return;
    }
    case Wish::kOutOfRange: {
      std::vector<int> numbers(3);
      g_sink = &numbers.at(g_too_large);
      return;
    }
    case Wish::kNoMemory: {
      g_sink = std::allocator<uint16_t>().allocate(2 * g_too_large - 1);
      return;
    }
    case Wish::kArrayTooLong: {
      g_sink = std::allocator<uint64_t>().allocate(g_too_large);
      return;
    }
    case Wish::kHugeNew: {
      g_sink = ::operator new(g_huge);
      return;
    }
    case Wish::kHugeNothrowNew: {
      g_sink = ::operator new(g_huge, std::nothrow);
      return;
    }
  }
}

}  // namespace

void* operator_new_user_take(NewForm form, size_t size_bytes) {
  switch (form) {
    case NewForm::kPlain:
      return ::operator new(size_bytes);
    case NewForm::kArray:
      return ::operator new[](size_bytes);
    case NewForm::kNothrow:
      return ::operator new(size_bytes, std::nothrow);
  }
  return nullptr;
}

void operator_new_user_give(DeleteForm form, void* block, size_t size_bytes) {
  switch (form) {
    case DeleteForm::kPlain:
      return ::operator delete(block);
    case DeleteForm::kArray:
      return ::operator delete[](block);
    case DeleteForm::kSized:
      return ::operator delete(block, size_bytes);
    case DeleteForm::kSizedArray:
      return ::operator delete[](block, size_bytes);
    case DeleteForm::kNothrow:
      return ::operator delete(block, std::nothrow);
  }
}

void* operator_new_user_heap_take(size_t size_bytes) { return BaseHeap::Allocate(size_bytes); }
void operator_new_user_heap_give(void* block) { BaseHeap::Free(block); }

bool operator_new_user_fulfil(Wish wish) {
  return BaseHeap::RunOrEscape([](void* argument) { Fulfil(*static_cast<Wish*>(argument)); }, &wish);
}
