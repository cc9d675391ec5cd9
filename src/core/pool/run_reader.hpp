// Lines of a run become rankings of the pool's documents.
#pragma once

#include "pool.hpp"
#include "reading/front.hpp"

namespace poolwise {

// Reads one run. Lines of one topic are resolved as soon as the topic ends, so only one topic's lines are held. When
// a topic comes back later in the file, the fault `scattered` asks for a second reading that gathers all lines first.
class RunReader {
   public:
    // A pool that keeps all documents down to a depth always gathers: what a first reading ranks within the depth may
    // turn out to lie below it, and would stay in the pool.
    RunReader(Pool& pool, Run& run, bool keep_first, bool gather)
        : pool_(pool), run_(run), keep_first_(keep_first), gather_(gather || (pool.keep_all && pool.is_cut())) {}

    void based_on(const char* base) { base_ = base; }
    void comment(std::string_view text) {
        std::string_view words[6];
        double score;
        const char* at = text.data();
        run_.comments += split(at, words) >= 6 && words[0].size() > 1 && parse_number(words[4], score);
    }
    std::size_t in_use_from() const {
        return rows_.empty() ? std::numeric_limits<std::size_t>::max() : rows_[0].offset;
    }
    void moved(std::size_t by) {
        for (Row& row : rows_) row.offset -= by;
    }

    static constexpr int most_columns = 6;

    // Reads lines that are as usual; returns where the first other one begins, and counts them.
    const char* usual_lines(const char* at, const char* end, std::uint64_t& number) {
        if (tail_.size() == 0) return at;
        for (const char* after; at < end && (after = usual_line(at, number)) != nullptr; at = after) ++number;
        if (gather_) topic_of_row_.resize(rows_.size(), current_);
        return at;
    }

    Problem line(const std::string_view (&words)[6], int columns, std::uint64_t number, const char* begin,
                 const char* after) {
        if (columns < 6 || (columns > 6 && holds_lines(words[5].data(), after)))
            return {Fault::columns, number, std::to_string(columns)};
        double score;
        if (!parse_number(words[4], score)) return {Fault::score, number, std::string(words[4])};
        if (!can_be_ranked(score)) return {Fault::not_a_number, number, std::string(words[4])};
        run_.longer += columns > 6;
        if (words[0] != topic())
            if (Problem problem = turn_to(words[0], number)) return problem;
        add_row(words[2].data(), words[2].size(), score, number);
        if (gather_) topic_of_row_.push_back(current_);
        head_.set({begin, static_cast<std::size_t>(words[2].data() - begin)});
        tail_.set({words[5].data(), static_cast<std::size_t>(after - words[5].data())});
        are_short_ = head_.size() + window + tail_.size() <= longest_line;
        return {};
    }

    // One whole ranking from a table: `count` documents one after the other, each ended by a newline.
    Problem list(std::string_view topic, const char* documents, const double* scores, std::size_t count) {
        base_ = documents;
        set_topic(topic);
        std::size_t offset = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t size = 0;
            while (documents[offset + size] != '\n') ++size;
            const char* const at = documents + offset;
            double score = scores[i];
            if (!can_be_ranked(score)) return {Fault::not_a_number, i + 1, "nan"};
            add_row(at, size, score, i + 1);
            offset += size + 1;
        }
        return resolve();
    }

    // One whole ranking from columns: document i stands from offsets[i] to offsets[i + 1] in `bytes`.
    Problem rows(std::string_view topic, const char* bytes, const std::int64_t* offsets, const double* scores,
                 std::size_t begin, std::size_t end) {
        base_ = bytes;
        set_topic(topic);
        for (std::size_t i = begin; i < end; ++i) {
            const auto offset = static_cast<std::size_t>(offsets[i] - offsets[0]);
            const auto size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
            double score = scores[i];
            if (!can_be_ranked(score)) return {Fault::not_a_number, i + 1, "nan"};
            add_row(bytes + offset, size, score, i + 1);
        }
        return resolve();
    }

    Problem finish() {
        if (!gather_) return resolve();
        // A stable counting sort by topic, then one topic after the other.
        Rows all;
        std::swap(all, rows_);
        std::vector<std::size_t> begins(seen_.size() + 1, 0);
        for (const std::uint32_t topic : topic_of_row_) ++begins[topic + 1];
        for (std::size_t topic = 0; topic < seen_.size(); ++topic) begins[topic + 1] += begins[topic];
        std::vector<std::uint64_t> order(all.size());
        std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
        for (std::size_t row = 0; row < all.size(); ++row) order[next[topic_of_row_[row]]++] = row;
        Problem first;
        for (std::uint32_t topic = 0; topic < seen_.size(); ++topic) {
            set_topic(seen_[topic]);
            rows_.clear();
            for (std::size_t at = begins[topic]; at < begins[topic + 1]; ++at) rows_.add() = all[order[at]];
            Problem problem = resolve();
            if (problem && (!first || problem.line < first.line)) first = problem;
        }
        return first;
    }

   private:
    static constexpr std::size_t ahead = 8;

    // A line like the one before: same topic and second column before the document, same tag and line end after the
    // score. All but the first line of a topic are so in most files. Returns where the next line begins, or nothing.
    const char* usual_line(const char* at, std::uint64_t number) {
        if (!head_.stands_at(at)) return nullptr;
        const char* const document = at + head_.size();
#if defined(POOLWISE_WINDOWS)
        if (are_short_)
            if (const char* after = usual_line_at_once(document, number)) return after;
#endif
        const char* const document_end = word_end(document);
        if (document_end == document || !is_blank(*document_end)) return nullptr;
        const char* const rank = skip_blanks(document_end + 1);
        const char* const rank_end = word_end(rank);
        if (rank_end == rank || !is_blank(*rank_end)) return nullptr;
        double score;
        const char* const score_end = plain_number(skip_blanks(rank_end + 1), score);
        if (score_end == nullptr || !is_blank(*score_end)) return nullptr;
        const char* const tag = skip_blanks(score_end + 1);
        if (!tail_.stands_at(tag) || is_long(at, tag + tail_.size() - 1)) return nullptr;
        add_row(document, static_cast<std::size_t>(document_end - document), score, number);
        return tag + tail_.size();
    }

#if defined(POOLWISE_WINDOWS)
    // The same for lines whose words are separated by one space or tab each and whose tag begins within a window behind
    // the document's begin: where words end is known without waiting for where the word before ended.
    const char* usual_line_at_once(const char* document, std::uint64_t number) {
        std::uint64_t first = low_bytes<2>(document), second = first & (first - 1), third = second & (second - 1);
        if (third == 0) {
            first = low_bytes<4>(document), second = first & (first - 1), third = second & (second - 1);
            if (third == 0) return nullptr;
        }
        const auto position = [](std::uint64_t mask) { return static_cast<std::size_t>(__builtin_ctzll(mask)); };
        const std::size_t document_end = position(first), rank_end = position(second), score_end = position(third);
        const char separator = document[document_end];
        const char* const tag = document + score_end + 1;
        if (document_end == 0 || rank_end == document_end + 1 || score_end <= rank_end + 1 ||
            (separator != ' ' && separator != '\t') || document[rank_end] != separator ||
            document[score_end] != separator || !tail_.stands_at(tag))
            return nullptr;
        double score;
        const std::string_view word(document + rank_end + 1, score_end - rank_end - 1);
        if (!numbers_.read(word, score) && (!parse_number_slowly(word, score) || std::isnan(score))) return nullptr;
        add_row(document, document_end, score, number);
        return tag + tail_.size();
    }
#endif

    // Whether a carriage return stands within a line: old files end lines so, and all of them look like one.
    static bool holds_lines(const char* at, const char* after) {
        const char* const found = std::find(at, after, '\r');
        return found != after && after - found > 2;
    }

    // What is no number has no place in a ranking, unless it was asked to be the last.
    bool can_be_ranked(double& score) {
        if (!std::isnan(score)) return true;
        score = -std::numeric_limits<double>::infinity();
        ++run_.nan;
        return pool_.nan_last;
    }

    void add_row(const char* document, std::size_t size, double score, std::uint64_t number) {
        Row& row = rows_.add();
        row.offset = static_cast<std::size_t>(document - base_);
        row.hash = hash_name(document, size);
        row.score = score;
        row.size = static_cast<std::uint32_t>(size);
        row.line = static_cast<std::uint32_t>(number);
    }

    std::string_view name(const Row& row) const { return {base_ + row.offset, row.size}; }

    // A new topic begins.
    Problem turn_to(std::string_view topic, std::uint64_t number) {
        if (!gather_) {
            if (Problem problem = resolve()) {
                // Whether the repeated documents lie below the cut is known when all lines of the topic are.
                if (cuts_first() && problem.fault == Fault::duplicate) problem.fault = Fault::scattered;
                return problem;
            }
            if (seen_.find(topic) != Names::none) return {Fault::scattered, number, std::string(topic)};
        }
        set_topic(topic);
        current_ = seen_.insert(topic);
        return {};
    }

    void set_topic(std::string_view topic) {
        topic_ = Names::padded(topic);
        topic_size_ = topic.size();
    }

    std::string_view topic() const { return {topic_.data(), topic_size_}; }

    // Documents that lie below the cut are not there, so they repeat none; but which of several is the first is told
    // before any are cut.
    bool cuts_first() const { return pool_.is_cut() && !keep_first_; }

    // Turns the rows of the current topic into a ranking of the pool's documents.
    Problem resolve() {
        if (rows_.empty()) return {};
        const std::size_t lines = rows_.size();
        run_.lines += lines;
        if (Problem problem = cuts_first() ? Problem{} : drop_duplicates()) return problem;
        sort();
        rows_.keep_first(pool_.depth);
        if (Problem problem = cuts_first() ? drop_duplicates() : Problem{}) return problem;
        const std::uint32_t number = pool_.topic_of_run(topic());
        if (number == Names::none) {
            ++run_.ignored_topics;
            run_.ignored_lines += lines;
        } else {
            look_up(pool_.topic(number), number);
        }
        rows_.clear();
        return {};
    }

    Problem drop_duplicates() {
        if (!repeats_.may_be_in(rows_)) return {};
        std::size_t capacity = 64;
        while (capacity < 4 * rows_.size()) capacity *= 2;
        slots_.assign(capacity, 0);
        std::size_t left = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const Row& row = rows_[i];
            std::size_t at = row.hash & (capacity - 1);
            bool duplicate = false;
            std::uint32_t line = row.line;
            for (; slots_[at] != 0 && !duplicate; at = (at + 1) & (capacity - 1)) {
                const Row& other = rows_[slots_[at] - 1];
                line = std::max(row.line, other.line);
                duplicate = other.hash == row.hash && other.size == row.size &&
                            same(base_ + other.offset, base_ + row.offset, row.size);
            }
            if (duplicate) {
                ++run_.duplicates;
                if (!keep_first_) return {Fault::duplicate, line, std::string(topic()) + "\n" + std::string(name(row))};
                continue;
            }
            if (left++ < i) rows_[left - 1] = row;
            slots_[at] = static_cast<std::uint32_t>(left);
        }
        rows_.keep_first(left);
        return {};
    }

    // Score descending, ties by document descending; most files are in order already.
    void sort() {
        find_tied();
        const auto in_order = [this](std::uint32_t index) {
            return rows_[index - 1].score == rows_[index].score && name(rows_[index - 1]) > name(rows_[index]);
        };
        if (!std::all_of(tied_.begin(), tied_.end(), in_order)) {
            std::sort(rows_.begin(), rows_.end(), [this](const Row& a, const Row& b) {
                if (a.score != b.score) return a.score > b.score;
                const int names = name(a).compare(name(b));
                return names != 0 ? names > 0 : a.line < b.line;  // repeated documents in the order of lines
            });
            find_tied();
        }
        run_.ties += tied_.size();
    }

    // Places whose score is not below the one before: ties, if the rows are in order.
    void find_tied() {
        tied_.resize(rows_.size());
        std::size_t count = 0;
        for (std::size_t i = 1; i < rows_.size(); ++i) {
            tied_[count] = static_cast<std::uint32_t>(i);
            count += !(rows_[i - 1].score > rows_[i].score);
        }
        tied_.resize(count);
    }

    // Keeps the stretches of one score, which are few or none in most runs; the rows may have been cut since.
    void keep_ties() {
        const auto list = static_cast<std::uint32_t>(run_.lists.size());
        const auto count = static_cast<std::uint32_t>(rows_.size());
        for (std::size_t i = 0; i < tied_.size() && tied_[i] < count;) {
            const std::uint32_t begin = tied_[i] - 1;
            std::uint32_t end = begin + 1;
            while (i < tied_.size() && tied_[i] == end && end < count) ++end, ++i;
            run_.tied.push_back({list, begin, end});
        }
    }

    void look_up(Topic& topic, std::uint32_t number) {
        const auto count = static_cast<std::uint32_t>(rows_.size());
        List list{number, 0, count, run_.rank.size(), run_.all.size()};
        if (pool_.keep_all) {
            add_all(topic);
        } else {
            find_listed(topic);
        }
        list.known = static_cast<std::uint32_t>(run_.rank.size() - list.known_begin);
        keep_ties();
        run_.lists.push_back(list);
    }

    // Numbers every document, new ones included.
    void add_all(Topic& topic) {
        const std::size_t count = rows_.size();
        const std::lock_guard<std::mutex> guard(topic.lock);
        for (std::size_t i = 0; i < count; ++i) {
            if (i + 2 * ahead < count) topic.documents.prefetch_slot(rows_[i + 2 * ahead].hash);
            if (i + ahead < count) topic.documents.prefetch_bytes(rows_[i + ahead].hash);
            const std::uint32_t document = topic.documents.insert(rows_[i].hash, name(rows_[i]));
            run_.all.push_back(document);
            if (document >= topic.listed) continue;
            run_.rank.push_back(static_cast<std::uint32_t>(i + 1));
            run_.document.push_back(document);
        }
    }

    // Finds the listed documents: a filter first passes all of them and few others, without a branch.
    void find_listed(const Topic& topic) {
        if (topic.listed == 0) return;
        slots_.resize(std::max(slots_.size(), rows_.size() + 1));
        std::size_t passed = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            slots_[passed] = static_cast<std::uint32_t>(i);
            passed += topic.filter.may_hold(rows_[i].hash);
        }
        const bool warm = topic.documents.cache_lines() <= 4 * passed;
        if (warm) topic.documents.warm();
        std::size_t known = run_.rank.size();
        run_.rank.resize(known + passed);
        run_.document.resize(known + passed);
        for (std::size_t at = 0; at < passed; ++at) {
            if (!warm && at + 2 * ahead < passed) topic.documents.prefetch_slot(rows_[slots_[at + 2 * ahead]].hash);
            if (!warm && at + ahead < passed) topic.documents.prefetch_bytes(rows_[slots_[at + ahead]].hash);
            const Row& row = rows_[slots_[at]];
            const std::uint32_t document = topic.documents.find(row.hash, name(row));
            run_.rank[known] = slots_[at] + 1;
            run_.document[known] = document;
            known += document != Names::none;
        }
        run_.rank.resize(known);
        run_.document.resize(known);
    }

    Pool& pool_;
    Run& run_;
    const bool keep_first_;
    const bool gather_;
    const char* base_ = nullptr;
    Expected head_, tail_;    // of lines: as the line before
    bool are_short_ = false;  // lines whose tag begins within a window are not too long
#if defined(POOLWISE_WINDOWS)
    LikeNumbers numbers_;
#endif
    std::string topic_;  // with padding
    std::size_t topic_size_ = 0;
    std::uint32_t current_ = 0;
    Names seen_;
    Rows rows_;
    std::vector<std::uint32_t> topic_of_row_;
    std::vector<std::uint32_t> tied_;
    std::vector<std::uint32_t> slots_;
    Repeats repeats_;
};

}  // namespace poolwise
