#ifndef GECKOPROF_TOOLS_JSON_CONSUMED_TEXT_H_
#define GECKOPROF_TOOLS_JSON_CONSUMED_TEXT_H_

#include <cstddef>
#include <string>
#include <utility>

namespace geckoprof {

// ConsumedText: a text that is read once from its beginning to its end, and whose memory goes back to the system behind
// the reader. So what is made of it may grow while it shrinks.
class ConsumedText {
 public:
  explicit ConsumedText(std::string text) : text_(std::move(text)) {}
  ConsumedText(const ConsumedText&) = delete;
  ConsumedText& operator=(const ConsumedText&) = delete;

  char* data() { return text_.data(); }
  size_t size() const { return text_.size(); }

  // What comes before is never read again: it may be anything from now on.
  void ReadUpTo(const char* position) {
    if (static_cast<size_t>(position - text_.data()) >= released_ + kStepBytes) Release(position);
  }
  size_t released_bytes() const { return released_; }

 private:
  static constexpr size_t kStepBytes = size_t{8} << 20;  // some huge pages at once

  void Release(const char* position);

  std::string text_;
  size_t released_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_JSON_CONSUMED_TEXT_H_
