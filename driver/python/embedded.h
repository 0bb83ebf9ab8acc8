// The Python files that the driver carries with it: the plugin and the lister.
#pragma once

#include <span>
#include <string_view>

namespace bulkhead {

struct EmbeddedFile {
  std::string_view name;  // without folder: `bulkhead_plugin.py`
  std::string_view text;
};

// Generated at build time from driver/python/*.py, see cmake/BulkheadEmbed.cmake. Whoever writes
// them out leaves equal files alone: their bytecode is valid as long as their times stay.
std::span<const EmbeddedFile> embedded_python_files();

}  // namespace bulkhead
