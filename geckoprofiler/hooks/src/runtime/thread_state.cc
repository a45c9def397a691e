// The variables that the hooks have in each thread.
#include "runtime/inside_hook.h"
#include "runtime/mapping_end.h"

namespace geckoprof {

constinit thread_local const InsideHook* t_inside_hook = nullptr;
constinit thread_local MappingEnd* t_mapping_end = nullptr;

}  // namespace geckoprof
