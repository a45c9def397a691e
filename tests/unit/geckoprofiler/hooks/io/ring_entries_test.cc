#include "io/ring_entries.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#if __has_include(<liburing.h>)
#include <liburing.h>
#endif

namespace geckoprof {
namespace {

#if __has_include(<liburing.h>)
static_assert(sizeof(Ring::requests) == sizeof(io_uring::sq) && sizeof(Ring::completions) == sizeof(io_uring::cq));
static_assert(offsetof(Ring, requests.entries) == offsetof(io_uring, sq.sqes));
static_assert(offsetof(Ring, requests.head) == offsetof(io_uring, sq.sqe_head));
static_assert(offsetof(Ring, requests.tail) == offsetof(io_uring, sq.sqe_tail));
static_assert(offsetof(Ring, requests.mask) == offsetof(io_uring, sq.kring_mask));
static_assert(offsetof(Ring, requests.size) == offsetof(io_uring, sq.kring_entries));
static_assert(offsetof(Ring, completions.head) == offsetof(io_uring, cq.khead));
static_assert(offsetof(Ring, completions.kernel_tail) == offsetof(io_uring, cq.ktail));
static_assert(offsetof(Ring, completions.size) == offsetof(io_uring, cq.kring_entries));
static_assert(offsetof(Ring, completions.entries) == offsetof(io_uring, cq.cqes));
static_assert(offsetof(Ring, flags) == offsetof(io_uring, flags));
static_assert(offsetof(Ring, descriptor) == offsetof(io_uring, ring_fd));
#endif

// A ring of eight requests and eight completions, with pages behind both that cannot be read.
class MadeRing {
 public:
  MadeRing() {
    requests_ = reinterpret_cast<io_uring_sqe*>(EndOfPage(kEntries * sizeof(io_uring_sqe)));
    completions_ = reinterpret_cast<io_uring_cqe*>(EndOfPage(kEntries * sizeof(RingCompletion)));
    ring_.requests.mask = ring_.completions.mask = &mask_;
    ring_.requests.size = ring_.completions.size = &size_;
    ring_.requests.entries = requests_;
    ring_.completions.head = &seen_;
    ring_.completions.kernel_tail = &end_;
    ring_.completions.entries = completions_;
  }
  ~MadeRing() {
    for (char* const pages : pages_) munmap(pages, 2 * kPage);
  }
  MadeRing(const MadeRing&) = delete;
  MadeRing& operator=(const MadeRing&) = delete;

  static constexpr unsigned kEntries = 8;
  Ring ring_ = {};
  io_uring_sqe* requests_;
  io_uring_cqe* completions_;
  unsigned mask_ = kEntries - 1, size_ = kEntries, seen_ = 0, end_ = 0;

 private:
  static constexpr size_t kPage = 4096;
  char* EndOfPage(size_t bytes) {
    char* const pages =
        static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(pages != MAP_FAILED);
    REQUIRE(mprotect(pages + kPage, kPage, PROT_NONE) == 0);
    pages_.push_back(pages);
    return pages + kPage - bytes;
  }
  std::vector<char*> pages_;
};

std::string DescriptorsIn(const Ring& ring) {
  const RingEntries entries(ring);
  std::string text;
  for (uint32_t i = 0; i < entries.size(); ++i) text += std::to_string(entries[i].fd) + " ";
  return text;
}

TEST_CASE("the new requests of a ring are those between its head and its tail") {
  MadeRing made;
  for (int i = 0; i < 8; ++i) made.requests_[i].fd = i;
  CHECK(DescriptorsIn(made.ring_).empty());
  made.ring_.requests.tail = 3;
  CHECK(DescriptorsIn(made.ring_) == "0 1 2 ");
  made.ring_.requests.head = 2;
  CHECK(DescriptorsIn(made.ring_) == "2 ");
}

TEST_CASE("new requests wrap at the end of the ring, and at the end of its numbers") {
  MadeRing made;
  for (int i = 0; i < 8; ++i) made.requests_[i].fd = i;
  made.ring_.requests.head = 6;
  made.ring_.requests.tail = 10;
  CHECK(DescriptorsIn(made.ring_) == "6 7 0 1 ");
  made.ring_.requests.head = ~0u - 1;
  made.ring_.requests.tail = 6;
  CHECK(DescriptorsIn(made.ring_) == "6 7 0 1 2 3 4 5 ");
}

TEST_CASE("requests of 128 bytes are two entries apart") {
  MadeRing made;
  made.ring_.flags = 1u << 10;
  made.size_ = 4;
  made.mask_ = 3;
  for (int i = 0; i < 8; ++i) made.requests_[i].fd = i;
  made.ring_.requests.tail = 4;
  CHECK(DescriptorsIn(made.ring_) == "0 2 4 6 ");
}

TEST_CASE("a ring whose numbers contradict each other has no requests and no completions") {
  MadeRing made;
  made.ring_.requests.tail = 8;
  REQUIRE(RingEntries(made.ring_).size() == 8);
  REQUIRE(RingCompletions(made.ring_).size() == 8);
  SECTION("more requests than entries") {
    made.ring_.requests.tail = 9;
    CHECK(RingEntries(made.ring_).size() == 0);
    made.ring_.requests.head = 10;
    CHECK(RingEntries(made.ring_).size() == 0);
    return;
  }
  SECTION("a mask of another size") { made.mask_ = 1023; }
  SECTION("a size that is no power of two") {
    made.size_ = 12;
    made.mask_ = 11;
  }
  SECTION("no entries") {
    made.size_ = 0;
    made.mask_ = ~0u;
  }
  SECTION("more entries than a kernel gives") {
    made.size_ = 1u << 20;
    made.mask_ = made.size_ - 1;
  }
  SECTION("no size") { made.ring_.requests.size = made.ring_.completions.size = nullptr; }
  SECTION("no mask") { made.ring_.requests.mask = made.ring_.completions.mask = nullptr; }
  SECTION("no memory") {
    made.ring_.requests.entries = nullptr;
    made.ring_.completions.entries = nullptr;
  }
  SECTION("a flag of a later kernel") { made.ring_.flags = 1u << 19; }
  CHECK(RingEntries(made.ring_).size() == 0);
  CHECK(RingCompletions(made.ring_).size() == 0);
}

TEST_CASE("a completion can be read until the kernel needs its place") {
  MadeRing made;
  auto* const completions = reinterpret_cast<RingCompletion*>(made.completions_);
  completions[7] = {5, 50, 0};
  completions[0] = {6, 60, 1};
  made.seen_ = made.end_ = 9;
  const RingCompletions read(made.ring_);
  REQUIRE((read.end() == 9 && read.seen() == 9));
  RingCompletion completion = {};
  REQUIRE(read.Read(7, completion));
  CHECK((completion.user_data == 5 && completion.result == 50));
  REQUIRE(read.Read(8, completion));
  CHECK((completion.user_data == 6 && completion.result == 60 && completion.flags == 1));
  made.end_ = 14;
  CHECK(read.Read(7, completion));
  made.end_ = 15;  // the next one has the place of number 7
  CHECK_FALSE(read.Read(7, completion));
}

io_uring_sqe Entry(uint8_t opcode, int fd) {
  io_uring_sqe entry = {};
  entry.opcode = opcode;
  entry.fd = fd;
  entry.user_data = 77;
  return entry;
}

TEST_CASE("a request names its object") {
  using Subject = RingRequest::Subject;
  const RingRequest read(Entry(IORING_OP_READ, 9));
  CHECK((read.subject == Subject::kDescriptor && read.descriptor == 9 && read.user_data == 77 && read.has_completion));
  CHECK((RingRequest::NameOf(read.opcode) == "read" && RingRequest::MovesBytes(read.opcode)));
  CHECK(RingRequest(Entry(IORING_OP_TIMEOUT, -1)).subject == Subject::kRing);
  CHECK(RingRequest(Entry(IORING_OP_OPENAT, 4)).subject == Subject::kPath);
  CHECK_FALSE(RingRequest::MovesBytes(IORING_OP_OPENAT));  // its result is a descriptor
  io_uring_sqe registered = Entry(IORING_OP_WRITE_FIXED, 1);
  registered.flags = IOSQE_FIXED_FILE | IOSQE_CQE_SKIP_SUCCESS;
  CHECK(RingRequest(registered).subject == Subject::kRegisteredFile);
  CHECK_FALSE(RingRequest(registered).has_completion);
  CHECK(RingRequest(Entry(IORING_OP_CLOSE, 9)).changes_descriptor);
  io_uring_sqe closes = Entry(IORING_OP_CLOSE, 0);
  closes.file_index = 3;
  CHECK_FALSE(RingRequest(closes).changes_descriptor);
  CHECK(RingRequest(closes).subject == Subject::kRegisteredFile);
}

TEST_CASE("an opcode of a later kernel has no object") {
  for (int opcode = 63; opcode < 256; ++opcode) {
    const RingRequest request(Entry(static_cast<uint8_t>(opcode), 1));
    REQUIRE(RingRequest::NameOf(request.opcode) == "other");
    REQUIRE(request.subject == RingRequest::Subject::kRing);
  }
}

TEST_CASE("a text of the program is read up to its end, and not beyond memory") {
  constexpr size_t kPage = 4096;
  char* const pages =
      static_cast<char*>(mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(mprotect(pages + 2 * kPage, kPage, PROT_NONE) == 0);
  const auto read = [&](const char* from) {
    char room[100];
    return std::string(ReadProgramText(reinterpret_cast<uintptr_t>(from), room, sizeof(room)));
  };
  memcpy(pages + kPage - 3, "across", 7);
  CHECK(read(pages + kPage - 3) == "across");
  memcpy(pages + 2 * kPage - 5, "last", 5);
  CHECK(read(pages + 2 * kPage - 5) == "last");
  memcpy(pages + 2 * kPage - 5, "endless", 5);
  CHECK(read(pages + 2 * kPage - 5).empty());
  CHECK(read(pages + 2 * kPage).empty());
  CHECK(read(nullptr).empty());
  memset(pages, 'x', 200);
  CHECK(read(pages).empty());
  munmap(pages, 3 * kPage);
}

}  // namespace
}  // namespace geckoprof
