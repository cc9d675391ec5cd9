// Where topics begin in text, so that it can be read in ranges of topics.
#pragma once

#include <cstring>

#include "pool.hpp"

namespace poolwise {

struct Blocks {
    std::vector<std::string_view> topics;
    std::vector<std::int64_t> begins;  // of each topic's first line, and the end of the text
    std::vector<std::int64_t> lines;   // before each of these
    bool ascending = true;             // topics are in the pool's order
};

// `text` holds whole lines only. Blank lines and comments belong to the topic before them.
inline Blocks find_blocks(std::string_view text) {
    Blocks found;
    const char* const end = text.data() + text.size();
    std::string_view topic;
    std::int64_t lines = 0;
    for (const char* at = text.data(); at < end; ++lines) {
        const char* word = at;
        while (word < end && is_blank(*word)) ++word;
        const std::size_t left = static_cast<std::size_t>(end - word);
        const bool same = !topic.empty() && left > topic.size() && is_space(word[topic.size()]) &&
                          std::memcmp(word, topic.data(), topic.size()) == 0;
        if (!same && word < end && !is_space(*word) && *at != '#') {
            const char* word_end = word;
            while (word_end < end && !is_space(*word_end)) ++word_end;
            const std::string_view name(word, static_cast<std::size_t>(word_end - word));
            if (!topic.empty()) found.ascending = found.ascending && topic_before(topic, name);
            topic = name;
            found.topics.push_back(name);
            found.begins.push_back(found.topics.size() == 1 ? 0 : at - text.data());
            found.lines.push_back(found.topics.size() == 1 ? 0 : lines);
        }
        const void* const newline = std::memchr(word, '\n', left);
        at = newline == nullptr ? end : static_cast<const char*>(newline) + 1;
    }
    found.begins.push_back(static_cast<std::int64_t>(text.size()));
    found.lines.push_back(lines);
    return found;
}

}  // namespace poolwise
