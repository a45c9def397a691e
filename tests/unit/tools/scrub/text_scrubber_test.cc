#include "tools/scrub/text_scrubber.h"

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

std::string Scrubbed(std::string_view text) { return TextScrubber().Scrub(text); }

TEST_CASE("of a path its last part stays") {
  CHECK(Scrubbed("/home/alice/src/main.cc") == "main.cc");
  CHECK(Scrubbed("/home/al ice/my program") == "my program");
  CHECK(Scrubbed("/srv/data/") == "data");
  CHECK(Scrubbed("C:\\Users\\alice\\app.exe") == "app.exe");
  CHECK(Scrubbed("\\\\server\\share\\app.exe") == "app.exe");
  CHECK(Scrubbed("cannot open /srv/acme/x.log: no file") == "cannot open x.log: no file");
  CHECK(Scrubbed("Run (/srv/acme/run.py:12)") == "Run (run.py:12)");
  CHECK(Scrubbed("PATH=/srv/acme/bin:/usr/bin") == "PATH=bin");
  CHECK(Scrubbed("python@/srv/acme/x.py") == "python@x.py");
  CHECK(Scrubbed("cc -I/srv/acme/include -c x.c") == "cc -Iinclude -c x.c");
  CHECK(Scrubbed("a->/srv/acme/x #/srv/acme/y &/srv/acme/z") == "a->x #y &z");
  CHECK(Scrubbed("//host/share/x") == "x");
  CHECK(Scrubbed("\\\\?\\C:\\acme\\x") == "x");
  CHECK(Scrubbed("run \\acme\\x") == "run x");
}

TEST_CASE("folders may have blanks") {
  CHECK(Scrubbed("cmd C:\\Program Files\\acme\\f now") == "cmd f now");
  CHECK(Scrubbed("cmd C:\\acme\\f C:\\acme\\g") == "cmd f g");
  CHECK(Scrubbed("open \"/srv/My acme docs/f\" failed") == "open \"f\" failed");
  CHECK(Scrubbed("file:///srv/My acme/f") == "file:///f");
  CHECK(Scrubbed("load file:///srv/My acme/f of /srv/g") == "load file:///f of g");
}

TEST_CASE("the name of a user's own folder is left out") {
  CHECK(Scrubbed("/home/alice") == "(left out)");
  CHECK(Scrubbed("cwd=/home/bob") == "cwd=(left out)");
  CHECK(Scrubbed("C:\\Users\\pia") == "(left out)");
  CHECK(Scrubbed("/home/alice/x") == "x");
}

TEST_CASE("a long text takes no long time") {
  const std::string letters(4 << 20, 'x');
  CHECK(Scrubbed(letters) == letters);
  std::string slashes, addresses;
  for (int i = 0; i < 200'000; ++i) {
    slashes += "'/a";
    addresses += "a://";
  }
  CHECK(Scrubbed(slashes).size() < slashes.size());
  CHECK(Scrubbed(addresses).size() < addresses.size());
  TextScrubber scrubber;
  for (int i = 0; i < 50'000; ++i) scrubber.AddWord("user" + std::to_string(i));
  CHECK(scrubber.Scrub("user49999 and user50000") == "(left out) and user50000");
}

TEST_CASE("addresses of the web and data are left out") {
  CHECK(Scrubbed("https://db7.example/a?key=secret") == "https://(left out)");
  CHECK(Scrubbed("load \"http://db7/x\" failed") == "load \"http://(left out)\" failed");
  CHECK(Scrubbed("url=ws://db7:80") == "url=ws://(left out)");
  CHECK(Scrubbed("https://db7/x;jsessionid=secret") == "https://(left out)");
  CHECK(Scrubbed("https://user:pa;secret@h/ and more") == "https://(left out) and more");
  CHECK(Scrubbed("https://maps.example/@48.13,11.57,12z") == "https://(left out)");
  CHECK(Scrubbed("file:///home/alice/page.html") == "file:///page.html");
  CHECK(Scrubbed("data:image/png;base64,aGk=") == "data:(left out)");
  CHECK(Scrubbed("chrome://browser/content/browser.js") == "chrome://browser/content/browser.js");
}

TEST_CASE("names of functions and relative paths stay") {
  for (const char* text :
       {"operator/", "operator/(A const&, B const&)", "a / b", "std::ratio<1l, 2l>::f()", "src/main.cc",
        "../src/main.cc", "github.com/acme/app.(*T).Run", "foo/bar</baz", "/", "//", "</div>",
        "std::vector<int>::push_back", "data:", "", "ns::Class::operator()() const", "a::b://", "image/png"}) {
    CHECK(Scrubbed(text) == text);
  }
}

TEST_CASE("words are replaced where they stand alone") {
  TextScrubber scrubber;
  CHECK(scrubber.AddWord("alice"));
  CHECK_FALSE(scrubber.AddWord("vm"));
  CHECK_FALSE(scrubber.AddWord("@acme"));
  CHECK(scrubber.Scrub("alice") == "(left out)");
  CHECK(scrubber.Scrub("alice's thread of alice") == "(left out)'s thread of (left out)");
  CHECK(scrubber.Scrub("malice alice_init alice2 Alice::f \xc3\xa9"
                       "alice") ==
        "malice alice_init alice2 Alice::f \xc3\xa9"
        "alice");
  CHECK(scrubber.Scrub("/srv/alice") == "(left out)");
}

TEST_CASE("users are found in the paths of their folders") {
  TextScrubber scrubber;
  scrubber.AddUsersIn("open /home/alice/x and C:\\Users\\bob.smith\\y, /Users/carol/z");
  scrubber.AddUsersIn("/home/nobody");  // the last part may be a file
  scrubber.AddUsersIn("/home//x");
  CHECK(scrubber.words() == std::set<std::string, std::less<>>{"alice", "bob.smith", "carol"});
}

TEST_CASE("of a command line the program's name stays") {
  CHECK(ProgramOfCommand("/bin/sh -c 'cat /etc/x'") == "sh");
  CHECK(ProgramOfCommand("sleep 1") == "sleep");
  CHECK(ProgramOfCommand("").empty());
}

}  // namespace
}  // namespace geckoprof
