// Scanning text: words between white space, numbers, and hashes of names.
// Everything here may read up to `padding` bytes past the end of a buffer, which owners of buffers provide;
// low_bytes reads a whole `window`.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <random>
#include <string_view>
#include <system_error>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace poolwise {

constexpr std::size_t padding = 16;
constexpr std::size_t window = 64;  // bytes of a line that are looked at together

inline std::uint64_t load64(const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// Space, tab, newline, vertical tab, form feed and carriage return.
inline bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Equality of two names of the same size; both may be read over by `padding`.
inline bool same(const char* a, const char* b, std::size_t size) {
    for (; size > 8; a += 8, b += 8, size -= 8)
        if (load64(a) != load64(b)) return false;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return size == 0 || ((load64(a) ^ load64(b)) << (64 - 8 * size)) == 0;
#else
    return std::memcmp(a, b, size) == 0;
#endif
}

// The first byte of at most 0x20 at or after `at`: eight bytes are tested at a time. One must follow.
inline const char* word_end(const char* at) {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    for (;; at += 8) {
        const std::uint64_t word = load64(at);
        // Sets the high bit of every byte below 0x21, and sometimes of bytes after the first of those.
        const std::uint64_t low = (word - ones * 0x21) & ~word & (ones * 0x80);
        if (low == 0) continue;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return at + (__builtin_ctzll(low) >> 3);
#else
        while (static_cast<unsigned char>(*at) > ' ') ++at;
        return at;
#endif
    }
}

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline const char* skip_blanks(const char* at) {
    while (static_cast<unsigned char>(*at) <= ' ' && is_blank(*at)) ++at;
    return at;
}

// Cuts a line into at most `most` words and leaves `at` at the newline or the NUL that stops it. Returns the number
// of words, however many; control characters that are no white space belong to words.
template <int most>
int split(const char*& at, std::string_view (&words)[most]) {
    int count = 0;
    for (at = skip_blanks(at); *at != '\n' && *at != '\0'; at = skip_blanks(at)) {
        const char* const begin = at;
        for (at = word_end(at); !is_space(static_cast<unsigned char>(*at)) && *at != '\0';) at = word_end(at + 1);
        if (count < most) words[count] = {begin, static_cast<std::size_t>(at - begin)};
        ++count;
    }
    return count;
}

// The number of the lowest bit set; there must be one.
inline int lowest_bit(std::uint64_t mask) {
#if defined(__GNUC__)
    return __builtin_ctzll(mask);
#else
    int bit = 0;
    while ((mask >> bit & 1) == 0) ++bit;
    return bit;
#endif
}

inline std::uint32_t count_bits(std::uint64_t mask) {
    mask -= mask >> 1 & 0x5555555555555555ULL;
    mask = (mask & 0x3333333333333333ULL) + (mask >> 2 & 0x3333333333333333ULL);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<std::uint32_t>((mask * 0x0101010101010101ULL) >> 56);
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

// Keys of the hash of names, drawn anew in every process: who knew them could write a file of names that all share one
// hash, and reading it would take hours. Nothing that is found depends on them. Fuzzing builds fix them, so that an
// input does the same again.
struct HashKeys {
    std::uint64_t first, second, begin;
};

// Chance from the system; where it gives none, the clock.
inline std::uint64_t draw_seed() noexcept {
#if defined(POOLWISE_HASH_SEED)
    return POOLWISE_HASH_SEED;
#else
    try {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32) ^ device();
    } catch (const std::exception&) {
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
#endif
}

inline HashKeys draw_hash_keys() noexcept {
    std::uint64_t state = draw_seed();
    const auto next = [&] {  // SplitMix64 (Steele, Lea and Flood 2014)
        std::uint64_t z = state += 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    };
    return {next(), next(), next()};
}

inline const HashKeys hash_keys = draw_hash_keys();

// A 64-bit hash that reads whole words and masks the tail, hence the padding.
inline std::uint64_t hash_name(const char* at, std::size_t size) {
    // Most names have 8 to 16 bytes, which two words cover.
    if (size - 8 <= 8) return fold(load64(at) ^ hash_keys.first, load64(at + size - 8) ^ hash_keys.second ^ size);
    std::uint64_t hash = hash_keys.begin ^ size;
    while (size > 8) {
        hash = fold(hash ^ load64(at), hash_keys.first);
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
    return fold(hash ^ tail, hash_keys.second);
}

// Takes a plus sign off the front, which from_chars does not know; false if nothing or another sign follows.
inline bool drop_plus(std::string_view& word) {
    if (word.empty() || word[0] != '+') return !word.empty();
    word.remove_prefix(1);
    return !word.empty() && word[0] != '+' && word[0] != '-';
}

// A whole number that fills `word` and fits 32 bits; the two lowest values are reserved by the core.
enum class Integer { good, malformed, out_of_range };

inline Integer parse_integer(std::string_view word, std::int32_t& value) {
    if (!drop_plus(word)) return Integer::malformed;
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

// Whether a number that a double cannot hold is too large, not too small: the place of its first digit that is not 0
// (1 for the last place before the point) and its exponent say so.
inline bool is_huge(std::string_view number) {
    constexpr std::int64_t bound = 1LL << 40;  // beyond the places any line has room for
    const std::size_t e = std::min(number.find_first_of("eE"), number.size());
    const std::string_view digits = number.substr(0, e);
    const std::size_t first = digits.find_first_not_of("-0.");
    if (first == digits.npos) return false;
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::int64_t place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + (first > point);
    std::int64_t exponent = 0;
    const bool down = e + 1 < number.size() && number[e + 1] == '-';
    for (std::size_t i = e + 1; i < number.size() && exponent < bound; ++i)
        if (number[i] >= '0') exponent = exponent * 10 + (number[i] - '0');
    return place + (down ? -exponent : exponent) > 0;
}

inline bool parse_number_slowly(std::string_view word, double& value) {
    const std::string_view whole = word;
    if (!drop_plus(word)) return false;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status == std::errc::invalid_argument || end != word.data() + word.size()) return parse_special(whole, value);
    if (status == std::errc::result_out_of_range) {
        // As strtod: too large becomes infinite, too small becomes zero.
        value = is_huge(word) ? std::numeric_limits<double>::infinity() : 0.0;
        if (word[0] == '-') value = -value;
    }
    return true;
}

// Reads digits, eight at a time, adding them to `value`; returns where they end. More than 19 overflow.
inline const char* read_digits(const char* at, std::uint64_t& value) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static constexpr std::uint64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (;;) {
        std::uint64_t word = load64(at) ^ 0x3030303030303030ULL;  // digits become 0 to 9
        const std::uint64_t others = ((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL;
        const int count = others == 0 ? 8 : __builtin_ctzll(others) >> 3;
        if (count == 0) return at;
        word <<= 64 - 8 * count;
        word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFULL;
        word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFULL;
        word = (word * 10000 + (word >> 32)) & 0x00000000FFFFFFFFULL;
        value = value * powers[count] + word;
        at += count;
        if (count < 8) return at;
    }
#else
    for (unsigned digit; (digit = static_cast<unsigned char>(*at) - '0') < 10; ++at) value = value * 10 + digit;
    return at;
#endif
}

// Reads a plain decimal number of up to 19 digits, which is exact in one division by a power of ten (Clinger 1990,
// fast path). Returns where it ends, or nothing when the number is of another kind or none.
inline const char* plain_number(const char* at, double& value) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                        1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const bool negative = *at == '-';
    at += negative;
    std::uint64_t digits = 0;
    const char* const first = at;
    at = read_digits(at, digits);
    std::ptrdiff_t count = at - first, decimals = 0;
    if (*at == '.') {
        const char* const point = ++at;
        at = read_digits(at, digits);
        decimals = at - point;
        count += decimals;
    }
    if (count == 0 || count > 19 || digits > (1ULL << 53) || static_cast<unsigned char>(*at) > ' ') return nullptr;
    value = static_cast<double>(digits) / powers[decimals];
    if (negative) value = -value;
    return at;
}

#if defined(__SSE2__) && defined(__GNUC__)
#define POOLWISE_WINDOWS

// Which of the 64 bytes from `at` on are of at most 0x20: bit i stands for byte i.
inline std::uint64_t low_bytes(const char* at) {
    const __m128i space = _mm_set1_epi8(' ');
    std::uint64_t mask = 0;
    for (std::size_t part = 0; part < window / 16; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * part));
        const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, space), bytes));
        mask |= static_cast<std::uint64_t>(found) << (16 * part);
    }
    return mask;
}

// Reads a decimal number of 2 to 8 characters with a point and without a sign, behind which a blank follows; false if
// it is none.
inline bool short_number(const char* at, std::size_t size, double& value) {
    static constexpr double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    std::uint64_t word = load64(at) ^ 0x3030303030303030ULL;  // digits become 0 to 9
    const std::uint64_t others = word & 0x1010101010101010ULL;
    const std::size_t point = others == 0 ? 64 : static_cast<std::size_t>(__builtin_ctzll(others)) - 4;
    if (point >= 8 * size || at[point / 8] != '.') return false;
    const std::uint64_t before = (1ULL << point) - 1;
    word = ((word & before) | (word >> 8 & ~before)) << (72 - 8 * size);  // the last digit comes last
    if ((((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL) != 0) return false;
    word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FFULL;
    word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFFULL;
    word = (word * 10000 + (word >> 32)) & 0x00000000FFFFFFFFULL;
    value = static_cast<double>(static_cast<std::int64_t>(word)) / powers[size - 1 - point / 8];
    return true;
}

// Reads a plain decimal number whose size is known; false if it is of another kind or none.
inline bool sized_number(const char* at, std::size_t size, double& value) {
    const bool negative = *at == '-';
    if (size - negative - 2 > 6 || !short_number(at + negative, size - negative, value))
        return plain_number(at, value) == at + size;
    if (negative) value = -value;
    return true;
}
#endif

// A 64-bit float that fills `word`.
inline bool parse_number(std::string_view word, double& value) {
    return plain_number(word.data(), value) == word.data() + word.size() || parse_number_slowly(word, value);
}

}  // namespace poolwise
