#include "run/log_message.h"

#include <charconv>
#include <optional>

#include "base/strings.h"

namespace bulkhead {

namespace {

// What follows `mark` in `line`, if it begins there.
std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
  if (line.substr(0, mark.size()) != mark) return std::nullopt;
  return line.substr(mark.size());
}

// The number in `NAME:NUMBER: in …`, a place of a traceback in pytest's short style.
std::optional<std::int64_t> place_in(std::string_view line, std::string_view name) {
  const auto in = line.find(": in ");
  if (in == std::string_view::npos) return std::nullopt;
  const auto colon = line.rfind(':', in - 1);
  if (in == 0 || colon == std::string_view::npos) return std::nullopt;
  const std::string_view file = line.substr(0, colon);
  if (name.size() < file.size() || name.substr(name.size() - file.size()) != file)
    return std::nullopt;
  std::int64_t number = 0;
  std::from_chars(line.data() + colon + 1, line.data() + in, number);
  return number;
}

LogMessage conftest_message(std::string_view conftest, const std::vector<std::string_view>& rest) {
  LogMessage message;
  message.file = std::string(conftest);
  std::string_view exception;
  for (const std::string_view line : rest) {
    if (const auto number = place_in(line, conftest)) message.line = *number;
    if (const auto error = after(line, "E ")) exception = trim(*error);
  }
  message.text = "cannot import '" + message.file + "'";
  if (!exception.empty()) message.text += ": " + std::string(exception);
  return message;
}

}  // namespace

std::string last_line(std::string_view log) {
  const std::string_view text = trim(log);
  const auto start = text.rfind('\n');
  return std::string(trim(start == std::string_view::npos ? text : text.substr(start + 1)));
}

LogMessage usage_message(std::string_view log) {
  const std::vector<std::string_view> lines = split(log, '\n');
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (const auto conftest = after(*line, "ImportError while loading conftest '")) {
      const auto end = conftest->rfind('\'');
      return conftest_message(conftest->substr(0, end), {line + 1, lines.end()});
    }
    if (const auto error = after(*line, "ERROR: ")) {
      if (!after(*error, "usage:")) return {.text = std::string(trim(*error))};
    }
    constexpr std::string_view kArgparse = ": error: ";
    if (const auto at = line->find(kArgparse); at != std::string_view::npos)
      return {.text = std::string(trim(line->substr(at + kArgparse.size())))};
  }
  return {.text = last_line(log)};
}

}  // namespace bulkhead
