#include "tools/profile/overhead_copy.h"

#include "tools/json/json_copy.h"

namespace geckoprof {

void CopyOverhead(JsonView overhead, std::string_view pid, size_t main_thread,
                  absl::FunctionRef<void(JsonView samples)> write_samples, JsonWriter& writer) {
  writer.StartObject();
  writer.StringProperty("pid", pid);
  writer.UintProperty("mainThreadIndex", main_thread);
  overhead.ForEachMember([&](std::string_view key, JsonView value) {
    if (key == "pid" || key == "mainThreadIndex") return;
    writer.Key(key);
    key == "samples" ? write_samples(value) : CopyJson(value, writer);
  });
  writer.EndObject();
}

}  // namespace geckoprof
