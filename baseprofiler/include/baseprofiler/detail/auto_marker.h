// The marker of a scope, with a payload.
#ifndef GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_
#define GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "baseprofiler/detail/add_marker.h"
#include "baseprofiler/detail/kept_arguments.h"
#include "baseprofiler/detail/kept_name.h"
#include "baseprofiler/marker_abi.h"
#include "baseprofiler/marker_options.h"

namespace geckoprof::internal {

struct NothingWanted {};

// AutoMarker: what a scope's marker is, as it was at the scope's begin; it is recorded at its end.
//
// Room is left for what it is given, a KiB for texts and 2 KiB for lists where it has any, 6 KiB where its type writes
// itself. Nothing is in it where markers were not wanted at the begin.
template <typename Type, bool kHasOwnName, typename... Arguments>
class AutoMarker {
 public:
  AutoMarker(NothingWanted) {}  // NOLINT: implicit: the other side of a ?:
  GECKOPROF_IN_MARKING_FUNCTION_ AutoMarker(geckoprof_marker_site& site, const MarkerName& name,
                                            MarkerOptions&& options, const Arguments&... arguments)
      : site_(&site) {
    State* const state = new (&state_) State(std::move(options), name, arguments...);
    state->options.BeginScope();
  }
  GECKOPROF_IN_MARKING_FUNCTION_ ~AutoMarker() {  // a stack that is captured begins with the scope's function
    if (site_ == nullptr) return;
    if (geckoprof_base_wants_markers() != 0) {
      state_.options.EndScope();
      Add();
    }
    state_.~State();
  }
  AutoMarker(const AutoMarker&) = delete;
  AutoMarker& operator=(const AutoMarker&) = delete;

 private:
  using Kept = KeptArguments<Type, Arguments...>;
  struct State {
    State(MarkerOptions&& given, const MarkerName& name, const Arguments&... arguments)
        : options(std::move(given)), own_name(name.text), kept(arguments...) {}
    MarkerOptions options;
    KeptName<kHasOwnName> own_name;
    Kept kept;
  };

  GECKOPROF_IN_MARKING_FUNCTION_ void Add() {
    const MarkerName name = {state_.own_name.text(), kHasOwnName, state_.kept.was_cut()};
    if constexpr (Kept::kIsWritten) {
      AddWritten<Type>(*site_, name, site_->category_pair, state_.options, state_.kept.Finish());
    } else {
      AddKept(name, std::index_sequence_for<Arguments...>());
    }
  }
  template <size_t... kIndices>
  GECKOPROF_IN_MARKING_FUNCTION_ void AddKept(const MarkerName& name, std::index_sequence<kIndices...>) {
    AddDeclared<Type>(*site_, name, site_->category_pair, state_.options, state_.kept.template Argument<kIndices>()...);
  }

  geckoprof_marker_site* const site_ = nullptr;
  union {
    State state_;
  };
};

template <typename Type, bool kIsLiteral, typename Name, typename... Arguments>
GECKOPROF_IN_MARKING_FUNCTION_ auto KeepMarker(geckoprof_marker_site& site, const Name& name, MarkerOptions&& options,
                                               const Arguments&... arguments) {
  const MarkerName its_name = NameOf<kIsLiteral>(name);
  SetNameOfSite(site, its_name);
  return AutoMarker<Type, !kIsLiteral, Arguments...>(site, its_name, std::move(options), arguments...);
}

}  // namespace geckoprof::internal

#endif  // GECKOPROF_BASEPROFILER_DETAIL_AUTO_MARKER_H_
