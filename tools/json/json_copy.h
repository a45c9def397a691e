#ifndef GECKOPROF_TOOLS_JSON_JSON_COPY_H_
#define GECKOPROF_TOOLS_JSON_JSON_COPY_H_

#include <functional>
#include <string>
#include <string_view>

#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"

namespace geckoprof {

// Writes a value as it was read; a missing one is null. A document's depth is limited, so this one's is.
void CopyJson(JsonView value, JsonWriter& writer);

// Returns what is to be written for a string. `key` is the name of the innermost member that has it.
using JsonTextEdit = std::function<std::string(std::string_view key, std::string_view text)>;
// The same with each string edited, not the names of members.
void CopyJsonEdited(JsonView value, const JsonTextEdit& edit, JsonWriter& writer);

// The same as a text of its own.
std::string JsonText(JsonView value);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_COPY_H_
