// A chunk as a reader gets it, put together entry by entry, sound or not.
#ifndef GECKOPROF_TESTS_STREAMING_CHUNK_BUILDER_H_
#define GECKOPROF_TESTS_STREAMING_CHUNK_BUILDER_H_

#include <cstdint>
#include <initializer_list>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/entries/entry_format.h"
#include "geckoprof/segment/segment_view.h"

namespace geckoprof {

class ChunkBuilder {
 public:
  explicit ChunkBuilder(int64_t begin_ns, int64_t last_ns = 0) {
    chunk_.begin_ns = begin_ns;
    chunk_.last_ns = last_ns != 0 ? last_ns : begin_ns;
  }

  // fill(entry) appends the fields.
  template <typename Fill>
  ChunkBuilder& Add(EntryType type, const Fill& fill) {
    uint8_t room[512];
    EntryBuilder entry(type, room);
    fill(entry);
    chunk_.bytes.push_back(static_cast<uint8_t>(entry.bytes().size() | 0x80));
    chunk_.bytes.push_back(static_cast<uint8_t>(entry.bytes().size() >> 7));
    chunk_.bytes.insert(chunk_.bytes.end(), entry.bytes().begin(), entry.bytes().end());
    return *this;
  }

  ChunkBuilder& Tick(uint64_t idle_ticks, uint64_t since_ns) {
    return Add(EntryType::kTick, [&](EntryBuilder& entry) { entry.U(idle_ticks).U(since_ns); });
  }
  // One native frame below `parent`.
  ChunkBuilder& Stack(uint64_t parent, int64_t distance) {
    return Add(EntryType::kStack, [&](EntryBuilder& entry) { entry.U(parent).U(1).U(ToZigzag(distance) << 2); });
  }
  ChunkBuilder& Sample(uint64_t thread, int64_t offset_ns, uint64_t cpu_ns_plus_1, uint64_t node) {
    return Add(EntryType::kSample, [&](EntryBuilder& entry) { entry.U(thread).Z(offset_ns).U(cpu_ns_plus_1).U(node); });
  }
  // One with fields that may be missing.
  ChunkBuilder& SampleWith(EntryType type, std::initializer_list<uint64_t> numbers, uint64_t thread, int64_t offset_ns,
                           uint64_t cpu_ns_plus_1, uint64_t node) {
    return Add(type, [&](EntryBuilder& entry) {
      entry.U(thread).Z(offset_ns).U(cpu_ns_plus_1).U(node);
      for (const uint64_t number : numbers) entry.U(number);
    });
  }
  ChunkBuilder& LastSample(uint64_t thread, int64_t offset_ns, uint64_t flags, uint64_t node) {
    return Add(EntryType::kLastSample, [&](EntryBuilder& entry) { entry.U(thread).Z(offset_ns).U(flags).U(node); });
  }
  ChunkBuilder& Thread(uint64_t index, uint64_t tid, uint64_t registered_ns) {
    return Add(EntryType::kThread,
               [&](EntryBuilder& entry) { entry.U(index).U(tid).U(0).U(registered_ns).T("a thread"); });
  }
  ChunkBuilder& ThreadEnd(uint64_t index, uint64_t ended_ns) {
    return Add(EntryType::kThreadEnd, [&](EntryBuilder& entry) { entry.U(index).U(ended_ns); });
  }
  ChunkBuilder& Module(uint64_t id, uint64_t mapped_ns, uint64_t start, uint64_t end, std::string_view path) {
    return Add(EntryType::kModule, [&](EntryBuilder& entry) {
      entry.U(id).U(mapped_ns).U(start).U(end).Z(static_cast<int64_t>(start)).T(path).T("id");
    });
  }

  const SegmentView::ChunkCopy& chunk() const { return chunk_; }

 private:
  SegmentView::ChunkCopy chunk_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_STREAMING_CHUNK_BUILDER_H_
