#include "base/strings.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bulkhead {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Optimal string alignment: edits are one character more, less or other, and two swapped.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above = row;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::vector<std::size_t> two_above = std::exchange(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], two_above[j - 1] + 1);
    }
  }
  return row[b.size()];
}

// Whether `c` is in the bracket expression whose body (between the brackets) is `set`.
bool in_bracket(std::string_view set, char c) {
  const bool negated = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (set[i] <= c && c <= set[i + 2]);
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != negated;
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const auto start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const auto end = text.find_first_of(" \t");
    words.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

std::string count_of(std::size_t count, std::string_view noun) {
  std::string text = std::to_string(count);
  text += ' ';
  text += noun;
  if (count != 1) text += 's';
  return text;
}

std::size_t utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

std::string to_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      valid += kReplacement;
      text.remove_prefix(1);
    } else {
      valid += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return valid;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  // Step back over continuation bytes, at most three of them: more is no UTF-8 anyway.
  std::size_t end = bytes;
  for (int step = 0; step < 3 && end > 0; ++step) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80) break;
    --end;
  }
  return text.substr(0, end);
}

std::string_view utf8_suffix(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  std::size_t start = text.size() - bytes;
  for (int step = 0; step < 3 && start < text.size(); ++step) {
    if ((static_cast<unsigned char>(text[start]) & 0xC0) != 0x80) break;
    ++start;
  }
  return text.substr(start);
}

std::string cut_middle(std::string_view text, std::size_t limit, std::string_view note) {
  if (text.size() <= limit) return std::string(text);
  const std::string_view head = utf8_prefix(text, limit / 2);
  const std::string_view tail = utf8_suffix(text, limit - limit / 2);
  std::string cut(head);
  if (!cut.empty() && cut.back() != '\n') cut += '\n';
  cut += note;
  cut += '\n';
  cut += tail;
  return cut;
}

std::string strip_ansi(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    if (i + 1 >= text.size()) break;
    const char kind = text[i + 1];
    if (kind == '[') {
      std::size_t end = i + 2;
      while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x3F) ++end;
      i = end < text.size() && text[end] >= 0x40 && text[end] <= 0x7E ? end : end - 1;
    } else if (kind == ']') {
      // An operating-system command ends at BEL or ESC \; one that never ends is dropped to the
      // end of its line, so that a torn sequence cannot swallow the rest of a log.
      std::size_t end = i + 2;
      while (end < text.size() && text[end] != '\a' && text[end] != '\x1b' && text[end] != '\n')
        ++end;
      if (end < text.size() && text[end] == '\x1b' && end + 1 < text.size() &&
          text[end + 1] == '\\') {
        ++end;
      } else if (end >= text.size() || text[end] != '\a') {
        --end;
      }
      i = end;
    } else if (kind >= 0x30 && kind <= 0x7E) {
      ++i;
    }
  }
  return plain;
}

bool glob_match(std::string_view pattern, std::string_view text) {
  while (!pattern.empty()) {
    const char p = pattern[0];
    if (p == '*') {
      const bool deep = pattern.substr(0, 2) == "**";
      pattern.remove_prefix(deep ? 2 : 1);
      // `**/` also stands for no folder at all.
      if (deep && !pattern.empty() && pattern[0] == '/' && glob_match(pattern.substr(1), text))
        return true;
      for (std::size_t taken = 0;; ++taken) {
        if (glob_match(pattern, text.substr(taken))) return true;
        if (taken == text.size() || (!deep && text[taken] == '/')) return false;
      }
    }
    if (text.empty()) return false;
    if (p == '[') {
      const auto close = pattern.find(']', pattern.size() > 1 && pattern[1] == '!' ? 3 : 2);
      if (close != std::string_view::npos) {
        if (!in_bracket(pattern.substr(1, close - 1), text[0])) return false;
        pattern.remove_prefix(close + 1);
        text.remove_prefix(1);
        continue;
      }
    }
    if (p == '?' ? text[0] == '/' : p != text[0]) return false;
    pattern.remove_prefix(1);
    text.remove_prefix(1);
  }
  return text.empty();
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? std::string() : " (did you mean '" + best + "'?)";
}

std::string shell_quote(std::string_view argument) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  if (!argument.empty() && argument.find_first_not_of(kSafe) == std::string_view::npos)
    return std::string(argument);
  std::string quoted = "'";
  for (const char c : argument) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  quoted += '\'';
  return quoted;
}

}  // namespace bulkhead
