// Scanning text: words between white space, numbers, and hashes of names.
// Everything here may read up to `padding` bytes past the end of a buffer, which owners of buffers provide.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

namespace poolwise {

constexpr std::size_t padding = 16;

inline std::uint64_t load64(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Space, tab, newline, vertical tab, form feed and carriage return.
inline bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The first white space or NUL at or after `at`. Eight bytes are tested at a time; a control character that is
// neither stays part of the word. The caller guarantees that a newline or NUL follows.
inline const char* word_end(const char* at) {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    for (;;) {
        const std::uint64_t word = load64(at);
        // Sets the high bit of every byte below 0x21 (and sometimes of bytes after it, never before).
        const std::uint64_t low = (word - ones * 0x21) & ~word & (ones * 0x80);
        if (low == 0) {
            at += 8;
            continue;
        }
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        at += __builtin_ctzll(low) >> 3;
#else
        while (static_cast<unsigned char>(*at) > ' ') ++at;
#endif
        const auto c = static_cast<unsigned char>(*at);
        if (c == 0 || is_space(c)) return at;
        ++at;
    }
}

// The first character at or after `at` that is not white space within a line.
inline const char* skip_blanks(const char* at) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\v' || *at == '\f') ++at;
    return at;
}

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    std::uint64_t x = (a ^ (a >> 32)) * 0x9E3779B97F4A7C15ULL + b;
    x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9ULL;
    return x ^ (x >> 32);
#endif
}

// A 64-bit hash that reads whole words and masks the tail, hence the padding.
inline std::uint64_t hash_name(const char* at, std::size_t size) {
    std::uint64_t hash = 0x9E3779B97F4A7C15ULL ^ size;
    while (size > 8) {
        hash = fold(hash ^ load64(at), 0xA0761D6478BD642FULL);
        at += 8;
        size -= 8;
    }
    std::uint64_t tail = 0;
    if (size > 0) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        tail = load64(at) & (~0ULL >> (64 - 8 * size));
#else
        std::memcpy(&tail, at, size);
#endif
    }
    return fold(hash ^ tail, 0xE7037ED1A0B428DBULL);
}

// A whole number that fills `word` and fits 32 bits; the two lowest values are reserved by the core.
enum class Integer { good, malformed, out_of_range };

inline Integer parse_integer(std::string_view word, std::int32_t& value) {
    if (!word.empty() && word[0] == '+') word.remove_prefix(1);
    if (word.empty() || word[0] == '+') return Integer::malformed;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end != word.data() + word.size() || status == std::errc::invalid_argument) return Integer::malformed;
    if (status == std::errc::result_out_of_range) return Integer::out_of_range;
    return value < std::numeric_limits<std::int32_t>::min() + 2 ? Integer::out_of_range : Integer::good;
}

inline bool parse_special(std::string_view word, double& value) {
    const bool negative = word[0] == '-';
    if (negative || word[0] == '+') word.remove_prefix(1);
    const auto is = [&](std::string_view name) {
        if (word.size() != name.size()) return false;
        for (std::size_t i = 0; i < name.size(); ++i)
            if ((word[i] | 0x20) != name[i]) return false;
        return true;
    };
    if (is("nan")) {
        value = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    if (!is("inf") && !is("infinity")) return false;
    value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
}

inline bool parse_number_slowly(std::string_view word, double& value) {
    if (word.empty()) return false;
    const std::string_view whole = word;
    if (word[0] == '+') {
        word.remove_prefix(1);
        if (word.empty() || word[0] == '-' || word[0] == '+') return false;
    }
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status == std::errc::invalid_argument || end != word.data() + word.size()) return parse_special(whole, value);
    if (status == std::errc::result_out_of_range) {
        // As strtod: too large becomes infinite, too small becomes zero. A number too large for a double has its
        // magnitude in its exponent's sign or in its many digits before the point.
        const bool negative = word[0] == '-';
        const std::size_t exponent = word.find_first_of("eE");
        const std::string_view digits = word.substr(negative, exponent == word.npos ? word.npos : exponent - negative);
        const std::size_t leading = digits.find_first_not_of("0.");
        const std::size_t point = digits.find('.') == digits.npos ? digits.size() : digits.find('.');
        bool large = exponent == word.npos && leading < point;
        if (exponent != word.npos) large = word[exponent + 1] != '-';
        value = large ? std::numeric_limits<double>::infinity() : 0.0;
        if (negative) value = -value;
    }
    return true;
}

// A 64-bit float that fills `word`. Up to 19 digits with a small exponent are exact in one multiplication or
// division by a power of ten (Clinger 1990, fast path); all else goes the slow way.
inline bool parse_number(std::string_view word, double& value) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char* at = word.data();
    const char* const end = at + word.size();
    const bool negative = at != end && *at == '-';
    at += negative;
    std::uint64_t digits = 0;
    const char* const first = at;
    while (at != end && static_cast<unsigned char>(*at - '0') < 10) digits = digits * 10 + (*at++ - '0');
    std::ptrdiff_t count = at - first;
    std::ptrdiff_t decimals = 0;
    if (at != end && *at == '.') {
        const char* const point = ++at;
        while (at != end && static_cast<unsigned char>(*at - '0') < 10) digits = digits * 10 + (*at++ - '0');
        decimals = at - point;
        count += decimals;
    }
    if (at != end || count == 0 || count > 19 || digits > (1ULL << 53) || decimals > 22)
        return parse_number_slowly(word, value);
    value = static_cast<double>(digits) / powers[decimals];
    if (negative) value = -value;
    return true;
}

}  // namespace poolwise
