#include "handover/base_link.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <vector>

#include "fake_base.h"

namespace geckoprof {
namespace {

// A table that ends where an older release's did: behind it lies what must not be read.
class ShortTable {
 public:
  ShortTable(const HandoverTable& whole, size_t size_bytes) : bytes_(sizeof(HandoverTable), 0xee) {
    memcpy(bytes_.data(), &whole, size_bytes);
    const auto size = static_cast<uint32_t>(size_bytes);
    memcpy(bytes_.data() + offsetof(HandoverTable, size_bytes), &size, sizeof(size));
  }
  const HandoverTable* get() const { return reinterpret_cast<const HandoverTable*>(bytes_.data()); }

 private:
  std::vector<unsigned char> bytes_;
};

TEST_CASE("a base that has everything is usable") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  CHECK(base.usable().status == ProfilerStatus::kDone);
  CHECK(base.has_segment());
  const OwnerTable owner = {};
  CHECK(base.TakeOver(owner, 0).status == ProfilerStatus::kDone);
  CHECK(fake.owner == &owner);
  CHECK(base.HandBack(owner, 0).status == ProfilerStatus::kDone);
  CHECK(fake.owner == nullptr);
}

TEST_CASE("without a base every call refuses with the reason") {
  const BaseLink base(nullptr);
  const OwnerTable owner = {};
  CHECK(base.usable().status == ProfilerStatus::kNoBase);
  CHECK(base.TakeOver(owner, 0).status == ProfilerStatus::kNoBase);
  CHECK(base.HandBack(owner, 0).status == ProfilerStatus::kNoBase);
  CHECK(base.Start({}).status == ProfilerStatus::kNoBase);
  CHECK(base.Stop().status == ProfilerStatus::kNoBase);
  CHECK(base.SetPaused(0).status == ProfilerStatus::kNoBase);
  CHECK(base.Reconfigure({}).status == ProfilerStatus::kNoBase);
  CHECK(base.Parameters().error().status == ProfilerStatus::kNoBase);
  uint64_t size_bytes = 7;
  CHECK(base.SegmentAt(0, &size_bytes) == nullptr);
  CHECK(size_bytes == 0);
  CHECK(base.state() == 0);
  CHECK(base.started_ns() == 0);
  CHECK_FALSE(base.usable().Text().empty());
}

TEST_CASE("what is no table, or means something else, is not called") {
  FakeBase fake;
  SECTION("magic") {
    fake.table.magic ^= 1;
    CHECK(BaseLink(&fake.table).usable().status == ProfilerStatus::kBaseUnusable);
  }
  SECTION("version") {
    fake.table.version = kHandoverVersion + 1;
    const ProfilerOutcome outcome = BaseLink(&fake.table).usable();
    CHECK(outcome.status == ProfilerStatus::kOtherVersion);
    CHECK(outcome.Text().find("version " + std::to_string(kHandoverVersion + 1)) != std::string::npos);
  }
  SECTION("absurd size") {
    fake.table.size_bytes = 1u << 20;
    CHECK(BaseLink(&fake.table).usable().status == ProfilerStatus::kBaseUnusable);
  }
  SECTION("size before the version") {
    fake.table.size_bytes = offsetof(HandoverTable, version);
    CHECK(BaseLink(&fake.table).usable().status == ProfilerStatus::kBaseUnusable);
  }
  SECTION("half of the last function that is needed") {
    const ShortTable table(fake.table, offsetof(HandoverTable, state) + 4);
    CHECK(BaseLink(table.get()).usable().status == ProfilerStatus::kBaseUnusable);
  }
  SECTION("a null function") {
    fake.table.stop = nullptr;
    CHECK(BaseLink(&fake.table).usable().status == ProfilerStatus::kBaseUnusable);
  }
}

TEST_CASE("an older base serves with what it has, and says what it lacks") {
  FakeBase fake;
  const ShortTable table(fake.table, offsetof(HandoverTable, reconfigure));
  const BaseLink base(table.get());
  REQUIRE(base.usable().status == ProfilerStatus::kDone);
  CHECK(base.Start({}).status == ProfilerStatus::kDone);
  CHECK(base.state() == kStateActive);
  CHECK(base.Reconfigure({}).status == ProfilerStatus::kOldBase);
  CHECK(base.Reconfigure({}).Text().find("too old") != std::string::npos);
  CHECK(base.Parameters().error().status == ProfilerStatus::kOldBase);
  CHECK_FALSE(base.has_segment());
  CHECK(base.started_ns() == 0);
  CHECK(base.process_start_ns() == 0);
  base.WaitUntilWritten(0);
  CHECK_FALSE(base.HoldForFork());
  CHECK(base.IsSampler(1, true));
  CHECK_FALSE(base.IsSampler(1, false));
  CHECK_FALSE(base.IsOwnedByAnother({}));
  CHECK(base.Stop().status == ProfilerStatus::kDone);
}

TEST_CASE("a newer base's table is longer, and what is behind is not looked at") {
  FakeBase fake;
  struct {
    HandoverTable known;
    void* unknown[4];
  } newer = {fake.table, {}};
  memset(newer.unknown, 0xee, sizeof(newer.unknown));
  newer.known.size_bytes = sizeof(newer);
  const BaseLink base(&newer.known);
  CHECK(base.usable().status == ProfilerStatus::kDone);
  CHECK(base.Start({}).status == ProfilerStatus::kDone);
  CHECK(base.Parameters().ok());
}

TEST_CASE("each refusal has its own status and a text") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  const OwnerTable owner = {};
  const struct {
    int32_t result;
    ProfilerStatus status;
  } handovers[] = {{0, ProfilerStatus::kDone},        {1, ProfilerStatus::kOwned},
                   {2, ProfilerStatus::kUnchanged},   {3, ProfilerStatus::kTimeout},
                   {4, ProfilerStatus::kWrongThread}, {5, ProfilerStatus::kOtherVersion},
                   {99, ProfilerStatus::kRefused},    {-1, ProfilerStatus::kRefused}};
  for (const auto& handover : handovers) {
    fake.take_over_result = fake.hand_back_result = handover.result;
    CHECK(base.TakeOver(owner, 0).status == handover.status);
    CHECK(base.HandBack(owner, 0).status == handover.status);
    CHECK_FALSE(base.TakeOver(owner, 0).Text().empty());
  }
  const struct {
    int32_t result;
    ProfilerStatus status;
  } starts[] = {{1, ProfilerStatus::kUnchanged},
                {2, ProfilerStatus::kExcluded},
                {3, ProfilerStatus::kNoSegment},
                {4, ProfilerStatus::kNoThread},
                {77, ProfilerStatus::kRefused}};
  for (const auto& start : starts) {
    fake.start_result = start.result;
    CHECK(base.Start({}).status == start.status);
  }
}

TEST_CASE("parameters come back as they went") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  CHECK(base.Parameters().error().status == ProfilerStatus::kInactive);
  RecordingParameters asked;
  asked.capacity_bytes = 5 << 20;
  asked.interval_ns = 123'456;
  asked.duration_ns = 9;
  asked.features = 1u << 8;
  asked.requested_features = 1u << 31;
  asked.filters = {"Worker", "*"};
  REQUIRE(base.Start(asked).status == ProfilerStatus::kDone);
  const auto found = base.Parameters();
  REQUIRE(found.ok());
  CHECK(found.value().HasSameEffectAs(asked));
  CHECK(found.value().requested_features == asked.requested_features);
  CHECK(found.value().filters == asked.filters);
}

TEST_CASE("parameters that mean the same have the same effect, and others have not") {
  const RecordingParameters plain{1 << 20, 1'000'000, 0, 5, 5, {}};
  const auto with = [&](auto change) {
    RecordingParameters changed = plain;
    change(changed);
    return changed;
  };
  const auto filtered = [&](std::vector<std::string> filters) {
    return with([&](RecordingParameters& p) { p.filters = std::move(filters); });
  };
  CHECK(plain.HasSameEffectAs(plain));
  CHECK(plain.HasSameEffectAs(filtered({"*"})));
  CHECK(filtered({""}).HasSameEffectAs(plain));
  CHECK(filtered({"a", "*"}).HasSameEffectAs(plain));
  CHECK(filtered({"a", "B"}).HasSameEffectAs(filtered({"b", "A", "a"})));
  CHECK(plain.HasSameEffectAs(with([](RecordingParameters& p) { p.requested_features = 7; })));  // it was refused
  CHECK_FALSE(plain.HasSameEffectAs(filtered({"a"})));
  CHECK_FALSE(filtered({"a"}).HasSameEffectAs(filtered({"a", "b"})));
  CHECK_FALSE(plain.HasSameEffectAs(with([](RecordingParameters& p) { p.capacity_bytes = 2 << 20; })));
  CHECK_FALSE(plain.HasSameEffectAs(with([](RecordingParameters& p) { p.interval_ns = 2; })));
  CHECK_FALSE(plain.HasSameEffectAs(with([](RecordingParameters& p) { p.duration_ns = 2; })));
  CHECK_FALSE(plain.HasSameEffectAs(with([](RecordingParameters& p) { p.features = 4; })));
}

TEST_CASE("a stack on demand: each answer of base's is a status, and an older base has none") {
  FakeBase fake;
  const BaseLink base(&fake.table);
  int calls = 0;
  const auto take = [](void* context, const HandoverStack*) { ++*static_cast<int*>(context); };
  CHECK(base.SampleThread(3, 0, take, &calls).status == ProfilerStatus::kDone);
  CHECK(calls == 1);
  CHECK(base.code() != nullptr);
  const struct {
    HandoverSample result;
    ProfilerStatus status;
  } answers[] = {{HandoverSample::kNoThread, ProfilerStatus::kThreadGone},
                 {HandoverSample::kSignalBlocked, ProfilerStatus::kThreadSignalBlocked},
                 {HandoverSample::kTimeout, ProfilerStatus::kTimeout},
                 {HandoverSample::kWrongThread, ProfilerStatus::kWrongThread},
                 {HandoverSample::kNoMemory, ProfilerStatus::kRefused},
                 {HandoverSample::kUnreadable, ProfilerStatus::kRefused},
                 {HandoverSample::kForbidden, ProfilerStatus::kRefused},
                 {static_cast<HandoverSample>(99), ProfilerStatus::kRefused}};
  for (const auto& answer : answers) {
    fake.sample_result = static_cast<int32_t>(answer.result);
    const ProfilerOutcome outcome = base.SampleThread(3, 0, take, &calls);
    CHECK(outcome.status == answer.status);
    CHECK_FALSE(outcome.Text().empty());
  }
  const ShortTable older(fake.table, offsetof(HandoverTable, sample_thread));
  CHECK(BaseLink(older.get()).SampleThread(3, 0, take, &calls).status == ProfilerStatus::kOldBase);
  CHECK(BaseLink(older.get()).code() == nullptr);
  CHECK(calls == 1);
}

}  // namespace
}  // namespace geckoprof
