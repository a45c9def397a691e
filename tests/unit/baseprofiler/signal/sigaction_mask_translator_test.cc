#include "signal/sigaction_mask_translator.h"

#include <errno.h>
#include <sys/auxv.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

constexpr SigactionMaskTranslator::Use kUse = {SIGURG};
constexpr SigactionMaskTranslator::Use kBothHandled = {SIGURG, false, false};

struct sigaction Action(int flags, bool masks_ours) {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  action.sa_flags = flags;
  sigaddset(&action.sa_mask, SIGUSR2);
  if (masks_ours) sigaddset(&action.sa_mask, SIGURG);
  return action;
}

bool Masks(const struct sigaction& action, int signal) { return sigismember(&action.sa_mask, signal) == 1; }
bool MasksOurs(const struct sigaction& action) { return Masks(action, SIGURG); }

struct Case {
  int signal;
  int flags;
  bool asked;
  bool in_kernel;
};

void Check(SigactionMaskTranslator& masks, const Case& c) {
  INFO("signal " << c.signal << " flags " << c.flags << " asked " << c.asked);
  const struct sigaction in_kernel = masks.ToKernel(Action(c.flags, c.asked), c.signal, kUse);
  CHECK(MasksOurs(in_kernel) == c.in_kernel);
  CHECK(Masks(in_kernel, SIGUSR2));
  struct sigaction shown = in_kernel;
  SigactionMaskTranslator::ToProgram(masks.FindShown(c.signal), shown);
  CHECK(MasksOurs(shown) == c.asked);
  CHECK_FALSE(Masks(shown, SIGWINCH));
}

TEST_CASE("our signal stays open in handlers, but for faults on a stack of their own; shown is what was set") {
  SigactionMaskTranslator masks;
  Check(masks, {SIGUSR1, 0, true, false});
  Check(masks, {SIGUSR1, 0, false, false});
  Check(masks, {SIGUSR1, SA_ONSTACK, true, false});
  Check(masks, {SIGSEGV, 0, true, false});
  Check(masks, {SIGSEGV, SA_ONSTACK, true, true});
  Check(masks, {SIGSEGV, SA_ONSTACK, false, true});
  Check(masks, {SIGBUS, SA_ONSTACK, false, true});
  Check(masks, {SIGSEGV, SA_ONSTACK | SA_NODEFER, false, false});
}

TEST_CASE("with a small stack our signal does not interrupt any handler that may run on it; shown is what was set") {
  SigactionMaskTranslator masks;
  CHECK(masks.ProtectAll());
  CHECK_FALSE(masks.ProtectAll());
  Check(masks, {SIGUSR1, 0, true, false});
  Check(masks, {SIGUSR1, SA_ONSTACK, true, true});
  Check(masks, {SIGUSR1, SA_ONSTACK, false, true});
  Check(masks, {SIGUSR1, SA_ONSTACK | SA_RESTART, false, true});
  Check(masks, {SIGUSR1, SA_ONSTACK | SA_NODEFER, false, false});
  Check(masks, {SIGSEGV, SA_ONSTACK, false, true});
}

TEST_CASE("a protected handler masks the other candidate too, to which the sampler may move meanwhile") {
  SigactionMaskTranslator masks;
  CHECK(Masks(masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, kUse), SIGWINCH));
  CHECK_FALSE(Masks(masks.ToKernel(Action(0, false), SIGUSR1, kUse), SIGWINCH));
  const SigactionMaskTranslator::Use cannot_move = {SIGURG, true, false};
  const struct sigaction in_kernel = masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, cannot_move);
  CHECK(MasksOurs(in_kernel));
  CHECK_FALSE(Masks(in_kernel, SIGWINCH));  // the program's handler of SIGWINCH is not held back
  CHECK(masks.FindShown(SIGSEGV).masked == SignalBit(SIGURG));
}

TEST_CASE("signals do not share what is kept of them") {
  SigactionMaskTranslator masks;
  masks.ToKernel(Action(0, true), SIGUSR1, kUse);
  masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, kUse);
  CHECK(masks.FindShown(SIGUSR1).opened == SignalBit(SIGURG));
  CHECK(masks.FindShown(SIGUSR1).masked == 0);
  CHECK(masks.FindShown(SIGSEGV).opened == 0);
  CHECK(masks.FindShown(SIGSEGV).masked == (SignalBit(SIGURG) | SignalBit(SIGWINCH)));
  CHECK(masks.FindShown(SIGUSR2).opened == 0);
}

TEST_CASE("nothing is kept open where the program handles the signal; fault handlers mask it all the same") {
  SigactionMaskTranslator masks;
  CHECK(MasksOurs(masks.ToKernel(Action(0, true), SIGUSR1, kBothHandled)));
  CHECK(masks.FindShown(SIGUSR1).opened == 0);
  CHECK_FALSE(MasksOurs(masks.ToKernel(Action(0, false), SIGUSR2, kBothHandled)));
  CHECK(MasksOurs(masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, kBothHandled)));
  CHECK(masks.FindShown(SIGSEGV).masked == SignalBit(SIGURG));
  masks.Forget(SIGSEGV);
  CHECK(masks.FindShown(SIGSEGV).masked == 0);
}

TEST_CASE("a handler nests if it runs on an alternate stack and our signal may interrupt it") {
  SigactionMaskTranslator masks;
  struct sigaction ignored = Action(SA_ONSTACK, false);
  ignored.sa_handler = SIG_IGN;
  const struct sigaction on_stack = Action(SA_ONSTACK, false);
  constexpr bool kTranslated = true;
  CHECK_FALSE(masks.NoteHandler(SIGUSR1, ignored, kTranslated));
  CHECK_FALSE(masks.NoteHandler(SIGUSR1, Action(0, false), kTranslated));
  CHECK_FALSE(masks.NoteHandler(SIGSEGV, on_stack, kTranslated));
  CHECK_FALSE(masks.NoteHandler(SIGKILL, on_stack, kTranslated));  // the kernel refuses it
  CHECK_FALSE(masks.may_nest());
  CHECK(masks.NoteHandler(SIGUSR1, on_stack, kTranslated));
  CHECK(masks.may_nest());
  CHECK_FALSE(masks.NoteHandler(SIGUSR2, on_stack, kTranslated));  // not the first
  masks.Forget(SIGUSR2);
  CHECK(masks.may_nest());
  CHECK_FALSE(masks.NoteHandler(SIGUSR1, ignored, kTranslated));
  CHECK_FALSE(masks.may_nest());
}

TEST_CASE("a protected handler does not nest, unless base's hooks do not set it") {
  SigactionMaskTranslator masks;
  masks.ProtectAll();
  const struct sigaction on_stack = Action(SA_ONSTACK, false);
  CHECK_FALSE(masks.NoteHandler(SIGUSR1, on_stack, true));
  CHECK_FALSE(masks.may_nest());
  CHECK(masks.NoteHandler(SIGSEGV, Action(SA_ONSTACK | SA_NODEFER, false), true));
  CHECK_FALSE(masks.NoteHandler(SIGSEGV, on_stack, true));
  CHECK_FALSE(masks.may_nest());
  CHECK(masks.NoteHandler(SIGUSR1, on_stack, false));
}

// A frame of 3,346 bytes, and one of 11,538 with the registers that a process must ask for. AT_MINSIGSTKSZ is 11,952.
constexpr SignalFrame kAmxFrame = {3346, 11538};
constexpr size_t kAmxReportedBytes = 11952;
constexpr size_t kLargestRefusedBytes = kAmxReportedBytes - SignalFrame::kUncheckedBytes;

TEST_CASE("the room on an alternate stack is that for the frame that a process with such a stack may have") {
  const auto room = [&](size_t stack_bytes) { return RoomOn(stack_bytes, kAmxReportedBytes, kAmxFrame); };
  CHECK(room(2048) == SignalStackRoom::kTooSmall);
  CHECK(room(3745) == SignalStackRoom::kTooSmall);
  CHECK(room(3746) == SignalStackRoom::kOneFrame);
  CHECK(room(8192) == SignalStackRoom::kOneFrame);
  CHECK(room(kAmxReportedBytes) == SignalStackRoom::kOneFrame);
}

TEST_CASE("an ample stack has room for a handler of the program between two of the largest frames") {
  const auto room = [&](size_t stack_bytes) { return RoomOn(stack_bytes, kAmxReportedBytes, kAmxFrame); };
  const size_t ample_bytes = 2 * 11538 + 128 + kHandlerStackBytes + 16384;
  CHECK(room(ample_bytes - 1) == SignalStackRoom::kOneFrame);
  CHECK(room(ample_bytes) == SignalStackRoom::kAmple);
}

TEST_CASE("no stack is taken on which the kernel grants the large frame and our handler does not fit below it") {
  // Such a stack ends the program's request for the registers.
  CHECK(RoomOn(kLargestRefusedBytes, kAmxReportedBytes, kAmxFrame) == SignalStackRoom::kOneFrame);
  for (size_t bytes = kLargestRefusedBytes + 1; bytes < 11538 + kHandlerStackBytes; ++bytes) {
    CHECK(RoomOn(bytes, kAmxReportedBytes, kAmxFrame) == SignalStackRoom::kTooSmall);
  }
  // A kernel without 32-bit programs reports less.
  CHECK(RoomOn(11536, 11536, kAmxFrame) == SignalStackRoom::kTooSmall);
  CHECK(RoomOn(11938, 11536, kAmxFrame) == SignalStackRoom::kOneFrame);
}

TEST_CASE("where all frames are alike the kernel's figure is not needed") {
  for (const size_t reported_bytes : {size_t{0}, size_t{3632}}) {
    const SignalFrame frame = {3226, 3226};
    CHECK(RoomOn(3625, reported_bytes, frame) == SignalStackRoom::kTooSmall);
    CHECK(RoomOn(3632, reported_bytes, frame) == SignalStackRoom::kOneFrame);
    CHECK(RoomOn(8192, reported_bytes, frame) == SignalStackRoom::kOneFrame);
    CHECK(RoomOn(32768, reported_bytes, frame) == SignalStackRoom::kAmple);
  }
}

TEST_CASE("a stack that is switched off needs no room") {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  CHECK(RoomOn(none) == SignalStackRoom::kAmple);
  stack_t tiny = {};
  tiny.ss_size = 1024;
  errno = 7;
  CHECK(RoomOn(tiny) == SignalStackRoom::kTooSmall);
  CHECK(errno == 7);
}

#if defined(__x86_64__)

// Figures of processors: CPUID leaf 0xD.
XsaveComponent PlaceOf(uint32_t number) {
  constexpr XsaveComponent kPlaces[] = {{},           {}, {256, 576}, {},         {},          {64, 1088}, {512, 1152},
                                        {1024, 1664}, {}, {8, 2688},  {},         {},          {},         {},
                                        {},           {}, {},         {64, 2752}, {8192, 2816}};
  return kPlaces[number];
}

TEST_CASE("a frame holds the components that a process has without a request") {
  const SignalFrame with_amx = SignalFrameWith(11952, 0x602e7, PlaceOf);
  CHECK(with_amx.usual_bytes == 2816 + 530);
  CHECK(with_amx.largest_bytes == 11008 + 530);
  const SignalFrame with_avx512 = SignalFrameWith(3632, 0x2e7, PlaceOf);
  CHECK(with_avx512.usual_bytes == 2696 + 530);
  CHECK(with_avx512.largest_bytes == with_avx512.usual_bytes);
  CHECK(SignalFrameWith(1776, 0x7, PlaceOf).usual_bytes == 832 + 530);
  CHECK(SignalFrameWith(0, 0x7, PlaceOf).usual_bytes == 832 + 530);
  CHECK(SignalFrameWith(0, 0, PlaceOf).usual_bytes == 576 + 530);
}

TEST_CASE("a kernel that reports more than is known here is believed") {
  const SignalFrame frame = SignalFrameWith(20000, 0x602e7, PlaceOf);
  CHECK(frame.largest_bytes == 20000);
  CHECK(frame.usual_bytes == 20000 - 8192);
}

TEST_CASE("this machine's frame is not larger than what its kernel reports") {
  const size_t reported_bytes = getauxval(AT_MINSIGSTKSZ);
  const SignalFrame frame = ReadSignalFrame(reported_bytes);
  CHECK(frame.usual_bytes >= 576 + 530);
  CHECK(frame.largest_bytes >= frame.usual_bytes);
  if (reported_bytes != 0) CHECK(frame.largest_bytes < reported_bytes + 23);
}

#endif

}  // namespace
}  // namespace geckoprof
