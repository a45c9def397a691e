#include "tools/top/frame_names.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

TEST_CASE("names of labels, of addresses without symbols, and of code in no library") {
  ProcessProfile process;
  process.strings = {"Label"};
  process.libraries = {{0x1000, 0x2000, 0x1000, "/nonexistent/libx.so", "", 0, 0}};
  FrameNames names;
  CHECK(names.Of(process, {FrameKind::kLabel, 0, kNone, 0, kNone, kNone}, false).function == "Label");
  const FrameNames::Name& known = names.Of(process, {FrameKind::kInstruction, 0x1010, 0, kNone, kNone, kNone}, true);
  CHECK(known.function == "libx.so+0xf");
  CHECK(known.library == "libx.so");
  CHECK(names.Of(process, {FrameKind::kInstruction, 0x99, kNone, kNone, kNone, kNone}, false).function == "0x99");
  CHECK(names.Of(process, {FrameKind::kInstruction, 0x99, 77, kNone, kNone, kNone}, false).library.empty());
  CHECK(names.Of(process, {FrameKind::kReason, 0, kNone, 77, kNone, kNone}, false).function.empty());
}

}  // namespace
}  // namespace geckoprof
