#include <fmt/format.h>

#include "config/value.h"
#include "model/json_text.h"

namespace bulkhead {

namespace {

ConfigValue convert(const Json& json) {
  ConfigValue value;
  if (json.is_string()) {
    value.kind = ConfigValue::Kind::kText;
    value.text = from_json_string(json.get_ref<const std::string&>());
  } else if (json.is_number_integer()) {
    value.kind = ConfigValue::Kind::kInteger;
    value.integer = json.get<std::int64_t>();
    value.number = json.get<double>();
  } else if (json.is_number()) {
    value.kind = ConfigValue::Kind::kNumber;
    value.number = json.get<double>();
  } else if (json.is_boolean()) {
    value.kind = ConfigValue::Kind::kBoolean;
    value.boolean = json.get<bool>();
  } else if (json.is_array()) {
    value.kind = ConfigValue::Kind::kList;
    for (const Json& item : json) value.items.push_back(convert(item));
  } else if (json.is_object()) {
    value.kind = ConfigValue::Kind::kTable;
    for (const auto& [key, member] : json.items())
      value.members.push_back({.name = from_json_string(key), .value = convert(member)});
  } else {
    value.text = "null";
  }
  return value;
}

}  // namespace

Result<ConfigValue> parse_json_config(std::string_view text, const std::string& path) {
  const Result<Json> parsed = parse_json(text);
  if (!parsed) return fail_usage(fmt::format("{}: {}", path, parsed.error().message));
  if (!parsed->is_object()) return fail_usage(path + ": not a JSON object");
  return convert(*parsed);
}

}  // namespace bulkhead
