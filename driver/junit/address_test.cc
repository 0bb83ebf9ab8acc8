#include "junit/address.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

CaseAddress address(std::string_view id, std::string_view file = "") {
  return case_address(id, file);
}

TEST(CaseAddress, IsPytestsDottedPathClassesAndName) {
  EXPECT_EQ(address("tests/test_a.py::test_x"), (CaseAddress{"tests.test_a", "test_x"}));
  EXPECT_EQ(address("tests/test_a.py::TestO::TestI::test_x"),
            (CaseAddress{"tests.test_a.TestO.TestI", "test_x"}));
  EXPECT_EQ(address("tests/test_s.py"), (CaseAddress{"", "tests.test_s"}));
}

TEST(CaseAddress, ParametersAreOnePieceWhateverTheyHold) {
  EXPECT_EQ(address("t/test_a.py::test_id[a::b]"), (CaseAddress{"t.test_a", "test_id[a::b]"}));
  EXPECT_EQ(address("t/test_a.py::test_id[x]/y.py]"),
            (CaseAddress{"t.test_a", "test_id[x]/y.py]"}));
  EXPECT_EQ(address("t/test_a.py::test_id[\x1b]"), (CaseAddress{"t.test_a", "test_id[#x1B]"}));
}

TEST(CaseAddress, BracketsInAKnownPathAreNoParameters) {
  const std::string file = "br[acket/test_b.py";
  EXPECT_EQ(address(file + "::test_x[1]", file), (CaseAddress{"br[acket.test_b", "test_x[1]"}));
  // Older versions of pytest take the first bracket for the parameters'.
  EXPECT_EQ(case_addresses(file + "::test_x[1]", file).back(),
            (CaseAddress{"", "br[acket/test_b.py::test_x[1]"}));
  EXPECT_EQ(address("a::b/test_c.py::test_x", "a::b/test_c.py"),
            (CaseAddress{"a::b.test_c", "test_x"}));
}

}  // namespace
}  // namespace bulkhead
