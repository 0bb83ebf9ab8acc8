#include "model/durations.h"

#include <fmt/format.h>

#include "model/json_text.h"

namespace bulkhead {

namespace {

Durations durations_from_json(const Json& json) {
  check_version(json, kDurationsVersion);
  Durations durations;
  for (const auto& [file, value] : object_at(json, "files").items()) {
    const double seconds = number_at(value, "seconds");
    const std::int64_t tests = integer_at(value, "tests");
    if (seconds < 0 || tests < 0)
      throw JsonFormatError{fmt::format("'{}' has a negative duration or count", file)};
    durations[from_json_string(file)] = {.seconds = seconds, .tests = tests};
  }
  return durations;
}

}  // namespace

std::string durations_to_text(const Durations& durations) {
  // One line a file, so that a committed record has readable differences.
  std::string text = fmt::format("{{\"version\":{},\"files\":{{", kDurationsVersion);
  bool first = true;
  for (const auto& [file, duration] : durations) {
    if (!first) text += ',';
    first = false;
    text += fmt::format("\n{}:{{\"seconds\":{:.3f},\"tests\":{}}}", dump_json(Json(file)),
                        duration.seconds, duration.tests);
  }
  text += "\n}}\n";
  return text;
}

Result<Durations> durations_from_text(std::string_view text) {
  return read_json(text, durations_from_json);
}

}  // namespace bulkhead
