// The one table of configuration keys. It drives what bulkhead.toml, [tool.bulkhead] and
// suite.json may hold, what a rule and a directive may set, and what the manual lists.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

enum class KeyType {
  kText,
  kTexts,      // a list of strings; a single string is a list of one
  kResources,  // a list of `name:slots`
  kSeconds,    // a number, fractions allowed
  kInteger,
  kBoolean,
  kChoice,
  kVariables,  // a table of strings; in JSON also a list of `NAME=value`
  kRules,      // an array of tables
};

// Where a key may stand, as bits.
enum KeyPlace : unsigned {
  kInSuite = 1,      // bulkhead.toml, [tool.bulkhead], suite.json
  kInRule = 2,       // an element of `rule`
  kInDirective = 4,  // `# bulkhead:` in a test file's head
  kInJson = 8,       // suite.json only
};

struct Key {
  std::string_view name;  // kebab-case; CMake's argument is the same in UPPER_SNAKE_CASE
  KeyType type;
  unsigned places;
  double least = 0;  // kSeconds, kInteger
  double most = 0;
  std::vector<std::string_view> choices;  // kChoice
  std::string_view default_text;          // for the manual
  std::string_view help;                  // one line, for the manual
};

std::span<const Key> configuration_keys();

// The key `name` where it may stand at `place`; null otherwise.
const Key* find_key(std::string_view name, unsigned place);
std::vector<std::string_view> key_names(unsigned place);

// `unknown key 'labls' (did you mean 'labels'?)`, or where the key belongs.
std::string unknown_key_message(std::string_view name, unsigned place);

}  // namespace bulkhead
