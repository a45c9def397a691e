#include "tools/json/json_document.h"

#include <utility>

#include "tools/json/consumed_text.h"
#include "tools/json/json_parser.h"
#include "tools/text/concat.h"

namespace geckoprof {

absl::StatusOr<JsonDocument> JsonDocument::Parse(std::string text, Utf8 utf8, std::string_view without_objects_in) {
  JsonDocument result;
  ConsumedText consumed(std::move(text));
  JsonParser parser(&consumed, result.tree_.get(), {utf8 == Utf8::kStrict, without_objects_in},
                    {kMaxDepth, kMaxMembers, kMaxValues});
  if (parser.Parse()) return result;
  return absl::InvalidArgumentError(Concat("not valid JSON at byte ", parser.offset(), ": ", parser.reason()));
}

}  // namespace geckoprof
