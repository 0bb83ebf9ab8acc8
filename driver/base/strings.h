// Text helpers that know nothing of the product. All take and give bytes; "UTF-8" is said where
// it matters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split_words(std::string_view text);  // at runs of spaces and tabs
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// `1 file`, `2 files`: `noun` gets an `s` unless `count` is one.
std::string count_of(std::size_t count, std::string_view noun);

// Length in bytes of the valid UTF-8 sequence at the start of `text`; 0 where there is none
// (Unicode 15, table 3-7: overlong forms, surrogates and values over U+10FFFF are invalid).
std::size_t utf8_sequence_length(std::string_view text);

// `text` with each byte that is not part of valid UTF-8 replaced by U+FFFD.
std::string to_valid_utf8(std::string_view text);

// The longest prefix (suffix) of `text` within `bytes` that does not cut a UTF-8 sequence.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);
std::string_view utf8_suffix(std::string_view text, std::size_t bytes);

// `text` within about `limit` bytes: its head and tail with `note` on a line of its own between
// them, cut at character boundaries. Unchanged where it is short enough.
std::string cut_middle(std::string_view text, std::size_t limit, std::string_view note);

// `text` without ANSI escape sequences (ECMA-48 5.4: CSI, OSC and two-byte escapes).
std::string strip_ansi(std::string_view text);

// Shell glob over the whole of `text`: `*`, `?`, `[...]`; `*` crosses no `/`, `**` does.
bool glob_match(std::string_view pattern, std::string_view text);

// The word nearest to `word` (edits, a swap being one; at most a third of its length, at least one
// edit is allowed); empty where none is near.
std::string nearest(std::string_view word, const std::vector<std::string_view>& known);

// ` (did you mean 'X'?)`, or nothing where no known word is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

// `argument` quoted for a POSIX shell, untouched where no quoting is needed.
std::string shell_quote(std::string_view argument);

}  // namespace bulkhead
