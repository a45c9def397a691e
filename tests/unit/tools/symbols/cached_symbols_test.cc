#include "tools/symbols/cached_symbols.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "geckoprof/base/utf8_repair.h"
#include "tools/support/gzip_compress.h"

namespace geckoprof {
namespace {

const std::string kBuildId = "0123456789abcdef\x01\xff\x02\x80";
constexpr uint64_t kLimit = 1 << 20;

const AddressSymbols& Inlined() {
  static const AddressSymbols kFound = {
      "outer", 0x1000, 64, {{"outer", "/src/a.cc", 12, 3}, {"inner<ü>", "/src/b.h", 7, 0}}};
  return kFound;
}

const AddressSymbols& Plain() {
  static const AddressSymbols kFound = {"plain", 0x3000, 0, {{"plain", "", 0, 0}}};
  return kFound;
}

CachedSymbols::Origin SampleOrigin() {
  CachedSymbols::Origin origin;
  origin.settings = {"1.0", "/usr/lib/demo.so", ""};
  origin.files = {FileIdentity::Of("/nowhere/demo.so"), FileIdentity::Of("/proc/self/exe")};
  origin.problems = {"one thing"};
  origin.first_mapped_svma = 0x400000;
  origin.has_lines = true;
  return origin;
}

std::string SampleBytes() {
  CachedSymbols symbols(SampleOrigin());
  symbols.Add(0x3004, &Plain());
  symbols.Add(0x1010, &Inlined());
  symbols.Add(0x2000, nullptr);
  symbols.Add(UINT64_MAX, nullptr);
  const absl::StatusOr<std::string> bytes = symbols.Encode(kBuildId, kLimit);
  REQUIRE(bytes.ok());
  return *bytes;
}

// Makes the checksum right again.
void Seal(std::string* bytes) {
  constexpr size_t kCrcEnd = offsetof(SymbolFileHeader, crc) + 4;
  if (bytes->size() < kCrcEnd) return;
  const uint32_t crc = Crc32(0, std::string_view(*bytes).substr(kCrcEnd));
  std::memcpy(bytes->data() + offsetof(SymbolFileHeader, crc), &crc, sizeof(crc));
}

bool IsSound(const AddressSymbols& found) {
  bool is_sound = IsUtf8(found.symbol) && !found.frames.empty();
  for (const SymbolFrame& frame : found.frames) {
    is_sound = is_sound && !frame.name.empty() && IsUtf8(frame.name) && IsUtf8(frame.file);
  }
  return is_sound;
}

// Reads everything that the bytes have, if they are taken at all; whether they are.
bool IsTaken(const std::string& bytes) {
  const absl::StatusOr<std::unique_ptr<CachedSymbols>> symbols = CachedSymbols::Decode(bytes, kBuildId);
  if (!symbols.ok()) return false;
  for (const uint64_t svma : {uint64_t{0x1010}, uint64_t{0x2000}, uint64_t{0x3004}, UINT64_MAX, uint64_t{0}}) {
    const std::optional<const AddressSymbols*> found = (*symbols)->Find(svma);
    if (found.value_or(nullptr) != nullptr) CHECK(IsSound(**found));
  }
  CHECK((*symbols)->Encode(kBuildId, kLimit).ok());
  (void)(*symbols)->IsCurrent({});
  return true;
}

TEST_CASE("what was put in comes out") {
  const absl::StatusOr<std::unique_ptr<CachedSymbols>> read = CachedSymbols::Decode(SampleBytes(), kBuildId);
  REQUIRE(read.ok());
  CachedSymbols& symbols = **read;
  CHECK_FALSE(symbols.has_new());
  const CachedSymbols::Origin origin = SampleOrigin();
  CHECK(symbols.origin().settings == origin.settings);
  CHECK(symbols.origin().files == origin.files);
  CHECK(symbols.origin().problems == origin.problems);
  CHECK(symbols.origin().first_mapped_svma == 0x400000);
  CHECK(symbols.origin().has_lines);
  CHECK_FALSE(symbols.origin().server_had_none);
  const std::optional<const AddressSymbols*> found = symbols.Find(0x1010);
  REQUIRE(found.value_or(nullptr) != nullptr);
  CHECK((*found)->symbol == "outer");
  CHECK((*found)->start_svma == 0x1000);
  CHECK((*found)->size_bytes == 64);
  REQUIRE((*found)->frames.size() == 2);
  CHECK((*found)->frames[1].name == "inner<ü>");
  CHECK((*found)->frames[1].file == "/src/b.h");
  CHECK((*found)->frames[0].line == 12);
  CHECK((*found)->frames[0].column == 3);
  CHECK(symbols.Find(0x1010) == found);
  CHECK(symbols.Find(0x3004).value_or(nullptr) != nullptr);
  for (const uint64_t nothing : {uint64_t{0x2000}, UINT64_MAX}) {
    REQUIRE(symbols.Find(nothing).has_value());
    CHECK(*symbols.Find(nothing) == nullptr);
  }
  for (const uint64_t unasked : {uint64_t{0}, uint64_t{0x1011}, UINT64_MAX - 1}) {
    CHECK_FALSE(symbols.Find(unasked).has_value());
  }
}

TEST_CASE("more is added to what was there, whether it was asked for or not") {
  const absl::StatusOr<std::unique_ptr<CachedSymbols>> first = CachedSymbols::Decode(SampleBytes(), kBuildId);
  REQUIRE(first.ok());
  (*first)->Find(0x1010);
  (*first)->Add(0x1018, &Inlined());
  (*first)->AddFiles({FileIdentity::Of("/nowhere/demo.so"), FileIdentity::Of("/nowhere/demo.dwo")});
  (*first)->AddProblems({"one thing", "another"});
  (*first)->set_server_had_none();
  CHECK((*first)->has_new());
  const absl::StatusOr<std::string> bytes = (*first)->Encode(kBuildId, kLimit);
  REQUIRE(bytes.ok());
  const absl::StatusOr<std::unique_ptr<CachedSymbols>> second = CachedSymbols::Decode(*bytes, kBuildId);
  REQUIRE(second.ok());
  for (const uint64_t known : {0x1010, 0x1018, 0x3004}) CHECK((*second)->Find(known).value_or(nullptr) != nullptr);
  CHECK((*second)->Find(0x2000).has_value());
  CHECK((*second)->origin().files.size() == 3);
  CHECK((*second)->origin().problems == std::vector<std::string>{"one thing", "another"});
  CHECK((*second)->origin().server_had_none);
  CHECK_FALSE((*second)->IsCurrent((*second)->origin().settings));
}

TEST_CASE("it is current while settings and files are the same") {
  const CachedSymbols symbols(SampleOrigin());
  CHECK(symbols.IsCurrent(SampleOrigin().settings));
  CHECK_FALSE(symbols.IsCurrent({"1.0", "/usr/lib/demo.so", "", "/debug"}));
  CHECK_FALSE(symbols.IsCurrent({}));
  CachedSymbols::Origin changed = SampleOrigin();
  changed.files[0].exists = true;
  CHECK_FALSE(CachedSymbols(changed).IsCurrent(changed.settings));
}

TEST_CASE("a damaged, short, long or foreign file is not taken") {
  const std::string whole = SampleBytes();
  REQUIRE(IsTaken(whole));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      CHECK_FALSE(IsTaken(damaged));
    }
    CHECK_FALSE(IsTaken(whole.substr(0, at)));
  }
  CHECK_FALSE(IsTaken(whole + '\0'));
  CHECK_FALSE(CachedSymbols::Decode(whole, "0123456789abcdef").ok());
  CHECK_FALSE(CachedSymbols::Decode(whole, "").ok());
}

TEST_CASE("nothing that a file with a right checksum says is believed unchecked") {
  const std::string whole = SampleBytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 2, 0x10, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      Seal(&damaged);
      IsTaken(damaged);  // or not: only what comes out counts
    }
    std::string cut = whole.substr(0, at);
    Seal(&cut);
    CHECK_FALSE(IsTaken(cut));
  }
  // What names whole tables.
  for (size_t field = offsetof(SymbolFileHeader, version); field + 4 <= sizeof(SymbolFileHeader); field += 4) {
    if (field == offsetof(SymbolFileHeader, crc) || field == offsetof(SymbolFileHeader, first_mapped_svma) ||
        field == offsetof(SymbolFileHeader, first_mapped_svma) + 4) {
      continue;
    }
    for (const uint32_t value : {UINT32_MAX, uint32_t{1} << 31, uint32_t{1} << 26}) {
      std::string damaged = whole;
      std::memcpy(damaged.data() + field, &value, sizeof(value));
      Seal(&damaged);
      CHECK_FALSE(IsTaken(damaged));
    }
  }
}

TEST_CASE("a name that is not UTF-8 is not kept, nor read") {
  const AddressSymbols bad = {"bad", 0x5000, 4, {{"bad\xff", "", 0, 0}}};
  CachedSymbols symbols(SampleOrigin());
  symbols.Add(0x1010, &Inlined());
  symbols.Add(0x5000, &bad);
  absl::StatusOr<std::string> bytes = symbols.Encode(kBuildId, kLimit);
  REQUIRE(bytes.ok());
  const absl::StatusOr<std::unique_ptr<CachedSymbols>> read = CachedSymbols::Decode(*bytes, kBuildId);
  REQUIRE(read.ok());
  CHECK_FALSE((*read)->Find(0x5000).has_value());
  CHECK((*read)->Find(0x1010).has_value());
  const size_t at = bytes->find("outer");
  REQUIRE(at != std::string::npos);
  (*bytes)[at] = '\xff';
  Seal(&*bytes);
  CHECK_FALSE(CachedSymbols::Decode(*bytes, kBuildId).ok());
}

TEST_CASE("no file is larger than it may be") {
  const std::string whole = SampleBytes();
  const absl::StatusOr<std::unique_ptr<CachedSymbols>> symbols = CachedSymbols::Decode(whole, kBuildId);
  REQUIRE(symbols.ok());
  CHECK((*symbols)->Encode(kBuildId, whole.size()).ok());
  CHECK(absl::IsResourceExhausted((*symbols)->Encode(kBuildId, whole.size() - 1).status()));
  CHECK(absl::IsResourceExhausted((*symbols)->Encode(kBuildId, 0).status()));
  CachedSymbols::Origin origin;
  origin.files.resize(65537);
  CHECK_FALSE(CachedSymbols(origin).Encode(kBuildId, UINT32_MAX).ok());
}

}  // namespace
}  // namespace geckoprof
