#include "tools/check/profile_checker.h"

#include "tools/check/gecko_rules.h"
#include "tools/check/processed_rules.h"
#include "tools/check/value_checker.h"
#include "tools/profile/profile_loader.h"
#include "tools/text/concat.h"

namespace geckoprof {
namespace {

std::string Describe(std::string_view format, JsonView version, size_t threads, size_t processes) {
  return Concat(format, " ", version.AsInteger().value_or(0), ", ", threads,
                threads == 1 ? " thread in " : " threads in ", processes, processes == 1 ? " process" : " processes");
}

}  // namespace

ProfileVerdict CheckProfile(const JsonDocument& document, size_t limit) {
  ProfileVerdict verdict{"", FaultList(limit)};
  ValueChecker checker(&verdict.faults);
  const JsonView profile = ProfileRoot(document);
  const JsonView meta = profile["meta"];
  if (FormatOf(profile) == ProfileFormat::kGecko) {
    GeckoRules rules(&checker);
    rules.Check(profile);
    verdict.description = Describe("gecko", meta["version"], rules.threads(), rules.processes());
  } else {
    ProcessedRules rules(profile, &checker);
    rules.Check();
    verdict.description = Describe("processed", meta["preprocessedProfileVersion"], rules.threads(), rules.processes());
  }
  return verdict;
}

}  // namespace geckoprof
