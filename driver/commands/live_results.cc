#include "commands/live_results.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "model/layout.h"
#include "platform/files.h"
#include "run/print.h"

namespace bulkhead {

namespace {

constexpr std::size_t kProblemsShown = 5;

std::string counts_text(const TestCounts& counts) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view word) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", count, word);
  };
  add(counts.failed, "failed");
  add(counts.errors, "in error");
  add(counts.passed, "passed");
  add(counts.skipped, "skipped");
  add(counts.xfailed, "xfailed");
  add(counts.xpassed, "xpassed");
  add(counts.not_run, "not run");
  return text;
}

}  // namespace

std::string live_line(const EntryResult& result, std::size_t done, std::size_t expected,
                      const std::string& root) {
  double seconds = 0;
  for (const Attempt& attempt : result.attempts) seconds += attempt.duration_s;
  const Attempt& last = result.attempts.back();
  std::string facts = counts_text(last.counts);
  const bool says_cause = result.outcome != Outcome::kPassed && result.outcome != Outcome::kFailed;
  if (says_cause && !result.cause.empty()) facts += (facts.empty() ? "" : "; ") + result.cause;
  const std::string width = std::to_string(expected);
  std::string line = fmt::format("[{:>{}}/{}] {:<7} {}", done, width.size(), expected,
                                 to_string(result.outcome), result.file);
  if (!facts.empty()) line += ": " + facts;
  line += fmt::format(" ({:.2f} s)\n", seconds);
  std::size_t shown = 0;
  for (const TestProblem& problem : last.problems) {
    if (++shown > kProblemsShown) {
      line += fmt::format("    and {} more\n", last.problems.size() - kProblemsShown);
      break;
    }
    std::string_view test = problem.id;
    const auto colons = test.find("::");
    if (colons != std::string_view::npos) test.remove_prefix(colons + 2);
    if (problem.line > 0)
      line += fmt::format("    {}:{}: {}", relative_to(problem.file, root), problem.line, test);
    else
      line += fmt::format("    {}", test);
    if (result.cause.find(problem.message) == std::string::npos) line += ": " + problem.message;
    line += '\n';
  }
  return line;
}

void LiveResults::poll() {
  const auto items = list_directory(run_);
  if (!items) return;
  for (const DirectoryItem& item : *items) {
    if (!item.directory || seen_.contains(item.name)) continue;
    const Result<std::string> text = read_file(EntryFolder(join_path(run_, item.name)).result());
    if (!text) continue;
    seen_.insert(item.name);
    const Result<EntryResult> result = result_from_text(*text);
    if (!result) continue;  // the report says so
    print_report(printable(live_line(*result, seen_.size(), expected_, root_), ""));
  }
}

}  // namespace bulkhead
