#include "model/layout.h"

#include <cstdint>

#include <fmt/format.h>

namespace bulkhead {

namespace {

constexpr std::size_t kMaxName = 150;

// FNV-1a, 64 bits: short, stable across machines, and nobody chooses test names to collide.
std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

}  // namespace

std::string RunFolder::entry_folder_name(std::string_view file) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  std::string name;
  for (const char c : file) {
    if (kSafe.find(c) != std::string_view::npos) {
      name += c;
    } else {
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  if (name.size() <= kMaxName) return name;
  return fmt::format("{:016x}-{}", fnv1a(file), name.substr(name.size() - kMaxName + 17));
}

}  // namespace bulkhead
