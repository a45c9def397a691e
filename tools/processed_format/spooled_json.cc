#include "tools/processed_format/spooled_json.h"

#include <cstdlib>
#include <string_view>

namespace geckoprof {

void SpooledJson::Add(const std::function<void(JsonWriter& writer)>& write) {
  is_empty_ = false;
  JsonWriter writer(StringSink(&text_));
  write(writer);
  has_failed_ |= !writer.Finish();
  text_ += '\n';  // there is none in compact JSON
  if (text_.size() < kMostBytesInMemory) return;
  if (file_ == nullptr) file_.reset(std::tmpfile());
  if (file_ == nullptr) return;
  has_failed_ |= std::fwrite(text_.data(), 1, text_.size(), file_.get()) != text_.size();
  text_.clear();
}

bool SpooledJson::WriteTo(JsonWriter& writer) {
  if (file_ != nullptr) {
    std::rewind(file_.get());
    char* line = nullptr;
    size_t room = 0;
    for (ssize_t length = 0; (length = getline(&line, &room, file_.get())) > 0;) {
      writer.Splice({line, static_cast<size_t>(length - 1)});
    }
    std::free(line);
    has_failed_ |= std::ferror(file_.get()) != 0;
  }
  std::string_view rest = text_;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    writer.Splice(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return !has_failed_;
}

}  // namespace geckoprof
