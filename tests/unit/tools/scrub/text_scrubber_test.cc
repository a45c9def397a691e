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

TEST_CASE("a path begins behind each byte that is in no name") {
  CHECK(Scrubbed("open \u201c/srv/acme/x\u201d now") == "open \u201cx\u201d now");
  CHECK(Scrubbed("open \u2018/srv/my acme docs/x\u2019 now") == "open \u2018x\u2019 now");
  CHECK(Scrubbed("\u00ab/srv/acme/x\u00bb") == "\u00abx\u00bb");
  CHECK(Scrubbed("open\u00a0/srv/acme/x") == "open\u00a0x");
  CHECK(Scrubbed("[info]/srv/acme/x") == "[info]x");
  CHECK(Scrubbed("(1)/srv/acme/x <2>/srv/acme/y </srv/acme/z>") == "(1)x <2>y <z>");
  CHECK(Scrubbed("pid 12/srv/acme/x 13/home/alice") == "pid 12x 13(left out)");
  CHECK(Scrubbed("loading.../srv/acme/x, done./srv/acme/y") == "loading...x, done.y");
  CHECK(Scrubbed("\x1b[1;31m/srv/acme/x\x1b[0m") == "x");
  CHECK(Scrubbed("\u009b31m/srv/acme/x") == "x");
  CHECK(Scrubbed("\x1b(B\x1b[m/srv/acme/x") == "x");
  CHECK(Scrubbed("[1]C:\\acme\\x") == "[1]x");
  CHECK(Scrubbed("\u201cC:\\acme\\x") == "\u201cx");
}

TEST_CASE("encoded paths are paths") {
  CHECK(Scrubbed("%2Fsrv%2Facme%2fx") == "x");
  CHECK(Scrubbed("a=%2Fsrv%2Facme%2Fx&c=%31") == "a=x&c=1");
  CHECK(Scrubbed("a=%252Fhome%252Falice") == "a=(left out)");
  CHECK(Scrubbed("https%3A%2F%2Fdb7.example%2Fx") == "https://(left out)");
  CHECK(Scrubbed(R"({"f":"\/srv\/acme\/x"})") == R"({"f":"x"})");
  for (const char* text : {"100%25 of a%20b", "\x1b[31mred\x1b[0m", "a\\/b", "%", "%2", "\x1b[", "\x1b[3"}) {
    CHECK(Scrubbed(text) == text);
  }
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
  std::string slashes, quotes, addresses;
  for (int i = 0; i < 200'000; ++i) {
    slashes += "'/a";
    quotes += "\u201c/a/b";
    addresses += "a://";
  }
  CHECK(Scrubbed(slashes).size() < slashes.size());
  CHECK(Scrubbed(quotes).size() < quotes.size());
  CHECK(Scrubbed(addresses).size() < addresses.size());
}

TEST_CASE("many words that begin alike take no long time") {
  TextScrubber scrubber;
  for (int i = 0; i < 50'000; ++i) scrubber.AddWord("user-" + std::to_string(i));
  CHECK(scrubber.Scrub("user-49999 and user-50000") == "(left out) and user-50000");
  scrubber.AddWord(std::string(TextScrubber::kMaxWordBytes, 'a'));
  std::string text, nearly;
  while (text.size() < (1 << 20)) text += "user-50000 aaaa ";
  CHECK(scrubber.Scrub(text) == text);
  while (nearly.size() < TextScrubber::kMaxWordBytes - 2) nearly += "a-";
  scrubber.AddWord(nearly + "a");
  text.clear();
  while (text.size() < (1 << 20)) text += text.size() % 120 == 0 ? "b-" : "a-";
  CHECK(scrubber.Scrub(text) == text);
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
  for (const char* text : {"operator/",
                           "operator/(A const&, B const&)",
                           "a / b",
                           "std::ratio<1l, 2l>::f()",
                           "src/main.cc",
                           "../src/main.cc",
                           "github.com/acme/app.(*T).Run",
                           "foo/bar</baz",
                           "/",
                           "//",
                           "</div>",
                           "std::vector<int>::push_back",
                           "data:",
                           "",
                           "ns::Class::operator()() const",
                           "a::b://",
                           "image/png",
                           "std::filesystem::operator/(path const&)",
                           "src2/lib/main.cc",
                           "lib-2/src/main.cc",
                           "../../a/b",
                           "./a/b",
                           "24/7/365",
                           "\u00e9t\u00e9/x",
                           "video/3gpp",
                           "x[0]/f",
                           "f()/g"}) {
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
  CHECK(scrubber.Scrub("malice alice_init alice2 Alice::f") == "malice alice_init alice2 Alice::f");
  CHECK(scrubber.Scrub("\u201calice\u201d \u00abalice\u00bb x\u00a0alice") ==
        "\u201c(left out)\u201d \u00ab(left out)\u00bb x\u00a0(left out)");
  CHECK(scrubber.Scrub("\x1b[31malice\x1b[0m a=%20alice") == "(left out) a= (left out)");
  CHECK(scrubber.Scrub("/srv/alice") == "(left out)");
  CHECK(scrubber.AddWord("\u00e9lodie"));
  CHECK(scrubber.Scrub("\u00e9lodie x\u00e9lodie \u201c\u00e9lodie\u201d") ==
        "(left out) x\u00e9lodie \u201c(left out)\u201d");
  CHECK(scrubber.AddWord("alice.smith"));
  CHECK(scrubber.Scrub("alice.smith alice.smithy") == "(left out) (left out).smithy");
  CHECK_FALSE(scrubber.AddWord(std::string(TextScrubber::kMaxWordBytes + 1, 'x')));
}

TEST_CASE("users are found in the paths of their folders") {
  TextScrubber scrubber;
  scrubber.AddUsersIn("open /home/alice/x and C:\\Users\\bob.smith\\y, /Users/carol/z");
  scrubber.AddUsersIn("/home/nobody");  // the last part may be a file
  scrubber.AddUsersIn("/home//x");
  scrubber.AddUsersIn("a=%2Fhome%2Fdora%2Fx");
  CHECK(scrubber.Scrub("alice bob.smith carol dora nobody") == "(left out) (left out) (left out) (left out) nobody");
}

TEST_CASE("of a process's name with arguments the first word stays") {
  TextScrubber scrubber;
  scrubber.AddProgram("work --log=/srv/acme/x --key=hunter2");
  CHECK(scrubber.Scrub("work --log=/srv/acme/x --key=hunter2 (12)") == "work (12)");
  CHECK(scrubber.Scrub("work --help") == "work --help");
  const std::string long_name = "job --key=" + std::string(2 * TextScrubber::kMaxWordBytes, 'x');
  scrubber.AddProgram(long_name);
  CHECK(scrubber.Scrub("of " + long_name + " (12)") == "of job");
}

TEST_CASE("of a command line the program's name stays") {
  CHECK(ProgramOfCommand("/bin/sh -c 'cat /etc/x'") == "sh");
  CHECK(ProgramOfCommand("sleep 1") == "sleep");
  CHECK(ProgramOfCommand("'work --key=hunter2' 1") == "work");
  CHECK(ProgramOfCommand("\"/srv/acme/run\" 1") == "run");
  CHECK(ProgramOfCommand("").empty());
}

}  // namespace
}  // namespace geckoprof
