#include "events/session.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

namespace bulkhead {
namespace {

std::int64_t& count_for(TestCounts& counts, TestOutcome outcome) {
  switch (outcome) {
    case TestOutcome::kPassed: return counts.passed;
    case TestOutcome::kFailed: return counts.failed;
    case TestOutcome::kError: return counts.errors;
    case TestOutcome::kSkipped: return counts.skipped;
    case TestOutcome::kXfailed: return counts.xfailed;
    case TestOutcome::kXpassed: return counts.xpassed;
  }
  return counts.errors;
}

// Takes the events in their order; `finish` adds up what only the end can tell.
class Summary {
 public:
  // False from the event on that belongs to another process.
  bool take(const SessionStarted& event) {
    if (summary_.started) return event.pid == summary_.pid;
    summary_.started = true;
    summary_.pid = event.pid;
    summary_.python_version = event.python;
    summary_.pytest_version = event.pytest;
    return true;
  }

  bool take(const Collected& event) {
    summary_.collected = true;
    summary_.counts.deselected = event.deselected;
    collected_ = event.tests;
    return true;
  }

  bool take(const CollectionFailed& event) {
    summary_.collection_failures.push_back(event);
    summary_.problems.push_back({event.id, event.file, event.line, event.message});
    return true;
  }

  bool take(const CollectionSkipped& event) {
    summary_.collection_skips.push_back(event);
    add_reason(event.reason);
    return true;
  }

  bool take(const TestStarted& event) {
    started_.insert(event.id);
    forget_in_flight(event.id);
    summary_.in_flight.push_back(event);
    return true;
  }

  bool take(const TestFinished& event) {
    started_.insert(event.id);
    forget_in_flight(event.id);
    const auto [place, first] = outcomes_.try_emplace(event.id, event.outcome);
    if (!first) {
      --count_for(summary_.counts, place->second);
      place->second = event.outcome;
      std::erase_if(summary_.problems,
                    [&](const TestProblem& problem) { return problem.id == event.id; });
    }
    ++count_for(summary_.counts, event.outcome);
    if (is_failure(event.outcome)) {
      summary_.problems.push_back({event.id, event.file, event.line, event.message});
    } else if (event.outcome == TestOutcome::kSkipped) {
      add_reason(event.message);
    }
    return true;
  }

  bool take(const DescriptorsExhausted& event) {
    summary_.descriptors_exhausted.push_back(event);
    return true;
  }

  bool take(const SessionInterrupted& event) {
    summary_.interrupted = event.details;
    return true;
  }

  bool take(const InternalError& event) {
    summary_.internal_errors.push_back(event.details);
    return true;
  }

  bool take(const SessionFinished& event) {
    summary_.status = event.status;
    return true;
  }

  bool started() const { return summary_.started; }

  SessionSummary finish() {
    std::unordered_set<std::string> known;
    for (std::string& id : collected_) {
      const bool new_id = known.insert(id).second;
      if (new_id && !started_.contains(id)) summary_.never_started.push_back(std::move(id));
    }
    for (const std::string& id : started_) known.insert(id);
    summary_.counts.collected = static_cast<std::int64_t>(known.size());
    summary_.counts.not_run =
        summary_.counts.collected - static_cast<std::int64_t>(outcomes_.size());
    return std::move(summary_);
  }

 private:
  void forget_in_flight(const std::string& id) {
    std::erase_if(summary_.in_flight, [&](const TestStarted& test) { return test.id == id; });
  }

  void add_reason(const std::string& reason) {
    std::vector<std::string>& reasons = summary_.skip_reasons;
    if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }

  SessionSummary summary_;
  std::vector<std::string> collected_;
  std::unordered_set<std::string> started_;
  std::unordered_map<std::string, TestOutcome> outcomes_;
};

}  // namespace

SessionSummary summarize(std::span<const Event> events) {
  Summary summary;
  for (const Event& event : events) {
    if (!summary.started() && !std::holds_alternative<SessionStarted>(event)) continue;
    if (!std::visit([&](const auto& one) { return summary.take(one); }, event)) break;
  }
  return summary.finish();
}

}  // namespace bulkhead
