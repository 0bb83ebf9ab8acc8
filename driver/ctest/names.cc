#include "ctest/names.h"

#include <fmt/format.h>

#include "base/strings.h"

namespace bulkhead {

namespace {

bool must_be_encoded(std::string_view character) {
  if (character.size() == 1) {
    const auto byte = static_cast<unsigned char>(character[0]);
    return byte <= 0x20 || byte == 0x7F ||
           std::string_view("%;\"\\").find(character[0]) != std::string_view::npos;
  }
  // C1 controls, and the two characters that Unicode-aware readers take for line ends.
  const bool c1 = character.size() == 2 && character[0] == '\xC2' &&
                  static_cast<unsigned char>(character[1]) < 0xA0;
  return c1 || character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9";
}

void encode(std::string_view bytes, std::string& out) {
  for (const char c : bytes) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
}

}  // namespace

std::string entry_name(std::string_view prefix, std::string_view file) {
  std::string raw(prefix);
  raw += file;
  std::string name;
  for (std::string_view rest = raw; !rest.empty();) {
    const std::size_t length = utf8_sequence_length(rest);
    const std::string_view character = rest.substr(0, length == 0 ? 1 : length);
    const bool option_like = name.empty() && character == "-";
    if (length == 0 || option_like || must_be_encoded(character)) {
      encode(character, name);
    } else {
      name += character;
    }
    rest.remove_prefix(character.size());
  }
  return name;
}

std::string finaliser_name(std::string_view suite) {
  return "bulkhead.report-" + std::string(suite);
}

std::string fixture_name(std::string_view suite) { return "bulkhead-" + std::string(suite); }

}  // namespace bulkhead
