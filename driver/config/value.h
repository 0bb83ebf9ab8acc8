// A configuration value with the place it was written at: what TOML and JSON are both read into,
// so that one checker serves both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bulkhead {

struct ConfigMember;

struct ConfigValue {
  enum class Kind { kText, kInteger, kNumber, kBoolean, kList, kTable, kOther };
  Kind kind = Kind::kOther;
  std::string text;  // kText; kOther: what it is, in words
  std::int64_t integer = 0;
  double number = 0;  // kInteger too
  bool boolean = false;
  std::vector<ConfigValue> items;     // kList
  std::vector<ConfigMember> members;  // kTable
  int line = 0;                       // 0: unknown

  // The member named `key`, or null.
  const ConfigValue* find(std::string_view key) const;
};

struct ConfigMember {
  std::string name;
  ConfigValue value;
};

inline const ConfigValue* ConfigValue::find(std::string_view key) const {
  for (const ConfigMember& member : members) {
    if (member.name == key) return &member.value;
  }
  return nullptr;
}

// The whole document, a table. Errors are `path:line: message`.
Result<ConfigValue> parse_toml(std::string_view text, const std::string& path);

// The same for JSON, whose values have no line.
Result<ConfigValue> parse_json_config(std::string_view text, const std::string& path);

}  // namespace bulkhead
