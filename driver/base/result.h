// Result<T>: a value, or the one message that says why there is none.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace bulkhead {

// What kind of fault stopped Bulkhead; `main` maps it to an exit code (model/exit_codes.h).
enum class ErrorKind {
  kUsage,             // the command line, the configuration or a directive is wrong
  kInfrastructure,    // Bulkhead, Python or the machine failed; no test is to blame
  kNothingCollected,  // the suite has no test file at all
};

// An error is one message, lower case, without a final full stop: what failed, on what, why.
// A layer that passes it on adds only what it alone knows, in front.
struct Error {
  std::string message;
  ErrorKind kind = ErrorKind::kInfrastructure;
};

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

// The value of a fallible function that has none.
using Status = Result<void>;

inline tl::unexpected<Error> fail(std::string message,
                                  ErrorKind kind = ErrorKind::kInfrastructure) {
  return tl::unexpected<Error>(Error{std::move(message), kind});
}

inline tl::unexpected<Error> fail_usage(std::string message) {
  return fail(std::move(message), ErrorKind::kUsage);
}

// Hands on the error of another Result.
template <class T>
tl::unexpected<Error> propagate(const Result<T>& failed) {
  return tl::unexpected<Error>(failed.error());
}

// Hands it on with `context: ` in front.
template <class T>
tl::unexpected<Error> propagate(const Result<T>& failed, std::string_view context) {
  Error error = failed.error();
  error.message = std::string(context) + ": " + error.message;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace bulkhead
