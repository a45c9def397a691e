#include "geckoprof/reader/stack_reason.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "geckoprof/entries/entry_format.h"
#include "geckoprof/unwind/unwind_end.h"

namespace geckoprof {
namespace {

TEST_CASE("each reason has a text of its own, in brackets, so that it looks like no function") {
  std::set<std::string> texts;
  for (uint64_t number = 0; number < kUnwindEndCount; ++number) texts.emplace(StackReasonText(number));
  for (auto problem :
       {StackProblem::kUnknownStack, StackProblem::kCopyLimit, StackProblem::kUnreadable, StackProblem::kSignalBlocked,
        StackProblem::kNotLearnt, StackProblem::kUnloaded, StackProblem::kUnknownCode, StackProblem::kSmallSignalStack,
        StackProblem::kCodeUnloaded, StackProblem::kTraced, StackProblem::kSignalInUse, StackProblem::kInSignalHandler,
        StackProblem::kFoundByScan}) {
    texts.emplace(StackReasonText(static_cast<uint64_t>(problem)));
  }
  CHECK(texts.size() == kUnwindEndCount + 13);
  for (const std::string& text : texts) {
    CHECK(text.front() == '(');
    CHECK(text.back() == ')');
  }
  CHECK(StackReasonText(static_cast<uint64_t>(UnwindEnd::kNoRule)) == "(stack incomplete: code without unwind data)");
  CHECK(StackReasonText(67) == "(no stack: the thread blocks the profiler's signal)");
}

TEST_CASE("a number of a later version has a text too, also one that looks like a known one when cut") {
  for (uint64_t number : {uint64_t{63}, uint64_t{77}, uint64_t{256}, uint64_t{258}, uint64_t{1} << 32, UINT64_MAX}) {
    CHECK(StackReasonText(number) == "(stack incomplete)");
  }
}

}  // namespace
}  // namespace geckoprof
