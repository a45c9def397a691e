#ifndef GECKOPROF_GECKOPROFILER_HANDOVER_LIBRARY_LIFETIME_H_
#define GECKOPROF_GECKOPROFILER_HANDOVER_LIBRARY_LIFETIME_H_

namespace geckoprof {

// LibraryLifetime: what happens to this library from outside: it is loaded, the process forks, and it goes away, by
// dlclose or with the process. Called by the loader: Context: its lock is held.
struct LibraryLifetime {
  static void OnLoad();
  static void OnUnload();  // hands back first
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKOPROFILER_HANDOVER_LIBRARY_LIFETIME_H_
