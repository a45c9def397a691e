#include "screenshots/screenshots.h"

#include <cstring>
#include <string>
#include <vector>

#include "baseprofiler/marker_abi.h"
#include "catch2/catch.hpp"
#include "threads/thread_base_link.h"

namespace geckoprof {
namespace {

// The markers that the base library is asked for.
std::vector<std::string> payloads, texts;
uint32_t recording = 1;
int answer = GECKOPROF_MARKED;

int Add(geckoprof_marker_site* site, const geckoprof_marker_options*, const geckoprof_piece* piece, uint32_t) {
  payloads.push_back(std::string(site->name) + " " +
                     std::string(static_cast<const char*>(piece->bytes), piece->size_bytes));
  return answer;
}
int Text(const char* name, uint32_t, const geckoprof_marker_options*, const char* text, uint64_t text_bytes) {
  texts.push_back(std::string(name) + ": " + std::string(text, text_bytes));
  return GECKOPROF_MARKED;
}
constexpr ThreadBaseLink kLink = {nullptr, nullptr, [] { return recording; }, Text, nullptr, Add};

constexpr int64_t kMs = 1'000'000;
const std::string kPng = "\x89PNG\r\n\x1a\n", kJpeg = "\xff\xd8\xff\xe0";

struct Link {
  Link() {
    payloads.clear();
    texts.clear();
    recording = 1;
    answer = GECKOPROF_MARKED;
    ThreadBaseLink::Use(&kLink);
  }
  ~Link() { ThreadBaseLink::Use(nullptr); }
};

TEST_CASE("screenshots: an image is a data URL with the size of its window") {
  const Link link;
  Screenshots screenshots;
  CHECK(screenshots.Add({kPng + "ab", "image/png", 640, 480, 7}, kMs) == ProfilerStatus::kDone);
  REQUIRE(payloads.size() == 1);
  std::string expected = "CompositorScreenshot ";
  const std::string url = "data:image/png;base64,iVBORw0KGgphYg==";
  expected += static_cast<char>(url.size()) + url + '\1' + '7';
  for (const int64_t number : {int64_t{640}, int64_t{480}}) {
    expected.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  CHECK(payloads[0] == expected);
  CHECK(texts.empty());
}

TEST_CASE("screenshots: one in 100 ms, and the others are counted") {
  const Link link;
  Screenshots screenshots;
  const Screenshots::Image image = {kJpeg, "image/jpeg", 1, 1, 1};
  CHECK(screenshots.Add(image, 1000 * kMs) == ProfilerStatus::kDone);
  CHECK(screenshots.Add(image, 1099 * kMs) == ProfilerStatus::kUnchanged);
  CHECK(screenshots.Add(image, 1050 * kMs) == ProfilerStatus::kUnchanged);
  CHECK(screenshots.Add(image, 1100 * kMs) == ProfilerStatus::kDone);
  CHECK(payloads.size() == 2);
  CHECK(texts == std::vector<std::string>{"Screenshot dropped: 2 within 100 ms of another"});
}

TEST_CASE("screenshots: what is too large or no image is dropped, with its reason") {
  const Link link;
  Screenshots screenshots;
  const std::string largest = kPng + std::string(46'062 - kPng.size(), 'x'), larger = largest + "x";
  const std::string huge = kPng + std::string(1 << 20, 'x');
  CHECK(screenshots.Add({larger, "image/png", 1, 1, 1}, 0) == ProfilerStatus::kBadArgument);
  CHECK(screenshots.Add({huge, "image/png", 1, 1, 1}, 0) == ProfilerStatus::kBadArgument);
  CHECK(screenshots.Add({kPng, "image/jpeg", 1, 1, 1}, 0) == ProfilerStatus::kBadArgument);
  CHECK(screenshots.Add({kPng, "image/webp", 1, 1, 1}, 0) == ProfilerStatus::kBadArgument);
  CHECK(screenshots.Add({"", "image/png", 1, 1, 1}, 0) == ProfilerStatus::kBadArgument);
  CHECK(screenshots.Add({kPng, "image/png", 0, 1, 1}, 0) == ProfilerStatus::kBadArgument);
  CHECK((payloads.empty() && texts.size() == 6));
  CHECK(texts[0] == "Screenshot dropped: too large");
  CHECK(screenshots.Add({largest, "image/png", 1, 1, 1}, 0) == ProfilerStatus::kDone);
}

TEST_CASE("screenshots: without a recording, or without room in it") {
  const Link link;
  Screenshots screenshots;
  recording = 0;
  CHECK(screenshots.Add({"no image", "image/png", 1, 1, 1}, 0) == ProfilerStatus::kInactive);
  CHECK(texts.empty());
  recording = 1;
  answer = GECKOPROF_NO_ROOM;
  CHECK(screenshots.Add({kPng, "image/png", 1, 1, 1}, 0) == ProfilerStatus::kNoSegment);
  ThreadBaseLink::Use(nullptr);
  CHECK(screenshots.Add({kPng, "image/png", 1, 1, 1}, 0) == ProfilerStatus::kInactive);
}

}  // namespace
}  // namespace geckoprof
