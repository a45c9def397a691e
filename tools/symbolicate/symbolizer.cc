#include "tools/symbolicate/symbolizer.h"

#include <algorithm>

namespace geckoprof {

SymbolModule* Symbolizer::Module(const std::string& path, const std::string& build_id) {
  const auto [entry, is_new] = modules_.try_emplace({path, build_id});
  if (!is_new) return entry->second.get();
  absl::StatusOr<std::unique_ptr<SymbolModule>> module = SymbolModule::Open(path, build_id, &finder_);
  if (!module.ok()) {
    ++(absl::IsFailedPrecondition(module.status()) ? counts_.mismatched : counts_.unreadable);
    problems_.emplace_back(module.status().message());
    return nullptr;
  }
  ++counts_.loaded;
  if ((*module)->has_lines()) ++counts_.with_lines;
  loaded_.push_back(module->get());
  entry->second = *std::move(module);
  return entry->second.get();
}

const AddressSymbols* Symbolizer::Find(const std::string& path, const std::string& build_id, uint64_t svma) {
  if (watcher_) watcher_(path);
  SymbolModule* module = Module(path, build_id);
  const AddressSymbols* found = module != nullptr ? module->Find(svma) : nullptr;
  if (found == nullptr) ++counts_.unknown_addresses;
  return found;
}

const AddressSymbols* Symbolizer::FindRelative(const std::string& path, const std::string& build_id,
                                               uint64_t relative) {
  const SymbolModule* module = Module(path, build_id);
  return Find(path, build_id, relative + (module != nullptr ? module->first_mapped_svma() : 0));
}

std::vector<std::string> Symbolizer::Problems() const {
  std::vector<std::string> problems = problems_;
  problems.insert(problems.end(), finder_.problems().begin(), finder_.problems().end());
  for (const SymbolModule* module : loaded_) {
    for (std::string& problem : module->Problems()) problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<std::string> Symbolizer::DebugInfoProblems() const {
  std::vector<std::string> problems = finder_.problems();
  for (const SymbolModule* module : loaded_) {
    for (std::string& problem : module->DebugInfoProblems()) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace geckoprof
