#include "run/classify.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/strings.h"
#include "platform/process.h"
#include "run/log_message.h"

namespace bulkhead {

namespace {

constexpr std::string_view kNoSpace = "No space left on device";

// pytest's exit statuses (https://docs.pytest.org/en/stable/reference/exit-codes.html); 6 since 9.1.
enum PytestStatus : std::int64_t {
  kOk = 0,
  kTestsFailed = 1,
  kInterrupted = 2,
  kInternalError = 3,
  kUsageError = 4,
  kNoTests = 5,
  kMaxWarnings = 6,
};

std::string counted(std::int64_t count, std::string_view word) {
  return fmt::format("{} {}", count, word);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string first_line(std::string_view text) {
  return std::string(trim(trim(text).substr(0, trim(text).find('\n'))));
}

class Judge {
 public:
  explicit Judge(const AttemptFacts& facts)
      : facts_(facts), session_(facts.session), counts_(session_.counts()) {}

  Verdict verdict() {
    list_problems();
    decide();
    distrust_damaged_record();
    if (facts_.disk_full && is_failure(verdict_.outcome) && !has_finished_session())
      set(Outcome::kInfrastructure, "disk full: " + verdict_.cause);
    judge_leftovers();
    explain_descriptors();
    complete_problems();
    return std::move(verdict_);
  }

 private:
  bool has_finished_session() const { return session_.finished_status.has_value(); }
  bool signaled() const { return facts_.end.kind == ProcessEnd::Kind::kSignaled; }
  bool has_failed_tests() const { return counts_.failed + counts_.errors > 0; }

  void set(Outcome outcome, std::string cause) {
    verdict_.outcome = outcome;
    verdict_.cause = std::move(cause);
  }

  // ` while running T`, ` during collection`, …: where the session was when it stopped.
  std::string moment() const {
    if (session_.in_flight) return " while running " + session_.in_flight->id;
    if (!session_.started) return " before pytest started";
    if (has_finished_session()) return " after its session had finished";
    if (!session_.collected) return " during collection";
    if (session_.finished_tests.empty()) return " before the first test";
    return counts_.not_run > 0 ? " between two tests" : " after the last test";
  }

  std::string progress() const {
    return fmt::format("{} collected, {} finished", counts_.collected,
                       counts_.collected - counts_.not_run);
  }

  std::string killed() const {
    std::string text = describe(facts_.end);
    // Nobody else here sends it, and the kernel's OOM killer leaves no other trace.
    if (signaled() && signal_name(facts_.end.signal) == "SIGKILL") text += " (out of memory?)";
    return text;
  }

  void list_problems() {
    for (const CollectionFailed& failure : session_.collection_failures)
      verdict_.problems.push_back({failure.id, failure.file, failure.line, failure.message});
    for (const TestFinished& test : session_.finished_tests) {
      if (is_failure(test.outcome))
        verdict_.problems.push_back({test.id, test.file, test.line, test.message});
    }
  }

  void decide() {
    if (facts_.end.kind == ProcessEnd::Kind::kNotStarted && !facts_.start_error.empty())
      return set(Outcome::kInfrastructure, facts_.start_error);
    if (facts_.timed_out)
      return set(Outcome::kTimedOut,
                 fmt::format("timed out after {:g} s{}{}", facts_.timeout_s, moment(),
                             facts_.was_suspended ? ", its process stopped by a signal" : ""));
    if (!facts_.stopped.empty())
      return set(Outcome::kInterrupted, facts_.stopped + moment());
    if (!session_.started) return decide_without_session();
    if (!has_finished_session()) return decide_unfinished();
    decide_finished();
  }

  // What is missing from the record may have been a failure.
  void distrust_damaged_record() {
    if (facts_.record_error.empty() || verdict_.cause == facts_.record_error) return;
    if (is_failure(verdict_.outcome)) {
      verdict_.cause += "; " + facts_.record_error;
    } else {
      set(Outcome::kInfrastructure, facts_.record_error);
    }
  }

  // pytest, or our plugin in it, never came up.
  void decide_without_session() {
    const std::string& log = facts_.log_tail;
    if (signaled())
      return set(Outcome::kCrashed, killed() + (facts_.record_error.empty() ? moment() : ""));
    if (!facts_.record_error.empty())
      return set(Outcome::kInfrastructure, facts_.record_error);
    if (contains(log, "No module named pytest") && facts_.end.code == 1)
      return set(Outcome::kInfrastructure,
                 fmt::format("pytest is not importable by '{}'", facts_.python));
    if (contains(log, kNoSpace))
      return set(Outcome::kInfrastructure, "disk full: " + last_line(log));
    if (facts_.end.code == kUsageError) return usage_error();
    std::string why = last_line(log);
    if (!why.empty()) why = ": " + why;
    if (facts_.end.code == kOk || contains(log, "bulkhead_plugin"))
      return set(Outcome::kInfrastructure,
                 fmt::format("the Bulkhead plugin did not load ({}){}", describe(facts_.end), why));
    set(Outcome::kInfrastructure, fmt::format("'{}' ended before pytest started ({}){}",
                                              facts_.python, describe(facts_.end), why));
  }

  void decide_unfinished() {
    if (signaled()) return set(Outcome::kCrashed, killed() + moment());
    if (facts_.end.code == kUsageError) return usage_error();
    if (!session_.internal_errors.empty()) return internal_error();
    if (session_.interrupted && facts_.end.code == kInterrupted) return interrupted();
    set(Outcome::kCrashed, fmt::format("exited {} without finishing its report{}",
                                       facts_.end.code, moment()));
  }

  void decide_finished() {
    const std::int64_t announced = *session_.finished_status;
    if (signaled() && !has_failed_tests() && session_.collection_failures.empty())
      return set(Outcome::kCrashed, killed() + moment());
    std::string mask;  // where the process's end hides what the session said
    if (signaled()) {
      mask = ", then " + describe(facts_.end);
    } else if (facts_.end.code != announced) {
      mask = fmt::format(", though its exit status was {}", facts_.end.code);
    }
    decide_by_status(announced, mask);
    if (!is_failure(verdict_.outcome) && facts_.end.code != kOk && facts_.end.code != announced)
      set(Outcome::kCrashed, fmt::format("exited {} after its session had finished with status {}",
                                         facts_.end.code, announced));
  }

  void decide_by_status(std::int64_t status, const std::string& mask) {
    switch (status) {
      case kOk: return decide_success();
      case kTestsFailed: return failed(mask);
      case kInterrupted:
        if (!session_.collection_failures.empty()) return collection_error(mask);
        return interrupted();
      case kInternalError:
        // Since 8.0 pytest ends so where a module calls sys.exit.
        if (session_.internal_errors.empty() && !session_.collection_failures.empty())
          return collection_error(mask);
        return internal_error();
      case kUsageError: return usage_error();
      case kNoTests: return nothing_ran(mask);
      case kMaxWarnings:
        if (has_failed_tests()) return failed(mask);
        return set(Outcome::kFailed, "more warnings than --max-warnings allows" + mask);
      default:
        if (has_failed_tests()) return failed(fmt::format(", unexpected status {}", status));
        return set(Outcome::kFailed, fmt::format("unexpected status {}{}", status, mask));
    }
  }

  void decide_success() {
    if (has_failed_tests()) return failed(", though its status was 0");
    if (!session_.collection_failures.empty()) return collection_error(", though its status was 0");
    if (!session_.internal_errors.empty()) return internal_error();
    if (!session_.collected || counts_.not_run > 0)
      return set(Outcome::kInterrupted, "session ended early: " + progress() + reason());
    if (counts_.collected == 0) return nothing_ran("");
    if (counts_.skipped == counts_.collected) return set(Outcome::kSkipped, skip_reason());
    set(Outcome::kPassed, "");
  }

  // ` (pytest.exit: stop here)`: what pytest said of an interruption.
  std::string reason() const {
    return session_.interrupted ? " (" + first_line(session_.interrupted->details) + ")" : "";
  }

  void failed(const std::string& mask) {
    if (!has_failed_tests()) {
      if (!session_.collection_failures.empty()) return collection_error(mask);
      return set(Outcome::kFailed, "exit status 1 although no test failed" + mask);
    }
    set(Outcome::kFailed, describe(counts_) + mask);
  }

  void collection_error(const std::string& mask) {
    const CollectionFailed& first = session_.collection_failures.front();
    set(Outcome::kCollectionError, "cannot collect " + first.id + ": " + first.message + mask);
  }

  void interrupted() {
    std::string cause = "interrupted" + moment();
    if (!session_.in_flight) cause = "session ended early: " + progress();
    set(Outcome::kInterrupted, cause + reason());
  }

  void internal_error() {
    std::string_view details;
    for (const InternalError& error : session_.internal_errors) {
      if (details.empty() || details.substr(0, 9) == "bulkhead:") details = error.details;
    }
    if (details.substr(0, 9) == "bulkhead:")  // the plugin's own
      return set(Outcome::kInfrastructure,
                 (contains(details, kNoSpace) ? "disk full: " : "") + first_line(details.substr(9)));
    const std::string last = last_line(details);
    set(Outcome::kInternalError, last.empty() ? "pytest failed inside" : last);
  }

  void usage_error() {
    const LogMessage message = usage_message(facts_.log_tail);
    verdict_.problems.push_back({facts_.file, message.file.empty() ? facts_.path : message.file,
                                 message.line, message.text});
    set(Outcome::kUsageError, message.text.empty() ? "pytest refused its options" : message.text);
  }

  // Status 5, or 0 with nothing collected.
  void nothing_ran(const std::string& mask) {
    if (!session_.collection_failures.empty()) return collection_error(mask);
    if (has_failed_tests()) return failed(mask);
    if (!session_.collection_skips.empty())
      return set(Outcome::kSkipped, session_.collection_skips.front().reason);
    if (counts_.collected > 0)
      return set(Outcome::kInterrupted, "session ended early: " + progress() + reason());
    const std::string why = counts_.deselected > 0 ? counted(counts_.deselected, "deselected")
                                                   : "no tests in this file";
    switch (facts_.on_empty) {
      case EmptyPolicy::kSkip: return set(Outcome::kEmpty, why);
      case EmptyPolicy::kPass: return set(Outcome::kPassed, why);
      case EmptyPolicy::kFail: return set(Outcome::kFailed, why + " (on-empty = fail)");
    }
  }

  std::string skip_reason() const {
    std::string reason;
    for (const TestFinished& test : session_.finished_tests) {
      if (!reason.empty() && test.message != reason)
        return fmt::format("{} skipped for different reasons",
                           count_of(session_.finished_tests.size(), "test"));
      reason = test.message;
    }
    return reason.empty() ? "every test was skipped" : reason;
  }

  void judge_leftovers() {
    if (facts_.leftovers.empty() || is_failure(verdict_.outcome)) return;
    const Leftover& first = facts_.leftovers.front();
    const std::string what =
        fmt::format("left {} behind: {} (pid {})",
                    facts_.leftovers.size() == 1
                        ? std::string("1 process")
                        : fmt::format("{} processes", facts_.leftovers.size()),
                    first.command, first.pid);
    if (facts_.on_leak == LeakPolicy::kFail) {
      set(Outcome::kFailed, what + " (on-leak = fail)");
    } else if (verdict_.outcome == Outcome::kPassed) {
      set(Outcome::kLeaky, what);
    } else {
      verdict_.cause += "; " + what;
    }
  }

  void explain_descriptors() {
    if (!is_failure(verdict_.outcome)) return;
    if (!session_.exhaustions.empty()) {
      const DescriptorsExhausted& first = session_.exhaustions.front();
      const std::int64_t peak = std::max(facts_.peak_descriptors, first.open);
      if (first.error == "ENFILE") {
        machine_exhausted();
      } else {
        verdict_.cause += fmt::format(
            "; out of descriptors ({}): RLIMIT_NOFILE (soft) of process {} is {}, it had {} open, "
            "the peak was {}",
            first.error,
            first.pid, first.limit,
            first.open < 0 ? std::string("an unknown number") : std::to_string(first.open), peak);
      }
      return;
    }
    const auto says = [this](std::string_view what) {
      return std::any_of(
                 session_.finished_tests.begin(), session_.finished_tests.end(),
                 [&](const TestFinished& test) {
                   return is_failure(test.outcome) &&
                          (contains(test.message, what) || contains(test.details, what));
                 }) ||
             std::any_of(session_.collection_failures.begin(), session_.collection_failures.end(),
                         [&](const CollectionFailed& failure) {
                           return contains(failure.message, what) ||
                                  contains(failure.details, what);
                         }) ||
             (!has_finished_session() && contains(facts_.log_tail, what));
    };
    if (says("Too many open files in system")) {
      machine_exhausted();
    } else if (says("Too many open files")) {
      verdict_.cause += fmt::format(
          "; out of descriptors (EMFILE): RLIMIT_NOFILE (soft) of process {} is {}, the peak seen was "
          "{} in process {}",
          session_.started ? session_.started->pid : facts_.pid, facts_.descriptor_limit,
          facts_.peak_descriptors, facts_.peak_descriptors_pid);
    }
  }

  void machine_exhausted() {
    verdict_.cause += fmt::format(
        "; out of descriptors (ENFILE): the machine's limit on open files (fs.file-max) is {}, the "
        "peak seen in one process was {}",
        facts_.machine_descriptor_limit, facts_.peak_descriptors);
  }

  void complete_problems() {
    if (!is_failure(verdict_.outcome)) return;
    if (session_.in_flight) {
      const TestStarted& test = *session_.in_flight;
      verdict_.problems.push_back({test.id, test.file, test.line, verdict_.cause});
    }
    const bool own_words = verdict_.outcome == Outcome::kCrashed ||
                           verdict_.outcome == Outcome::kTimedOut ||
                           verdict_.outcome == Outcome::kInternalError ||
                           verdict_.outcome == Outcome::kInfrastructure;
    if (verdict_.problems.empty() || (own_words && !session_.in_flight))
      verdict_.problems.push_back({facts_.file, facts_.path, 0, verdict_.cause});
  }

  const AttemptFacts& facts_;
  const Session& session_;
  TestCounts counts_;
  Verdict verdict_;
};

}  // namespace

std::string describe(const TestCounts& counts) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::int64_t count, std::string_view word) {
    if (count > 0) parts.push_back(counted(count, word));
  };
  add(counts.failed, "failed");
  add(counts.errors, counts.errors == 1 ? "error" : "errors");
  add(counts.passed, "passed");
  add(counts.skipped, "skipped");
  add(counts.xfailed, "xfailed");
  add(counts.xpassed, "xpassed");
  add(counts.not_run, "not run");
  add(counts.deselected, "deselected");
  return parts.empty() ? "no tests" : join(parts, ", ");
}

Verdict classify(const AttemptFacts& facts) { return Judge(facts).verdict(); }

}  // namespace bulkhead
