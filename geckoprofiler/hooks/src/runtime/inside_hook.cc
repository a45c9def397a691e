#include "runtime/inside_hook.h"

namespace geckoprof {

constinit thread_local const InsideHook* t_inside_hook = nullptr;

}  // namespace geckoprof
