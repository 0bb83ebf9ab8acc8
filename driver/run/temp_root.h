// The temporary root of an entry. Each attempt has a folder in it, `1`, `2`, …: its TMPDIR, where
// pytest's basetemp and cache lie too.
#pragma once

#include <string>

#include "base/result.h"

namespace bulkhead {

// Short, so that a test can bind an AF_UNIX socket in a folder of its own: of the 108 bytes of
// sun_path (unix(7)), 60 are left. Removed with all that is in it when the object dies, whatever
// permissions the tests set. The outer process of the driver makes it before it forks and keeps it,
// so that it is removed too where a test kills the inner one.
class TempRoot {
 public:
  // Below the caller's TMPDIR where that is short enough, else below /tmp.
  static Result<TempRoot> create(const std::string& caller_tmpdir);

  TempRoot(TempRoot&& other) noexcept;
  TempRoot& operator=(TempRoot&&) = delete;
  ~TempRoot();

  const std::string& path() const { return path_; }

 private:
  explicit TempRoot(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace bulkhead
