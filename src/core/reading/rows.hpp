// Lines of one ranking while it is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace poolwise {

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
    Row& operator[](std::size_t place) { return rows_[place]; }
    const Row& operator[](std::size_t place) const { return rows_[place]; }
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
