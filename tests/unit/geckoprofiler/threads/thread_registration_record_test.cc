#include "thread_registration_record.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "catch2/catch.hpp"
#include "geckoprofiler/thread_data_lock.h"

namespace geckoprof {
namespace {

std::unique_ptr<ThreadRegistrationRecord> MakeRecord() {
  return std::make_unique<ThreadRegistrationRecord>(
      ThreadRegistrationInfo("record", ThreadId::FromNumber(5), false, 100), nullptr, 7, false);
}

TEST_CASE("record: its end gives up what others keep in it") {
  const auto record = MakeRecord();
  const auto data = std::make_shared<int>(1), context = std::make_shared<int>(2);
  CHECK(record->SetRecordingData(data) == nullptr);
  CHECK(record->SetLanguageContext(context) == nullptr);
  CHECK(record->IsRegistered());
  record->End();
  CHECK_FALSE(record->IsRegistered());
  CHECK(data.use_count() == 1);
  CHECK(context.use_count() == 1);
}

TEST_CASE("record: its end waits for who holds the data lock") {
  const auto record = MakeRecord();
  std::atomic<bool> has_lock{false};
  bool was_registered = false;
  std::thread holder([&] {
    const ThreadDataLock lock(*record);
    has_lock = true;
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    was_registered = record->IsRegistered();
  });
  while (!has_lock) std::this_thread::yield();
  record->End();
  // The holder was done before, or this is a race on was_registered.
  CHECK(was_registered);
  holder.join();
}

TEST_CASE("record: its end does not wait for the calling thread") {
  const auto record = MakeRecord();
  const ThreadDataLock lock(*record);
  record->End();
  CHECK_FALSE(record->IsRegistered());
}

TEST_CASE("record: in a forked child it has another id and is the main thread's") {
  const auto record = MakeRecord();
  record->lock().Lock();  // by a thread that does not exist there
  record->AdoptInForkedChild(ThreadId::FromNumber(6));
  record->lock().Lock();
  record->lock().Unlock();
  CHECK(record->Info().ThreadId() == ThreadId::FromNumber(6));
  CHECK(record->Info().IsMainThread());
  CHECK(std::string(record->Info().Name()) == "record");
  CHECK(record->Info().RegisterTimeNs() == 100);
}

}  // namespace
}  // namespace geckoprof
