#include "tools/view/api_answer.h"

#include <charconv>
#include <system_error>

#include "tools/text/concat.h"

namespace geckoprof {

ApiAnswer ApiError(std::string_view what, int status) {
  ApiAnswer answer = ApiResult([&](JsonWriter& writer) {
    writer.StartObject();
    writer.StringProperty("error", what);
    writer.EndObject();
  });
  answer.status = status;
  return answer;
}

ApiAnswer ApiResult(const std::function<void(JsonWriter& writer)>& write) {
  ApiAnswer answer;
  JsonWriter writer(StringSink(&answer.body));
  write(writer);
  if (!writer.Finish()) return {500, R"({"error":"internal error"})"};
  return answer;
}

std::optional<uint64_t> ParseApiNumber(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string ApiNumber(uint64_t number) { return "0x" + HexText(number); }

}  // namespace geckoprof
