#include "model/entry_result.h"

#include <fmt/format.h>

#include "model/json_text.h"

namespace bulkhead {

namespace {

Json counts_to_json(const TestCounts& counts) {
  return Json{{"collected", counts.collected}, {"deselected", counts.deselected},
              {"passed", counts.passed},       {"failed", counts.failed},
              {"errors", counts.errors},       {"skipped", counts.skipped},
              {"xfailed", counts.xfailed},     {"xpassed", counts.xpassed},
              {"not_run", counts.not_run}};
}

TestCounts counts_from_json(const Json& json) {
  return TestCounts{.collected = integer_at(json, "collected"),
                    .deselected = integer_at(json, "deselected"),
                    .passed = integer_at(json, "passed"),
                    .failed = integer_at(json, "failed"),
                    .errors = integer_at(json, "errors"),
                    .skipped = integer_at(json, "skipped"),
                    .xfailed = integer_at(json, "xfailed"),
                    .xpassed = integer_at(json, "xpassed"),
                    .not_run = integer_at(json, "not_run")};
}

Json end_to_json(const ProcessEnd& end) {
  switch (end.kind) {
    case ProcessEnd::Kind::kExited: return Json{{"kind", "exited"}, {"code", end.code}};
    case ProcessEnd::Kind::kSignaled: return Json{{"kind", "signaled"}, {"signal", end.signal}};
    case ProcessEnd::Kind::kNotStarted: break;
  }
  return Json{{"kind", "not started"}};
}

ProcessEnd end_from_json(const Json& json) {
  const std::string kind = string_at(json, "kind");
  if (kind == "exited") {
    return {.kind = ProcessEnd::Kind::kExited, .code = static_cast<int>(integer_at(json, "code"))};
  }
  if (kind == "signaled") {
    return {.kind = ProcessEnd::Kind::kSignaled,
            .signal = static_cast<int>(integer_at(json, "signal"))};
  }
  if (kind == "not started") return {};
  throw JsonFormatError{fmt::format("'{}' is no way for a process to end", kind)};
}

Outcome outcome_at(const Json& json, const char* key) {
  const std::string word = string_at(json, key);
  const std::optional<Outcome> outcome = outcome_from_string(word);
  if (!outcome) throw JsonFormatError{fmt::format("'{}' is not an outcome", word)};
  return *outcome;
}

Json attempt_to_json(const Attempt& attempt) {
  Json json;
  json["outcome"] = std::string(to_string(attempt.outcome));
  json["cause"] = attempt.cause;
  json["end"] = end_to_json(attempt.end);
  json["started_at"] = attempt.started_at;
  json["duration_s"] = attempt.duration_s;
  json["user_s"] = attempt.user_s;
  json["system_s"] = attempt.system_s;
  json["peak_rss_kib"] = attempt.peak_rss_kib;
  json["peak_descriptors"] = attempt.peak_descriptors;
  json["peak_descriptors_pid"] = attempt.peak_descriptors_pid;
  json["descriptor_limit"] = attempt.descriptor_limit;
  json["counts"] = counts_to_json(attempt.counts);
  json["in_flight"] = attempt.in_flight;
  Json problems = Json::array();
  for (const TestProblem& problem : attempt.problems) {
    problems.push_back({{"id", problem.id},
                        {"file", problem.file},
                        {"line", problem.line},
                        {"message", problem.message}});
  }
  json["problems"] = std::move(problems);
  Json leftovers = Json::array();
  for (const Leftover& leftover : attempt.leftovers) {
    leftovers.push_back(
        {{"pid", leftover.pid}, {"command", leftover.command}, {"age_s", leftover.age_s}});
  }
  json["leftovers"] = std::move(leftovers);
  json["folder"] = attempt.folder;
  return json;
}

Attempt attempt_from_json(const Json& json) {
  Attempt attempt;
  attempt.outcome = outcome_at(json, "outcome");
  attempt.cause = string_at(json, "cause");
  attempt.end = end_from_json(object_at(json, "end"));
  attempt.started_at = number_at(json, "started_at");
  attempt.duration_s = number_at(json, "duration_s");
  attempt.user_s = number_at(json, "user_s");
  attempt.system_s = number_at(json, "system_s");
  attempt.peak_rss_kib = integer_at(json, "peak_rss_kib");
  attempt.peak_descriptors = integer_at(json, "peak_descriptors");
  attempt.peak_descriptors_pid = integer_at(json, "peak_descriptors_pid");
  attempt.descriptor_limit = integer_at(json, "descriptor_limit");
  attempt.counts = counts_from_json(object_at(json, "counts"));
  attempt.in_flight = string_at(json, "in_flight");
  for (const Json& problem : array_at(json, "problems")) {
    attempt.problems.push_back({.id = string_at(problem, "id"),
                                .file = string_at(problem, "file"),
                                .line = integer_at(problem, "line"),
                                .message = string_at(problem, "message")});
  }
  for (const Json& leftover : array_at(json, "leftovers")) {
    attempt.leftovers.push_back({.pid = integer_at(leftover, "pid"),
                                 .command = string_at(leftover, "command"),
                                 .age_s = number_at(leftover, "age_s")});
  }
  attempt.folder = string_at(json, "folder");
  return attempt;
}

EntryResult result_from_json(const Json& json) {
  check_version(json, kResultVersion);
  EntryResult result;
  result.name = string_at(json, "name");
  result.file = string_at(json, "file");
  result.outcome = outcome_at(json, "outcome");
  result.cause = string_at(json, "cause");
  result.python = string_at(json, "python");
  result.python_version = string_at(json, "python_version");
  result.pytest_version = string_at(json, "pytest_version");
  for (const Json& attempt : array_at(json, "attempts"))
    result.attempts.push_back(attempt_from_json(attempt));
  if (result.attempts.empty()) throw JsonFormatError{"'attempts' is empty"};
  return result;
}

}  // namespace

std::string result_to_text(const EntryResult& result) {
  Json json;
  json["version"] = kResultVersion;
  json["name"] = result.name;
  json["file"] = result.file;
  json["outcome"] = std::string(to_string(result.outcome));
  json["cause"] = result.cause;
  json["python"] = result.python;
  json["python_version"] = result.python_version;
  json["pytest_version"] = result.pytest_version;
  Json attempts = Json::array();
  for (const Attempt& attempt : result.attempts) attempts.push_back(attempt_to_json(attempt));
  json["attempts"] = std::move(attempts);
  return dump_json(json) + "\n";
}

Result<EntryResult> result_from_text(std::string_view text) {
  return read_json(text, result_from_json);
}

}  // namespace bulkhead
