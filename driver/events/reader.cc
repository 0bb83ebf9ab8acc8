#include "events/reader.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "platform/files.h"

namespace bulkhead {
namespace {

using Json = nlohmann::json;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The value of the `\uXXXX` escape at `at`, or -1.
int unicode_escape(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int value = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool is_high_surrogate(int value) { return value >= 0xD800 && value <= 0xDBFF; }
bool is_low_surrogate(int value) { return value >= 0xDC00 && value <= 0xDFFF; }

// `line` with every escape of a lone surrogate replaced by `\ufffd`: the JSON parser refuses them.
std::string without_lone_surrogates(std::string_view line) {
  std::string result;
  result.reserve(line.size());
  std::size_t i = 0;
  while (i < line.size()) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      result += line[i++];
      continue;
    }
    const int value = unicode_escape(line, i);
    if (value < 0) {  // another escape: both its bytes, so that `\\u` is not taken for one
      result += line.substr(i, 2);
      i += 2;
    } else if (is_high_surrogate(value) && is_low_surrogate(unicode_escape(line, i + 6))) {
      result += line.substr(i, 12);
      i += 12;
    } else {
      const bool lone = is_high_surrogate(value) || is_low_surrogate(value);
      result += lone ? std::string_view("\\ufffd") : line.substr(i, 6);
      i += 6;
    }
  }
  return result;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t integer_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return 0;
  }
  return found->get<std::int64_t>();
}

double number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::optional<Event> collected_of(const Json& object) {
  Collected collected;
  collected.deselected = integer_of(object, "deselected");
  const auto tests = object.find("tests");
  if (tests == object.end() || !tests->is_array()) return std::nullopt;
  for (const Json& test : *tests) {
    if (!test.is_string()) return std::nullopt;
    collected.tests.push_back(test.get<std::string>());
  }
  return collected;
}

std::optional<Event> finished_of(const Json& object) {
  const std::optional<TestOutcome> outcome = test_outcome_from_string(text_of(object, "outcome"));
  if (!outcome) return std::nullopt;
  TestFinished finished;
  finished.id = text_of(object, "id");
  finished.outcome = *outcome;
  finished.duration_s = number_of(object, "duration_s");
  finished.file = text_of(object, "file");
  finished.line = integer_of(object, "line");
  finished.message = text_of(object, "message");
  finished.details = text_of(object, "details");
  finished.output = text_of(object, "output");
  return finished;
}

// An event that belongs to a test or a file.
std::optional<Event> event_with_id(const std::string& kind, const Json& object) {
  const std::string id = text_of(object, "id");
  if (kind == "collection_failed") {
    return CollectionFailed{id, text_of(object, "file"), integer_of(object, "line"),
                            text_of(object, "message"), text_of(object, "details")};
  }
  if (kind == "collection_skipped") return CollectionSkipped{id, text_of(object, "reason")};
  if (kind == "descriptors_exhausted") {
    return DescriptorsExhausted{id, text_of(object, "error"), integer_of(object, "pid"),
                                integer_of(object, "open"), integer_of(object, "limit")};
  }
  if (kind == "test_started") {
    return TestStarted{id, text_of(object, "file"), integer_of(object, "line")};
  }
  if (kind == "test_finished") return finished_of(object);
  return std::nullopt;
}

std::optional<Event> event_of(const Json& object) {
  if (!object.is_object()) return std::nullopt;
  const std::string kind = text_of(object, "event");
  if (kind == "session_started") {
    // A plugin of another version than the driver writes what this reader does not know.
    if (integer_of(object, "version") != kEventsVersion) return std::nullopt;
    return SessionStarted{integer_of(object, "pid"), text_of(object, "python"),
                          text_of(object, "pytest")};
  }
  if (kind == "collected") return collected_of(object);
  if (kind == "session_interrupted") return SessionInterrupted{text_of(object, "details")};
  if (kind == "internal_error") return InternalError{text_of(object, "details")};
  if (kind == "session_finished") {
    const auto status = object.find("status");
    if (status == object.end() || !status->is_number_integer()) return std::nullopt;
    return SessionFinished{integer_of(object, "status")};
  }
  const auto id = object.find("id");
  if (id == object.end() || !id->is_string()) return std::nullopt;
  return event_with_id(kind, object);
}

std::optional<Event> event_of_line(std::string_view line) {
  const std::string text = without_lone_surrogates(to_valid_utf8(line));
  const Json object = Json::parse(text, nullptr, false);
  return object.is_discarded() ? std::nullopt : event_of(object);
}

}  // namespace

ParsedEvents parse_events(std::string_view text) {
  ParsedEvents parsed;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) break;  // torn
    const std::string_view line = trim(text.substr(start, end - start));
    start = end + 1;
    if (line.empty()) continue;  // a record that follows a torn one begins with a newline
    if (std::optional<Event> event = event_of_line(line)) {
      parsed.events.push_back(std::move(*event));
    } else if (!text.substr(start).starts_with(line)) {
      ++parsed.damaged_lines;
    }
  }
  return parsed;
}

Result<std::optional<ParsedEvents>> read_events(const std::string& path) {
  if (!stamp_of(path)) return std::optional<ParsedEvents>();
  const Result<std::string> text = read_file(path);
  if (!text) return propagate(text);
  return std::optional<ParsedEvents>(parse_events(*text));
}

}  // namespace bulkhead
