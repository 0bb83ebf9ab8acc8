#include "junit/sanitize.h"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/strings.h"

namespace bulkhead {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kSpelledEscape = "#x1B";

bool is_legal(std::uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code != 0x7F && !(code >= 0xD800 && code <= 0xDFFF) && code != 0xFFFE && code != 0xFFFF &&
         code <= 0x10FFFF;
}

std::string spell(std::uint32_t code) {
  return code <= 0xFF ? fmt::format("#x{:02X}", code) : fmt::format("#x{:04X}", code);
}

// The value of the valid UTF-8 sequence `text`.
std::uint32_t code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  if (text.size() == 1) return byte(0);
  std::uint32_t code = byte(0) & (0xFFU >> (text.size() + 1));
  for (std::size_t i = 1; i < text.size(); ++i) code = (code << 6) | (byte(i) & 0x3F);
  return code;
}

void append_code_point(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  byte(0xF0 | (code >> 18));
  byte(0x80 | ((code >> 12) & 0x3F));
  byte(0x80 | ((code >> 6) & 0x3F));
  byte(0x80 | (code & 0x3F));
}

// Appends the character at the start of `text`, made legal, and gives its length in bytes.
std::size_t append_legal(std::string& legal, std::string_view text) {
  const std::size_t length = utf8_sequence_length(text);
  if (length == 0) {
    legal += kReplacement;
    return 1;
  }
  const std::string_view sequence = text.substr(0, length);
  const std::uint32_t code = code_point(sequence);
  if (is_legal(code)) {
    legal += sequence;
  } else {
    legal += spell(code);
  }
  return length;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// `&#27;` or `&#x1b;` at the start of `text`.
struct Reference {
  std::uint32_t code = 0;  // over U+10FFFF where the number is too large
  std::size_t length = 0;
};
std::optional<Reference> numeric_reference(std::string_view text) {
  if (text.substr(0, 2) != "&#") return std::nullopt;
  std::size_t i = 2;
  const bool hexadecimal = i < text.size() && (text[i] == 'x' || text[i] == 'X');
  if (hexadecimal) ++i;
  const std::uint32_t base = hexadecimal ? 16 : 10;
  const std::size_t first = i;
  std::uint32_t code = 0;
  for (; i < text.size(); ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0 || static_cast<std::uint32_t>(digit) >= base) break;
    if (code <= 0x10FFFF) code = code * base + static_cast<std::uint32_t>(digit);
  }
  if (i == first || i >= text.size() || text[i] != ';') return std::nullopt;
  return Reference{code, i + 1};
}

// Length of the spelled ANSI sequence at the start of `text`, which begins with kSpelledEscape; 0
// where it is none, or never ends.
std::size_t spelled_ansi_length(std::string_view text) {
  std::size_t i = kSpelledEscape.size();
  if (i >= text.size()) return 0;
  if (text[i] == '[') {
    ++i;
    while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3F) ++i;
    return i < text.size() && text[i] >= 0x40 && text[i] <= 0x7E ? i + 1 : 0;
  }
  if (text[i] != ']') return 0;
  // An operating-system command ends at BEL or ESC \, here within its line.
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t bell = line.find("#x07", i);
  const std::size_t terminator = line.find("#x1B\\", i);
  if (bell == std::string_view::npos && terminator == std::string_view::npos) return 0;
  return bell < terminator ? bell + 4 : terminator + 5;
}

std::string strip_spelled_ansi(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const std::size_t escape = text.find(kSpelledEscape);
    plain += text.substr(0, escape);
    if (escape == std::string_view::npos) break;
    text.remove_prefix(escape);
    const std::size_t sequence = spelled_ansi_length(text);
    if (sequence == 0) plain += kSpelledEscape;
    text.remove_prefix(sequence == 0 ? kSpelledEscape.size() : sequence);
  }
  return plain;
}

}  // namespace

std::string legal_xml_characters(std::string_view bytes) {
  std::string legal;
  legal.reserve(bytes.size());
  while (!bytes.empty()) bytes.remove_prefix(append_legal(legal, bytes));
  return legal;
}

std::string legal_xml_text(std::string_view bytes) {
  return strip_spelled_ansi(legal_xml_characters(strip_ansi(bytes)));
}

std::string restore_spelled_characters(std::string_view text) {
  std::string restored;
  restored.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '#' || text.substr(i, 2) != "#x" || (i > 0 && text[i - 1] == '&')) {
      restored += text[i++];
      continue;
    }
    // Five digits, or the six of plane 16; pytest writes capitals.
    const std::size_t digits = text.substr(i + 2, 2) == "10" ? 6 : 5;
    std::uint32_t code = 0;
    std::size_t taken = 0;
    for (; taken < digits && i + 2 + taken < text.size(); ++taken) {
      const char c = text[i + 2 + taken];
      if (hex_digit(c) < 0 || (c >= 'a' && c <= 'f')) break;
      code = code * 16 + static_cast<std::uint32_t>(hex_digit(c));
    }
    if (taken == digits && code >= 0x10000 && code <= 0x10FFFF) {
      append_code_point(restored, code);
      i += 2 + digits;
    } else {
      restored += text[i++];
    }
  }
  return restored;
}

std::string repair_xml_characters(std::string_view document) {
  constexpr std::string_view kCdataStart = "<![CDATA[";
  std::string repaired;
  repaired.reserve(document.size());
  bool in_cdata = false;
  while (!document.empty()) {
    if (!in_cdata && document[0] == '&') {
      const auto reference = numeric_reference(document);
      if (reference && !is_legal(reference->code)) {
        repaired += reference->code > 0x10FFFF ? std::string(kReplacement)
                                               : spell(reference->code);
        document.remove_prefix(reference->length);
        continue;
      }
    } else if (!in_cdata && document[0] == '<') {
      in_cdata = document.substr(0, kCdataStart.size()) == kCdataStart;
    } else if (in_cdata && document.substr(0, 3) == "]]>") {
      in_cdata = false;
    }
    document.remove_prefix(append_legal(repaired, document));
  }
  return repaired;
}

std::string escape_xml_text(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '\r': escaped += "&#13;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

std::string escape_xml_attribute(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\n': escaped += "&#10;"; break;
      case '\r': escaped += "&#13;"; break;
      case '\t': escaped += "&#9;"; break;
      default: escaped += c;
    }
  }
  return escaped;
}

}  // namespace bulkhead
