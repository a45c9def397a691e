#ifndef GECKOPROF_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
#define GECKOPROF_TESTS_SUPPORT_TEMPORARY_FOLDER_H_

#include <sys/types.h>

#include <string>
#include <string_view>

namespace geckoprof {

// TemporaryFolder: an empty folder for one test, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  // Writes a file and returns its path.
  std::string Write(const std::string& name, std::string_view bytes, mode_t mode = 0755) const;

 private:
  std::string path_;
};

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_SUPPORT_TEMPORARY_FOLDER_H_
