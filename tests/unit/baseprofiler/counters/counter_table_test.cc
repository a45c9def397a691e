#include "counters/counter_table.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace geckoprof {
namespace {

geckoprof_counter_description Described(const char* name, uint32_t flags = 0) {
  return {sizeof(geckoprof_counter_description), flags, name, "Test", "of a test", "bytes", "teal"};
}

struct Seen {
  std::vector<std::string> live, ended;
};

Seen Look(CounterTable& table) {
  Seen seen;
  table.ForEach([&](CounterSlot& slot) { seen.live.emplace_back(slot.name); },
                [&](CounterSlot& slot) { seen.ended.emplace_back(slot.name); });
  return seen;
}

TEST_CASE("a counter is seen while it lives, once more when it was destroyed, and never again") {
  auto table = std::make_unique<CounterTable>();
  CHECK(table->IsEmpty());
  const auto description = Described("one");
  geckoprof_counter* const counter = table->Create(&description, true);
  REQUIRE(counter != nullptr);
  CHECK_FALSE(table->IsEmpty());
  geckoprof_base_counter_add(counter, 5);
  geckoprof_base_counter_add_amount(counter, -2);
  CHECK(counter->count == 3);
  CHECK(counter->number == 1);
  geckoprof_base_counter_set(counter, 70);
  CHECK(counter->count == 70);
  CHECK(Look(*table).live == std::vector<std::string>{"one"});
  table->Destroy(counter);
  geckoprof_base_counter_add(counter, 1000);  // too late: does no harm
  int64_t final_count = 0;
  table->ForEach([](CounterSlot&) { FAIL("it does not live"); },
                 [&](CounterSlot& slot) { final_count = slot.final_count; });
  CHECK(final_count == 70);
  CHECK(Look(*table).ended.empty());
  table->Destroy(counter);
  CHECK(Look(*table).ended.empty());
}

TEST_CASE("what is not a counter's address destroys none") {
  auto table = std::make_unique<CounterTable>();
  const auto description = Described("one");
  geckoprof_counter* const counter = table->Create(&description, true);
  REQUIRE(counter != nullptr);
  geckoprof_counter elsewhere = {};
  auto* const inside = reinterpret_cast<geckoprof_counter*>(reinterpret_cast<char*>(counter) + 8);
  for (geckoprof_counter* const other : {inside, &elsewhere}) table->Destroy(other);
  CHECK(Look(*table).live == std::vector<std::string>{"one"});
}

TEST_CASE("texts are copied, cut at a character's start, and null is empty") {
  auto table = std::make_unique<CounterTable>();
  std::string name(94, 'n');
  name += "\xc3\xa9";  // its second byte is the 96th
  geckoprof_counter_description description = Described(name.c_str());
  description.unit = nullptr;
  REQUIRE(table->Create(&description, true) != nullptr);
  name.assign(name.size(), 'x');
  table->ForEach(
      [](CounterSlot& slot) {
        CHECK(std::string(slot.name) == std::string(94, 'n'));
        CHECK(slot.is_cut);
        CHECK(std::string(slot.unit).empty());
        CHECK(std::string(slot.color) == "teal");
      },
      [](CounterSlot&) {});
}

TEST_CASE("descriptions that make no sense are refused") {
  auto table = std::make_unique<CounterTable>();
  geckoprof_counter_description description = Described("");
  CHECK(table->Create(&description, true) == nullptr);
  description = Described(nullptr);
  CHECK(table->Create(&description, true) == nullptr);
  description = Described("older");
  description.size_bytes = 8;
  CHECK(table->Create(&description, true) == nullptr);
  CHECK(table->Create(nullptr, true) == nullptr);
  CHECK(table->CreateOnce(nullptr, nullptr, true) == nullptr);
  geckoprof_base_counter_add(nullptr, 1);
  geckoprof_base_counter_add_amount(nullptr, 1);
  geckoprof_base_counter_set(nullptr, 1);
  geckoprof_counter strange = {};
  table->Destroy(&strange);
  CHECK(table->IsEmpty());
}

TEST_CASE("what is drawn depends on the category if the description leaves it open") {
  auto table = std::make_unique<CounterTable>();
  const auto drawn = [&](const char* category, uint32_t flags) {
    geckoprof_counter_description description = Described("graph", flags);
    description.category = category;
    geckoprof_counter* const counter = table->Create(&description, false);
    const uint32_t result = reinterpret_cast<CounterSlot*>(counter)->flags;
    table->Destroy(counter);
    return result;
  };
  CHECK(drawn("Memory", 0) == GECKOPROF_COUNTER_ACCUMULATED);
  CHECK(drawn("Memory", GECKOPROF_COUNTER_RATE) == GECKOPROF_COUNTER_RATE);
  CHECK(drawn("Bandwidth", GECKOPROF_COUNTER_HAS_NUMBER) == (GECKOPROF_COUNTER_RATE | GECKOPROF_COUNTER_HAS_NUMBER));
  CHECK(drawn(nullptr, GECKOPROF_COUNTER_ACCUMULATED) == GECKOPROF_COUNTER_ACCUMULATED);
}

TEST_CASE("there are so many counters and no more, and places come back") {
  auto table = std::make_unique<CounterTable>();
  const auto description = Described("many");
  std::vector<geckoprof_counter*> counters;
  for (uint32_t i = 0; i < CounterTable::kMaxCounters; ++i) counters.push_back(table->Create(&description, false));
  for (geckoprof_counter* counter : counters) REQUIRE(counter != nullptr);
  CHECK(table->Create(&description, false) == nullptr);
  table->Destroy(counters.back());
  CHECK(table->Create(&description, false) != nullptr);
  CHECK(table->Create(&description, false) == nullptr);
}

TEST_CASE("a place rests before it is used anew, and begins at nothing") {
  auto table = std::make_unique<CounterTable>();
  const auto description = Described("short");
  geckoprof_counter* const first = table->Create(&description, false);
  geckoprof_base_counter_add(first, 9);
  table->Destroy(first);
  uint32_t others = 0;
  for (;; ++others) {
    geckoprof_counter* const counter = table->Create(&description, false);
    REQUIRE(counter != nullptr);
    if (counter == first) break;
    table->Destroy(counter);
    REQUIRE(others < 4 * CounterTable::kSlots);
  }
  CHECK(others >= CounterTable::kResting);
  CHECK(first->count == 0);
}

TEST_CASE("what nobody collected while something is recorded keeps its place") {
  auto table = std::make_unique<CounterTable>();
  const auto description = Described("uncollected");
  for (uint32_t i = 0; i < CounterTable::kSlots; ++i) {
    geckoprof_counter* const counter = table->Create(&description, true);
    REQUIRE(counter != nullptr);
    table->Destroy(counter);
  }
  CHECK(table->Create(&description, true) == nullptr);
  CHECK(table->Create(&description, false) != nullptr);
}

TEST_CASE("of many threads that use a counter first, one makes it") {
  auto table = std::make_unique<CounterTable>();
  geckoprof_counter* place = nullptr;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto description = Described("once");
      geckoprof_base_counter_add(table->CreateOnce(&place, &description, true), 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(Look(*table).live.size() == 1);
  CHECK(place->count == 8);
}

TEST_CASE("a child of a fork has its parent's counters, without those that were destroyed") {
  auto table = std::make_unique<CounterTable>();
  const auto kept = Described("kept"), gone = Described("gone");
  REQUIRE(table->Create(&kept, true) != nullptr);
  table->Destroy(table->Create(&gone, true));
  table->AfterForkInChild();
  CHECK(Look(*table).live == std::vector<std::string>{"kept"});
  CHECK(Look(*table).ended.empty());
}

}  // namespace
}  // namespace geckoprof
