// Checks one value against its key in the table, wherever it came from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/keys.h"
#include "config/value.h"
#include "model/suite.h"

namespace bulkhead {

struct CheckedValue {
  std::string text;                // kText, kChoice
  std::vector<std::string> texts;  // kTexts, kResources
  double number = 0;               // kSeconds
  std::int64_t integer = 0;        // kInteger
  bool boolean = false;
  std::vector<std::pair<std::string, std::string>> variables;
};

// Numbers and booleans written as text are taken where the source knows only text (CMake's JSON,
// a directive), and are wrong types in TOML.
enum class TextScalars { kRefused, kTaken };

// kRules is not for this function. The error has no place in front.
Result<CheckedValue> check_value(const Key& key, const ConfigValue& value, TextScalars scalars);

// Sets the member of `settings` that `key` names; false where it names none.
bool assign_setting(const Key& key, const CheckedValue& value, EntrySettings& settings);

// Adds `more` behind `list`, leaving out what it has already.
void add_distinct(std::vector<std::string>& list, const std::vector<std::string>& more);

}  // namespace bulkhead
