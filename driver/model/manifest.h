// The manifest on disk: what `discover` writes and `exec`, `report` and the CTest writer read.
//
// Format: JSON Lines, UTF-8. The first line is the suite, with the format's version; each further
// line is one entry, and begins with `{"name":` and the name, so that `exec` finds its own line
// without parsing the others (2,500 entries are a megabyte; parsing it all in each of 2,500
// processes would cost more than everything else the driver does). Bytes of a path that are not
// UTF-8 are kept: strings are written as JSON with such bytes as U+DC80..U+DCFF escapes, the way
// Python's `surrogateescape` names them (PEP 383).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/suite.h"

namespace bulkhead {

inline constexpr int kManifestVersion = 1;

std::string manifest_to_text(const Manifest& manifest);

// The whole manifest. Errors name `path`, and the line where there is one.
Result<Manifest> read_manifest(const std::string& path);

// The suite and one entry, in one pass over the file in bounded memory.
struct SuiteAndEntry {
  Suite suite;
  Entry entry;
};
// An unknown name is a usage error that suggests the nearest known one.
Result<SuiteAndEntry> read_manifest_entry(const std::string& path, std::string_view name);

}  // namespace bulkhead
