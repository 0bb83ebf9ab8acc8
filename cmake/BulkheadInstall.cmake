# What `cmake --install` puts where: the driver, and the package that find_package(Bulkhead) reads.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/Bulkhead")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/BulkheadConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/package/BulkheadConfig.cmake"
  INSTALL_DESTINATION "${package}" NO_SET_AND_CHECK_MACRO)
# Until 1.0 a minor version may change what a suite relies on.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/package/BulkheadConfigVersion.cmake" COMPATIBILITY SameMinorVersion)

install(TARGETS bulkhead EXPORT BulkheadTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(EXPORT BulkheadTargets NAMESPACE Bulkhead:: DESTINATION "${package}")
install(FILES
  "${CMAKE_CURRENT_LIST_DIR}/Bulkhead.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/BulkheadConfigurations.cmake.in"
  "${CMAKE_CURRENT_LIST_DIR}/BulkheadEntries.cmake.in"
  "${PROJECT_BINARY_DIR}/package/BulkheadConfig.cmake"
  "${PROJECT_BINARY_DIR}/package/BulkheadConfigVersion.cmake"
  DESTINATION "${package}")
