// A stand-in for GoogleTest, written for an index: tests are classes with a body, and assertions call what they name.
#pragma once
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>
namespace testing {
struct Message { template <class T> Message& operator<<(const T&); Message& operator<<(std::ostream& (*)(std::ostream&)); };
struct TestInfo { const char* name() const; const char* test_suite_name() const; const char* test_case_name() const; };
struct TestResult { bool Failed() const; };
struct Environment { virtual ~Environment(); virtual void SetUp(); virtual void TearDown(); };
struct UnitTest { static UnitTest* GetInstance(); const TestInfo* current_test_info() const; int random_seed() const; };
struct Test {
  virtual ~Test();
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  static void SetUpTestCase();
  static void TearDownTestCase();
  virtual void SetUp();
  virtual void TearDown();
  virtual void TestBody() = 0;
  static bool HasFailure();
  static bool HasFatalFailure();
  static bool IsSkipped();
  static void RecordProperty(const std::string&, const std::string&);
};
template <class T> struct WithParamInterface { using ParamType = T; static const T& GetParam(); };
template <class T> struct TestWithParam : Test, WithParamInterface<T> {};
template <class T> struct TestParamInfo { T param; size_t index; };
struct AssertionResult {
  explicit AssertionResult(bool);
  operator bool() const;
  template <class T> AssertionResult& operator<<(const T&);
  const char* message() const;
};
AssertionResult AssertionSuccess();
AssertionResult AssertionFailure();
template <class... T> struct Types {};
template <class... T> std::tuple<T...> Values(T...);
template <class... T> std::tuple<T...> Combine(T...);
template <class T> const T& ValuesIn(const T&);
template <class T> std::vector<T> ValuesIn(std::initializer_list<T>);
template <class T> std::vector<T> Range(T, T, T = {});
std::vector<bool> Bool();
template <class T> std::string PrintToString(const T&);
struct PrintToStringParamName { template <class T> std::string operator()(const T&) const; };
inline void InitGoogleTest(int*, char**) {}
inline void InitGoogleTest() {}
Environment* AddGlobalTestEnvironment(Environment*);
template <class T> bool torchtalk_is(const T& value) { return static_cast<bool>(value); }
template <class A, class B> Message torchtalk_compare(const A&, const B&);
template <class... T> Message torchtalk_take(T&&...);
}
int RUN_ALL_TESTS();
#define TORCHTALK_TEST(base, suite, name) \
  struct suite##_##name##_Test : base { void TestBody() override; }; \
  void suite##_##name##_Test::TestBody()
#define TEST(suite, name) TORCHTALK_TEST(::testing::Test, suite, name)
#define GTEST_TEST(suite, name) TEST(suite, name)
#define TEST_F(suite, name) TORCHTALK_TEST(suite, suite, name)
#define TEST_P(suite, name) TORCHTALK_TEST(suite, suite, name)
#define TYPED_TEST(suite, name) \
  template <class TypeParam> struct suite##_##name##_Test : suite<TypeParam> { void TestBody() override; }; \
  template <class TypeParam> void suite##_##name##_Test<TypeParam>::TestBody()
#define TYPED_TEST_SUITE(...)
#define TYPED_TEST_CASE(...)
#define TYPED_TEST_P(suite, name) TYPED_TEST(suite, name)
#define TYPED_TEST_SUITE_P(...)
#define REGISTER_TYPED_TEST_SUITE_P(...)
#define INSTANTIATE_TYPED_TEST_SUITE_P(...)
#define INSTANTIATE_TEST_SUITE_P(prefix, suite, ...)
#define INSTANTIATE_TEST_CASE_P(prefix, suite, ...)
#define GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(...)
#define FRIEND_TEST(suite, name) friend struct suite##_##name##_Test
#define TORCHTALK_MESSAGE ::testing::Message()
#define TORCHTALK_TRUE(value) if (::testing::torchtalk_is(value)) ; else TORCHTALK_MESSAGE
#define TORCHTALK_COMPARED(a, b) if (::testing::torchtalk_compare(a, b); false) ; else TORCHTALK_MESSAGE
#define TORCHTALK_TAKEN(...) if (::testing::torchtalk_take(__VA_ARGS__); false) ; else TORCHTALK_MESSAGE
#define TORCHTALK_DONE(statement) if ([&]() { statement; }(); false) ; else TORCHTALK_MESSAGE
#define ASSERT_TRUE(value) TORCHTALK_TRUE(value)
#define EXPECT_TRUE(value) TORCHTALK_TRUE(value)
#define ASSERT_FALSE(value) TORCHTALK_TRUE(!(value))
#define EXPECT_FALSE(value) TORCHTALK_TRUE(!(value))
#define ASSERT_EQ(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_EQ(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_NE(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_NE(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_LT(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_LT(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_LE(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_LE(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_GT(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_GT(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_GE(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_GE(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_FLOAT_EQ(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_FLOAT_EQ(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_DOUBLE_EQ(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_DOUBLE_EQ(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_STREQ(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_STREQ(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_STRNE(a, b) TORCHTALK_COMPARED(a, b)
#define EXPECT_STRNE(a, b) TORCHTALK_COMPARED(a, b)
#define ASSERT_NEAR(...) TORCHTALK_TAKEN(__VA_ARGS__)
#define EXPECT_NEAR(...) TORCHTALK_TAKEN(__VA_ARGS__)
#define ASSERT_THAT(value, matcher) TORCHTALK_TAKEN(value, matcher)
#define EXPECT_THAT(value, matcher) TORCHTALK_TAKEN(value, matcher)
#define ASSERT_PRED2(...) TORCHTALK_TAKEN(__VA_ARGS__)
#define EXPECT_PRED2(...) TORCHTALK_TAKEN(__VA_ARGS__)
#define ASSERT_THROW(statement, type) TORCHTALK_DONE(statement)
#define EXPECT_THROW(statement, type) TORCHTALK_DONE(statement)
#define ASSERT_ANY_THROW(statement) TORCHTALK_DONE(statement)
#define EXPECT_ANY_THROW(statement) TORCHTALK_DONE(statement)
#define ASSERT_NO_THROW(statement) TORCHTALK_DONE(statement)
#define EXPECT_NO_THROW(statement) TORCHTALK_DONE(statement)
#define ASSERT_NO_FATAL_FAILURE(statement) TORCHTALK_DONE(statement)
#define EXPECT_NO_FATAL_FAILURE(statement) TORCHTALK_DONE(statement)
#define ASSERT_DEATH(statement, text) TORCHTALK_DONE(statement)
#define EXPECT_DEATH(statement, text) TORCHTALK_DONE(statement)
#define ASSERT_DEATH_IF_SUPPORTED(statement, text) TORCHTALK_DONE(statement)
#define EXPECT_EXIT(statement, predicate, text) TORCHTALK_DONE(statement)
#define FAIL() TORCHTALK_MESSAGE
#define ADD_FAILURE() TORCHTALK_MESSAGE
#define SUCCEED() TORCHTALK_MESSAGE
#define GTEST_SKIP() TORCHTALK_MESSAGE
#define SCOPED_TRACE(text) (void)(text)
