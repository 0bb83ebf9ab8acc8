#include "report/entries_on_disk.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "junit/complete.h"
#include "model/json_text.h"
#include "model/layout.h"
#include "platform/environment.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

// Enough of an output log to show why a file failed as a whole.
constexpr std::size_t kOutputTail = 64 * 1024;

struct Started {
  std::string name;
  std::string file;
  std::int64_t pid = 0;
};

Result<Started> read_started(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return propagate(text);
  return read_json(*text, [](const Json& json) {
    return Started{string_at(json, "name"), string_at(json, "file"), integer_at(json, "pid")};
  });
}

// `1`, `2`, … in the entry's folder, in that order.
std::vector<std::string> attempt_folders(const std::string& folder) {
  std::vector<std::pair<long, std::string>> numbered;
  const auto items = list_directory(folder);
  if (!items) return {};
  for (const DirectoryItem& item : *items) {
    const bool digits = !item.name.empty() && item.name.size() < 10 &&
                        item.name.find_first_not_of("0123456789") == std::string::npos;
    if (item.directory && digits) numbered.emplace_back(std::stol(item.name), item.name);
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<std::string> names;
  for (auto& [number, name] : numbered) names.push_back(std::move(name));
  return names;
}

std::string text_or_nothing(const Result<std::string>& text) { return text ? *text : ""; }

TestCounts counts_of(const TestSuite& suite, const std::string& file) {
  TestCounts counts;
  for (const TestCase& test : suite.cases) {
    if (test.name == file) continue;  // stands for the file, and is no test
    ++counts.collected;
    const CaseProblem* problem = strictest_problem(test);
    if (problem == nullptr) {
      ++counts.passed;
    } else if (problem->kind == CaseProblem::Kind::kFailure) {
      ++counts.failed;
    } else if (problem->kind == CaseProblem::Kind::kError) {
      ++counts.errors;
    } else if (problem->type == kNotRunType) {
      ++counts.not_run;
    } else if (problem->type == "pytest.xfail") {
      ++counts.xfailed;
    } else {
      ++counts.skipped;
    }
  }
  return counts;
}

class Reader {
 public:
  explicit Reader(const ReportInputs& inputs) : inputs_(inputs) {
    for (const EntryName& known : inputs.known)
      known_[RunFolder::entry_folder_name(known.file)] = &known;
    if (inputs.expected) {
      for (const EntryName& known : *inputs.expected)
        known_[RunFolder::entry_folder_name(known.file)] = &known;
    }
  }

  void read(const std::string& path, const std::string& folder_name) {
    EntryReport entry;
    entry.folder = path;
    const EntryFolder folder(path);
    name_entry(entry, folder_name, folder);
    if (is_file(folder.junit())) entry.junit = folder.junit();
    if (is_file(folder.result())) {
      read_result(entry, folder);
    } else {
      complete_unfinished(entry, folder);
    }
    found_.entries.push_back(std::move(entry));
  }

  EntriesOnDisk take() { return std::move(found_); }

 private:
  void name_entry(EntryReport& entry, const std::string& folder_name, const EntryFolder& folder) {
    started_ = read_started(folder.started());
    if (started_) {
      entry.name = started_->name;
      entry.file = started_->file;
    } else if (const auto known = known_.find(folder_name); known != known_.end()) {
      entry.name = known->second->name;
      entry.file = known->second->file;
    } else {
      entry.name = folder_name;
      entry.file = folder_name;
    }
  }

  void read_result(EntryReport& entry, const EntryFolder& folder) {
    const Result<std::string> text = read_file(folder.result());
    Result<EntryResult> result = text ? result_from_text(*text) : propagate(text);
    if (!result) {
      entry.state = EntryReport::State::kUnreadable;
      entry.cause = text ? fmt::format("cannot read its result '{}': {}", folder.result(),
                                       result.error().message)
                         : result.error().message;
      found_.extra_suites.push_back(suite_of_fault(entry));
      return;
    }
    entry.name = result->name;
    entry.file = result->file;
    entry.outcome = result->outcome;
    entry.cause = result->cause;
    entry.attempts = std::move(result->attempts);
    for (const Attempt& attempt : entry.attempts) entry.duration_s += attempt.duration_s;
    if (!entry.attempts.empty()) log_of(entry, folder, entry.attempts.back().folder);
    if (entry.junit.empty()) {
      entry.state = EntryReport::State::kUnreadable;
      entry.outcome = Outcome::kInfrastructure;
      entry.cause = fmt::format("its report '{}' is missing", folder.junit());
      found_.extra_suites.push_back(suite_of_fault(entry));
    }
  }

  void complete_unfinished(EntryReport& entry, const EntryFolder& folder) {
    entry.state = EntryReport::State::kDidNotFinish;
    const bool running = started_ && started_->pid > 0 && process_info(started_->pid).has_value();
    entry.cause = running ? fmt::format("is still running as process {}", started_->pid)
                          : "did not finish: its driver ended before it could report";
    FileRecord record{.file = entry.file, .outcome = entry.outcome, .cause = entry.cause};
    for (const std::string& name : attempt_folders(folder.path())) {
      const std::string path = folder.attempt(name);
      AttemptRecord attempt;
      attempt.attempt.cause = entry.cause;
      attempt.attempt.folder = name;
      if (const auto events = read_file(join_path(path, kEventsFile));
          events && inputs_.read_events)
        attempt.events = inputs_.read_events(*events);
      if (auto xml = read_file(join_path(path, kPytestXmlFile))) attempt.pytest_xml = *xml;
      attempt.stacks = text_or_nothing(read_file(join_path(path, kStacksFile)));
      attempt.output_tail = text_or_nothing(read_tail(join_path(path, kOutputFile), kOutputTail));
      log_of(entry, folder, name);
      record.attempts.push_back(std::move(attempt));
    }
    TestSuite suite = complete_report(record).suite;
    if (!record.attempts.empty()) {
      Attempt last = record.attempts.back().attempt;
      last.counts = counts_of(suite, entry.file);
      for (const TestCase& test : suite.cases) {
        if (!is_failing(test) || test.name == entry.file) continue;
        last.problems.push_back({.id = entry.file + "::" + test.name,
                                 .file = "",
                                 .line = test.line,
                                 .message = strictest_problem(test)->message});
      }
      entry.attempts.push_back(std::move(last));
    }
    found_.extra_suites.push_back(std::move(suite));
    entry.junit.clear();  // the suite above stands for it
  }

  static void log_of(EntryReport& entry, const EntryFolder& folder, const std::string& attempt) {
    const std::string path = join_path(folder.attempt(attempt), kOutputFile);
    if (is_file(path)) entry.log = path;
  }

  static TestSuite suite_of_fault(const EntryReport& entry) {
    return complete_report({.file = entry.file,
                            .outcome = Outcome::kInfrastructure,
                            .cause = entry.cause,
                            .attempts = {}})
        .suite;
  }

  const ReportInputs& inputs_;
  std::map<std::string, const EntryName*> known_;
  Result<Started> started_ = fail("");
  EntriesOnDisk found_;
};

}  // namespace

Result<EntriesOnDisk> read_entries(const ReportInputs& inputs) {
  const std::string run = StateFolder(inputs.state).run(inputs.run_id);
  Reader reader(inputs);
  if (!is_directory(run)) return reader.take();
  const auto items = list_directory(run);
  if (!items) return propagate(items);
  for (const DirectoryItem& item : *items) {
    if (item.directory && item.name[0] != '.') reader.read(join_path(run, item.name), item.name);
  }
  return reader.take();
}

}  // namespace bulkhead
