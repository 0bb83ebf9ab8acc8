#include "config/check.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/strings.h"

namespace bulkhead {

namespace {

using Kind = ConfigValue::Kind;

std::string quoted(std::string_view text) { return "'" + to_valid_utf8(text) + "'"; }

std::string describe(const ConfigValue& value) {
  switch (value.kind) {
    case Kind::kText: return quoted(value.text);
    case Kind::kInteger: return std::to_string(value.integer);
    case Kind::kNumber: return fmt::format("{}", value.number);
    case Kind::kBoolean: return value.boolean ? "true" : "false";
    case Kind::kList: return "a list";
    case Kind::kTable: return "a table";
    case Kind::kOther: return value.text;
  }
  return {};
}

tl::unexpected<Error> wrong(const Key& key, const ConfigValue& value, std::string_view expected) {
  return fail_usage(fmt::format("'{}' must be {}, not {}", key.name, expected, describe(value)));
}

// The whole of `text` as a finite decimal number.
std::optional<double> decimal(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool has_control_byte(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

// What CTest takes: "a lower-case word and a number of slots" (cmake --help-property
// RESOURCE_GROUPS; cmParseCTestResourceSpec's identifiers).
std::string resource_fault(std::string_view spec) {
  const auto colon = spec.find(':');
  if (colon == std::string_view::npos)
    return fmt::format("resource {} has no number of slots: write '{}:1'", quoted(spec),
                       to_valid_utf8(spec));
  const std::string_view name = spec.substr(0, colon);
  const bool good_name =
      !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
  if (!good_name)
    return fmt::format("resource {} must be named by lower-case letters, digits and '_'",
                       quoted(spec));
  const auto slots = whole(spec.substr(colon + 1));
  if (!slots || *slots < 1 || *slots > 1'000'000)
    return fmt::format("resource {} must have a number of slots from 1 on after the ':'",
                       quoted(spec));
  return {};
}

// Words that end up in a CMake list and in reports.
std::string word_fault(const Key& key, std::string_view word) {
  if (word.empty()) return fmt::format("'{}' has an empty word", key.name);
  if (has_control_byte(word) || to_valid_utf8(word) != word ||
      word.find_first_of(";\\[]\"") != std::string_view::npos)
    return fmt::format("'{}' may not hold control bytes nor any of ; \\ [ ] \" in {}", key.name,
                       quoted(word));
  return {};
}

Result<std::vector<std::string>> check_texts(const Key& key, const ConfigValue& value) {
  std::vector<std::string> texts;
  if (value.kind == Kind::kText) {
    texts.push_back(value.text);
  } else if (value.kind == Kind::kList) {
    for (const ConfigValue& item : value.items) {
      if (item.kind != Kind::kText)
        return fail_usage(
            fmt::format("'{}' must be a list of strings, not of {}", key.name, describe(item)));
      texts.push_back(item.text);
    }
  } else {
    return wrong(key, value, "a list of strings");
  }
  for (const std::string& text : texts) {
    std::string fault;
    if (key.type == KeyType::kResources) {
      fault = resource_fault(text);
    } else if (key.name == "labels" || key.name == "lock") {
      fault = word_fault(key, text);
    } else if (text.empty() && key.name != "pytest-args" && key.name != "python-args") {
      fault = fmt::format("'{}' has an empty string", key.name);
    } else if (text.find('\0') != std::string::npos) {
      fault = fmt::format("'{}' holds a NUL byte", key.name);
    }
    if (!fault.empty()) return fail_usage(std::move(fault));
  }
  return texts;
}

Result<CheckedValue> check_text(const Key& key, const ConfigValue& value) {
  if (value.kind != Kind::kText) return wrong(key, value, "a string");
  if (has_control_byte(value.text)) return wrong(key, value, "without control bytes");
  if (key.name == "name") {
    const bool good = !value.text.empty() && value.text[0] != '.' && value.text[0] != '-' &&
                      value.text.find_first_not_of(
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
                          std::string::npos;
    if (!good)
      return wrong(key, value,
                   "letters, digits, '.', '_' and '-', beginning with a letter, digit or '_'");
  }
  return CheckedValue{.text = value.text, .texts = {}, .variables = {}};
}

Result<CheckedValue> check_number(const Key& key, const ConfigValue& value, TextScalars scalars) {
  CheckedValue checked;
  const bool fractions = key.type == KeyType::kSeconds;
  std::optional<double> number;
  if (value.kind == Kind::kInteger) {
    number = value.number;
    checked.integer = value.integer;
  } else if (value.kind == Kind::kNumber && fractions) {
    number = value.number;
  } else if (value.kind == Kind::kText && scalars == TextScalars::kTaken) {
    if (fractions) {
      number = decimal(value.text);
    } else if (const auto integer = whole(value.text)) {
      checked.integer = *integer;
      number = static_cast<double>(*integer);
    }
  }
  if (!number || !std::isfinite(*number))
    return wrong(key, value, fractions ? "a number of seconds" : "a whole number");
  if (*number < key.least || *number > key.most)
    return wrong(key, value, fmt::format("from {:.0f} to {:.0f}", key.least, key.most));
  checked.number = *number;
  return checked;
}

Result<CheckedValue> check_boolean(const Key& key, const ConfigValue& value, TextScalars scalars) {
  CheckedValue checked;
  if (value.kind == Kind::kBoolean) {
    checked.boolean = value.boolean;
    return checked;
  }
  if (value.kind == Kind::kText && scalars == TextScalars::kTaken) {
    std::string word = value.text;
    for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (word == "true" || word == "on" || word == "yes" || word == "1") {
      checked.boolean = true;
      return checked;
    }
    if (word == "false" || word == "off" || word == "no" || word == "0") return checked;
  }
  return wrong(key, value, "true or false");
}

Result<CheckedValue> check_variables(const Key& key, const ConfigValue& value,
                                     TextScalars scalars) {
  CheckedValue checked;
  if (value.kind == Kind::kTable) {
    for (const auto& [name, member] : value.members) {
      if (member.kind != Kind::kText)
        return fail_usage(fmt::format("'{}': the value of {} must be a string, not {}", key.name,
                                      quoted(name), describe(member)));
      checked.variables.emplace_back(name, member.text);
    }
  } else if (scalars == TextScalars::kTaken &&
             (value.kind == Kind::kList || value.kind == Kind::kText)) {
    std::vector<ConfigValue> items = value.items;
    if (value.kind == Kind::kText) items.push_back(value);
    for (const ConfigValue& item : items) {
      const auto equals = item.kind == Kind::kText ? item.text.find('=') : std::string::npos;
      if (equals == std::string::npos)
        return fail_usage(
            fmt::format("'{}' must hold NAME=value, not {}", key.name, describe(item)));
      checked.variables.emplace_back(item.text.substr(0, equals), item.text.substr(equals + 1));
    }
  } else {
    return wrong(key, value, "a table of strings");
  }
  for (const auto& [name, text] : checked.variables) {
    if (name.empty() || name.find('=') != std::string::npos || has_control_byte(name) ||
        text.find('\0') != std::string::npos)
      return fail_usage(fmt::format("'{}': {} is no name of a variable", key.name, quoted(name)));
  }
  return checked;
}

}  // namespace

Result<CheckedValue> check_value(const Key& key, const ConfigValue& value, TextScalars scalars) {
  switch (key.type) {
    case KeyType::kText:
      return check_text(key, value);
    case KeyType::kTexts:
    case KeyType::kResources: {
      Result<std::vector<std::string>> texts = check_texts(key, value);
      if (!texts) return propagate(texts);
      return CheckedValue{.text = {}, .texts = std::move(*texts), .variables = {}};
    }
    case KeyType::kSeconds:
    case KeyType::kInteger:
      return check_number(key, value, scalars);
    case KeyType::kBoolean:
      return check_boolean(key, value, scalars);
    case KeyType::kChoice: {
      const bool known =
          value.kind == Kind::kText && std::ranges::find(key.choices, value.text) != key.choices.end();
      if (known) return CheckedValue{.text = value.text, .texts = {}, .variables = {}};
      std::string expected = "one of";
      for (const std::string_view choice : key.choices) {
        expected += choice == key.choices.front() ? " '" : ", '";
        expected += choice;
        expected += '\'';
      }
      return wrong(key, value, expected);
    }
    case KeyType::kVariables:
      return check_variables(key, value, scalars);
    case KeyType::kRules:
      break;
  }
  return wrong(key, value, "an array of tables");
}

bool assign_setting(const Key& key, const CheckedValue& value, EntrySettings& settings) {
  if (key.name == "labels") {
    add_distinct(settings.labels, value.texts);
  } else if (key.name == "lock") {
    add_distinct(settings.locks, value.texts);
  } else if (key.name == "resource") {
    // Two equal groups are two demands, not one.
    settings.resources.insert(settings.resources.end(), value.texts.begin(), value.texts.end());
  } else if (key.name == "timeout") {
    settings.timeout_s = value.number;
  } else if (key.name == "processors") {
    settings.processors = static_cast<int>(value.integer);
  } else if (key.name == "serial") {
    settings.serial = value.boolean;
  } else if (key.name == "retries") {
    settings.retries = static_cast<int>(value.integer);
  } else if (key.name == "on-empty") {
    settings.on_empty = value.text == "skip"   ? EmptyPolicy::kSkip
                        : value.text == "pass" ? EmptyPolicy::kPass
                                               : EmptyPolicy::kFail;
  } else if (key.name == "on-leak") {
    settings.on_leak = value.text == "warn" ? LeakPolicy::kWarn : LeakPolicy::kFail;
  } else {
    return false;
  }
  return true;
}

void add_distinct(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& word : more) {
    if (std::ranges::find(list, word) == list.end()) list.push_back(word);
  }
}

}  // namespace bulkhead
