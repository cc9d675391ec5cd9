// Lines of text that arrives in pieces, and the rows of a ranking that they become.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "text.hpp"

namespace poolwise {

// Fuzzing builds lower it, so that short inputs reach the check.
#if !defined(POOLWISE_LONGEST_LINE)
#define POOLWISE_LONGEST_LINE (1 << 20)
#endif
constexpr std::size_t longest_line = POOLWISE_LONGEST_LINE;

inline bool is_long(const char* begin, const char* end) { return static_cast<std::size_t>(end - begin) > longest_line; }

enum class Fault : int {
    none,
    columns,       // found: the number of columns
    score,         // found: the word that is no number
    not_a_number,  // found: the word (NaN)
    label,         // found: the word that is no whole number
    label_range,   // found: the word that does not fit 32 bits
    stratum,       // found: the word that is no whole number
    iteration,     // found: the word that is no whole number, where judgments have strata
    nul,
    long_line,
    duplicate,   // found: topic, a newline, document
    scattered,   // a topic's lines are not together: read again, gathering
    unreadable,  // found: the system's words
    compressed,  // found: gz, xz, bz2, zst, lz4, parquet or sqlite; stream for a pipe, which can be read once only
};

// The faults by their names, as Python knows them.
struct FaultName {
    Fault fault;
    const char* name;
};
inline constexpr FaultName fault_names[] = {
    {Fault::none, "none"},
    {Fault::columns, "columns"},
    {Fault::score, "score"},
    {Fault::not_a_number, "not_a_number"},
    {Fault::label, "label"},
    {Fault::label_range, "label_range"},
    {Fault::stratum, "stratum"},
    {Fault::iteration, "iteration"},
    {Fault::nul, "nul"},
    {Fault::long_line, "long_line"},
    {Fault::duplicate, "duplicate"},
    {Fault::scattered, "scattered"},
    {Fault::unreadable, "unreadable"},
    {Fault::compressed, "compressed"},
};
constexpr bool in_order(const FaultName* names, int count) {
    for (int i = 0; i < count; ++i)
        if (static_cast<int>(names[i].fault) != i) return false;
    return count == static_cast<int>(Fault::compressed) + 1;
}
static_assert(in_order(fault_names, static_cast<int>(std::size(fault_names))), "every fault has its name, in order");

struct Problem {
    Fault fault = Fault::none;
    std::uint64_t line = 0;
    std::string found;

    explicit operator bool() const { return fault != Fault::none; }
};

// Bytes of uninitialised storage with a window of zeros behind them.
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
        if (size_ + more + window > capacity_) {
            const std::size_t capacity = std::max(size_ + more + window, capacity_ * 2);
            char* data = static_cast<char*>(std::realloc(data_, capacity));
            if (data == nullptr) throw std::bad_alloc();
            data_ = data;
            capacity_ = capacity;
        }
        return data_ + size_;
    }

    void commit(std::size_t more) {
        size_ += more;
        std::memset(data_ + size_, 0, window);
    }

    void append(const char* bytes, std::size_t count) {
        char* at = reserve(count);
        if (count > 0) std::memcpy(at, bytes, count);
        commit(count);
    }

    void clear() { size_ = 0; }

    void drop_front(std::size_t count) {
        std::memmove(data_, data_ + count, size_ - count);
        size_ -= count;
        std::memset(data_ + size_, 0, window);
    }

   private:
    char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

// Finds whole lines in what is fed and gives them to Reader::usual_lines(begin, end, number), which takes as many as
// are as usual, counts them and returns where the next one begins; that one goes to Reader::line(words, columns,
// number). The reader may point into the buffer between calls: Reader::based_on(data) tells where it is,
// Reader::in_use_from() is the offset of the oldest byte still pointed to, and Reader::moved(by) says that everything
// moved to the front by so many bytes. Lines that begin with # are comments and go to Reader::comment(text).
class Lines {
   public:
    // Begins another file, keeping the storage.
    void restart() {
        buffer_.clear();
        next_ = blank_ = 0;
        line_ = 1;
        at_start_ = true;
    }

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
        reader.based_on(buffer_.data());
        if (Problem problem = lines(reader)) return problem;
        if (buffer_.size() - next_ > longest_line) return {Fault::long_line, line_, ""};
        if (last) return reader.finish();
        release(reader);
        return {};
    }

    std::uint64_t blank() const { return blank_; }

   private:
    template <class Reader>
    Problem lines(Reader& reader) {
        const char* at = buffer_.data() + next_;
        const char* end = buffer_.data() + buffer_.size();
        while (end > at && end[-1] != '\n') --end;
        next_ = static_cast<std::size_t>(end - buffer_.data());
        for (;; ++line_) {
            at = reader.usual_lines(at, end, line_);
            if (at == end) break;
            const char* after = nullptr;
            if (Problem problem = any_line(reader, at, after)) return problem;
            at = after;
        }
        return {};
    }

    template <class Reader>
    Problem any_line(Reader& reader, const char* at, const char*& after) {
        std::string_view words[Reader::most_columns];
        const char* const begin = at;
        if (*at == '#') return comment(reader, at, after);
        const int columns = split(at, words);
        if (*at == '\0') return {ends_late(begin) ? Fault::long_line : Fault::nul, line_, ""};
        after = at + 1;
        if (is_long(begin, at)) return {Fault::long_line, line_, ""};
        blank_ += columns == 0;
        return columns == 0 ? Problem{} : reader.line(words, columns, line_, begin, after);
    }

    template <class Reader>
    Problem comment(Reader& reader, const char* at, const char*& after) {
        const char* const end = std::find(at, static_cast<const char*>(buffer_.data() + buffer_.size()), '\n');
        after = end + 1;
        if (is_long(at, end)) return {Fault::long_line, line_, ""};
        reader.comment({at, static_cast<std::size_t>(end - at)});
        return {};
    }

    // Whether a line that is known to end is too long; a NUL in it does not matter, as a piece might end before it.
    bool ends_late(const char* begin) {
        const char* const end = buffer_.data() + buffer_.size();
        return is_long(begin, std::find(begin, end, '\n'));
    }

    // Moves what is still needed to the front, once at least half of the buffer is not.
    template <class Reader>
    void release(Reader& reader) {
        const std::size_t in_use = std::min(reader.in_use_from(), next_);
        if (2 * in_use < buffer_.size()) return;
        buffer_.drop_front(in_use);
        next_ -= in_use;
        reader.moved(in_use);
    }

    Buffer buffer_;
    std::size_t next_ = 0;    // offset of the first byte not yet read
    std::uint64_t line_ = 1;  // number of the line that begins there
    std::uint64_t blank_ = 0;
    bool at_start_ = true;
};

struct Row {
    std::size_t offset;  // of the document's name, in the text at hand
    std::uint64_t hash;  // of that name
    double score;
    std::uint32_t size;  // of the name
    std::uint32_t line;
};

// Rows one after the other. They are written where they stay: a row that is put together elsewhere and copied from
// there would be waited for.
class Rows {
   public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Row& operator[](std::size_t index) { return rows_[index]; }
    const Row& operator[](std::size_t index) const { return rows_[index]; }
    Row* begin() { return rows_.get(); }
    Row* end() { return rows_.get() + size_; }
    const Row* begin() const { return rows_.get(); }
    const Row* end() const { return rows_.get() + size_; }

    // One more at the end, to be filled.
    Row& add() {
        if (size_ == capacity_) grow();
        return rows_[size_++];
    }

    void keep_first(std::size_t count) { size_ = std::min(size_, count); }
    void clear() { size_ = 0; }

   private:
    void grow() {
        const std::size_t capacity = std::max<std::size_t>(256, 2 * capacity_);
        std::unique_ptr<Row[]> rows(new Row[capacity]);
        std::copy(begin(), end(), rows.get());
        rows_ = std::move(rows);
        capacity_ = capacity;
    }

    std::unique_ptr<Row[]> rows_;
    std::size_t size_ = 0, capacity_ = 0;
};

// Tells quickly of most rankings without repeated documents that they hold none. Each document sets three bits of one
// word; only one that finds all of them set may be a repeated one. There is no branch to be guessed wrongly.
class Repeats {
   public:
    bool may_be_in(const Rows& rows) {
        std::size_t words = 64;
        while (words < 2 * rows.size()) words *= 2;
        words_.assign(words, 0);
        bool found = false;
        for (const Row& row : rows) {
            const auto bit = [&](int from) { return 1ULL << (row.hash >> from & 63); };
            const std::uint64_t mark = bit(0) | bit(6) | bit(12);
            std::uint64_t& word = words_[row.hash >> 18 & (words - 1)];
            found |= (word & mark) == mark;
            word |= mark;
        }
        return found;
    }

   private:
    std::vector<std::uint64_t> words_;
};

}  // namespace poolwise
