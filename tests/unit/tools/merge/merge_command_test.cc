#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tests/unit/tools/merge/small_profile.h"
#include "tools/options/commands.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_loader.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

int Run(std::vector<std::string> words) {
  words.insert(words.begin(), {"merge", "-q"});
  std::vector<char*> args;
  for (std::string& word : words) args.push_back(word.data());
  return MergeMain(args);
}

ProfileModel Model(const std::string& file) {
  auto text = ReadProfileFile(file);
  REQUIRE(text.ok());
  auto model = LoadProfileText(*std::move(text));
  REQUIRE(model.ok());
  return *std::move(model);
}

TEST_CASE("profiles are merged into one file, packed or not") {
  const TemporaryFolder folder;
  const std::string a = folder.Write("a.json", SmallProfile().Text()),
                    b = folder.Write("b=1.json", SmallProfile().Text());
  for (const char* name : {"/out.json", "/out.json.gz"}) {
    const std::string out = folder.path() + name;
    REQUIRE(Run({"-o", out, a, b, "--offset", b + "=0.5"}) == 0);
    const ProfileModel model = Model(out);
    CHECK(model.threads.size() == 4);
    CHECK(model.threads[2].samples[0].time_ms == 502);
  }
  const std::string one = folder.path() + "/one.json";
  REQUIRE(Run({"-o", one, a}) == 0);
  CHECK(Model(one).threads.size() == 2);
  // A merged profile can be merged again.
  REQUIRE(Run({"-o", folder.path() + "/more.json", folder.path() + "/out.json", one}) == 0);
  CHECK(Model(folder.path() + "/more.json").threads.size() == 6);
}

TEST_CASE("wrong use is refused before a file is read") {
  const TemporaryFolder folder;
  const std::string a = folder.Write("a.json", SmallProfile().Text()),
                    b = folder.Write("b.json", SmallProfile().Text()), out = folder.path() + "/out.json",
                    link = folder.path() + "/link.json";
  REQUIRE(symlink(a.c_str(), link.c_str()) == 0);
  CHECK(Run({a, b}) == 2);
  CHECK(Run({"-o", out}) == 2);
  CHECK(Run({"-o", out, a, a}) == 2);
  CHECK(Run({"-o", out, a, b, link}) == 2);
  CHECK(Run({"-o", out, "-", "-"}) == 2);
  CHECK(Run({"-o", b, a, b}) == 2);
  CHECK(Run({"-o", link, a, b}) == 2);
  for (const std::string& offset :
       {std::string("0.5"), b, b + "=", b + "=x", b + "=nan", b + "=1e300", a + "=1", std::string("c.json=1")}) {
    INFO(offset);
    CHECK(Run({"-o", out, a, b, "--offset", offset}) == 2);
  }
  CHECK(Run({"-o", out, a, b, "--offset", b + "=1", "--offset", b + "=2"}) == 2);
  CHECK(access(out.c_str(), F_OK) != 0);
  CHECK(Model(b).threads.size() == 2);
}

TEST_CASE("an input that cannot be read leaves no file behind") {
  const TemporaryFolder folder;
  const std::string text = SmallProfile().Text(), a = folder.Write("a.json", text), out = folder.path() + "/out.json";
  std::string wrong_stack = text, wrong_version = text;
  wrong_stack.replace(wrong_stack.find(R"("stack":[1,1,0])"), 15, R"("stack":[1,9,0])");
  wrong_version.replace(wrong_version.find("66"), 2, "99");
  for (const std::string& bad : {std::string("{"), std::string(), text.substr(0, text.size() / 2), wrong_stack,
                                 wrong_version, std::string("\x1f\x8b nothing"), std::string("[]")}) {
    INFO(bad.substr(0, 100));
    CHECK(Run({"-o", out, a, folder.Write("bad.json", bad)}) == 1);
    CHECK(access(out.c_str(), F_OK) != 0);
  }
  CHECK(Run({"-o", out, a, folder.path() + "/none.json"}) == 1);
  CHECK(Run({"-o", folder.path() + "/no/folder.json", a}) == 1);
}

TEST_CASE("a name that steers terminals stays data") {
  const TemporaryFolder folder;
  SmallProfile later;
  later.start_ms += 5000;
  const std::string a = folder.Write("a.json", SmallProfile().Text()),
                    hostile = folder.Write("\x1b[31m\"x\n\xff.json", later.Text()), out = folder.path() + "/out.json";
  REQUIRE(Run({"-o", out, a, hostile}) == 0);
  const auto text = ReadProfileFile(out);
  REQUIRE(text.ok());
  CHECK(text->find('\x1b') == std::string::npos);
  CHECK(Model(out).processes[2].name.starts_with("demo ("));
}

}  // namespace
}  // namespace geckoprof
