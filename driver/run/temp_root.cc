#include "run/temp_root.h"

#include <utility>

#include "platform/files.h"

namespace bulkhead {

namespace {

constexpr std::size_t kSocketPath = 108;
constexpr std::size_t kLeftForTests = 60;
constexpr std::size_t kOwnName = sizeof("/bhXXXXXX/1");  // with the NUL that ends the path

}  // namespace

Result<TempRoot> TempRoot::create(const std::string& caller_tmpdir) {
  // pytest expands variables in the path of its cache.
  const bool fits = !caller_tmpdir.empty() && caller_tmpdir[0] == '/' &&
                    caller_tmpdir.find('$') == std::string::npos &&
                    caller_tmpdir.size() + kOwnName + kLeftForTests <= kSocketPath;
  std::string parent = "/tmp";
  if (fits && is_directory(caller_tmpdir)) parent = caller_tmpdir;
  auto path = make_unique_directory(parent, "bh");
  if (!path) return propagate(path);
  return TempRoot(std::move(*path));
}

TempRoot::TempRoot(TempRoot&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempRoot::~TempRoot() {
  if (path_.empty()) return;
  // Nobody is left to tell. Each attempt removes its own folder first, and says why it cannot.
  const Status ignored = remove_tree(path_);
  static_cast<void>(ignored);
}

}  // namespace bulkhead
