#include "geckoprof/threads/thread_slot.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

namespace geckoprof {
namespace {

TEST_CASE("a name is copied and cut") {
  const auto slot = std::make_unique<ThreadSlot>();
  char name[ThreadSlot::kNameBytes];
  CHECK_FALSE(slot->CopyName(name));
  slot->SetName(std::string(100, 'n').c_str());
  REQUIRE(slot->CopyName(name));
  CHECK(std::strlen(name) == ThreadSlot::kNameBytes - 1);
}

TEST_CASE("a name is never seen half written") {
  const auto slot = std::make_unique<ThreadSlot>();
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 100'000; ++i)
      slot->SetName(i % 2 == 0 ? "aaaaaaaaaaaaaaaaaaaaaaaa" : "bbbbbbbbbbbbbbbbbbbbbbbb");
    done = true;
  });
  int mixed = 0;
  char name[ThreadSlot::kNameBytes];
  while (!done) {
    if (slot->CopyName(name) && std::string(name) != std::string(24, name[0])) ++mixed;
  }
  writer.join();
  CHECK(mixed == 0);
}

}  // namespace
}  // namespace geckoprof
