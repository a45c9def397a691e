#include "tools/convert/profile_input.h"

#include <utility>

#include "tools/convert/format_loaders.h"
#include "tools/convert/proto_fields.h"
#include "tools/convert/proto_wire.h"
#include "tools/profile/profile_loader.h"

namespace geckoprof {
namespace {

constexpr std::string_view kPerfData = "PERFILE2";

constexpr std::pair<std::string_view, InputFormat> kInputFormats[] = {{"gecko", InputFormat::kJson},
                                                                      {"processed", InputFormat::kJson},
                                                                      {"perf", InputFormat::kPerfScript},
                                                                      {"pprof", InputFormat::kPprof},
                                                                      {"folded", InputFormat::kFolded}};

constexpr char kPerfetto[] = "is Perfetto's trace, which is not read";

// A packet of a trace has a time or says who wrote it. What pprof begins with, the type of a value, is two numbers that
// name it.
bool LooksLikePerfetto(std::string_view content) {
  ProtoReader trace(content);
  if (!trace.Next() || trace.field() != perfetto::kPacket || trace.is_number()) return false;
  bool has_head = false;
  ProtoReader packet(trace.bytes());
  while (packet.Next()) {
    has_head = has_head || (packet.is_number() &&
                            (packet.field() == perfetto::kTimestamp || packet.field() == perfetto::kSequenceId));
  }
  return has_head && !packet.failed();
}

// '{', also of the first element of a list; whatever a byte order mark or spaces stand before.
bool LooksLikeJson(std::string_view content) {
  constexpr std::string_view kJsonSpaces = " \t\r\n";
  if (content.starts_with(kByteOrderMark)) content.remove_prefix(kByteOrderMark.size());
  size_t first = content.find_first_not_of(kJsonSpaces);
  if (first != std::string_view::npos && content[first] == '[')
    first = content.find_first_not_of(kJsonSpaces, first + 1);
  return first != std::string_view::npos && content[first] == '{';
}

}  // namespace

std::optional<InputFormat> InputFormatOf(std::string_view name) {
  for (const auto& [known, format] : kInputFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::vector<std::string> ListInputFormats() {
  std::vector<std::string> names;
  for (const auto& [name, format] : kInputFormats) names.emplace_back(name);
  return names;
}

std::optional<InputFormat> GuessInputFormat(std::string_view content) {
  if (LooksLikeJson(content)) return InputFormat::kJson;
  if (LooksLikePerfScript(content)) return InputFormat::kPerfScript;
  if (!LooksFolded(content) && LooksLikePerfetto(content)) return std::nullopt;
  // The bytes of pprof data may read as a line of anything, but not the other way round.
  if (LooksLikePprof(content)) return InputFormat::kPprof;
  if (LooksFolded(content)) return InputFormat::kFolded;
  return std::nullopt;
}

absl::StatusOr<ProfileModel> LoadInput(std::string content, std::optional<InputFormat> format, std::string_view event,
                                       std::vector<std::string>* notes) {
  if (IsUtf16(content)) return absl::InvalidArgumentError(kUtf16);
  if (content.starts_with(kByteOrderMark)) content.erase(0, kByteOrderMark.size());
  if (content.starts_with(kPerfData)) {
    return absl::InvalidArgumentError("is perf's own recording: convert what `perf script -F +pid` prints of it");
  }
  if (!format.has_value()) format = GuessInputFormat(content);
  if ((!format.has_value() || *format == InputFormat::kPprof) && LooksLikePerfetto(content)) {
    return absl::InvalidArgumentError(kPerfetto);
  }
  if (!format.has_value()) {
    return absl::InvalidArgumentError("is no profile: neither Gecko, processed, perf script, pprof nor folded stacks");
  }
  switch (*format) {
    case InputFormat::kJson:
      return LoadProfileText(std::move(content), ProfileDetail::kFull);
    case InputFormat::kPerfScript:
      return LoadPerfScript(content, event, notes);
    case InputFormat::kPprof:
      return LoadPprof(content, event, notes);
    case InputFormat::kFolded:
      return LoadFolded(content);
  }
  return absl::InvalidArgumentError("is of no known format");
}

}  // namespace geckoprof
