#include "tools/view/symbol_api.h"

#include <utility>

#include "absl/status/statusor.h"
#include "tools/json/json_document.h"
#include "tools/text/concat.h"
#include "tools/view/api_answer.h"

namespace geckoprof {

SymbolApi::SymbolApi(ProfileLibraries libraries, SymbolPlaces places, SourcePaths sources,
                     std::function<void(const std::string& problem)> tell)
    : libraries_(std::move(libraries)),
      tell_(std::move(tell)),
      symbolizer_(std::move(places)),
      sources_(std::move(sources)),
      source_(libraries_, symbolizer_, sources_) {}

ApiAnswer SymbolApi::Answer(std::string_view path, std::string body) {
  const bool is_symbolicate = path == "/symbolicate/v5", is_source = path == "/source/v1";
  if (!is_symbolicate && !is_source && path != "/asm/v1") return ApiError("there is no such call", 404);
  const absl::StatusOr<JsonDocument> document = JsonDocument::Parse(std::move(body), JsonDocument::Utf8::kStrict);
  if (!document.ok()) return ApiError(Concat("the request: ", std::string(document.status().message())), 400);
  const JsonView request = document->root();
  if (!request.IsObject()) return ApiError("the request is no JSON object", 400);
  const std::lock_guard<std::mutex> lock(mutex_);
  ApiAnswer answer = is_symbolicate ? AnswerSymbolicate(request, libraries_, symbolizer_)
                     : is_source    ? source_.Answer(request)
                                    : AnswerAsm(request, libraries_, symbolizer_);
  TellProblems();
  return answer;
}

void SymbolApi::TellProblems() {
  for (const std::string& problem : symbolizer_.Problems()) {
    if (told_.insert(problem).second) tell_(problem);
  }
}

}  // namespace geckoprof
