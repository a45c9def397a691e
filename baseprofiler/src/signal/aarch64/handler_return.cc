#include "signal/handler_return.h"

namespace geckoprof {

void UseOwnHandlerReturn(int) {}
void ShowHandlerReturnOfLibc(struct sigaction&) {}

}  // namespace geckoprof
