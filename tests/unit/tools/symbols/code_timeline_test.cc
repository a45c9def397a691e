#include "tools/symbols/code_timeline.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

constexpr int64_t kLatest = CodeTimeline::kLatestNs;

TEST_CASE("memory that is used again has the name of its time") {
  CodeTimeline code;
  code.Add(0x1000, 0x100, "first", 10);
  code.Add(0x1000, 0x80, "second", 20);
  code.Add(0x1000, 0x100, "", 30);
  code.Build();
  CHECK(code.named_count() == 2);
  CHECK(code.Find(0x1000, 10).name == "first");
  CHECK(code.Find(0x1000, 19).name == "first");
  CHECK(code.Find(0x1000, 20).name == "second");
  CHECK(code.Find(0x1080, 20).name == "first");
  CHECK(code.Find(0x1000, 30).name.empty());
  CHECK(code.Find(0x1000, kLatest).name.empty());
  CHECK(code.Find(0xfff, kLatest).name.empty());
  CHECK(code.Find(0x1100, 10).name.empty());
  CHECK(code.Find(0x107f, 25).start_avma == 0x1000);
  CHECK(code.Find(0x107f, 25).size_bytes == 0x80);
  CHECK(code.HasSeveral(0x1000));
  CHECK(code.HasSeveral(0x1080));
  CHECK_FALSE(code.HasSeveral(0x1100));
}

TEST_CASE("before its time code is known to come later") {
  CodeTimeline code;
  code.Add(0x1000, 16, "late", 200);
  code.Add(0x1000, 16, "early", 100);
  code.Add(0x2000, 16, "always", CodeTimeline::kAlwaysNs);
  code.Build();
  CHECK(code.Find(0x1000, 5).name == "early");
  CHECK(code.Find(0x1000, 5).came_later);
  CHECK_FALSE(code.Find(0x1000, 100).came_later);
  CHECK_FALSE(code.Find(0x2000, INT64_MIN).came_later);
  CHECK_FALSE(code.HasSeveral(0x2000));
}

TEST_CASE("of code of the same time the later one wins") {
  CodeTimeline code;
  code.Add(0x1000, 0x1000, "arena", 1);
  code.Add(0x1100, 0x10, "function", 1);
  code.Build();
  CHECK(code.Find(0x1100, 1).name == "function");
  CHECK(code.Find(0x1110, 1).name == "arena");
}

TEST_CASE("ranges that cannot be are left out, and huge ones are taken") {
  CodeTimeline code;
  code.Add(0x1000, 0, "empty", 1);
  code.Add(UINT64_MAX - 5, 16, "over the end", 1);
  code.Build();
  CHECK(code.named_count() == 0);
  CHECK(code.Find(0x1000, 1).name.empty());
  CodeTimeline huge;
  huge.Add(0, UINT64_MAX, std::string(CodeTimeline::kMaxNameBytes + 1, 'x'), 1);
  huge.Add(0x1000, 1, "inner", 2);
  huge.Build();
  CHECK(huge.Find(0, 1).name.size() == CodeTimeline::kMaxNameBytes);
  CHECK(huge.Find(0x1000, 2).name == "inner");
  CHECK(huge.Find(UINT64_MAX - 1, 2).name.size() == CodeTimeline::kMaxNameBytes);
}

TEST_CASE("a timeline answers as a walk over all of its code") {
  struct Added {
    uint64_t start, size;
    std::string name;
    int64_t from;
  };
  std::mt19937 random(7);
  std::vector<Added> all;
  CodeTimeline code;
  for (int i = 0; i < 400; ++i) {
    const Added one{random() % 1000, 1 + random() % 100, i % 7 == 0 ? "" : "f" + std::to_string(i),
                    static_cast<int64_t>(random() % 50)};
    all.push_back(one);
    code.Add(one.start, one.size, one.name, one.from);
  }
  code.Build();
  bool same = true;
  for (uint64_t avma = 0; avma < 1200; avma += 3) {
    for (int64_t time = 0; time < 50; time += 7) {
      const Added* best = nullptr;
      for (const Added& one : all) {
        const bool covers = avma >= one.start && avma - one.start < one.size && one.from <= time;
        if (covers && (best == nullptr || one.from >= best->from)) best = &one;
      }
      const CodeTimeline::Code found = code.Find(avma, time);
      same = same && (best != nullptr ? found.name == best->name : found.name.empty() || found.came_later);
    }
  }
  CHECK(same);
}

}  // namespace
}  // namespace geckoprof
