// Literal twins of the readers: slow, short, and written from the file format alone.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "reading/front.hpp"

namespace slow {

using poolwise::Fault;

struct Line {
    std::vector<std::string> words;
    std::uint64_t number;
    bool has_nul;
    bool too_long;
    std::string text;
};

inline std::vector<Line> lines_of(std::string text) {
    if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
    std::vector<Line> lines;
    for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        Line line{{}, number, false, end - begin > poolwise::longest_line, text.substr(begin, end - begin)};
        std::string word;
        for (std::size_t at = begin; at <= end; ++at) {
            const char c = at < end ? text[at] : ' ';
            if (c == 0) line.has_nul = true;
            if (std::string(" \t\n\v\f\r").find(c) == std::string::npos) {
                word += c;
            } else if (!word.empty()) {
                line.words.push_back(word);
                word.clear();
            }
        }
        if (text[begin] != '#' || line.too_long) lines.push_back(line);
        begin = end + 1;
    }
    return lines;
}

// As strtod, for a word that it takes whole; hexadecimal numbers are no numbers here.
inline bool number(const std::string& word, double& value) {
    if (word.empty() || word.find_first_of("xX") != word.npos) return false;
    if (poolwise::is_space(static_cast<unsigned char>(word[0]))) return false;
    char* end = nullptr;
    value = std::strtod(word.c_str(), &end);
    return end == word.c_str() + word.size();
}

// As strtol, for a word that it takes whole and that fits what the core allows.
inline poolwise::Integer integer(const std::string& word, std::int32_t& value) {
    if (word.empty() || poolwise::is_space(static_cast<unsigned char>(word[0]))) return poolwise::Integer::malformed;
    char* end = nullptr;
    errno = 0;
    const long long wide = std::strtoll(word.c_str(), &end, 10);
    if (end != word.c_str() + word.size()) return poolwise::Integer::malformed;
    const bool fits = errno == 0 && wide >= std::numeric_limits<std::int32_t>::min() + 2LL &&
                      wide <= std::numeric_limits<std::int32_t>::max();
    if (!fits) return poolwise::Integer::out_of_range;
    value = static_cast<std::int32_t>(wide);
    return poolwise::Integer::good;
}

struct Fail {
    Fault fault = Fault::none;
    std::uint64_t line = 0;
};

struct Run {
    Fail bad_line;   // the first line that cannot be read
    Fail duplicate;  // the first line that repeats a document
    bool scattered = false;
    std::uint64_t blank = 0, lines = 0;
    std::map<std::string, std::vector<std::string>> rankings;
};

// Where the seventh word of a line may begin: after the sixth.
inline std::size_t after_the_tag(const Line& line) {
    std::size_t at = 0;
    for (std::size_t word = 0; word < 6; ++word) at = line.text.find(line.words[word], at) + line.words[word].size();
    return at;
}

inline Fail fail_of_run_line(const Line& line, bool nan_last, double& score) {
    if (line.too_long) return {Fault::long_line, line.number};
    if (line.has_nul) return {Fault::nul, line.number};
    if (line.words.empty()) return {};
    if (line.words.size() < 6) return {Fault::columns, line.number};
    // A carriage return before more fields ends a line of an old file.
    if (line.words.size() > 6 && line.text.find('\r', after_the_tag(line)) + 1 < line.text.size() &&
        line.text.find('\r', after_the_tag(line)) != line.text.npos)
        return {Fault::columns, line.number};
    if (!number(line.words[4], score)) return {Fault::score, line.number};
    if (std::isnan(score) && !nan_last) return {Fault::not_a_number, line.number};
    if (std::isnan(score)) score = -std::numeric_limits<double>::infinity();
    return {};
}

struct Scored {
    double score;
    std::string document;
    std::uint64_t line;

    bool operator<(const Scored& other) const {
        if (score != other.score) return score > other.score;
        return document != other.document ? document > other.document : line < other.line;
    }
};

// The first document of a ranking that repeats another, by the later of the two lines; of several topics the earliest.
inline void find_repeated(const std::vector<Scored>& list, Fail& first) {
    for (std::size_t i = 0; i < list.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (list[i].document != list[j].document) continue;
            const std::uint64_t line = std::max(list[i].line, list[j].line);
            if (first.fault == Fault::none || line < first.line) first = {Fault::duplicate, line};
            return;
        }
}

// With `cut` rankings end at that depth, and documents below it repeat none.
inline Run read_run(const std::string& text, bool keep_first, bool nan_last, std::size_t cut) {
    Run run;
    std::map<std::string, std::vector<Scored>> scored;
    std::string before;
    const bool cuts_first = cut > 0 && !keep_first;
    for (const Line& line : lines_of(text)) {
        double score = 0;
        run.bad_line = fail_of_run_line(line, nan_last, score);
        if (run.bad_line.fault != Fault::none) break;
        if (line.words.empty()) {
            ++run.blank;
            continue;
        }
        ++run.lines;
        const std::string &topic = line.words[0], &document = line.words[2];
        auto& list = scored[topic];
        if (!list.empty() && topic != before) run.scattered = true;
        before = topic;
        const auto same = [&](const Scored& row) { return row.document == document; };
        const bool known = !cuts_first && std::any_of(list.begin(), list.end(), same);
        if (!known) list.push_back({score, document, line.number});
        if (known && run.duplicate.fault == Fault::none) run.duplicate = {Fault::duplicate, line.number};
    }
    for (auto& [topic, list] : scored) {
        std::sort(list.begin(), list.end());
        if (cuts_first && list.size() > cut) list.resize(cut);
        if (cuts_first) find_repeated(list, run.duplicate);
        for (const Scored& row : list) run.rankings[topic].push_back(row.document);
    }
    return run;
}

struct Row {
    std::int32_t label, stratum, round;
    double value;   // of the label, also where it has decimals
    bool unjudged;  // a negative label with decimals, where negative ones are reserved
};

struct Labels {
    Fail fail;
    int columns = 0;
    std::uint64_t blank = 0, lines = 0, duplicates = 0;
    bool has_large = false, has_decimals = false;
    std::map<std::string, std::map<std::string, Row>> topics;
};

constexpr std::int32_t large = 1 << 30;  // labels from here on cannot stand beside labels with decimals

inline poolwise::Integer label_of(const std::string& word, bool reserve_negative, Labels& labels, Row& row) {
    poolwise::Integer status = integer(word, row.label);
    row.value = row.label;
    if (status == poolwise::Integer::good && row.label >= large) {
        labels.has_large = true;
        return labels.has_decimals ? poolwise::Integer::out_of_range : status;
    }
    if (status != poolwise::Integer::malformed) return status;
    if (!number(word, row.value) || !std::isfinite(row.value)) return poolwise::Integer::malformed;
    if (row.value == std::floor(row.value)) {
        if (std::abs(row.value) >= large) return poolwise::Integer::out_of_range;
        row.label = static_cast<std::int32_t>(row.value);
        return poolwise::Integer::good;
    }
    row.unjudged = reserve_negative && row.value < 0;
    if (!row.unjudged) labels.has_decimals = true;
    return labels.has_large ? poolwise::Integer::out_of_range : poolwise::Integer::good;
}

inline Fail fail_of_label_line(const Line& line, bool reserve_negative, Labels& labels, Row& row) {
    const int columns = labels.columns;
    if (line.too_long) return {Fault::long_line, line.number};
    if (line.has_nul) return {Fault::nul, line.number};
    if (line.words.empty()) return {};
    const int found = static_cast<int>(line.words.size());
    if (found != columns) return {Fault::columns, line.number};
    const poolwise::Integer status = label_of(line.words.back(), reserve_negative, labels, row);
    if (status == poolwise::Integer::malformed) return {Fault::label, line.number};
    if (status == poolwise::Integer::out_of_range) return {Fault::label_range, line.number};
    row.stratum = row.round = 0;
    if (columns == 5) {
        if (integer(line.words[3], row.stratum) != poolwise::Integer::good || row.stratum < 0)
            return {Fault::stratum, line.number};
        const poolwise::Integer second = integer(line.words[1], row.round);
        if (second == poolwise::Integer::malformed && line.words[1] != "Q0") return {Fault::iteration, line.number};
        if (second != poolwise::Integer::good || row.round < 0) row.round = 0;
    }
    return {};
}

inline Labels read_labels(const std::string& text, bool keep_first, bool reserve_negative) {
    Labels labels;
    for (const Line& line : lines_of(text)) {
        const std::size_t count = line.words.size();
        if (labels.columns == 0 && !line.too_long && !line.has_nul && (count == 4 || count == 5))
            labels.columns = static_cast<int>(count);
        Row row{};
        labels.fail = fail_of_label_line(line, reserve_negative, labels, row);
        if (labels.fail.fault != Fault::none) return labels;
        if (line.words.empty()) {
            ++labels.blank;
            continue;
        }
        ++labels.lines;
        if (!labels.topics[line.words[0]].insert({line.words[2], row}).second) {
            ++labels.duplicates;
            if (keep_first) continue;
            labels.fail = {Fault::duplicate, line.number};
            return labels;
        }
    }
    return labels;
}

}  // namespace slow
