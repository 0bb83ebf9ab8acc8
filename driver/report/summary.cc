#include "report/summary.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "junit/sanitize.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

constexpr std::string_view kRed = "31;1";
constexpr std::string_view kGreen = "32;1";
constexpr std::string_view kYellow = "33;1";
constexpr std::string_view kBold = "1";
constexpr std::string_view kContinuation = "\x80\xBF";  // first and last byte

bool continues(char c) { return c >= kContinuation[0] && c <= kContinuation[1]; }

// Columns, taking each character as one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string seconds(double value) {
  if (value < 60) return fmt::format("{:.1f} s", value);
  const auto whole = static_cast<std::int64_t>(value + 0.5);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

class Summary {
 public:
  Summary(const RunReport& report, const SummaryStyle& style) : report_(report), style_(style) {}

  std::string text() {
    failing("Failures", report_.failed);
    failing("Infrastructure failures", report_.infrastructure);
    list("not run", report_.not_started, kYellow, [](const EntryReport& entry) {
      return entry.cause.substr(0, 9) == "not run: " ? entry.cause.substr(9) : entry.cause;
    });
    list("flaky", report_.flaky, kYellow, first_failure);
    list("leaky", report_.leaky, kYellow, leftovers);
    list("skipped", report_.skipped, "", [](const EntryReport& entry) { return entry.cause; });
    slowest();
    for (const std::string& warning : report_.warnings)
      line(coloured(kYellow, "warning") + ": " + shown(warning));
    closing();
    return std::move(out_);
  }

 private:
  // What passed in the end tells why it did not at first.
  static std::string first_failure(const EntryReport& entry) {
    for (const Attempt& attempt : entry.attempts) {
      if (!is_failure(attempt.outcome)) continue;
      if (attempt.problems.empty()) return attempt.cause;
      const TestProblem& problem = attempt.problems.front();
      return test_name(problem.id, entry.file) + ": " + problem.message;
    }
    return entry.cause;
  }

  static std::string leftovers(const EntryReport& entry) {
    if (entry.attempts.empty() || entry.attempts.back().leftovers.empty()) return entry.cause;
    std::vector<std::string> commands;
    for (const Leftover& leftover : entry.attempts.back().leftovers)
      commands.push_back(fmt::format("{} ({})", leftover.command, leftover.pid));
    return "left " + join(commands, ", ");
  }

  // The node id without the file that stands above it anyway.
  static std::string test_name(const std::string& id, const std::string& file) {
    if (id.rfind(file + "::", 0) == 0) return id.substr(file.size() + 2);
    const std::size_t end = id.find("::");
    return end == std::string::npos ? id : id.substr(end + 2);
  }

  // One line of characters that the terminal takes.
  std::string shown(std::string_view text) const {
    std::string legal = legal_xml_text(text);
    std::replace_if(
        legal.begin(), legal.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; },
        ' ');
    if (style_.characters == SummaryStyle::Characters::kUtf8) return legal;
    std::string ascii;
    for (const char c : legal) {
      if (continues(c)) continue;
      ascii += static_cast<unsigned char>(c) < 0x80 ? c : '?';
    }
    return ascii;
  }

  std::string symbol(std::string_view utf8, std::string_view ascii) const {
    return std::string(style_.characters == SummaryStyle::Characters::kUtf8 ? utf8 : ascii);
  }

  std::string coloured(std::string_view code, const std::string& text) const {
    if (style_.colour == SummaryStyle::Colour::kNone || code.empty()) return text;
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  // `text` within what `used` columns leave of the line.
  std::string fitted(const std::string& text, std::size_t used) const {
    return cut(text, style_.columns > used + 20 ? style_.columns - used : 20);
  }

  std::string bounded(const std::string& text) const { return cut(text, style_.message_limit); }

  std::string cut(const std::string& text, std::size_t room) const {
    if (width_of(text) <= room) return text;
    const std::string ellipsis = symbol("…", "...");
    std::size_t left = room - width_of(ellipsis);
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
      if (continues(text[end])) continue;
      if (left-- == 0) break;
    }
    return std::string(trim(text.substr(0, end))) + ellipsis;
  }

  void line(const std::string& text) { out_ += text + '\n'; }

  std::string relative(const std::string& path) const {
    return shown(report_.root.empty() ? path : relative_to(path, report_.root));
  }

  void failing(std::string_view title, const std::vector<std::size_t>& indexes) {
    if (indexes.empty()) return;
    const std::string rule = symbol("─", "-");
    std::string heading = fmt::format("{} {} ", rule + rule, title);
    while (width_of(heading) < std::min<std::size_t>(style_.columns, 80)) heading += rule;
    line(coloured(kBold, heading));
    for (const std::size_t index : indexes) failing_entry(report_.entries[index]);
  }

  void failing_entry(const EntryReport& entry) {
    line(coloured(kRed, symbol("✗", "x") + " " + shown(entry.file)));
    std::string cause(to_string(entry.outcome));
    if (!entry.cause.empty() && entry.cause != cause) cause += ": " + entry.cause;
    line("  " + bounded(shown(cause)));
    if (!entry.attempts.empty()) problems(entry);
    if (!entry.log.empty()) line("  log:   " + shown(entry.log));
    if (!entry.rerun.empty()) line("  rerun: " + shown(entry.rerun));
    out_ += '\n';
  }

  // What is said of the test that ended its file is the file's cause too.
  static bool said_above(const EntryReport& entry, const TestProblem& problem) {
    return entry.cause.find(problem.message) != std::string::npos;
  }

  void problems(const EntryReport& entry) {
    const std::vector<TestProblem>& problems = entry.attempts.back().problems;
    const std::size_t count = std::min(problems.size(), style_.problems_per_file);
    for (std::size_t i = 0; i < count; ++i) {
      const TestProblem& problem = problems[i];
      std::string where = problem.file.empty() ? shown(entry.file) : relative(problem.file);
      if (problem.line > 0) where += fmt::format(":{}", problem.line);
      if (problem.id.empty() || problem.id == entry.file) {
        // The file itself failed; its cause stands above.
        if (problem.line > 0) {
          line(fmt::format("    {}: {}", where, said_above(entry, problem)
                                                    ? to_string(entry.outcome)
                                                    : bounded(shown(problem.message))));
        }
        continue;
      }
      line(fmt::format("    {}: {}", where, shown(test_name(problem.id, entry.file))));
      if (!problem.message.empty() && !said_above(entry, problem))
        line("      " + bounded(shown(problem.message)));
    }
    if (count < problems.size())
      line(fmt::format("    {} and {} more", symbol("…", "..."), problems.size() - count));
  }

  template <class Describe>
  void list(std::string_view title, const std::vector<std::size_t>& indexes,
            std::string_view colour, Describe describe) {
    if (indexes.empty()) return;
    // A list of one line more would say no less than `and 1 more`.
    const std::size_t limit = indexes.size() == style_.names_per_list + 1
                                  ? indexes.size()
                                  : std::min(indexes.size(), style_.names_per_list);
    line(coloured(colour, fmt::format("{} {}:", count_of(indexes.size(), "file"), title)));
    for (std::size_t i = 0; i < limit; ++i) {
      const EntryReport& entry = report_.entries[indexes[i]];
      const std::string file = shown(entry.file);
      const std::string why = shown(describe(entry));
      line(why.empty() ? "  " + file
                       : fmt::format("  {}: {}", file, fitted(why, width_of(file) + 4)));
    }
    if (limit < indexes.size())
      line(fmt::format("  {} and {} more", symbol("…", "..."), indexes.size() - limit));
  }

  void slowest() {
    // Of files that take no time nobody needs the slowest.
    std::vector<std::string> slow;
    for (const std::size_t index : report_.slowest) {
      const EntryReport& entry = report_.entries[index];
      if (entry.duration_s < 1 || slow.size() == style_.names_per_list) break;
      slow.push_back(fmt::format("{} {}", shown(entry.file), seconds(entry.duration_s)));
    }
    if (slow.empty() || report_.entries.size() < 2) return;
    const std::string all = "slowest: " + join(slow, ", ");
    if (width_of(all) <= style_.columns) {
      line(all);
    } else {
      line("slowest: " + slow[0]);
      for (std::size_t i = 1; i < slow.size(); ++i) line("         " + slow[i]);
    }
  }

  std::string file_totals() const {
    std::vector<std::string> parts;
    for (const Outcome outcome :
         {Outcome::kPassed, Outcome::kFlaky, Outcome::kLeaky, Outcome::kFailed,
          Outcome::kCollectionError, Outcome::kInterrupted, Outcome::kInternalError,
          Outcome::kUsageError, Outcome::kCrashed, Outcome::kTimedOut, Outcome::kInfrastructure,
          Outcome::kSkipped, Outcome::kEmpty}) {
      const std::size_t count = report_.files[static_cast<std::size_t>(outcome)];
      if (count > 0) parts.push_back(fmt::format("{} {}", count, to_string(outcome)));
    }
    if (!report_.not_started.empty())
      parts.push_back(fmt::format("{} not run", report_.not_started.size()));
    return count_of(report_.entries.size(), "file") + ": " + join(parts, ", ");
  }

  std::string test_totals() const {
    const TestCounts& tests = report_.tests;
    std::vector<std::string> parts;
    std::int64_t sum = 0;
    const auto part = [&](std::int64_t count, std::string_view word) {
      sum += count;
      if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
    };
    part(tests.passed, "passed");
    part(tests.failed, "failed");
    part(tests.errors, tests.errors == 1 ? "error" : "errors");
    part(tests.skipped, "skipped");
    part(tests.xfailed, "xfailed");
    part(tests.xpassed, "xpassed");
    part(tests.not_run, "not run");
    std::string text = count_of(static_cast<std::size_t>(sum), "test");
    if (!parts.empty()) text += ": " + join(parts, ", ");
    if (tests.deselected > 0) text += fmt::format(" ({} deselected)", tests.deselected);
    return text;
  }

  void closing() {
    const bool green = report_.exit_code == 0;
    const std::string word =
        green ? symbol("✓ ", "") + "PASSED" : symbol("✗ ", "") + "FAILED";
    const std::string verdict =
        coloured(green ? kGreen : kRed, word) + "  " + shown(report_.verdict);
    const std::string time = seconds(report_.duration_s);
    if (report_.entries.empty()) {
      line(verdict);
      return;
    }
    line(verdict);
    const std::string totals = fmt::format("{}; {}; {}", file_totals(), test_totals(), time);
    if (width_of(totals) <= style_.columns) {
      line(totals);
    } else {
      line(file_totals());
      line(fmt::format("{}; {}", test_totals(), time));
    }
  }

  const RunReport& report_;
  const SummaryStyle& style_;
  std::string out_;
};

}  // namespace

std::string summary_text(const RunReport& report, const SummaryStyle& style) {
  return Summary(report, style).text();
}

}  // namespace bulkhead
