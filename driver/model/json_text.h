// JSON in and out for the formats of the model, in one place: how bytes that are not UTF-8 are
// kept, and how a wrong or missing member becomes one clear message.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace bulkhead {

using Json = nlohmann::ordered_json;

// One line of ASCII JSON. Strings hold bytes: each byte that is not UTF-8 comes out as the escape
// \udc80..\udcff that Python's `surrogateescape` uses for it (PEP 383).
std::string dump_json(const Json& value);

// The bytes of a parsed string: undoes those escapes. The typed members below do it themselves.
std::string from_json_string(std::string_view text);

// Never throws. The error is nlohmann's position in words.
Result<Json> parse_json(std::string_view text);

// Typed members. A missing one, or one of the wrong type, throws JsonFormatError, which
// read_json() turns into an Error: use them inside its callback only.
struct JsonFormatError {
  std::string message;
};
std::string string_at(const Json& object, const char* key);      // decoded by from_json_string
double number_at(const Json& object, const char* key);
std::int64_t integer_at(const Json& object, const char* key);
bool boolean_at(const Json& object, const char* key);
const Json& array_at(const Json& object, const char* key);
const Json& object_at(const Json& object, const char* key);

// Throws JsonFormatError unless `object` has "version": `version`.
void check_version(const Json& object, int version);

template <class Read>
auto read_json(std::string_view text, Read read) -> Result<decltype(read(Json()))> {
  const Result<Json> parsed = parse_json(text);
  if (!parsed) return propagate(parsed);
  try {
    return read(*parsed);
  } catch (const JsonFormatError& error) {
    return fail(error.message);
  }
}

}  // namespace bulkhead
