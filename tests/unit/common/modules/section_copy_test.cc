#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "geckoprof/modules/unwind_sections.h"

using geckoprof::ProcessMemory;
using geckoprof::SectionCopy;

namespace {

constexpr size_t kPiece = SectionCopy::kPieceBytes;

uint64_t AddressOf(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace

TEST_CASE("only what is needed is copied, and once") {
  std::vector<uint8_t> bytes(4 * kPiece + 100, 7);
  const SectionCopy copy({ProcessMemory(), AddressOf(bytes.data())}, bytes.size());
  REQUIRE(copy.size_bytes() == bytes.size());
  copy.Need(kPiece - 1, 2);
  CHECK((copy.data()[0] == 7 && copy.data()[2 * kPiece - 1] == 7));
  CHECK(copy.data()[2 * kPiece] == 0);
  std::memset(bytes.data(), 8, bytes.size());
  copy.Need(0, 1);
  CHECK(copy.data()[0] == 7);
  copy.Need(4 * kPiece + 99, SIZE_MAX);
  CHECK(copy.data()[4 * kPiece + 99] == 8);
  copy.Need(bytes.size(), 1);  // outside: nothing
  copy.Need(SIZE_MAX, 2);
  copy.Need(kPiece, 0);
  copy.NeedAll();
  CHECK(copy.data()[3 * kPiece] == 8);
}

TEST_CASE("what cannot be read is zeros") {
  auto* const memory =
      static_cast<uint8_t*>(mmap(nullptr, 3 * kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(memory, 9, 3 * kPiece);
  munmap(memory + kPiece, 2 * kPiece);
  const SectionCopy copy({ProcessMemory(), AddressOf(memory)}, 3 * kPiece);
  copy.NeedAll();
  copy.Need(2 * kPiece, 1);
  CHECK((copy.data()[kPiece - 1] == 9 && copy.data()[kPiece] == 0 && copy.data()[3 * kPiece - 1] == 0));
  munmap(memory, kPiece);
  CHECK(SectionCopy({ProcessMemory(), AddressOf(memory)}, 0).data() == nullptr);
}

// A load from the mapping would be a SIGBUS.
TEST_CASE("a file that is cut short under its mapping costs its bytes, not the process") {
  char name[] = "/tmp/geckoprof-cut-XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(ftruncate(file, 4 * kPiece) == 0);
  REQUIRE(pwrite(file, "x", 1, 0) == 1);
  auto* const memory = static_cast<uint8_t*>(mmap(nullptr, 4 * kPiece, PROT_READ, MAP_PRIVATE, file, 0));
  const SectionCopy copy({ProcessMemory(), AddressOf(memory)}, 4 * kPiece);
  copy.Need(0, 1);
  REQUIRE(ftruncate(file, 0) == 0);
  copy.Need(0, 2 * kPiece);
  CHECK((copy.data()[0] == 'x' && copy.data()[kPiece] == 0));
  munmap(memory, 4 * kPiece);
  close(file);
  unlink(name);
}
