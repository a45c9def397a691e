#include "tools/symbols/symbolizer.h"

#include "tools/text/concat.h"

namespace geckoprof {

SymbolLibrary& Symbolizer::Library(const std::string& path, const std::string& build_id, const HeldFile* held) {
  const auto [entry, is_new] = libraries_.try_emplace({path, build_id, held});
  if (!is_new) return *entry->second;
  entry->second = std::make_unique<SymbolLibrary>(path, build_id, places_, cache_, held);
  SymbolLibrary& library = *entry->second;
  in_order_.push_back(&library);
  switch (library.state()) {
    case SymbolLibrary::State::kLoaded:
      ++counts_.loaded;
      break;
    case SymbolLibrary::State::kFromCacheAlone:
      ++counts_.from_cache_alone;
      break;
    case SymbolLibrary::State::kUnreadable:
      ++counts_.unreadable;
      break;
    case SymbolLibrary::State::kMismatched:
      ++counts_.mismatched;
      break;
  }
  if (library.has_lines()) ++counts_.with_lines;
  return library;
}

SymbolModule* Symbolizer::Module(const std::string& path, const std::string& build_id) {
  return Library(path, build_id).Module();
}

const AddressSymbols* Symbolizer::Find(const std::string& path, const std::string& build_id, uint64_t svma) {
  return FindIn(Library(path, build_id), svma);
}

const AddressSymbols* Symbolizer::FindIn(SymbolLibrary& library, uint64_t svma) {
  if (watcher_) watcher_(library.path());
  const AddressSymbols* found = library.Find(svma);
  if (found == nullptr) ++counts_.unknown_addresses;
  return found;
}

const AddressSymbols* Symbolizer::FindRelative(const std::string& path, const std::string& build_id,
                                               uint64_t relative) {
  return Find(path, build_id, relative + FirstMappedSvma(path, build_id));
}

void Symbolizer::SaveToCache() {
  // A name that stays mangled for its cost may be cheap enough in another run.
  if (places_.demangler->left_mangled() != 0) return;
  for (SymbolLibrary* library : in_order_) library->SaveToCache();
}

std::vector<std::string> Symbolizer::Problems() const {
  std::vector<std::string> problems;
  for (const SymbolLibrary* library : in_order_) {
    for (std::string& problem : library->Problems()) problems.push_back(std::move(problem));
  }
  if (const uint64_t names = places_.demangler->left_mangled(); names != 0) {
    problems.push_back(Concat(names, " names stay mangled, because demangling all of them would cost too much"));
  }
  return problems;
}

}  // namespace geckoprof
