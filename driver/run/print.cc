#include "run/print.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/strings.h"
#include "model/exit_codes.h"
#include "run/classify.h"

namespace bulkhead {

namespace {

constexpr std::size_t kTail = 8 * 1024;

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::string one_line(std::string_view text, std::string_view token) {
  std::string line = printable(trim(text), token);
  replace_all(line, "\n", " ");
  replace_all(line, "\t", " ");
  return line;
}

std::string indented(std::string_view text) {
  std::string lines;
  for (const std::string_view line : split(text, '\n')) lines += fmt::format("  {}\n", line);
  return lines;
}

std::string measurement(std::string_view name, double value) {
  return fmt::format("<CTestMeasurement type=\"numeric/double\" name=\"{}\">{:g}"
                     "</CTestMeasurement>\n", name, value);
}

bool is_skip(const EntryResult& result) { return exit_code_of(result) == kExitSkipped; }

class Report {
 public:
  Report(const EntryResult& result, const PrintFacts& facts)
      : result_(result), facts_(facts), last_(result.attempts.back()) {}

  std::string text() {
    summary();
    if (is_skip(result_))
      text_ += fmt::format("{} {}\n", facts_.skip_token, line(result_.cause));
    const bool loud = is_failure(result_.outcome);
    if (result_.outcome == Outcome::kFlaky) first_failure();
    if (loud) problems(last_);
    if (!result_.cause.empty() && !is_skip(result_))
      text_ += fmt::format("{}: {}\n", to_string(result_.outcome), line(result_.cause));
    for (const Leftover& left : last_.leftovers)
      text_ += fmt::format("left behind: {} (pid {}, age {:.1f} s)\n", line(left.command), left.pid,
                           left.age_s);
    if (!facts_.stacks.empty() && last_.outcome == Outcome::kTimedOut)
      text_ += "Python stacks at the time limit:\n" +
               indented(printable(trim(facts_.stacks), facts_.skip_token));
    if (loud) output();
    measurements();
    return std::move(text_);
  }

 private:
  std::string line(std::string_view text) const { return one_line(text, facts_.skip_token); }

  void summary() {
    text_ += fmt::format("{}: {}, {} in {:.2f} s (python {}, pytest {})\n", line(result_.file),
                         to_string(result_.outcome), describe(last_.counts), last_.duration_s,
                         line(result_.python_version), line(result_.pytest_version));
  }

  void problems(const Attempt& attempt) {
    for (const TestProblem& problem : attempt.problems)
      text_ += fmt::format("{}:{}: error: {}: {}\n",
                           line(problem.file.empty() ? facts_.path : problem.file),
                           std::max<std::int64_t>(1, problem.line), line(problem.id),
                           line(problem.message));
  }

  void first_failure() {
    const auto failed = std::find_if(result_.attempts.begin(), result_.attempts.end(),
                                     [](const Attempt& a) { return is_failure(a.outcome); });
    if (failed != result_.attempts.end()) problems(*failed);
  }

  void output() {
    const std::string tail = printable(trim(utf8_suffix(facts_.log_tail, kTail)), facts_.skip_token);
    if (!tail.empty()) text_ += "output, its end:\n" + indented(tail);
    text_ += fmt::format("whole output: {}\n", line(facts_.log_path));
    if (!facts_.rerun.empty()) text_ += fmt::format("run it again: {}\n", line(facts_.rerun));
  }

  void measurements() {
    const TestCounts& counts = last_.counts;
    text_ += measurement("tests", static_cast<double>(counts.collected));
    text_ += measurement("passed", static_cast<double>(counts.passed + counts.xpassed));
    text_ += measurement("failed", static_cast<double>(counts.failed + counts.errors));
    text_ += measurement("skipped", static_cast<double>(counts.skipped + counts.xfailed));
    text_ += measurement("descriptors", static_cast<double>(last_.peak_descriptors));
    text_ += measurement("cpu seconds", last_.user_s + last_.system_s);
  }

  const EntryResult& result_;
  const PrintFacts& facts_;
  const Attempt& last_;
  std::string text_;
};

}  // namespace

std::string printable(std::string_view text, std::string_view skip_token) {
  const std::string valid = to_valid_utf8(strip_ansi(text));
  std::string clean;
  clean.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size(); ++at) {
    const auto byte = static_cast<unsigned char>(valid[at]);
    const auto next = static_cast<unsigned char>(at + 1 < valid.size() ? valid[at + 1] : 0);
    if (byte == '\r') continue;
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      clean += "\xEF\xBF\xBD";
    } else if (byte == 0xC2 && next < 0xA0) {  // U+0080..U+009F
      clean += "\xEF\xBF\xBD";
      ++at;
    } else {
      clean += valid[at];
    }
  }
  replace_all(clean, "<CTest", "< CTest");
  replace_all(clean, "<Dart", "< Dart");
  if (!skip_token.empty()) {
    replace_all(clean, std::string(skip_token), "[bulkhead-skip]");
  }
  return clean;
}

std::string entry_report(const EntryResult& result, const PrintFacts& facts) {
  if (result.attempts.empty()) return {};
  return Report(result, facts).text();
}

int exit_code_of(const EntryResult& result) {
  switch (result.outcome) {
    case Outcome::kPassed:
    case Outcome::kLeaky:
    case Outcome::kFlaky:
      return kExitPassed;
    case Outcome::kSkipped:
    case Outcome::kEmpty:
      return kExitSkipped;
    case Outcome::kInfrastructure:
      return kExitInfrastructure;
    default:
      return kExitTestsFailed;
  }
}

void print_report(std::string_view text) {
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written == text.size()) std::fflush(stdout);
}

}  // namespace bulkhead
