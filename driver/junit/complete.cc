#include "junit/complete.h"

#include <cmath>
#include <ctime>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "junit/session_cases.h"

namespace bulkhead {

namespace {

using Kind = CaseProblem::Kind;

// ISO 8601 in UTC, from the civil calendar (Howard Hinnant, "chrono-compatible low-level date
// algorithms"): no call into the C library's time zone state.
std::string timestamp_of(double seconds) {
  if (!(seconds > 0) || seconds > 1e11) return {};
  const auto whole = static_cast<std::int64_t>(std::floor(seconds));
  const std::int64_t day = whole / 86400;
  const std::int64_t second = whole % 86400;
  const std::int64_t shifted = day + 719468;
  const std::int64_t era = shifted / 146097;
  const std::int64_t day_of_era = shifted % 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_index = (5 * day_of_year + 2) / 153;
  const std::int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z",
                     year_of_era + era * 400 + (month <= 2 ? 1 : 0), month,
                     day_of_year - (153 * month_index + 2) / 5 + 1, second / 3600,
                     second / 60 % 60, second % 60);
}

// A test across attempts: ids may repeat within one, so the how-manieth counts too.
using TestKey = std::pair<std::string, int>;

std::vector<TestKey> keys_of(const std::vector<SessionCase>& cases) {
  std::map<std::string, int> seen;
  std::vector<TestKey> keys;
  for (const SessionCase& each : cases) {
    // Cases that only the XML has carry no id.
    const std::string name =
        each.id.empty() ? each.test.classname + "\n" + each.test.name : each.id;
    keys.emplace_back(name, seen[name]++);
  }
  return keys;
}

void append_reruns(std::vector<Rerun>& reruns, const TestCase& test, std::size_t attempt) {
  for (const CaseProblem& problem : test.problems) {
    if (problem.kind == Kind::kSkipped) continue;
    Rerun rerun{problem, test.system_out, test.system_err};
    if (rerun.problem.type.empty()) rerun.problem.type = fmt::format("attempt {}", attempt + 1);
    reruns.push_back(std::move(rerun));
  }
}

bool was_not_run(const TestCase& test) {
  return test.problems.size() == 1 && test.problems[0].type == kNotRunType;
}

// Folds the failures of earlier attempts into the cases of the last one.
std::vector<TestCase> fold_attempts(std::vector<std::vector<SessionCase>> attempts,
                                    bool file_failed) {
  std::vector<SessionCase>& last = attempts.back();
  std::map<TestKey, std::size_t> index_of;
  const std::vector<TestKey> last_keys = keys_of(last);
  for (std::size_t i = 0; i < last.size(); ++i) index_of.emplace(last_keys[i], i);

  std::map<std::size_t, std::vector<std::pair<std::size_t, TestCase>>> earlier_failures;
  for (std::size_t attempt = 0; attempt + 1 < attempts.size(); ++attempt) {
    const std::vector<TestKey> keys = keys_of(attempts[attempt]);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      SessionCase& failed = attempts[attempt][i];
      if (!is_failing(failed.test)) continue;
      auto [known, is_new] = index_of.emplace(keys[i], last.size());
      if (is_new) {
        // Not in the last attempt. The file's own case is over with the attempt it failed in; a
        // test that is gone did not pass.
        SessionCase gone{failed.id, failed.test};
        gone.test.problems.clear();
        gone.test.system_out.clear();
        gone.test.system_err.clear();
        if (failed.id != failed.test.file) {
          gone.test.problems.push_back(
              {Kind::kSkipped, "not run: not in the last attempt", kNotRunType, ""});
        }
        last.push_back(std::move(gone));
      }
      earlier_failures[known->second].emplace_back(attempt, std::move(failed.test));
    }
  }

  for (auto& [index, failures] : earlier_failures) {
    TestCase& test = last[index].test;
    const bool failed_for_good = is_failing(test) || (file_failed && was_not_run(test));
    if (!failed_for_good) {
      for (const auto& [attempt, failed] : failures) append_reruns(test.reruns, failed, attempt);
      continue;
    }
    TestCase first = std::move(failures.front().second);
    for (std::size_t i = 1; i < failures.size(); ++i)
      append_reruns(first.reruns, failures[i].second, failures[i].first);
    append_reruns(first.reruns, test, attempts.size() - 1);
    first.time_s = test.time_s;
    test = std::move(first);
  }

  std::vector<TestCase> cases;
  for (SessionCase& each : last) cases.push_back(std::move(each.test));
  return cases;
}

}  // namespace

CompletedReport complete_report(const FileRecord& record) {
  CompletedReport report;
  TestSuite& suite = report.suite;
  suite.name = record.file;
  suite.file = record.file;
  std::vector<std::vector<SessionCase>> attempts;
  for (const AttemptRecord& attempt : record.attempts) {
    SessionCases session = session_cases(attempt, record.file);
    if (!session.xml_error.empty()) {
      report.warnings.push_back(fmt::format("pytest's XML of attempt {} of '{}' is unusable: {}",
                                            attempts.size() + 1, record.file, session.xml_error));
    }
    if (attempts.empty()) suite.timestamp = timestamp_of(attempt.attempt.started_at);
    suite.time_s += attempt.attempt.duration_s;
    suite.properties = std::move(session.properties);
    if (!session.hostname.empty()) suite.hostname = std::move(session.hostname);
    attempts.push_back(std::move(session.cases));
  }
  const bool failed = is_failure(record.outcome);
  if (!attempts.empty()) suite.cases = fold_attempts(std::move(attempts), failed);

  bool shown = false;
  for (const TestCase& test : suite.cases) shown = shown || is_failing(test);
  if (failed && !shown) {
    const std::string word(to_string(record.outcome));
    TestCase whole =
        case_of_file(record.file,
                     {Kind::kError, record.cause.empty() ? word : record.cause, word, ""})
            .test;
    whole.file = record.file;
    suite.cases.push_back(std::move(whole));
  }
  return report;
}

}  // namespace bulkhead
