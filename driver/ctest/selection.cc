#include "ctest/selection.h"

#include <algorithm>
#include <array>

#include "model/json_text.h"

namespace bulkhead {

namespace {

enum class Use {
  kKeep,    // selects entries, or says where they are
  kSelect,  // kept too, and narrows
  kDrop,
  kList,
  kUnknown,
};

struct Option {
  std::string_view name;
  Use use;
  int values = 0;  // arguments that follow it
};

// ctest(1) of 3.25 to 4.4. `--name=value` is looked up as `--name`, and takes no further value.
constexpr std::array kOptions = {
    Option{"-R", Use::kSelect, 1},
    Option{"--tests-regex", Use::kSelect, 1},
    Option{"-E", Use::kSelect, 1},
    Option{"--exclude-regex", Use::kSelect, 1},
    Option{"-L", Use::kSelect, 1},
    Option{"--label-regex", Use::kSelect, 1},
    Option{"-LE", Use::kSelect, 1},
    Option{"--label-exclude", Use::kSelect, 1},
    Option{"-I", Use::kSelect, 1},
    Option{"--tests-information", Use::kSelect, 1},
    Option{"-FA", Use::kSelect, 1},
    Option{"--fixture-exclude-any", Use::kSelect, 1},
    Option{"-FS", Use::kSelect, 1},
    Option{"--fixture-exclude-setup", Use::kSelect, 1},
    Option{"-FC", Use::kSelect, 1},
    Option{"--fixture-exclude-cleanup", Use::kSelect, 1},
    Option{"--tests-from-file", Use::kSelect, 1},
    Option{"--exclude-from-file", Use::kSelect, 1},
    Option{"-U", Use::kSelect, 0},
    Option{"--union", Use::kSelect, 0},
    Option{"-F", Use::kSelect, 0},
    Option{"--rerun-failed", Use::kSelect, 0},
    Option{"-C", Use::kKeep, 1},
    Option{"--build-config", Use::kKeep, 1},
    Option{"--test-dir", Use::kDrop, 1},  // CTest has changed into it
    Option{"--preset", Use::kSelect, 1},
    Option{"-N", Use::kList, 0},
    Option{"--show-only", Use::kList, 0},
    Option{"--print-labels", Use::kList, 0},
    Option{"--list-presets", Use::kList, 0},
    Option{"--help", Use::kList, 0},
    Option{"-help", Use::kList, 0},
    Option{"-h", Use::kList, 0},
    Option{"-H", Use::kList, 0},
    Option{"/?", Use::kList, 0},
    Option{"-usage", Use::kList, 0},
    Option{"--version", Use::kList, 0},
    Option{"-version", Use::kList, 0},
    Option{"/V", Use::kList, 0},
    Option{"-S", Use::kUnknown, 1},
    Option{"-SP", Use::kUnknown, 1},
    Option{"--script", Use::kUnknown, 1},
    Option{"--script-new-process", Use::kUnknown, 1},
    Option{"--build-and-test", Use::kUnknown, 0},
    Option{"--dashboard", Use::kUnknown, 1},
    Option{"-M", Use::kDrop, 1},
    Option{"--test-model", Use::kDrop, 1},
    Option{"-A", Use::kDrop, 1},
    Option{"--add-notes", Use::kDrop, 1},
    Option{"--extra-submit", Use::kDrop, 1},
    Option{"-O", Use::kDrop, 1},
    Option{"--output-log", Use::kDrop, 1},
    Option{"--output-junit", Use::kDrop, 1},
    Option{"--repeat", Use::kDrop, 1},
    Option{"--repeat-until-fail", Use::kDrop, 1},
    Option{"--timeout", Use::kDrop, 1},
    Option{"--stop-time", Use::kDrop, 1},
    Option{"--test-load", Use::kDrop, 1},
    Option{"--resource-spec-file", Use::kDrop, 1},
    Option{"--max-width", Use::kDrop, 1},
    Option{"--interactive-debug-mode", Use::kDrop, 1},
    Option{"--test-output-size-passed", Use::kDrop, 1},
    Option{"--test-output-size-failed", Use::kDrop, 1},
    Option{"--test-output-truncation", Use::kDrop, 1},
    Option{"--schedule-random-seed", Use::kDrop, 1},
    Option{"--track", Use::kDrop, 1},
    Option{"--group", Use::kDrop, 1},
    Option{"--http-header", Use::kDrop, 1},
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool begins_with_digit(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

}  // namespace

CtestInvocation read_ctest_command_line(const std::vector<std::string>& command_line) {
  CtestInvocation invocation;
  using Mode = CtestInvocation::Mode;
  bool unknown = false;
  for (std::size_t i = 1; i < command_line.size(); ++i) {
    const std::string& argument = command_line[i];
    const bool has_next = i + 1 < command_line.size();
    if (argument == "--") break;  // the rest goes to the tests
    if (argument == "-j" || argument == "--parallel") {
      // The number is optional from 3.29 on.
      if (has_next && begins_with_digit(command_line[i + 1])) ++i;
      continue;
    }
    if (argument == "-D" || argument == "-T" || argument == "--test-action") {
      const std::string value = has_next ? lower(command_line[++i]) : std::string();
      // `-D name=value` sets a variable; another -D is a dashboard step. `-T test` only says what
      // happens anyway, and the steps around it run no test.
      const bool variable = argument == "-D" && value.find('=') != std::string::npos;
      if (argument == "-D" ? !variable : value == "memcheck") unknown = true;
      continue;
    }
    if (argument == "--stop-on-failure") {
      invocation.stop_on_failure = true;
      continue;
    }
    const auto equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string_view name = std::string_view(argument).substr(0, equals);
    const auto* option = std::ranges::find(kOptions, name, &Option::name);
    if (option == kOptions.end()) continue;  // takes no value: -V, -Q, --progress, …
    if (option->use == Use::kList) invocation.mode = Mode::kList;
    if (option->use == Use::kUnknown) unknown = true;
    const bool keep = option->use == Use::kKeep || option->use == Use::kSelect;
    if (option->use == Use::kSelect) invocation.selects = true;
    if (name == "--rerun-failed" || name == "-F") invocation.by_earlier_run = true;
    if (name == "--preset") invocation.preset = true;
    if (keep) invocation.ask.push_back(argument);
    for (int value = 0; equals == std::string::npos && value < option->values; ++value) {
      if (i + 1 >= command_line.size()) break;
      ++i;
      if (keep) invocation.ask.push_back(command_line[i]);
    }
  }
  if (invocation.mode == Mode::kRun && unknown) invocation.mode = Mode::kUnknown;
  if (invocation.mode == Mode::kRun) {
    invocation.ask.emplace_back("--show-only=json-v1");
  } else {
    invocation.ask.clear();
  }
  return invocation;
}

Result<std::vector<std::string>> names_in_show_only(std::string_view json) {
  return read_json(json, [](const Json& answer) {
    std::vector<std::string> names;
    for (const Json& test : array_at(answer, "tests")) names.push_back(string_at(test, "name"));
    return names;
  });
}

}  // namespace bulkhead
