#include "geckoprof/unwind/unwind_end.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

using namespace geckoprof;

TEST_CASE("each end has a text of its own, and what is none is unknown") {
  std::set<std::string> texts;
  for (unsigned i = 0; i < kUnwindEndCount; ++i) {
    const std::string text(ToText(static_cast<UnwindEnd>(i)));
    CHECK_FALSE(text.empty());
    CHECK(text != "unknown");
    CHECK(texts.insert(text).second);
  }
  CHECK(ToText(UnwindEnd::kReachedStart) == "reached the start");
  CHECK(ToText(UnwindEnd::kStackCut) == "stack cut");
  CHECK(ToText(static_cast<UnwindEnd>(kUnwindEndCount)) == "unknown");
}

TEST_CASE("a return address of 0 is the start of a stack that the program made, and of no thread's own") {
  CHECK((IsStart(UnwindEnd::kReachedStart, true) && IsStart(UnwindEnd::kReachedStart, false)));
  CHECK((!IsStart(UnwindEnd::kNotCalled, true) && IsStart(UnwindEnd::kNotCalled, false)));
  CHECK((!IsStart(UnwindEnd::kStackCut, true) && !IsStart(UnwindEnd::kStackCut, false)));
}
