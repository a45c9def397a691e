// Spoiled profiles, the same ones on every run: whatever a file holds, it is refused or written in every format. Under
// the address and undefined-behaviour sanitizers this is what finds an unchecked index.
#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <string>

#include "tests/unit/tools/convert/small_model.h"
#include "tools/convert/format_writers.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"

namespace geckoprof {
namespace {

constexpr const char* kValues[] = {"-1",   "0",     "1",   "7",    "99999999", "4294967296", "9223372036854775807",
                                   "1e15", "1e308", "0.5", "null", "true",     "\"\"",       "\"\\u001b[2J;\\n\"",
                                   "[]",   "{}",    "[0]"};

// Replaces one number of the text.
std::string Spoiled(const std::string& text, std::mt19937* random) {
  size_t begin = (*random)() % text.size();
  begin = text.find_first_of("0123456789", begin);
  if (begin == std::string::npos) return text;
  const size_t end = text.find_first_not_of("0123456789", begin);
  std::string spoiled = text;
  return spoiled.replace(begin, end - begin, kValues[(*random)() % std::size(kValues)]);
}

void WriteAll(const ProfileModel& model) {
  for (const bool with_idle : {false, true}) {
    for (const auto write : {WritePprof, WritePerfetto, WriteChromeTrace, WriteSpeedscope, WriteFolded, WriteOtlp}) {
      CHECK_FALSE(Written(model, write, with_idle) == "(failed)");
    }
  }
  FormatOutput output(nullptr, false);
  WriteModel(model, &output);
  CHECK(output.Finish().ok());
  CHECK(LoadProfileText(output.buffer(), ProfileDetail::kFull).ok());
}

TEST_CASE("spoiled profiles are refused or written") {
  std::mt19937 random(11);
  for (const char* name : {"firefox_gecko_34.json", "demo_processed_69.json"}) {
    const auto text = ReadProfileFile(std::string(GECKOPROF_GOLDEN_DIR "/") + name);
    REQUIRE(text.ok());
    size_t written = 0;
    for (int i = 0; i < 400; ++i) {
      std::string spoiled = Spoiled(*text, &random);
      if (i % 3 == 0) spoiled = Spoiled(spoiled, &random);
      INFO(name << " " << i);
      const auto model = LoadProfileText(std::move(spoiled), ProfileDetail::kFull);
      if (!model.ok()) continue;
      ++written;
      WriteAll(*model);
    }
    CHECK(written > 50);
  }
}

}  // namespace
}  // namespace geckoprof
