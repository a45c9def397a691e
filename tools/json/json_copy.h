#ifndef GECKOPROF_TOOLS_JSON_JSON_COPY_H_
#define GECKOPROF_TOOLS_JSON_JSON_COPY_H_

#include <string>

#include "geckoprof/json/json_writer.h"
#include "tools/json/json_document.h"

namespace geckoprof {

// Writes a value as it was read; a missing one is null. A document's depth is limited, so this one's is.
void CopyJson(JsonView value, JsonWriter& writer);

// The same as a text of its own.
std::string JsonText(JsonView value);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_JSON_COPY_H_
