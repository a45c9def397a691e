#include "sampler/label_copy.h"

#include <string.h>
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

namespace geckoprof {
namespace {

struct Fixture {
  std::unique_ptr<ProfilingStack> stack = std::make_unique<ProfilingStack>();
  LabelCopy copy;
  int scopes[ProfilingStack::kCapacity + 8] = {};

  void Push(const char* label, const char* dynamic = nullptr, uint32_t pair = 0x100) {
    stack->Push(label, dynamic, pair, &scopes[stack->depth()]);
  }
};

TEST_CASE_METHOD(Fixture, "labels are copied in order, with their dynamic part, from the own thread and another's") {
  Push("outer");
  Push("inner", "text", 0x300);
  Push("", "only dynamic");
  Push("no dynamic", "");
  Push(nullptr, nullptr);
  for (const bool own : {true, false}) {
    own ? copy.CopyCurrent(*stack, {}) : copy.ReadFrom(*stack, {});
    REQUIRE(copy.labels().size() == 5);
    CHECK(copy.labels()[3].text == "no dynamic");
    CHECK(copy.labels()[4].text.empty());
    CHECK(copy.labels()[0].text == "outer");
    CHECK(copy.labels()[0].stack_address == reinterpret_cast<uintptr_t>(&scopes[0]));
    CHECK(copy.labels()[1].text == "inner text");
    CHECK(copy.labels()[1].category_pair == 0x300);
    CHECK(copy.labels()[2].text == "only dynamic");
    CHECK(copy.missing() == 0);
  }
}

TEST_CASE_METHOD(Fixture, "stale labels are not copied") {
  Push("outer");
  Push("inner");
  Push("stale");
  const StackRange stale = {reinterpret_cast<uintptr_t>(&scopes[2]), reinterpret_cast<uintptr_t>(&scopes[3])};
  for (const bool own : {true, false}) {
    own ? copy.CopyCurrent(*stack, stale) : copy.ReadFrom(*stack, stale);
    REQUIRE(copy.labels().size() == 2);
    CHECK(copy.labels()[1].text == "inner");
  }
}

TEST_CASE_METHOD(Fixture, "what is too much is cut, and counted") {
  const std::string text(CaptureBuffer::kMaxLabelBytes + 100, 'x');
  const auto copy_both = [&](const auto& check) {
    for (const bool own : {true, false}) {
      own ? copy.CopyCurrent(*stack, {}) : copy.ReadFrom(*stack, {});
      check();
    }
  };
  for (uint32_t i = 0; i < CaptureBuffer::kMaxLabels + 3; ++i) Push("short");
  copy_both([&] {
    CHECK(copy.labels().size() == CaptureBuffer::kMaxLabels);
    CHECK(copy.missing() == 3);
  });
  stack->PopTo(0);
  for (uint32_t i = 0; i < 20; ++i) Push(text.c_str(), text.c_str());
  copy_both([&] {
    constexpr uint32_t kFitting = CaptureBuffer::kLabelTextBytes / CaptureBuffer::kMaxLabelBytes;
    REQUIRE(copy.labels().size() == kFitting);
    CHECK(copy.labels().back().text.size() == CaptureBuffer::kMaxLabelBytes);
    CHECK(copy.missing() == 20 - kFitting);
  });
}

TEST_CASE_METHOD(Fixture, "a text that another thread takes away is left out, and ends at the page that is gone") {
  auto* const pages =
      static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  memcpy(pages + 4093, "abc", 3);
  munmap(pages + 4096, 4096);
  Push(pages + 4093);
  Push(pages + 4096);
  copy.ReadFrom(*stack, {});
  REQUIRE(copy.labels().size() == 2);
  CHECK(copy.labels()[0].text == "abc");
  CHECK(copy.labels()[1].text.empty());
  munmap(pages, 4096);
}

TEST_CASE_METHOD(Fixture, "an answer's labels are borrowed, and a frame that is being filled is none") {
  auto capture = std::make_unique<CaptureBuffer>();
  memcpy(capture->label_text, "firstsecond", 11);
  capture->label[0] = {100, 1, 0, 5};
  capture->label[1] = {90, 2, 5, 6};
  capture->label_count = 2;
  capture->labels_missing = 4;
  copy.BorrowFrom(*capture);
  REQUIRE(copy.labels().size() == 2);
  CHECK(copy.labels()[0].stack_address == 100);
  CHECK(copy.labels()[0].category_pair == 1);
  CHECK(copy.labels()[1].text == "second");
  CHECK(copy.missing() == 4);
  stack->Push("half made", nullptr, 0, nullptr);
  copy.CopyCurrent(*stack, {});
  CHECK(copy.labels().empty());
  copy.BorrowFrom(*capture);
  copy.Clear();
  CHECK(copy.labels().empty());
}

}  // namespace
}  // namespace geckoprof
