#include "events/session.h"

#include <algorithm>
#include <map>

namespace bulkhead {

namespace {

class Summariser {
 public:
  explicit Summariser(std::int64_t owner) : owner_(owner) {}

  void take(const Event& event) {
    if (const auto* started = std::get_if<SessionStarted>(&event)) {
      ours_ = started->pid == owner_;
      if (ours_ && !session_.started) session_.started = *started;
      return;
    }
    if (ours_) std::visit([this](const auto& what) { note(what); }, event);
  }

  Session end() {
    if (!running_.empty()) session_.in_flight = running_.back();
    return std::move(session_);
  }

 private:
  void note(const SessionStarted&) {}
  void note(const Collected& event) {
    session_.collected = event;
    for (const std::string& id : event.tests) ++collected_[id];
  }
  void note(const CollectionFailed& event) { session_.collection_failures.push_back(event); }
  void note(const CollectionSkipped& event) { session_.collection_skips.push_back(event); }
  void note(const TestStarted& event) { running_.push_back(event); }
  void note(const TestFinished& event) {
    const auto same = [&](const TestStarted& started) { return started.id == event.id; };
    const auto started = std::find_if(running_.begin(), running_.end(), same);
    if (started != running_.end()) running_.erase(started);
    std::vector<std::size_t>& places = places_[event.id];
    const auto collected = collected_.find(event.id);
    if (collected != collected_.end() && places.size() >= collected->second) {
      session_.finished_tests[places.back()] = event;
      return;
    }
    places.push_back(session_.finished_tests.size());
    session_.finished_tests.push_back(event);
  }
  void note(const DescriptorsExhausted& event) { session_.exhaustions.push_back(event); }
  void note(const SessionInterrupted& event) { session_.interrupted = event; }
  void note(const InternalError& event) { session_.internal_errors.push_back(event); }
  void note(const SessionFinished& event) { session_.finished_status = event.status; }

  std::int64_t owner_;
  bool ours_ = false;
  Session session_;
  std::map<std::string, std::size_t> collected_;             // id → how often
  std::map<std::string, std::vector<std::size_t>> places_;  // id → its ends in finished_tests
  std::vector<TestStarted> running_;
};

}  // namespace

TestCounts Session::counts() const {
  TestCounts counts;
  for (const TestFinished& test : finished_tests) {
    switch (test.outcome) {
      case TestOutcome::kPassed: ++counts.passed; break;
      case TestOutcome::kFailed: ++counts.failed; break;
      case TestOutcome::kError: ++counts.errors; break;
      case TestOutcome::kSkipped: ++counts.skipped; break;
      case TestOutcome::kXfailed: ++counts.xfailed; break;
      case TestOutcome::kXpassed: ++counts.xpassed; break;
    }
  }
  const auto finished = static_cast<std::int64_t>(finished_tests.size());
  if (collected) {
    counts.collected = static_cast<std::int64_t>(collected->tests.size());
    counts.deselected = collected->deselected;
  }
  // A plugin may run tests that were never collected.
  counts.collected = std::max(counts.collected, finished);
  counts.not_run = counts.collected - finished;
  return counts;
}

Session session_of(const std::vector<Event>& events, std::int64_t pid) {
  const SessionStarted* owner = nullptr;
  for (const Event& event : events) {
    const auto* started = std::get_if<SessionStarted>(&event);
    if (started == nullptr) continue;
    if (started->pid == pid) {
      owner = started;
      break;
    }
    if (owner == nullptr) owner = started;
  }
  Summariser summariser(owner != nullptr ? owner->pid : pid);
  for (const Event& event : events) summariser.take(event);
  return summariser.end();
}

}  // namespace bulkhead
