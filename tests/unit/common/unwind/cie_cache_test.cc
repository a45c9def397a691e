#include <catch2/catch.hpp>

#include "cfi_builder.h"
#include "geckoprof/unwind/fde_finder.h"

using namespace geckoprof;

TEST_CASE("a CIE is decoded once, for each module of its own") {
  CfiBuilder first, second;
  first.AddCie("zR", {0x0c, 7, 8});
  second.AddCie("zRS", {0x0c, 7, 16}, -4);
  CieCache cies;
  FrameDescription description;
  for (int round = 0; round < 2; ++round) {
    REQUIRE(cies.Read(1, first.Section(), 0, description));
    CHECK((description.data_alignment == -8 && description.initial_row->cfa.offset == 8));
    CHECK_FALSE(description.is_signal_frame);
    REQUIRE(cies.Read(2, second.Section(), 0, description));
    CHECK((description.data_alignment == -4 && description.initial_row->cfa.offset == 16));
    CHECK(description.is_signal_frame);
  }
  // What is known of module 1 is not read again.
  first.bytes()[first.bytes().size() - 3] = 99;
  for (uint8_t& byte : first.bytes()) byte = 0xff;
  REQUIRE(cies.Read(1, first.Section(), 0, description));
  CHECK(description.initial_row->cfa.offset == 8);
}

TEST_CASE("damaged CIEs are refused, and do not stand for the good one that was there") {
  CfiBuilder good, bad_program, no_cie;
  good.AddCie("zR", {0x0c, 7, 8});
  bad_program.AddCie("zR", {0x3f});
  no_cie.bytes().assign(32, 0xff);
  CieCache cies;
  FrameDescription description;
  CHECK_FALSE(cies.Read(1, bad_program.Section(), 0, description));
  CHECK_FALSE(cies.Read(1, no_cie.Section(), 0, description));
  CHECK_FALSE(cies.Read(1, no_cie.Section(), 0, description));
  REQUIRE(cies.Read(1, good.Section(), 0, description));
  CHECK(description.initial_row->cfa.offset == 8);
}

TEST_CASE("more CIEs than there is room for are all read rightly") {
  CfiBuilder cfi;
  std::vector<uint64_t> offsets;
  for (uint8_t i = 0; i < 100; ++i) {
    offsets.push_back(cfi.bytes().size());
    cfi.AddCie("zR", {0x0c, 7, i});
  }
  CieCache cies;
  FrameDescription description;
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < offsets.size(); ++i) {
      REQUIRE(cies.Read(1, cfi.Section(), offsets[i], description));
      CHECK(description.initial_row->cfa.offset == static_cast<int64_t>(i));
    }
  }
}
