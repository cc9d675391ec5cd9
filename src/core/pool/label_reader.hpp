// Lines of judgments become the pool's labels.
#pragma once

#include <set>
#include <tuple>

#include "pool.hpp"
#include "reading/front.hpp"

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
    std::size_t in_use_from() const { return std::numeric_limits<std::size_t>::max(); }
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

    // Reads lines that are as usual; returns where the first other one begins, and counts them.
    const char* usual_lines(const char* at, const char* end, std::uint64_t& number) {
        if (head_.size() == 0) return at;
        for (const char* after; at < end && (after = usual_line(at)) != nullptr; at = after) ++number;
        return at;
    }

    // A line of four columns like the one before: same topic and iteration before the document, a short label after it.
    const char* usual_line(const char* at) {
        if (!head_.stands_at(at)) return nullptr;
        const char* const document = at + head_.size();
        const char* const end = word_end(document);
        if (end == document || !is_blank(*end)) return nullptr;
        const char* const first = skip_blanks(end + 1);
        const bool negative = *first == '-';
        std::uint64_t label = 0;
        const char* const after = read_digits(first + negative, label);
        const std::ptrdiff_t digits = after - first - negative;
        if (digits == 0 || digits > 9 || *after != '\n' || is_long(at, after)) return nullptr;
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
            head_.set("");
            if (Problem problem = row(words, number)) return problem;
            if (columns == 4 && !pool_.has_subtopics)
                head_.set({begin, static_cast<std::size_t>(words[2].data() - begin)});
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
            const Integer second = parse_integer(words[1], round);
            if (second == Integer::malformed && words[1] != "Q0" && !pool_.has_subtopics)
                return {Fault::iteration, number, std::string(words[1])};
            if (second != Integer::good || round < 0) round = 0;
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
                    std::uint64_t hash, std::int32_t read_label, std::uint64_t number) {
        Topic& topic = pool_.topic_for(topic_name);
        ++pool_.label_lines;
        const std::int32_t label = rules_.apply(read_label);
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
    Expected head_;  // of lines: as the line before
    int columns_ = 0;
    Topic* topic_ = nullptr;
    std::string topic_name_;
    std::set<std::tuple<Topic*, std::uint32_t, std::uint32_t>> seen_;  // documents and subtopics
};

}  // namespace poolwise
