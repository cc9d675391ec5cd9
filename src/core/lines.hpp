// Text that arrives in pieces, handed on as whole lines.
#pragma once

#include <cstdlib>
#include <new>
#include <string>

#include "text.hpp"

namespace poolwise {

constexpr std::size_t longest_line = 1 << 20;

enum class Fault : int {
    none,
    columns,      // found: the number of columns
    score,        // found: the word that is no number
    not_a_number, // found: the word (NaN)
    label,        // found: the word that is no whole number
    label_range,  // found: the word that does not fit 32 bits
    stratum,      // found: the word that is no whole number
    nul,
    long_line,
    duplicate,    // found: topic, a space, document
    scattered,    // a topic's lines are not together: read again, gathering
    unreadable,   // found: the system's words
    compressed,   // found: gz, xz, bz2, zst or parquet
};

struct Problem {
    Fault fault = Fault::none;
    std::uint64_t line = 0;
    std::string found;

    explicit operator bool() const { return fault != Fault::none; }
};

// Bytes of uninitialised storage with room for padding behind them.
class Buffer {
   public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    char* data() { return data_; }
    std::size_t size() const { return size_; }

    // Room for `more` bytes at the end, to be filled and then committed.
    char* reserve(std::size_t more) {
        if (size_ + more + padding > capacity_) {
            const std::size_t capacity = std::max(size_ + more + padding, capacity_ * 2);
            char* data = static_cast<char*>(std::realloc(data_, capacity));
            if (data == nullptr) throw std::bad_alloc();
            data_ = data;
            capacity_ = capacity;
        }
        return data_ + size_;
    }

    void commit(std::size_t more) {
        size_ += more;
        std::memset(data_ + size_, 0, padding);
    }

    void append(const char* bytes, std::size_t count) {
        char* at = reserve(count);
        if (count > 0) std::memcpy(at, bytes, count);
        commit(count);
    }

    void drop_front(std::size_t count) {
        std::memmove(data_, data_ + count, size_ - count);
        size_ -= count;
        std::memset(data_ + size_, 0, padding);
    }

   private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// Finds whole lines in what is fed and gives them to Reader::line(begin, end), `end` being the newline. The reader
// may keep lines in the buffer: Reader::kept() is the offset of the oldest byte it still points to, and
// Reader::moved(by) tells it that everything moved to the front by so many bytes.
class Lines {
   public:
    char* reserve(std::size_t more) { return buffer_.reserve(more); }

    template <class Reader>
    Problem feed(Reader& reader, const char* bytes, std::size_t count, bool last) {
        if (count > 0) std::memcpy(buffer_.reserve(count), bytes, count);
        return fed(reader, count, last);
    }

    // After `count` bytes were written to what `reserve` gave.
    template <class Reader>
    Problem fed(Reader& reader, std::size_t count, bool last) {
        buffer_.reserve(count + 1);
        buffer_.commit(count);
        if (at_start_ && (buffer_.size() >= 3 || last)) {
            at_start_ = false;
            if (buffer_.size() >= 3 && std::memcmp(buffer_.data(), "\xEF\xBB\xBF", 3) == 0) next_ = 3;
        }
        if (at_start_) return {};
        if (last && buffer_.size() > next_ && buffer_.data()[buffer_.size() - 1] != '\n') buffer_.append("\n", 1);
        if (Problem problem = lines(reader)) return problem;
        if (buffer_.size() - next_ > longest_line) return {Fault::long_line, line_ + 1, ""};
        return last ? reader.finish() : release(reader);
    }

    std::uint64_t line() const { return line_; }
    std::uint64_t blank() const { return blank_; }

   private:
    template <class Reader>
    Problem lines(Reader& reader) {
        const char* const data = buffer_.data();
        std::size_t complete = buffer_.size();
        while (complete > next_ && data[complete - 1] != '\n') --complete;
        const char* at = data + next_;
        const char* const end = data + complete;
        reader.based_on(data);
        while (at < end) {
            ++line_;
            const char* const first = skip_blanks(at);
            if (*first == '\n') {
                ++blank_;
                at = first + 1;
                continue;
            }
            Problem problem;
            const char* const newline = reader.line(first, line_, problem);
            if (problem) return problem;
            if (static_cast<std::size_t>(newline - at) > longest_line) return {Fault::long_line, line_, ""};
            at = newline + 1;
        }
        next_ = complete;
        return {};
    }

    // Moves what is still needed to the front, once at least half of the buffer is not.
    template <class Reader>
    Problem release(Reader& reader) {
        const std::size_t kept = std::min(reader.kept(), next_);
        if (2 * kept >= buffer_.size()) {
            buffer_.drop_front(kept);
            next_ -= kept;
            reader.moved(kept);
        }
        return {};
    }

    Buffer buffer_;
    std::size_t next_ = 0;  // offset of the first byte not yet read
    std::uint64_t line_ = 0;
    std::uint64_t blank_ = 0;
    bool at_start_ = true;
};

// Cuts a line into words. Returns the number of columns, at most `most` + 1, and leaves `at` at the newline when
// the number is right; -1 when a NUL byte stands in the line.
template <int most>
inline int split(const char*& at, std::string_view (&words)[most]) {
    int count = 0;
    for (; count < most; ++count) {
        const char* const end = word_end(at);
        if (end == at) return *at == '\0' ? -1 : count;
        words[count] = {at, static_cast<std::size_t>(end - at)};
        at = skip_blanks(end);
    }
    if (*at == '\n') return count;
    return *at == '\0' ? -1 : most + 1;
}

}  // namespace poolwise
