#include "tools/symbols/symbol_library.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tools/text/concat.h"

namespace geckoprof {

SymbolLibrary::SymbolLibrary(std::string path, std::string build_id, const SymbolPlaces& places, SymbolCache* cache,
                             const HeldFile* held)
    : path_(std::move(path)),
      build_id_(std::move(build_id)),
      finder_(places, held),
      cache_(cache != nullptr && SymbolCache::MayHold(path_, build_id_) ? cache : nullptr) {
  if (cache_ != nullptr) cached_ = cache_->Load(build_id_);
  if (cached_ != nullptr && cached_->IsCurrent(finder_.Settings(path_))) {
    writes_cache_ = true;
    return;
  }
  Open();
  const bool has_lines_now = module_ != nullptr && module_->has_lines();
  const bool is_lost = cached_ != nullptr && (module_ == nullptr || (cached_->origin().has_lines && !has_lines_now));
  if (is_lost) {
    UseCacheForLost();
    return;
  }
  cached_ = nullptr;
  if (cache_ == nullptr || module_ == nullptr) return;
  CachedSymbols::Origin origin;
  origin.settings = finder_.Settings(path_);
  origin.first_mapped_svma = module_->first_mapped_svma();
  origin.has_lines = has_lines_now;
  cached_ = std::make_unique<CachedSymbols>(std::move(origin));
  writes_cache_ = true;
}

// What the cache has is of the very build that is asked for, only its files cannot be had any more.
void SymbolLibrary::UseCacheForLost() {
  if (module_ == nullptr) {
    failure_ += ": what was found in it before is from the cache";
    state_ = State::kFromCacheAlone;
  } else {
    failure_ = Concat(path_, ": its debug information is gone: what was found in it before is from the cache");
  }
}

void SymbolLibrary::Open() {
  was_opened_ = true;
  absl::StatusOr<std::unique_ptr<SymbolModule>> module = SymbolModule::Open(path_, build_id_, &finder_);
  if (module.ok()) {
    module_ = *std::move(module);
    return;
  }
  failure_ = std::string(module.status().message());
  if (!writes_cache_) state_ = absl::IsFailedPrecondition(module.status()) ? State::kMismatched : State::kUnreadable;
}

SymbolModule* SymbolLibrary::Module() {
  if (!was_opened_) Open();
  return module_.get();
}

bool SymbolLibrary::has_lines() const {
  if (module_ != nullptr && module_->has_lines()) return true;
  return cached_ != nullptr && cached_->origin().has_lines;
}

uint64_t SymbolLibrary::first_mapped_svma() const {
  if (module_ != nullptr) return module_->first_mapped_svma();
  return cached_ != nullptr ? cached_->origin().first_mapped_svma : 0;
}

const AddressSymbols* SymbolLibrary::Find(uint64_t svma) {
  if (cached_ != nullptr) {
    if (const std::optional<const AddressSymbols*> known = cached_->Find(svma)) return *known;
  }
  SymbolModule* module = Module();
  if (module == nullptr) return nullptr;
  const AddressSymbols* found = module->Find(svma);
  if (writes_cache_) cached_->Add(svma, found);
  return found;
}

std::vector<std::string> SymbolLibrary::Problems() const {
  std::vector<std::string> problems;
  if (!failure_.empty()) problems.push_back(failure_);
  for (std::string& problem : DebugInfoProblems()) problems.push_back(std::move(problem));
  if (module_ == nullptr) return problems;
  for (std::string& problem : module_->Problems()) {
    if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<std::string> SymbolLibrary::DebugInfoProblems() const {
  std::vector<std::string> problems = finder_.problems();
  const auto add = [&](const std::vector<std::string>& more) {
    for (const std::string& problem : more) {
      if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(problem);
    }
  };
  if (module_ != nullptr) add(module_->DebugInfoProblems());
  if (cached_ != nullptr) add(cached_->origin().problems);
  return problems;
}

void SymbolLibrary::SaveToCache() {
  if (!writes_cache_ || !cached_->has_new()) return;
  cached_->AddFiles(finder_.asked_files());
  cached_->AddProblems(DebugInfoProblems());
  if (finder_.server_had_none()) cached_->set_server_had_none();
  cache_->Save(build_id_, *cached_);
}

}  // namespace geckoprof
