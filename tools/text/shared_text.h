#ifndef GECKOPROF_TOOLS_TEXT_SHARED_TEXT_H_
#define GECKOPROF_TOOLS_TEXT_SHARED_TEXT_H_

#include <string>
#include <string_view>

namespace geckoprof {

// SharedText is a text that many objects have, such as the path of a program that a thousand processes ran. The text is
// in memory once, and stays there until the program ends. An object has the size of a pointer.
//
// Threads: one at a time.
class SharedText {
 public:
  SharedText() : SharedText(std::string_view()) {}
  explicit SharedText(std::string_view text);
  SharedText& operator=(std::string_view text) { return *this = SharedText(text); }

  const std::string& operator*() const { return *text_; }
  const std::string* operator->() const { return text_; }
  bool operator==(const SharedText&) const = default;

 private:
  const std::string* text_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_TEXT_SHARED_TEXT_H_
