#include "config/root.h"

#include <gtest/gtest.h>

#include "platform/files.h"

namespace bulkhead {
namespace {

class SuiteRoot : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::string> folder = make_unique_directory("/tmp", "bulkhead-root-");
    ASSERT_TRUE(folder);
    top_ = *folder;
    write("project/tests/unit/test_a.py");
    write("project/tests/api/test_b.py");
  }
  void TearDown() override { (void)remove_tree(top_); }

  void write(const std::string& name, const std::string& text = "") const {
    const std::string path = at(name);
    ASSERT_TRUE(make_directories(parent_of(path)));
    ASSERT_TRUE(write_file_atomically(path, text));
  }
  std::string at(const std::string& name) const { return join_path(top_, name); }
  std::string root_of(const std::string& name) const { return find_suite_root(top_, {at(name)}); }

  std::string top_;
};

TEST_F(SuiteRoot, IsTheFirstFolderUpwardWithAnIniFile) {
  write("project/pytest.ini");
  EXPECT_EQ(root_of("project/tests/unit/test_a.py"), at("project"));
  EXPECT_EQ(root_of("project"), at("project"));
  write("project/tests/.pytest.ini");
  EXPECT_EQ(root_of("project/tests/unit"), at("project/tests"));
}

TEST_F(SuiteRoot, OfSeveralPathsIsFoundFromTheFolderThatHoldsThemAll) {
  write("project/pytest.ini");
  write("project/tests/unit/pytest.ini");
  EXPECT_EQ(find_suite_root(top_, {at("project/tests/unit/test_a.py"), at("project/tests/api")}),
            at("project"));
}

TEST_F(SuiteRoot, KnowsTheSectionsOfEveryIniFile) {
  write("project/pyproject.toml", "[project]\nname = 'x'\n");
  write("project/tox.ini", "[tox]\n");
  write("project/setup.cfg", "[metadata]\n");
  EXPECT_EQ(root_of("project/tests"), top_) << "no file of these speaks of pytest";
  write("project/tox.ini", "[tox]\n[pytest]\n");
  EXPECT_EQ(root_of("project/tests"), at("project"));
  write("project/tox.ini");
  write("project/setup.cfg", "[tool:pytest]\n");
  EXPECT_EQ(root_of("project/tests"), at("project"));
  write("project/setup.cfg");
  write("project/pyproject.toml", "[tool.pytest.ini_options]\n");
  EXPECT_EQ(root_of("project/tests"), at("project"));
}

TEST_F(SuiteRoot, BulkheadsOwnConfigurationHoldsForAllBelowIt) {
  write("project/bulkhead.toml");
  write("project/tests/unit/pytest.ini");
  EXPECT_EQ(root_of("project/tests/unit/test_a.py"), at("project"));
}

TEST_F(SuiteRoot, APyprojectFileThatCannotBeParsedIsNotPassedOver) {
  write("project/pyproject.toml", "[tool.bulk");
  EXPECT_EQ(root_of("project/tests"), at("project"));
}

TEST_F(SuiteRoot, WithoutAnyIniFileIsSetupPysFolderElseWhereTheCallerStands) {
  EXPECT_EQ(root_of("project/tests/unit"), top_);
  EXPECT_EQ(find_suite_root(at("elsewhere"), {at("project/tests")}), top_);
  EXPECT_EQ(find_suite_root(at("project/tests"), {}), at("project/tests"));
  write("project/setup.py");
  EXPECT_EQ(root_of("project/tests/unit"), at("project"));
  EXPECT_EQ(find_suite_root(at("project/tests"), {}), at("project"));
}

}  // namespace
}  // namespace bulkhead
