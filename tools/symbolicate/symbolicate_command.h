#ifndef GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATE_COMMAND_H_
#define GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATE_COMMAND_H_

#include <span>
#include <string>

namespace geckoprof {

// `geckoprof symbolicate ...`: args[0] is "symbolicate". Returns the exit status: 0, 1, 2 (wrong use).
int SymbolicateMain(std::span<char* const> args);

// Where the result goes if nobody says: "a.json.gz" and "a.json" give "a.syms.json.gz", beside the input.
std::string SymbolicatedName(const std::string& input);

}  // namespace geckoprof

#endif  // GECKOPROF_TOOLS_SYMBOLICATE_SYMBOLICATE_COMMAND_H_
