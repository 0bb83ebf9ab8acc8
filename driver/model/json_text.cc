#include "model/json_text.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace bulkhead {

namespace {

void dump_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      out += fmt::format("\\udc{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (length == 1) {
      const char c = text[0];
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        out += fmt::format("\\u{:04x}", static_cast<int>(c));
      } else {
        out += c;
      }
    } else {
      unsigned code = static_cast<unsigned char>(text[0]) & (0xFFu >> (length + 1));
      for (std::size_t i = 1; i < length; ++i)
        code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
      if (code < 0x10000) {
        out += fmt::format("\\u{:04x}", code);
      } else {
        code -= 0x10000;
        out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
      }
    }
    text.remove_prefix(length);
  }
  out += '"';
}

void dump_value(std::string& out, const Json& value) {
  if (value.is_string()) {
    dump_string(out, value.get_ref<const std::string&>());
  } else if (value.is_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : value.items()) {
      if (!first) out += ',';
      first = false;
      dump_string(out, key);
      out += ':';
      dump_value(out, member);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    bool first = true;
    for (const Json& element : value) {
      if (!first) out += ',';
      first = false;
      dump_value(out, element);
    }
    out += ']';
  } else {
    out += value.dump();
  }
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// nlohmann refuses lone surrogate escapes, which Python writes for bytes that are not UTF-8. They
// become a noncharacter and two hex digits before parsing, which from_json_string() undoes; any
// other lone surrogate becomes U+FFFD.
constexpr std::string_view kByteMark = "\xEF\xB7\x90";  // U+FDD0, a noncharacter

std::string replace_lone_surrogates(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  const auto hex4 = [&](std::size_t at) -> int {
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return -1;
    int value = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
      const int digit = hex_digit(text[i]);
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      out += text[i++];
      continue;
    }
    const int code = hex4(i);
    if (code < 0) {
      out += text.substr(i, 2);
      i += 2;
      continue;
    }
    const bool high = code >= 0xD800 && code <= 0xDBFF;
    const bool low = code >= 0xDC00 && code <= 0xDFFF;
    if (high) {
      const int next = hex4(i + 6);
      if (next >= 0xDC00 && next <= 0xDFFF) {
        out += text.substr(i, 12);
        i += 12;
        continue;
      }
    }
    if (low && code >= 0xDC80 && code <= 0xDCFF) {
      out += kByteMark;
      out += fmt::format("{:02x}", code - 0xDC00);
    } else if (high || low) {
      out += "\\ufffd";
    } else {
      out += text.substr(i, 6);
    }
    i += 6;
  }
  return out;
}

[[noreturn]] void wrong(const char* key, std::string_view expected) {
  throw JsonFormatError{fmt::format("'{}' is missing or is not {}", key, expected)};
}

const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) throw JsonFormatError{"expected an object"};
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

std::string dump_json(const Json& value) {
  std::string out;
  dump_value(out, value);
  return out;
}

std::string from_json_string(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  while (!text.empty()) {
    const std::size_t mark = kByteMark.size();
    if (text.substr(0, mark) == kByteMark && text.size() >= mark + 2) {
      const int high = hex_digit(text[mark]);
      const int low = hex_digit(text[mark + 1]);
      if (high >= 0 && low >= 0) {
        bytes += static_cast<char>(high * 16 + low);
        text.remove_prefix(mark + 2);
        continue;
      }
    }
    bytes += text[0];
    text.remove_prefix(1);
  }
  return bytes;
}

Result<Json> parse_json(std::string_view text) {
  const bool surrogates =
      text.find("\\ud") != std::string_view::npos || text.find("\\uD") != std::string_view::npos;
  const std::string replaced = surrogates ? replace_lone_surrogates(text) : std::string();
  const std::string_view input = surrogates ? std::string_view(replaced) : text;
  try {
    return Json::parse(input.begin(), input.end());
  } catch (const Json::parse_error& error) {
    std::string_view what = error.what();
    const auto bracket = what.find("] ");
    if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    return fail(fmt::format("not valid JSON: {}", what));
  }
}

std::string string_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr || !value->is_string()) wrong(key, "a string");
  return from_json_string(value->get_ref<const std::string&>());
}

double number_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr || !value->is_number()) wrong(key, "a number");
  return value->get<double>();
}

std::int64_t integer_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr || !value->is_number_integer()) wrong(key, "an integer");
  return value->get<std::int64_t>();
}

bool boolean_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr || !value->is_boolean()) wrong(key, "true or false");
  return value->get<bool>();
}

const Json& array_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr || !value->is_array()) wrong(key, "an array");
  return *value;
}

const Json& object_at(const Json& object, const char* key) {
  const Json* value = member(object, key);
  if (value == nullptr || !value->is_object()) wrong(key, "an object");
  return *value;
}

void check_version(const Json& object, int version) {
  const std::int64_t found = integer_at(object, "version");
  if (found != version) {
    throw JsonFormatError{
        fmt::format("has version {}, and this driver knows version {} only", found, version)};
  }
}

}  // namespace bulkhead
