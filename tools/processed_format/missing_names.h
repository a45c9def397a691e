#ifndef GECKOPROF_TOOLS_PROCESSED_FORMAT_MISSING_NAMES_H_
#define GECKOPROF_TOOLS_PROCESSED_FORMAT_MISSING_NAMES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace geckoprof {

// MissingNames counts the samples whose innermost function has no name, by the reason.
class MissingNames {
 public:
  void AddSample() { ++samples_; }
  // A sample in code that a program made at run time.
  void AddMadeCode(std::string_view program) { ++made_code_[std::string(program)]; }
  // A sample in a library, or program, without symbols.
  void AddLibrary(std::string_view path) { ++libraries_[std::string(path)]; }

  // Returns one sentence or two that tell how many names are missing and how to get them. The text is empty if the
  // share is small.
  std::string Note() const;

 private:
  using Counts = std::map<std::string, uint64_t>;

  uint64_t samples_ = 0;
  Counts made_code_, libraries_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_PROCESSED_FORMAT_MISSING_NAMES_H_
