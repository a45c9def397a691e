#include "signal/sigaction_mask_translator.h"

#include <errno.h>
#include <sys/auxv.h>

#include <catch2/catch.hpp>

namespace geckoprof {
namespace {

struct sigaction Action(int flags, bool masks_ours) {
  struct sigaction action = {};
  action.sa_flags = flags;
  sigaddset(&action.sa_mask, SIGUSR2);
  if (masks_ours) sigaddset(&action.sa_mask, SIGURG);
  return action;
}

bool MasksOurs(const struct sigaction& action) { return sigismember(&action.sa_mask, SIGURG) == 1; }

struct Case {
  int signal;
  int flags;
  bool asked;
  bool in_kernel;
};

TEST_CASE("our signal stays open in handlers, but for faults on a stack of their own; shown is what was set") {
  const Case cases[] = {
      {SIGUSR1, 0, true, false},          {SIGUSR1, 0, false, false},
      {SIGUSR1, SA_ONSTACK, true, false}, {SIGSEGV, 0, true, false},
      {SIGSEGV, SA_ONSTACK, true, true},  {SIGSEGV, SA_ONSTACK, false, true},
      {SIGBUS, SA_ONSTACK, false, true},  {SIGSEGV, SA_ONSTACK | SA_NODEFER, false, false},
  };
  SigactionMaskTranslator masks;
  for (const Case& c : cases) {
    INFO("signal " << c.signal << " flags " << c.flags << " asked " << c.asked);
    const struct sigaction in_kernel = masks.ToKernel(Action(c.flags, c.asked), c.signal, SIGURG);
    CHECK(MasksOurs(in_kernel) == c.in_kernel);
    CHECK(sigismember(&in_kernel.sa_mask, SIGUSR2) == 1);
    struct sigaction shown = in_kernel;
    SigactionMaskTranslator::ToProgram(masks.FindShown(c.signal), SIGURG, shown);
    CHECK(MasksOurs(shown) == c.asked);
  }
}

TEST_CASE("signals do not share what is kept of them") {
  SigactionMaskTranslator masks;
  masks.ToKernel(Action(0, true), SIGUSR1, SIGURG);
  masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, SIGURG);
  CHECK(masks.FindShown(SIGUSR1).with_ours);
  CHECK_FALSE(masks.FindShown(SIGUSR1).without_ours);
  CHECK(masks.FindShown(SIGSEGV).without_ours);
  CHECK_FALSE(masks.FindShown(SIGUSR2).with_ours);
}

TEST_CASE("nothing is kept open where the program handles the signal; fault handlers mask it all the same") {
  SigactionMaskTranslator masks;
  CHECK(MasksOurs(masks.ToKernel(Action(0, true), SIGUSR1, SIGURG, false)));
  CHECK_FALSE(masks.FindShown(SIGUSR1).with_ours);
  CHECK_FALSE(MasksOurs(masks.ToKernel(Action(0, false), SIGUSR2, SIGURG, false)));
  CHECK(MasksOurs(masks.ToKernel(Action(SA_ONSTACK, false), SIGSEGV, SIGURG, false)));
  CHECK(masks.FindShown(SIGSEGV).without_ours);
  masks.Forget(SIGSEGV);
  CHECK_FALSE(masks.FindShown(SIGSEGV).without_ours);
}

TEST_CASE("a handler nests if it runs on an alternate stack and our signal may interrupt it") {
  SigactionMaskTranslator masks;
  struct sigaction ignored = Action(SA_ONSTACK, false);
  ignored.sa_handler = SIG_IGN;
  struct sigaction handled = Action(SA_ONSTACK, false);
  handled.sa_handler = [](int) {};
  struct sigaction elsewhere = handled;
  elsewhere.sa_flags = 0;
  CHECK_FALSE(masks.NoteHandler(SIGUSR1, ignored));
  CHECK_FALSE(masks.NoteHandler(SIGUSR1, elsewhere));
  CHECK_FALSE(masks.NoteHandler(SIGSEGV, handled));
  CHECK_FALSE(masks.may_nest());
  CHECK(masks.NoteHandler(SIGUSR1, handled));
  CHECK(masks.may_nest());
  CHECK_FALSE(masks.NoteHandler(SIGUSR1, handled));  // not the first
}

// A frame of 3,346 bytes, and one of 11,538 with the registers that a process must ask for. AT_MINSIGSTKSZ is 11,952.
TEST_CASE("the room on an alternate stack is that for the frames that a process with such a stack may have") {
  const SignalFrame frame = {3346, 11538};
  const auto room = [&](size_t stack_bytes) { return RoomOn(stack_bytes, 11952, frame); };
  CHECK(room(2048) == SignalStackRoom::kTooSmall);
  CHECK(room(3745) == SignalStackRoom::kTooSmall);
  CHECK(room(3746) == SignalStackRoom::kOneFrame);
  CHECK(room(7091) == SignalStackRoom::kOneFrame);
  CHECK(room(7092) == SignalStackRoom::kTwoFrames);
  CHECK(room(8192) == SignalStackRoom::kTwoFrames);
  CHECK(room(11952) == SignalStackRoom::kTwoFrames);
}

TEST_CASE("no stack is taken on which the kernel grants the large frame and our handler does not fit below it") {
  const SignalFrame frame = {3346, 11538};
  // Such a stack ends the program's request for the registers.
  CHECK(RoomOn(11952 - SignalFrame::kUncheckedBytes, 11952, frame) == SignalStackRoom::kTwoFrames);
  for (size_t bytes = 11952 - SignalFrame::kUncheckedBytes + 1; bytes < 11538 + kHandlerStackBytes; ++bytes) {
    CHECK(RoomOn(bytes, 11952, frame) == SignalStackRoom::kTooSmall);
  }
  // A kernel without 32-bit programs reports less.
  CHECK(RoomOn(11536, 11536, frame) == SignalStackRoom::kTooSmall);
  CHECK(RoomOn(11938, 11536, frame) == SignalStackRoom::kTwoFrames);
}

TEST_CASE("where all frames are alike the kernel's figure is not needed") {
  for (const size_t reported_bytes : {size_t{0}, size_t{3632}}) {
    const SignalFrame frame = {3226, 3226};
    CHECK(RoomOn(3625, reported_bytes, frame) == SignalStackRoom::kTooSmall);
    CHECK(RoomOn(3632, reported_bytes, frame) == SignalStackRoom::kOneFrame);
    CHECK(RoomOn(8192, reported_bytes, frame) == SignalStackRoom::kTwoFrames);
  }
}

TEST_CASE("a stack that is switched off needs no room") {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  CHECK(RoomOn(none) == SignalStackRoom::kTwoFrames);
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
