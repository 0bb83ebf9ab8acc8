// Discovery's cache: what the manifest was made from, so that the next `ctest` can tell in a few
// milliseconds, without Python, that nothing of it has changed.
//
// Format: text, a record a line, fields separated by a tab, the path last with `%` and line ends
// percent-encoded. It is read at every `ctest`, hence no JSON. Nobody else reads it; one that is
// torn or of another version counts as none.
//
// A modification time proves nothing about a change within the clock's grain of the record (the
// "racy" entries of git's index, Documentation/technical/racy-git.txt): such a path is compared by
// content next time, and until a later record settles it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/files.h"

namespace bulkhead {

struct Recorded {
  std::string path;
  std::optional<FileStamp> stamp;  // unset: it did not exist
  std::uint64_t hash = 0;          // of what counts of the content; 0: never equal
};

struct Freshness {
  std::int64_t recorded_at_ns = 0;  // wall clock, before anything was looked at
  std::string key;                  // driver, interpreter, environment: one line
  std::string root;                 // the suite's, absolute
  std::vector<Recorded> inputs;       // configuration files; compared by content, always
  std::vector<Recorded> outputs;      // manifest and include file, as they were written
  std::vector<Recorded> durations;    // the one durations.json
  std::vector<Recorded> directories;  // hash: listing_hash()
  std::vector<Recorded> watched;      // hash: content, where racy
  std::vector<Recorded> files;        // test files relative to root; hash: their directives
};

std::string freshness_to_text(const Freshness& freshness);
std::optional<Freshness> freshness_from_text(std::string_view text);

struct FreshnessCheck {
  std::string stale_because;  // empty: the set of files stands
  std::vector<std::string> changed_files;  // whose directives differ now
  bool durations_changed = false;
  bool outputs_changed = false;  // somebody else wrote or removed them
  bool settled = false;          // `now` proves more than the record: worth writing
  Freshness now;                 // the record, brought up to date

  bool is_fresh() const {
    return stale_because.empty() && changed_files.empty() && !durations_changed &&
           !outputs_changed;
  }
};
// An error where a file's directives are wrong: `path:line: message`.
Result<FreshnessCheck> check_freshness(Freshness record, const std::string& key,
                                       std::int64_t now_ns);

// Whether `stamp` is too young at `recorded_at_ns` to prove anything.
bool is_racy(const FileStamp& stamp, std::int64_t recorded_at_ns);

std::uint64_t hash_of(std::string_view bytes);
// Of the names and kinds in a folder, without what tests and editors leave: bytecode, caches,
// swap files. 0 where it cannot be read.
std::uint64_t listing_hash(const std::string& folder);
std::uint64_t content_hash(const std::string& path);
// Of the file's directives, and an error where they are wrong. `file` is for messages.
Result<std::uint64_t> directives_hash(const std::string& path, const std::string& file);

}  // namespace bulkhead
