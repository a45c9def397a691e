#ifndef GECKOPROF_TOOLS_VIEW_API_ANSWER_H_
#define GECKOPROF_TOOLS_VIEW_API_ANSWER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "geckoprof/json/json_writer.h"

namespace geckoprof {

// What the symbol API says to a request: JSON.
struct ApiAnswer {
  int status = 200;
  std::string body;
};

// {"error": what}: the viewer shows it where the source or the assembly would be.
ApiAnswer ApiError(std::string_view what, int status = 200);
// What `write` writes: one JSON value.
ApiAnswer ApiResult(const std::function<void(JsonWriter& writer)>& write);

// "0x1f" as the API writes numbers; without "0x" likewise. Nothing for anything else.
std::optional<uint64_t> ParseApiNumber(std::string_view text);
std::string ApiNumber(uint64_t number);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_VIEW_API_ANSWER_H_
