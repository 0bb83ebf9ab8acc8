// Reads the events that the plugin wrote (events.jsonl, specified in docs/formats.md).
//
// The file is as good as the process that wrote it: it may be missing, end within a line, or hold
// lines that are no events at all, since tests can write to any file. Reading therefore never
// fails on what the text says. What is damaged is left out and counted, so that the judge of a
// session can say so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/event.h"

namespace bulkhead {

struct ParsedEvents {
  std::vector<Event> events;
  // Whole lines that are no JSON, or no known event. Not counted are a last line without a newline,
  // which a process that dies leaves, and the start of a record that the next line repeats whole:
  // a disk that was full for a while leaves one.
  int damaged_lines = 0;
};

// Lone surrogates (`\ud800`, which Python writes for bytes that are not UTF-8) and bytes that are
// not UTF-8 become U+FFFD. Fields that are missing or of another type get their default; an event
// without its `id`, where it has one, is damaged.
ParsedEvents parse_events(std::string_view text);

// Nothing where there is no such file: the plugin was never loaded. An error where it cannot be
// read.
Result<std::optional<ParsedEvents>> read_events(const std::string& path);

}  // namespace bulkhead
