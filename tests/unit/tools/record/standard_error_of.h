// What a call prints on standard error.
#ifndef GECKOPROF_TESTS_UNIT_TOOLS_RECORD_STANDARD_ERROR_OF_H_
#define GECKOPROF_TESTS_UNIT_TOOLS_RECORD_STANDARD_ERROR_OF_H_

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

namespace geckoprof {

template <typename Call>
std::string StandardErrorOf(const Call& call) {
  FILE* const file = tmpfile();
  REQUIRE(file != nullptr);
  const int kept = dup(STDERR_FILENO);
  fflush(stderr);
  REQUIRE(dup2(fileno(file), STDERR_FILENO) >= 0);
  call();
  fflush(stderr);
  REQUIRE(dup2(kept, STDERR_FILENO) >= 0);
  close(kept);
  std::string text(size_t{1} << 16, '\0');
  rewind(file);
  text.resize(fread(text.data(), 1, text.size(), file));
  fclose(file);
  return text;
}

}  // namespace geckoprof

#endif  // GECKOPROF_TESTS_UNIT_TOOLS_RECORD_STANDARD_ERROR_OF_H_
