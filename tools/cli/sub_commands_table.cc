#include "tools/cli/sub_commands.h"
#include "tools/cli/view_launch.h"
#include "tools/options/commands.h"

namespace geckoprof {
namespace {

constexpr SubCommand kTable[] = {
#if GECKOPROF_HAS_RECORD
    {"record", "run a program and record it from its first instruction", RecordMain, true},
#endif
#if GECKOPROF_HAS_CTL
    {"ctl", "start, stop, pause and capture the recording of a process that runs", CtlMain},
#endif
#if GECKOPROF_HAS_RECOVER
    {"recover", "make a profile of what a recording left behind", RecoverMain},
#endif
#if GECKOPROF_HAS_TOP
    {"top", "show what a program does while it is being recorded", TopMain},
#endif
    {"symbolicate", "give the addresses in a profile names, lines and inlined functions", SymbolicateMain},
    {"report", "show what a profile says", ReportMain},
    {"compare", "show what changed between profiles, and hold budgets", CompareMain},
#if GECKOPROF_HAS_VIEW
    {"view", "show a profile in the Firefox Profiler, with symbols, source and assembly", LaunchView, true},
#endif
    {"convert", "convert to and from the formats of other profilers", ConvertMain},
    {"merge", "join profiles of several processes or hosts on one clock", MergeMain},
    {"scrub", "take command lines, folders and names of users out of a profile", ScrubMain},
    {"check", "say what the Firefox Profiler would refuse or show wrongly", CheckMain},
    {"completion", "print what a shell needs to complete commands", CompletionMain},
};

}  // namespace

std::span<const SubCommand> SubCommandTable() { return kTable; }

}  // namespace geckoprof
