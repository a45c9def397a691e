#include "geckoprof/entries/last_samples.h"

#include <catch2/catch.hpp>
#include <deque>
#include <vector>

namespace geckoprof {
namespace {

constexpr uint32_t kChunks = 16;

// Threads with one frame each. `written` are the threads that a round has written, in order.
struct World {
  void Keep(uint32_t thread, uint32_t serial, uint32_t node = 1, uint64_t address = 0) {
    const std::vector<StackFrame> frames = {{StackFrameKind::kNative, address != 0 ? address : 0x1000 + thread, 0, {}}};
    while (threads.size() <= thread) threads.emplace_back();
    samples.Keep(threads[thread], {ThreadIndex::FromNumber(thread), 5, {WaitCause::kSleep}, serial, node}, frames);
  }
  // Writes up to `most` due samples of `bytes` bytes each into the chunk `serial`.
  std::vector<uint32_t> Write(uint32_t serial, size_t most = SIZE_MAX, uint64_t bytes = 10) {
    std::vector<uint32_t> written;
    std::span<const StackFrame> frames;
    while (written.size() < most) {
      LastSample* const last = samples.NextDue(frames);
      if (last == nullptr) break;
      REQUIRE(frames.size() == 1);
      written.push_back(last->row().thread.ToNumber());
      CHECK(frames[0].value == 0x1000 + written.back());
      samples.NoteRepeated(*last, serial, 1, bytes);
      sampler_bytes += bytes;
    }
    return written;
  }
  bool Begin(uint32_t serial, uint64_t chunks_of_others = 0, uint64_t chunk_age = 0) {
    return samples.BeginRoundIfDue({serial, sampler_bytes, chunks_of_others}, kChunks, chunk_age);
  }
  LastSamples samples;
  std::deque<LastSample> threads;
  uint64_t sampler_bytes = 0;
};

using Threads = std::vector<uint32_t>;

TEST_CASE("a chunk that begins makes each thread due that has no sample in it, once") {
  World world;
  world.Begin(1);
  for (const uint32_t thread : {0u, 1u, 2u}) world.Keep(thread, 1);
  CHECK(world.Write(1).empty());
  world.Keep(1, 2);
  world.Begin(2);
  CHECK(world.Write(2) == Threads{0, 2});
  world.Begin(2);
  CHECK(world.Write(2).empty());
  world.sampler_bytes += 100;  // samples of running threads
  world.Begin(3);
  CHECK(world.Write(3, 2) == Threads{1, 0});  // the limit of a tick
  CHECK(world.Write(3) == Threads{2});
}

TEST_CASE("a thread that has ended, or is not sampled any more, is not due") {
  World world;
  for (const uint32_t thread : {0u, 1u, 2u}) world.Keep(thread, 1);
  world.threads[1].Forget();
  world.threads.pop_back();
  world.Begin(2);
  CHECK(world.Write(2) == Threads{0});
  world.Keep(1, 2);
  world.sampler_bytes += 100;
  world.Begin(3);
  CHECK(world.Write(3) == Threads{0, 1});
}

TEST_CASE("a round that is larger than a chunk begins no other by itself") {
  World world;
  for (const uint32_t thread : {0u, 1u, 2u, 3u}) world.Keep(thread, 1);
  world.Begin(2);
  CHECK(world.Write(2, 2, 1000) == Threads{0, 1});
  world.Begin(3);
  CHECK(world.Write(3, 1, 1000) == Threads{2});  // the same round
  world.Begin(3);
  CHECK(world.Write(3, SIZE_MAX, 1000) == Threads{3});
  for (uint32_t serial = 3; serial < 10; ++serial) world.Begin(serial);
  CHECK(world.Write(10).empty());
  SECTION("when others took as many bytes it begins") { world.sampler_bytes += 4000; }
  SECTION("when it took nearly as many it does not") {
    world.sampler_bytes += 3999;
    world.Begin(10);
    CHECK(world.Write(10).empty());
    ++world.sampler_bytes;
  }
  world.Begin(10);
  CHECK(world.Write(10) == Threads{0, 1, 2, 3});
}

TEST_CASE("when other writers have begun half of the chunks a round begins at any price") {
  World world;
  for (const uint32_t thread : {0u, 1u}) world.Keep(thread, 1);
  world.Begin(2, 5);
  CHECK(world.Write(2, SIZE_MAX, 100'000).size() == 2);
  world.Begin(3, 5 + kChunks / 2 - 1);
  CHECK(world.Write(3).empty());
  world.Begin(2, 5 + kChunks / 2);  // the chunk with the samples is the current one, so it is not recycled
  CHECK(world.Write(2).empty());
  world.Begin(3, 5 + kChunks / 2);
  CHECK(world.Write(3).size() == 2);
}

TEST_CASE("samples in a chunk that is recycled before the next round are written once more") {
  World world;
  for (const uint32_t thread : {0u, 1u, 2u}) world.Keep(thread, 1);
  CHECK_FALSE(world.Begin(2, 5));
  CHECK(world.Write(2, 2) == Threads{0, 1});
  CHECK(world.Write(3) == Threads{2});  // the current chunk from here on
  SECTION("it is young") {
    CHECK_FALSE(world.Begin(3, 5 + kChunks / 2, kChunks / 4 - 1));
    CHECK(world.Write(3) == Threads{0, 1});
  }
  SECTION("it is old") {
    CHECK(world.Begin(3, 5 + kChunks / 2, kChunks / 4));
    CHECK(world.Write(4) == Threads{0, 1, 2});
  }
}

TEST_CASE("the stack of the last sample is kept, also if its number is that of another chunk's") {
  World world;
  std::span<const StackFrame> frames;
  const auto address = [&] {
    REQUIRE(world.samples.NextDue(frames) != nullptr);
    return frames[0].value;
  };
  world.Keep(0, 1, 7, 0x5000);
  world.Keep(0, 1, 7, 0x6000);  // cannot be: one number, one stack
  world.Begin(2);
  CHECK(address() == 0x5000);
  world.Keep(0, 2, 7, 0x7000);
  world.Begin(3);
  CHECK(address() == 0x7000);
  world.Keep(0, 3, 8, 0x8000);
  world.Begin(4);
  CHECK(address() == 0x8000);
  const AddressRange changed{0x8000, 0x9000};
  world.samples.ForgetCode(changed);
  REQUIRE(world.samples.NextDue(frames) != nullptr);
  CHECK(frames[0].kind == StackFrameKind::kReason);
}

}  // namespace
}  // namespace geckoprof
