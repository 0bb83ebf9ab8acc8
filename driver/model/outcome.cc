#include "model/outcome.h"

#include <array>
#include <utility>

namespace bulkhead {

namespace {

constexpr std::array kOutcomes = {
    std::pair{Outcome::kPassed, std::string_view("passed")},
    std::pair{Outcome::kLeaky, std::string_view("leaky")},
    std::pair{Outcome::kFlaky, std::string_view("flaky")},
    std::pair{Outcome::kSkipped, std::string_view("skipped")},
    std::pair{Outcome::kEmpty, std::string_view("empty")},
    std::pair{Outcome::kFailed, std::string_view("failed")},
    std::pair{Outcome::kCollectionError, std::string_view("collection error")},
    std::pair{Outcome::kInterrupted, std::string_view("interrupted")},
    std::pair{Outcome::kInternalError, std::string_view("internal error")},
    std::pair{Outcome::kUsageError, std::string_view("usage error")},
    std::pair{Outcome::kCrashed, std::string_view("crashed")},
    std::pair{Outcome::kTimedOut, std::string_view("timed out")},
    std::pair{Outcome::kInfrastructure, std::string_view("infrastructure")},
};

constexpr std::array kTestOutcomes = {
    std::pair{TestOutcome::kPassed, std::string_view("passed")},
    std::pair{TestOutcome::kFailed, std::string_view("failed")},
    std::pair{TestOutcome::kError, std::string_view("error")},
    std::pair{TestOutcome::kSkipped, std::string_view("skipped")},
    std::pair{TestOutcome::kXfailed, std::string_view("xfailed")},
    std::pair{TestOutcome::kXpassed, std::string_view("xpassed")},
};

template <class Table, class Value>
std::string_view word_of(const Table& table, Value value) {
  for (const auto& [candidate, word] : table) {
    if (candidate == value) return word;
  }
  return {};
}

template <class Value, class Table>
std::optional<Value> value_of(const Table& table, std::string_view wanted) {
  for (const auto& [value, word] : table) {
    if (word == wanted) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Outcome outcome) { return word_of(kOutcomes, outcome); }

std::optional<Outcome> outcome_from_string(std::string_view word) {
  return value_of<Outcome>(kOutcomes, word);
}

bool is_failure(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
    case Outcome::kLeaky:
    case Outcome::kFlaky:
    case Outcome::kSkipped:
    case Outcome::kEmpty:
      return false;
    default:
      return true;
  }
}

std::string_view to_string(TestOutcome outcome) { return word_of(kTestOutcomes, outcome); }

std::optional<TestOutcome> test_outcome_from_string(std::string_view word) {
  return value_of<TestOutcome>(kTestOutcomes, word);
}

bool is_failure(TestOutcome outcome) {
  return outcome == TestOutcome::kFailed || outcome == TestOutcome::kError;
}

}  // namespace bulkhead
