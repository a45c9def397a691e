#include "geckoprof/unwind/frame_description.h"

#include <catch2/catch.hpp>

#include "cfi_builder.h"
#include "geckoprof/unwind/fde_finder.h"

using namespace geckoprof;

namespace {

// One CIE, and an FDE for [0x1000, 0x1100) at fde_offset.
struct Fixture {
  CfiBuilder cfi;
  uint64_t fde_offset = 0;
  FrameDescription description;
  uint64_t next = 0;

  explicit Fixture(std::string_view augmentation = "zR") {
    cfi.AddCie(augmentation, {0x0c, 7, 8});
    fde_offset = cfi.bytes().size();
    cfi.AddFde(0x1000, 0x100, {0x41, 0x0e, 16});
  }
  EntryKind Read(uint64_t offset) { return ReadEntry(cfi.Section(), offset, description, next); }
};

}  // namespace

TEST_CASE("entries one after the other, up to the end") {
  Fixture f;
  f.cfi.AddEnd();
  CHECK(f.Read(0) == EntryKind::kCie);
  CHECK(f.next == f.fde_offset);
  REQUIRE(f.Read(f.next) == EntryKind::kFde);
  CHECK(f.description.start_svma == 0x1000);
  CHECK(f.description.end_svma == 0x1100);
  CHECK(f.description.code_alignment == 1);
  CHECK(f.description.data_alignment == -8);
  CHECK(f.description.pointer_encoding == 0x1b);
  CHECK(f.description.has_augmentation_data);
  CHECK(f.description.initial_instructions.remaining() >= 3);
  CHECK(*f.description.initial_instructions.position() == 0x0c);
  CHECK(*f.description.instructions.position() == 0x41);
  CHECK(f.Read(f.next) == EntryKind::kEnd);
}

TEST_CASE("an entry covers its first byte and not the one behind its last") {
  Fixture f;
  REQUIRE(f.Read(f.fde_offset) == EntryKind::kFde);
  CHECK(f.description.Covers(0x1000));
  CHECK(f.description.Covers(0x10ff));
  CHECK_FALSE(f.description.Covers(0x1100));
  CHECK_FALSE(f.description.Covers(0xfff));
}

TEST_CASE("augmentations: signal frames are marked, what is not known is refused") {
  Fixture signal("zRS");
  REQUIRE(signal.Read(signal.fde_offset) == EntryKind::kFde);
  CHECK(signal.description.is_signal_frame);
  CHECK(Fixture("zRB").Read(0) == EntryKind::kCie);
  Fixture unknown("zRX");
  CHECK(unknown.Read(unknown.fde_offset) == EntryKind::kDamaged);
  CHECK(unknown.next > unknown.fde_offset);  // its length is good: reading goes on behind it
  Fixture without_z("eh");
  CHECK(without_z.Read(without_z.fde_offset) == EntryKind::kDamaged);
}

TEST_CASE("damage is seen: length, distance to the CIE, version, cut off at any byte") {
  Fixture longer;
  longer.cfi.bytes()[longer.fde_offset] = 0xf0;
  CHECK(longer.Read(longer.fde_offset) == EntryKind::kDamaged);
  CHECK(longer.next == longer.fde_offset);
  Fixture distance;
  distance.cfi.bytes()[distance.fde_offset + 5] = 0x7f;
  CHECK(distance.Read(distance.fde_offset) == EntryKind::kDamaged);
  Fixture not_at_a_cie;
  not_at_a_cie.cfi.bytes()[not_at_a_cie.fde_offset + 4] -= 4;
  CHECK(not_at_a_cie.Read(not_at_a_cie.fde_offset) == EntryKind::kDamaged);
  Fixture version;
  version.cfi.bytes()[8] = 2;
  CHECK(version.Read(version.fde_offset) == EntryKind::kDamaged);
  Fixture whole;
  for (size_t size_bytes = whole.fde_offset + 1; size_bytes < whole.cfi.bytes().size(); ++size_bytes) {
    const SectionBytes cut{whole.cfi.bytes().data(), size_bytes, CfiBuilder::kSectionSvma};
    CHECK(ReadEntry(cut, whole.fde_offset, whole.description, whole.next) == EntryKind::kDamaged);
  }
  CHECK(whole.Read(whole.cfi.bytes().size() + 1) == EntryKind::kDamaged);
}

TEST_CASE("an FDE read through a cache of CIEs is the same, with the first row in addition") {
  Fixture f;
  CieCache cies;
  FrameDescription through_cache;
  REQUIRE(f.Read(f.fde_offset) == EntryKind::kFde);
  for (int round = 0; round < 2; ++round) {
    REQUIRE(ReadFde(f.cfi.Section(), f.fde_offset, cies, 1, through_cache));
    CHECK(through_cache.start_svma == f.description.start_svma);
    CHECK(through_cache.end_svma == f.description.end_svma);
    CHECK(through_cache.data_alignment == f.description.data_alignment);
    CHECK(through_cache.instructions.position() == f.description.instructions.position());
    CHECK(through_cache.instruction_bases.reader_svma == f.description.instruction_bases.reader_svma);
    REQUIRE(through_cache.initial_row != nullptr);
    CHECK(through_cache.initial_row->cfa.offset == 8);
  }
  CHECK_FALSE(ReadFde(f.cfi.Section(), 0, cies, 1, through_cache));  // the CIE itself
}
