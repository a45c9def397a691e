#include "tests/support/temporary_folder.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace geckoprof {

TemporaryFolder::TemporaryFolder() {
  path_ = std::filesystem::temp_directory_path().string() + "/geckoprof-test-XXXXXX";
  REQUIRE(mkdtemp(path_.data()) != nullptr);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::Write(const std::string& name, std::string_view bytes, mode_t mode) const {
  const std::string file = path_ + "/" + name;
  FILE* const out = fopen(file.c_str(), "w");
  REQUIRE(out != nullptr);
  REQUIRE(fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size());
  REQUIRE(fclose(out) == 0);
  REQUIRE(chmod(file.c_str(), mode) == 0);
  return file;
}

}  // namespace geckoprof
