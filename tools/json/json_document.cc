#include "tools/json/json_document.h"

#include <utility>

#include "tools/json/consumed_text.h"
#include "tools/json/json_reader.h"

namespace geckoprof {

absl::StatusOr<JsonDocument> JsonDocument::Parse(std::string text, Utf8 utf8, std::string_view without_objects_in) {
  JsonDocument result;
  ConsumedText consumed(std::move(text));
  const absl::Status status = ReadJson(&consumed, result.tree_.get(),
                                       {.max_depth = kMaxDepth,
                                        .max_members = kMaxMembers,
                                        .max_values = kMaxValues,
                                        .only_utf8 = utf8 == Utf8::kStrict,
                                        .without_objects_in = without_objects_in});
  if (!status.ok()) return status;
  return result;
}

}  // namespace geckoprof
