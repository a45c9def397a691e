#include "geckoprof/config/output_name.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace geckoprof {
namespace {

std::string Rank(const std::vector<const char*>& lines) {
  std::vector<const char*> environment = lines;
  environment.push_back(nullptr);
  return std::string(FindRank(environment.data()));
}

std::string Host(std::string_view name) {
  char text[100];
  TextBuilder builder(text);
  AppendHostName(name, builder);
  return std::string(builder.view());
}

std::string Expanded(std::string_view name, std::string_view rank = "") {
  char text[200];
  TextBuilder builder(text);
  ExpandOutputName(name, rank, 42, builder);
  return std::string(builder.view());
}

TEST_CASE("the rank is that of the launcher, and of Slurm if there is no other") {
  CHECK(Rank({}).empty());
  CHECK(FindRank(nullptr).empty());
  for (const char* line : {"OMPI_COMM_WORLD_RANK=7", "PMIX_RANK=7", "PMI_RANK=7", "MV2_COMM_WORLD_RANK=7",
                           "PALS_RANKID=7", "FLUX_TASK_RANK=7", "SLURM_PROCID=7"}) {
    CHECK(Rank({"A=1", line}) == "7");
  }
  CHECK(Rank({"SLURM_PROCID=0", "OMPI_COMM_WORLD_RANK=12"}) == "12");
  CHECK(Rank({"PMI_RANKS=7", "PMI_RAN=7", "XPMI_RANK=7", "PMI_RANK"}).empty());
}

TEST_CASE("a rank that is no number is none") {
  for (const char* line : {"PMI_RANK=", "PMI_RANK=-1", "PMI_RANK=1/2", "PMI_RANK=../x", "PMI_RANK=1\n",
                           "PMI_RANK=1234567890", "PMI_RANK= 1"}) {
    CHECK(Rank({line}).empty());
    CHECK(Rank({line, "SLURM_PROCID=3"}) == "3");
  }
  CHECK(Rank({"PMI_RANK=123456789"}) == "123456789");
}

TEST_CASE("the name of a host is one part of a path") {
  CHECK(Host("node-7.Cluster") == "node-7.Cluster");
  CHECK(Host("..") == "_.");
  CHECK(Host("../../etc") == "_._.._etc");
  CHECK(Host("a/b\n%p") == "a_b__p");
  CHECK(Host("(none)") == "_none_");
}

TEST_CASE("host, rank and process replace their letters, and other text stays") {
  char host[256] = "";
  REQUIRE(gethostname(host, sizeof host) == 0);
  CHECK(Expanded("/a/%h-%r-%p-%p.json", "3") == "/a/" + Host(host) + "-3-42-42.json");
  CHECK(Expanded("%r") == "0");
  CHECK(Expanded("%") == "%");
  CHECK(Expanded("%%p%") == "%42%");
  CHECK(Expanded("100%x%H") == "100%x%H");
  CHECK(Expanded("").empty());
}

}  // namespace
}  // namespace geckoprof
