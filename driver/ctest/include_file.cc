#include "ctest/include_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/strings.h"
#include "ctest/names.h"
#include "model/exit_codes.h"

namespace bulkhead {

namespace {

// What a driver needs after the time limit for stacks, reports and its own end.
constexpr double kBackstopMarginS = 10;
constexpr double kFinaliserTimeoutS = 1500;
// Bytes of Python that run in about a second, for files that nobody has timed yet: only the order
// that it gives matters.
constexpr double kBytesASecond = 20'000;

std::string list_of(const std::vector<std::string>& elements) {
  std::vector<std::string> escaped;
  for (const std::string& element : elements) escaped.push_back(list_element(element));
  return join(escaped, ";");
}

std::string seconds(double value) { return fmt::format("{:.3f}", value); }

// CMake splits no list inside square brackets, so an unbalanced one glues its elements together.
bool brackets_balance(std::string_view text) {
  return std::ranges::count(text, '[') == std::ranges::count(text, ']');
}

// CTest's own limit is the backstop for a driver that hangs: all attempts, with their graces.
double backstop_s(const SuiteConfig& config, const EntrySettings& settings) {
  const double timeout = settings.timeout_s.value_or(0);
  if (timeout <= 0) return 0;  // CTest too takes 0 for none
  const double attempt = timeout + config.term_grace_s + config.leak_grace_s + kBackstopMarginS;
  return attempt * (settings.retries.value_or(0) + 1);
}

class Writer {
 public:
  Writer(const Manifest& manifest, const IncludeFileOptions& options)
      : manifest_(manifest), config_(manifest.suite.config), options_(options) {
    std::vector<double> known;
    for (const Entry& entry : manifest.entries) {
      if (entry.cost_s > 0) known.push_back(entry.cost_s);
    }
    std::ranges::sort(known);
    if (!known.empty()) median_cost_ = known[known.size() / 2];
  }

  std::string text() {
    out_ = "# Written by bulkhead; do not edit.\ncmake_minimum_required(VERSION 3.25)\n";
    for (const Entry& entry : manifest_.entries) write_entry(entry);
    write_finaliser();
    return std::move(out_);
  }

 private:
  void begin(const std::string& name, const std::vector<std::string>& command) {
    out_ += "add_test(" + bracket_argument(name);
    for (const std::string& argument : command) out_ += ' ' + bracket_argument(argument);
    out_ += ")\nset_tests_properties(" + bracket_argument(name) + " PROPERTIES";
  }

  void property(std::string_view name, std::string_view value) {
    out_ += "\n  ";
    out_ += name;
    out_ += ' ';
    out_ += bracket_argument(value);
  }

  double cost_of(const Entry& entry) const {
    if (entry.cost_s > 0) return entry.cost_s;
    if (median_cost_ > 0) return median_cost_;
    const auto size = options_.sizes.find(entry.file);
    return size == options_.sizes.end() ? 1 : static_cast<double>(size->second) / kBytesASecond;
  }

  void write_entry(const Entry& entry) {
    const EntrySettings& settings = entry.settings;
    std::vector<std::string> command = config_.launcher;
    command.insert(command.end(), {options_.driver, "exec", options_.state, entry.name});
    begin(entry.name, command);
    property("WORKING_DIRECTORY", config_.root);
    property("TIMEOUT", seconds(backstop_s(config_, settings)));
    property("COST", seconds(cost_of(entry)));
    property("SKIP_RETURN_CODE", std::to_string(kExitSkipped));
    if (!manifest_.suite.skip_token.empty())
      property("SKIP_REGULAR_EXPRESSION", escape_cmake_regex(manifest_.suite.skip_token));
    property("FIXTURES_REQUIRED", fixture_name(config_.name));
    if (!settings.labels.empty()) property("LABELS", list_of(settings.labels));
    if (!settings.locks.empty()) property("RESOURCE_LOCK", list_of(settings.locks));
    if (!settings.resources.empty()) property("RESOURCE_GROUPS", list_of(settings.resources));
    if (settings.processors.value_or(1) > 1)
      property("PROCESSORS", std::to_string(*settings.processors));
    if (settings.serial.value_or(false)) property("RUN_SERIAL", "TRUE");
    // Editors read one of the two; where they point has to be text.
    const std::string path = to_valid_utf8(
        entry.file.starts_with('/') ? entry.file : config_.root + "/" + entry.file);
    property("DEF_SOURCE_LINE", path + ":1");
    if (brackets_balance(path)) property("_BACKTRACE_TRIPLES", list_element(path) + ";1;");
    out_ += ")\n";
  }

  void write_finaliser() {
    begin(finaliser_name(config_.name), {options_.driver, "report", "--finalize", options_.state});
    // Never a folder of CTest's own: commands/report.cc looks for CTest's.
    property("WORKING_DIRECTORY", options_.state);
    property("TIMEOUT", seconds(kFinaliserTimeoutS));
    property("FIXTURES_CLEANUP", fixture_name(config_.name));
    out_ += ")\n";
  }

  const Manifest& manifest_;
  const SuiteConfig& config_;
  const IncludeFileOptions& options_;
  double median_cost_ = 0;
  std::string out_;
};

}  // namespace

std::string include_file_text(const Manifest& manifest, const IncludeFileOptions& options) {
  return Writer(manifest, options).text();
}

std::string ctest_testfile_text(const std::vector<std::string>& discover,
                                const std::string& entries_cmake) {
  std::string text = "# Written by bulkhead; do not edit.\ncmake_minimum_required(VERSION 3.25)\n";
  if (!discover.empty()) {
    text += "execute_process(COMMAND";
    for (const std::string& argument : discover) text += ' ' + bracket_argument(argument);
    // Whatever it prints must stay out of CTest's own output, which may be JSON.
    text +=
        "\n  OUTPUT_VARIABLE bulkhead_output ERROR_VARIABLE bulkhead_output"
        "\n  RESULT_VARIABLE bulkhead_result)\n"
        "if(NOT bulkhead_result EQUAL 0)\n"
        // CMake wraps the lines of a message, paths and all, unless they are indented.
        "  string(REPLACE \"\\n\" \"\\n  \" bulkhead_output \"${bulkhead_output}\")\n"
        "  message(FATAL_ERROR \"\\n  ${bulkhead_output}\")\n"
        "endif()\n";
  }
  text += "include(" + bracket_argument(entries_cmake) + ")\n";
  return text;
}

std::string bracket_argument(std::string_view text) {
  std::string level;
  // A `]==` at the end would close together with the `]` that follows.
  const std::string probe = std::string(text) + "]";
  while (probe.find("]" + level + "]") != std::string::npos) level += '=';
  std::string argument = "[" + level + "[";
  // CMake drops a line end that follows the opening bracket.
  if (text.starts_with('\n')) argument += '\n';
  argument += text;
  argument += "]" + level + "]";
  return argument;
}

std::string list_element(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == ';') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string escape_cmake_regex(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("^$.[]|()*+?\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace bulkhead
