#include "config/directives.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/strings.h"
#include "config/check.h"
#include "config/keys.h"

namespace bulkhead {

namespace {

constexpr std::string_view kMarker = "bulkhead";
constexpr std::size_t kMaxMessages = 20;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view end) { return text.ends_with(end); });
}

class Parser {
 public:
  explicit Parser(std::string_view path) : path_(path) {}

  // `comment` begins with `#`.
  void read_comment(std::string_view comment, int line) {
    line_ = line;
    const std::string_view body = trim(comment.substr(comment.find_first_not_of('#') ==
                                                              std::string_view::npos
                                                          ? comment.size()
                                                          : comment.find_first_not_of('#')));
    const std::size_t word_end = std::min(body.find_first_of(" \t:="), body.size());
    const std::string_view word = body.substr(0, word_end);
    const std::string_view rest = trim(body.substr(word_end));
    if (word.empty()) return;
    const bool exact = word == kMarker && comment.starts_with("# bulkhead:");
    if (exact) {
      read_words(rest.substr(1));
      return;
    }
    const bool near = !nearest(lower(word), {kMarker}).empty();
    if (!near) return;
    // Prose about bulkheads has no colon there, and no `key=value` behind the first word.
    const bool directive_like =
        rest.starts_with(':') || rest.starts_with('=') ||
        std::ranges::any_of(split_words(rest), [](std::string_view candidate) {
          const std::string_view key = candidate.substr(0, candidate.find('='));
          return key.size() < candidate.size() && find_key(key, kInDirective) != nullptr;
        });
    if (directive_like)
      complain(fmt::format("a directive begins with '# bulkhead:', this line with '{}'",
                           to_valid_utf8(comment.substr(0, comment.find(word) + word.size() +
                                                               (rest.starts_with(':') ? 1 : 0)))));
  }

  Result<EntrySettings> finish() {
    if (messages_.empty()) return std::move(settings_);
    if (messages_.size() > kMaxMessages) messages_.resize(kMaxMessages);
    return fail_usage(join(messages_, "\n"));
  }

 private:
  void complain(std::string_view message) {
    messages_.push_back(fmt::format("{}:{}: {}", to_valid_utf8(path_), line_, message));
  }

  void read_words(std::string_view text) {
    const std::vector<std::string_view> words = split_words(text);
    if (words.empty()) complain("the directive is empty: write key=value or 'serial' behind it");
    for (const std::string_view word : words) read_word(word);
  }

  void read_word(std::string_view word) {
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    if (name.empty() || (equals != std::string_view::npos && equals + 1 == word.size())) {
      complain(fmt::format("'{}': write key=value without blanks around the '='",
                           to_valid_utf8(word)));
      return;
    }
    const Key* key = find_key(name, kInDirective);
    if (key == nullptr) {
      complain(unknown_key_message(name, kInDirective));
      return;
    }
    if (equals == std::string_view::npos && key->type != KeyType::kBoolean) {
      complain(fmt::format("'{}' needs a value: {}=…", name, name));
      return;
    }
    const bool list = key->type == KeyType::kTexts || key->type == KeyType::kResources;
    if (!list) {
      if (std::ranges::find(seen_, key->name) != seen_.end()) {
        complain(fmt::format("'{}' is given twice", name));
        return;
      }
      seen_.push_back(key->name);
    }
    ConfigValue value;
    if (equals == std::string_view::npos) {
      value.kind = ConfigValue::Kind::kBoolean;
      value.boolean = true;
    } else if (list) {
      value.kind = ConfigValue::Kind::kList;
      for (const std::string_view part : split(word.substr(equals + 1), ',')) {
        ConfigValue item;
        item.kind = ConfigValue::Kind::kText;
        item.text = part;
        value.items.push_back(std::move(item));
      }
    } else {
      value.kind = ConfigValue::Kind::kText;
      value.text = word.substr(equals + 1);
    }
    const auto checked = check_value(*key, value, TextScalars::kTaken);
    if (checked) {
      assign_setting(*key, *checked, settings_);
    } else {
      complain(checked.error().message);
    }
  }

  std::string_view path_;
  int line_ = 0;
  EntrySettings settings_;
  std::vector<std::string_view> seen_;
  std::vector<std::string> messages_;
};

// The opening of a string literal at the start of `text`: its prefix and quotes; empty where
// there is none. Only literals that can be a docstring count, so no bytes and no f-string.
std::string_view string_opening(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && at < 1 && std::string_view("rRuU").find(text[at]) != std::string_view::npos)
    ++at;
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return {};
  const bool triple =
      text.size() >= at + 3 && text[at + 1] == text[at] && text[at + 2] == text[at];
  return text.substr(0, at + (triple ? 3 : 1));
}

// Where `text` goes on after the closing `quotes`; npos where they do not come on this line.
std::size_t after_closing(std::string_view text, std::string_view quotes) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text.substr(i).starts_with(quotes)) {
      return i + quotes.size();
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<EntrySettings> parse_directives(std::string_view head, std::string_view path) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const bool python = ends_with_any(path, {".py", ".pyi", ".pyw"}) ||
                      path.substr(path.rfind('/') + 1).find('.') == std::string_view::npos;
  Parser parser(path);
  std::string_view open_quotes;  // of the docstring we are in
  bool docstring_seen = false;
  int number = 0;
  for (std::string_view line : split(head, '\n')) {
    ++number;
    if (!open_quotes.empty()) {
      const std::size_t end = after_closing(line, open_quotes);
      if (end == std::string_view::npos) continue;
      open_quotes = {};
      line = line.substr(end);
    }
    std::string_view text = trim(line);
    if (python && !docstring_seen) {
      const std::string_view opening = string_opening(text);
      if (!opening.empty()) {
        docstring_seen = true;
        const std::string_view quotes =
            opening.substr(opening.find_first_of("\"'"));
        const std::size_t end = after_closing(text.substr(opening.size()), quotes);
        if (end == std::string_view::npos) {
          if (quotes.size() == 1) break;  // a broken literal: Python will say so
          open_quotes = quotes;
          continue;
        }
        text = trim(text.substr(opening.size() + end));
      }
    }
    if (text.starts_with(';')) text = trim(text.substr(1));
    if (text.empty()) continue;
    if (text.front() == '#') {
      parser.read_comment(text, number);
    } else if (python || !text.starts_with("..")) {
      break;
    }
  }
  return parser.finish();
}

}  // namespace bulkhead
