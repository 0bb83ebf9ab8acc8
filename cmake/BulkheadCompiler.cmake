# How Bulkhead itself is compiled; nothing here reaches a project that uses it.

add_library(bulkhead_compiler INTERFACE)
target_compile_features(bulkhead_compiler INTERFACE cxx_std_20)
target_compile_options(bulkhead_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wno-missing-field-initializers  # designated initialisers leave the rest to their defaults
  # GCC 12 sees overlaps in std::string that are not there (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${BULKHEAD_WERROR}>:-Werror>)
if(BULKHEAD_SANITIZE)
  target_compile_options(bulkhead_compiler INTERFACE
    -fsanitize=${BULKHEAD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(bulkhead_compiler INTERFACE -fsanitize=${BULKHEAD_SANITIZE})
endif()
