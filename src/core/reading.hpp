// Reading judgments and runs into the pool.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <tuple>

#include "lines.hpp"
#include "pool.hpp"
#include "stopping.hpp"

namespace poolwise {

// How labels become what is known of a document.
struct LabelRules {
    bool reserve_one = true;        // one label means "pooled, not judged"
    std::int32_t reserved = -1;     // that label
    bool reserve_negative = false;  // all negative labels mean it
    bool keep_first = false;        // of several labels for a document, instead of an error

    std::int32_t apply(std::int32_t label) const {
        const bool unjudged = (reserve_one && label == reserved) || (reserve_negative && label < 0);
        return unjudged ? pooled : label;
    }
};

class LabelReader {
   public:
    LabelReader(Pool& pool, const LabelRules& rules) : pool_(pool), rules_(rules) {}

    void based_on(const char*) {}
    std::size_t kept() const { return std::numeric_limits<std::size_t>::max(); }
    void moved(std::size_t) {}
    Problem finish() { return {}; }

    // What a plan says of itself is kept; what looks like the label of a topic such as #12 is counted.
    void comment(std::string_view text) {
        constexpr std::string_view ours = "# poolwise ";
        if (text.substr(0, ours.size()) == ours) pool_.label_header.emplace_back(text);
        std::string_view words[5];
        std::int32_t label;
        const char* at = text.data();
        const int columns = split(at, words);
        pool_.label_comments += (columns == 4 || columns == 5) && words[0].size() > 1 &&
                                parse_integer(words[columns - 1], label) == Integer::good;
    }

    static constexpr int most_columns = 5;

    // A line of four columns like the one before: same topic and iteration before the document, a short label after it.
    const char* usual_line(const char* at, std::uint64_t) {
        if (head_size_ == 0 || !same(at, head_.data(), head_size_)) return nullptr;
        const char* const document = at + head_size_;
        const char* const end = word_end(document);
        if (end == document || !is_blank(*end)) return nullptr;
        const char* const first = skip_blanks(end + 1);
        const bool negative = *first == '-';
        std::uint64_t label = 0;
        const char* const after = read_digits(first + negative, label);
        const std::ptrdiff_t digits = after - first - negative;
        if (digits == 0 || digits > 9 || *after != '\n') return nullptr;
        const std::string_view name{document, static_cast<std::size_t>(end - document)};
        const std::uint64_t hash = hash_name(name.data(), name.size());
        const std::uint32_t known = topic_->documents.size();
        if (topic_->documents.insert(hash, name) < known) return nullptr;
        ++pool_.label_lines;
        const auto value = static_cast<std::int32_t>(label);
        topic_->labels.push_back(rules_.apply(negative ? -value : value));
        return after + 1;
    }

    Problem line(const std::string_view (&words)[5], int columns, std::uint64_t number, const char* begin,
                 const char*) {
        if (columns_ == 0 && (columns == 4 || columns == 5)) {
            columns_ = columns;
            pool_.has_strata = columns == 5;
        }
        if (columns == columns_ && !(pool_.has_subtopics && columns == 5)) {
            head_size_ = 0;
            if (Problem problem = row(words, number)) return problem;
            if (columns == 4 && !pool_.has_subtopics) {
                head_size_ = static_cast<std::size_t>(words[2].data() - begin);
                head_ = Names::padded({begin, head_size_});
            }
            return {};
        }
        const std::string first = columns_ == 0 ? "" : " " + std::to_string(columns_);
        return {Fault::columns, number, std::to_string(columns) + first};
    }

    // Adds one judged document, from a line or from a table.
    Problem add(std::string_view topic_name, std::string_view document, std::uint64_t hash, std::int32_t label,
                std::int32_t stratum, std::int32_t round, std::uint64_t number) {
        if (topic_ == nullptr || topic_name != topic_name_) {
            const Topic* const before = topic_;
            topic_ = &pool_.topic_for(topic_name);
            topic_name_ = topic_name;
            // Topics have about as many documents as the one before.
            if (before != nullptr && topic_->labels.empty()) {
                topic_->documents.reserve_like(before->documents);
                topic_->labels.reserve(before->labels.size());
            }
        }
        Topic& topic = *topic_;
        ++pool_.label_lines;
        const std::uint32_t known = topic.documents.size();
        if (topic.documents.insert(hash, document) < known) {
            ++pool_.label_duplicates;
            if (rules_.keep_first) return {};
            return {Fault::duplicate, number, std::string(topic_name) + "\n" + std::string(document)};
        }
        topic.labels.push_back(rules_.apply(label));
        if (pool_.has_strata) {
            topic.strata.push_back(stratum);
            topic.rounds.push_back(round);
        }
        return {};
    }

   private:
    Problem row(const std::string_view (&words)[5], std::uint64_t number) {
        std::int32_t label = 0, stratum = 0, round = 0;
        const std::string_view label_word = words[columns_ - 1];
        Integer status = parse_integer(label_word, label);
        const bool whole = status != Integer::malformed;
        if (!whole) status = parse_real(label_word, label);
        if (status == Integer::malformed) return {Fault::label, number, std::string(label_word)};
        if (status == Integer::out_of_range) return {Fault::label_range, number, std::string(label_word)};
        if (whole && label >= first_real) {
            pool_.large_labels = true;
            if (pool_.has_real_labels()) return {Fault::label_range, number, std::string(label_word)};
        }
        if (columns_ == 5) {
            if (parse_integer(words[3], stratum) != Integer::good || stratum < 0)
                return {Fault::stratum, number, std::string(words[3])};
            if (parse_integer(words[1], round) != Integer::good || round < 0) round = 0;
        }
        const std::uint64_t hash = hash_name(words[2].data(), words[2].size());
        if (pool_.has_subtopics) return add_for(words[0], words[1], words[2], hash, label, number);
        return add(words[0], words[2], hash, label, stratum, round, number);
    }

    // A label with a decimal point: a whole number after all, or one that stands for its value. Subtopics have none.
    Integer parse_real(std::string_view word, std::int32_t& label) {
        double value;
        if (!parse_number(word, value) || !std::isfinite(value)) return Integer::malformed;
        if (value == std::floor(value)) {
            if (std::abs(value) >= first_real) return Integer::out_of_range;
            label = static_cast<std::int32_t>(value);
            return Integer::good;
        }
        if (pool_.has_subtopics) return Integer::malformed;
        label = rules_.reserve_negative && value < 0 ? pooled : pool_.label_of(value);
        return pool_.large_labels ? Integer::out_of_range : Integer::good;
    }

    // Adds a label for one subtopic; the document's own is the highest of these.
    Problem add_for(std::string_view topic_name, std::string_view subtopic, std::string_view document,
                    std::uint64_t hash, std::int32_t given, std::uint64_t number) {
        Topic& topic = pool_.topic_for(topic_name);
        ++pool_.label_lines;
        const std::int32_t label = rules_.apply(given);
        const std::uint32_t known = topic.documents.size();
        const std::uint32_t at = topic.documents.insert(hash, document);
        if (!seen_.insert({&topic, at, topic.subtopics.names.insert(subtopic)}).second) {
            ++pool_.label_duplicates;
            if (rules_.keep_first) return {};
            return {Fault::duplicate, number, std::string(topic_name) + "\n" + std::string(document)};
        }
        if (at == known) topic.labels.push_back(label);
        topic.labels[at] = std::max(topic.labels[at], label);
        if (label != pooled) topic.subtopics.add(at, subtopic, label);
        return {};
    }

    Pool& pool_;
    const LabelRules rules_;
    std::string head_;  // of the line before, with padding
    std::size_t head_size_ = 0;
    int columns_ = 0;
    Topic* topic_ = nullptr;
    std::string topic_name_;
    std::set<std::tuple<Topic*, std::uint32_t, std::uint32_t>> seen_;  // documents and subtopics
};

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
    std::size_t kept() const { return rows_.empty() ? std::numeric_limits<std::size_t>::max() : rows_[0].offset; }
    void moved(std::size_t by) {
        for (Row& row : rows_) row.offset -= by;
    }

    static constexpr int most_columns = 6;

    // A line like the one before: same topic and second column before the document, same tag and line end after the
    // score. All but the first line of a topic are so in most files.
    const char* usual_line(const char* at, std::uint64_t number) {
        if (tail_size_ == 0 || !same(at, head_.data(), head_size_)) return nullptr;
        const char* const document = at + head_size_;
#if defined(POOLWISE_WINDOWS)
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
        if (!same(tag, tail_.data(), tail_size_)) return nullptr;
        add_row(document, static_cast<std::size_t>(document_end - document), score, number);
        return tag + tail_size_;
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
        head_size_ = static_cast<std::size_t>(words[2].data() - begin);
        tail_size_ = static_cast<std::size_t>(after - words[5].data());
        head_ = Names::padded({begin, head_size_});
        tail_ = Names::padded({words[5].data(), tail_size_});
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
            rows_.push_back({offset, hash_name(at, size), score, static_cast<std::uint32_t>(size),
                             static_cast<std::uint32_t>(i + 1)});
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
            rows_.push_back({offset, hash_name(bytes + offset, size), score, static_cast<std::uint32_t>(size),
                             static_cast<std::uint32_t>(i + 1)});
        }
        return resolve();
    }

    Problem finish() {
        if (!gather_) return resolve();
        // A stable counting sort by topic, then one topic after the other.
        std::vector<Row> all = std::move(rows_);
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
            for (std::size_t at = begins[topic]; at < begins[topic + 1]; ++at) rows_.push_back(all[order[at]]);
            Problem problem = resolve();
            if (problem && (!first || problem.line < first.line)) first = problem;
        }
        return first;
    }

   private:
    static constexpr std::size_t ahead = 8;

#if defined(POOLWISE_WINDOWS)
    // The same for lines whose words are separated by one space or tab each and whose tag begins within a window behind
    // the document's begin: where words end is known without waiting for where the word before ended.
    const char* usual_line_at_once(const char* document, std::uint64_t number) {
        std::uint64_t low = low_bytes(document);
        const auto next = [&] {
            const auto place = static_cast<std::size_t>(__builtin_ctzll(low | 1ULL << (window - 1)));
            low &= low - 1;
            return place;
        };
        const std::size_t document_end = next(), rank_end = next(), score_end = next();
        const char separator = document[document_end];
        if (document_end == 0 || rank_end == document_end + 1 || score_end <= rank_end + 1 ||
            (separator != ' ' && separator != '\t') || document[rank_end] != separator ||
            document[score_end] != separator || !same(document + score_end + 1, tail_.data(), tail_size_))
            return nullptr;
        double score;
        if (!sized_number(document + rank_end + 1, score_end - rank_end - 1, score)) return nullptr;
        add_row(document, document_end, score, number);
        return document + score_end + 1 + tail_size_;
    }
#endif

    struct Row {
        std::size_t offset;
        std::uint64_t hash;
        double score;
        std::uint32_t size;
        std::uint32_t line;
    };

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
        if (gather_) topic_of_row_.push_back(current_);
        rows_.push_back({static_cast<std::size_t>(document - base_), hash_name(document, size), score,
                         static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(number)});
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
        if (rows_.size() > pool_.depth) rows_.resize(pool_.depth);
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
        std::size_t capacity = 64;
        while (capacity < 4 * rows_.size()) capacity *= 2;
        slots_.assign(capacity, 0);
        std::size_t kept = 0;
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
            if (kept++ < i) rows_[kept - 1] = row;
            slots_[at] = static_cast<std::uint32_t>(kept);
        }
        rows_.resize(kept);
        return {};
    }

    // Score descending, ties by document descending; most files are in order already.
    void sort() {
        bool sorted = true;
        std::uint64_t ties = 0;
        for (std::size_t i = 1; i < rows_.size() && sorted; ++i) {
            const double before = rows_[i - 1].score, score = rows_[i].score;
            ties += before == score;
            sorted = before > score || (before == score && name(rows_[i - 1]) > name(rows_[i]));
        }
        if (!sorted) {
            std::sort(rows_.begin(), rows_.end(), [this](const Row& a, const Row& b) {
                if (a.score != b.score) return a.score > b.score;
                const int names = name(a).compare(name(b));
                return names != 0 ? names > 0 : a.line < b.line;  // repeated documents in the order of lines
            });
            ties = 0;
            for (std::size_t i = 1; i < rows_.size(); ++i) ties += rows_[i - 1].score == rows_[i].score;
        }
        run_.ties += ties;
        has_ties_ = ties > 0;
    }

    // Keeps the stretches of one score, which are few or none in most runs.
    void keep_ties() {
        const auto list = static_cast<std::uint32_t>(run_.lists.size());
        for (std::uint32_t begin = 0, end = 0; begin < rows_.size(); begin = end) {
            while (end < rows_.size() && rows_[end].score == rows_[begin].score) ++end;
            if (end - begin > 1) run_.tied.push_back({list, begin, end});
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
        if (has_ties_) keep_ties();
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
    std::string head_, tail_;  // of the line before, with padding
    std::size_t head_size_ = 0, tail_size_ = 0;
    std::string topic_;  // with padding
    std::size_t topic_size_ = 0;
    std::uint32_t current_ = 0;
    bool has_ties_ = false;
    Names seen_;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> topic_of_row_;
    std::vector<std::uint32_t> slots_;
};

// The kind of a file by its first bytes; empty for text.
inline std::string kind_of(const char* bytes, std::size_t size) {
    const auto starts = [&](std::string_view magic) {
        return size >= magic.size() && std::memcmp(bytes, magic.data(), magic.size()) == 0;
    };
    if (starts("\x1F\x8B")) return "gz";
    if (starts(std::string_view("\xFD"
                                "7zXZ\0",
                                6)))
        return "xz";
    // The bytes after BZh9 begin a block, or end a file without any.
    if (starts("BZh") && size >= 10)
        for (const char* block : {"1AY&SY", "\x17\x72\x45\x38\x50\x90"})
            if (std::memcmp(bytes + 4, block, 6) == 0) return "bz2";
    if (starts("\x04\x22\x4D\x18")) return "lz4";
    // A frame, or one to be skipped, with which files of pzstd begin.
    if (starts("\x28\xB5\x2F\xFD")) return "zst";
    if (size > 3 && (bytes[0] & 0xF0) == 0x50 && std::memcmp(bytes + 1, "\x2A\x4D\x18", 3) == 0) return "zst";
    // A topic may be called PAR1; Parquet's next byte is a control character.
    if (starts("PAR1") && size > 4 && static_cast<unsigned char>(bytes[4]) < ' ' && !is_space(bytes[4]))
        return "parquet";
    // Labels as they were given: `poolwise judge` keeps them in such a file.
    if (starts(std::string_view("SQLite format 3\0", 16))) return "sqlite";
    return "";
}

// Closes a file, whatever happens.
struct Opened {
    const int file;
    ~Opened() { ::close(file); }
};

// Feeds a file to a reader in pieces, so that memory does not grow with the file.
template <class Reader>
Problem read_file(const std::string& path, Reader& reader, Lines& lines, Stopper& stop) {
    constexpr std::size_t piece = 1 << 16;
    lines.restart();
    struct ::stat status;
    if (::stat(path.c_str(), &status) == 0 &&
        (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode) || S_ISSOCK(status.st_mode)))
        return {Fault::compressed, 0, "stream"};
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {Fault::unreadable, 0, std::strerror(errno)};
    Problem problem;
    const Opened closing{file};  // also when reading is stopped
    for (bool first = true, last = false; !last && !problem; first = false) {
        stop();
        char* const at = lines.reserve(piece);
        std::size_t count = 0;
        while (count < piece) {
            const ::ssize_t got = ::read(file, at + count, piece - count);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) problem = {Fault::unreadable, 0, std::strerror(errno)};
            if (got <= 0) break;
            count += static_cast<std::size_t>(got);
        }
        last = count < piece;
        if (first && !problem)
            if (std::string kind = kind_of(at, count); !kind.empty()) problem = {Fault::compressed, 0, kind};
        if (!problem) problem = lines.fed(reader, count, last);
    }
    return problem;
}

}  // namespace poolwise
