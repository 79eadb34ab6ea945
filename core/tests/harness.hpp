// A test harness of one page: TEST(name) { CHECK(...); } and a main that runs them all.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace harness {

struct Test {
    const char* name;
    void (*body)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registrar {
    Registrar(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

inline void fail(const char* file, int line, const std::string& what) {
    ++failures();
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

inline int run() {
    int failed = 0;
    for (const auto& test : tests()) {
        const int before = failures();
        try {
            test.body();
        } catch (const std::exception& error) {
            fail(test.name, 0, std::string("threw ") + error.what());
        }
        if (failures() != before) {
            ++failed;
            std::fprintf(stderr, "FAILED %s\n", test.name);
        }
    }
    std::printf("%zu passed, %d failed\n", tests().size() - static_cast<std::size_t>(failed), failed);
    return tests().empty() || failed > 0 ? 1 : 0;
}

}  // namespace harness

#define TEST(name)                                                  \
    static void name();                                             \
    static const harness::Registrar registrar_##name{#name, &name}; \
    static void name()

#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition)) harness::fail(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_THROWS(expression, type)                                                        \
    do {                                                                                      \
        bool thrown = false;                                                                  \
        try {                                                                                 \
            static_cast<void>(expression);                                                    \
        } catch (const type&) {                                                               \
            thrown = true;                                                                    \
        }                                                                                     \
        if (!thrown) harness::fail(__FILE__, __LINE__, #expression " does not throw " #type); \
    } while (false)

int main() { return harness::run(); }
