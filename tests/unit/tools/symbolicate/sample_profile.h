// Profiles of one sample in the library of a DebugInfoSample, and what a written one says.
#ifndef GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLICATE_SAMPLE_PROFILE_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLICATE_SAMPLE_PROFILE_H_

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"
#include "tools/symbols/jit_map.h"
#include "tools/symbols/symbolizer.h"

namespace geckoprof {

// An address of the library, as profiles count, at which all three functions are.
uint64_t InlinedAddress(const std::string& library);

// main, and that address below it; the marker's cause is the sample's stack.
std::string ProcessedSampleText(const std::string& library, uint64_t address, int version);

// "(root)" and that address below it, of Gecko's format.
std::string GeckoSampleText(const std::string& library, uint64_t address);

// What a symbolication, GeckoSymbolication or ProcessedSymbolication, makes of the text, without symbols of this
// machine's own folders. Empty, and the error's text, where it makes nothing.
template <typename Symbolication>
std::string SymbolicatedText(const std::string& text, std::string* error = nullptr, const JitMap* jit_map = nullptr) {
  const absl::StatusOr<JsonDocument> document = JsonDocument::Parse(text, JsonDocument::Utf8::kStrict);
  REQUIRE(document.ok());
  Symbolizer symbolizer(SymbolPlaces{"/nowhere", {}, false});
  Symbolication symbolication(document->root(), &symbolizer, jit_map);
  const absl::Status status = symbolication.Load();
  if (error != nullptr) *error = std::string(status.message());
  if (!status.ok()) return "";
  std::string written;
  JsonWriter writer(StringSink(&written));
  symbolication.Write(writer);
  REQUIRE(writer.Finish());
  return written;
}

// The first sample's stack, outermost first: "name file:line".
std::vector<std::string> StackText(JsonView profile, JsonView thread);

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_SYMBOLICATE_SAMPLE_PROFILE_H_
