// The one file that includes toml++: header-only, so that a static driver needs no library of it.
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

#include <fmt/format.h>

#include "config/value.h"

namespace bulkhead {

namespace {

ConfigValue convert(const toml::node& node) {
  ConfigValue value;
  value.line = static_cast<int>(node.source().begin.line);
  if (const auto* text = node.as_string()) {
    value.kind = ConfigValue::Kind::kText;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = ConfigValue::Kind::kInteger;
    value.integer = integer->get();
    value.number = static_cast<double>(integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = ConfigValue::Kind::kNumber;
    value.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = ConfigValue::Kind::kBoolean;
    value.boolean = boolean->get();
  } else if (const auto* list = node.as_array()) {
    value.kind = ConfigValue::Kind::kList;
    for (const toml::node& item : *list) value.items.push_back(convert(item));
  } else if (const auto* table = node.as_table()) {
    value.kind = ConfigValue::Kind::kTable;
    for (const auto& [key, member] : *table) {
      ConfigValue converted = convert(member);
      // A message about a key points at the key, not at the value's first line below it.
      converted.line = static_cast<int>(key.source().begin.line);
      value.members.push_back({.name = std::string(key.str()), .value = std::move(converted)});
    }
    // toml++ sorts by name; messages come in the order of the file.
    std::ranges::stable_sort(value.members, {},
                             [](const ConfigMember& member) { return member.value.line; });
  } else {
    value.text = "a date or time";
  }
  return value;
}

}  // namespace

Result<ConfigValue> parse_toml(std::string_view text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail_usage(fmt::format("{}:{}: not valid TOML: {}", path, error.source().begin.line,
                                  error.description()));
  }
  return convert(parsed.table());
}

}  // namespace bulkhead
